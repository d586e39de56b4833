"""What is learnt of movements: the first take-off and the last landing of each flight, once, for sixty days."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.airports.models import Movement
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.picture.counted import record_real_sky
from skywatch.routes import learning
from skywatch.routes.learning import RouteLearner
from skywatch.routes.models import FlownRoute
from tests.functional.routes.drawing import Judge, aircraft
from tests.statements import counting

NOW = utcnow().replace(microsecond=0)


@pytest.fixture
def runtime(make_runtime, database_url):
    return make_runtime(database_url=database_url)


def move(runtime, flight_id, *movements, callsign="SWR100", days_ago=1.0, **more):
    """Store movements of a flight, an hour apart, such as ``take_off LSZH``."""
    at = NOW - timedelta(days=days_ago)
    with writing(runtime.sessions) as session:
        for hour, text in enumerate(movements):
            kind, airport = text.split()
            fields = {"icao_hex": "4B1601", "callsign": callsign, "flight_id": flight_id, "military": False, **more}
            session.add(Movement(sure=1.0, kind=kind, airport=airport, at=at + timedelta(hours=hour), **fields))


def learnt(runtime):
    with runtime.sessions() as session:
        rows = session.scalars(sa.select(FlownRoute).order_by(FlownRoute.flight_id)).all()
        return [(row.flight_id, row.callsign, f"{row.origin}-{row.destination}") for row in rows]


def test_a_flight_has_the_ends_of_its_first_take_off_and_its_last_landing(runtime):
    learner = RouteLearner(runtime)
    move(runtime, 1, "take_off LSZH", "landing EGLL")
    move(runtime, 2, "take_off LSZH", "touch_and_go EDDF", "go_around EGLL", "landing EGLL", callsign="SWR2")
    move(runtime, 3, "take_off LSZH", callsign="SWR3")
    move(runtime, 4, "landing EGLL", callsign="SWR4")
    move(runtime, 5, "take_off LSZH", "landing EGLL", callsign=None)
    move(runtime, None, "take_off LSZH", "landing EGLL", callsign="SWR6")
    assert learner.look(NOW) == 2
    assert learnt(runtime) == [(1, "SWR100", "LSZH-EGLL"), (2, "SWR2", "LSZH-EGLL")]


@pytest.mark.deep("costs over a processor second")
def test_each_movement_is_looked_at_once_and_a_later_landing_counts(runtime):
    move(runtime, 1, "take_off LSZH", "landing EGLL")
    assert RouteLearner(runtime).look(NOW) == 1
    assert RouteLearner(runtime).look(NOW) == 0
    # Its flight goes on: it has landed somewhere else in the end.
    move(runtime, 1, "take_off EGLL", "landing EGCC", days_ago=0.5)
    assert RouteLearner(runtime).look(NOW) == 1
    assert learnt(runtime) == [(1, "SWR100", "LSZH-EGCC")]


def test_movements_of_imported_history_are_learnt_from_though_they_are_older(runtime):
    move(runtime, 7, "take_off LSZH", "landing EGLL", days_ago=1)
    RouteLearner(runtime).look(NOW)
    move(runtime, 3, "take_off LSZH", "landing EGLL", days_ago=40)
    move(runtime, 4, "take_off LSZH", "landing EGLL", days_ago=70)
    RouteLearner(runtime).look(NOW)
    assert [flight_id for flight_id, *_ in learnt(runtime)] == [3, 7]
    # After sixty days they are forgotten.
    RouteLearner(runtime).look(NOW + timedelta(days=30))
    assert [flight_id for flight_id, *_ in learnt(runtime)] == [7]


def test_each_batch_of_a_look_is_noticed_by_whoever_shows_routes(make_client, database_url, monkeypatch):
    monkeypatch.setattr(learning, "MOVEMENTS_AT_ONCE", 2)
    client = make_client(database_url=database_url)
    callsigns = ["SWR100", "SWR200"]
    for number, callsign in enumerate(callsigns):
        for flight in range(3):
            move(client.runtime, 3 * number + flight, "take_off LSZH", "landing EGLL", callsign=callsign)
    judge = Judge(client.runtime)
    seen = [aircraft(callsign, icao_hex=f"4b160{number}") for number, callsign in enumerate(callsigns)]
    store, shown = learning._store, []

    def store_and_judge(session, *rest):
        # As the tracker would, while the next batch waits.
        session.flush()
        shown.append(judge.judge(*seen, at=100.0 * len(shown)))
        store(session, *rest)

    monkeypatch.setattr(learning, "_store", store_and_judge)
    RouteLearner(client.runtime).look(NOW)
    judge.judge(*seen, at=1000.0)
    assert set(judge.routes()) == set(callsigns)
    judge.monitor.close()


def test_flights_are_found_by_an_index(make_runtime):
    runtime = make_runtime()
    move(runtime, 1, "take_off LSZH", "landing EGLL")
    with counting(runtime.engine) as statements:
        RouteLearner(runtime).look(NOW)
    (statement,) = (text for text in statements if "airport_movements.flight_id IN" in text)
    with runtime.engine.connect() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", ("",) * statement.count("?")).all()
    assert not any("SCAN" in step.detail for step in plan)


def test_simulated_flights_count_until_a_real_receiver_is_heard(make_client, database_url):
    client = make_client(database_url=database_url)
    for number in range(3):
        move(client.runtime, number + 1, "take_off LSZH", "landing EGLL", simulated=True)
    RouteLearner(client.runtime).look(NOW)

    def shown():
        return client.get("/api/v1/routes/SWR100").json["route"], client.get("/api/v1/routes/status").json["learnt"]

    assert shown()[0]["source"] == "learnt"
    assert shown()[1] == {"routes": 1, "callsigns": 1}
    with writing(client.runtime.sessions) as session:
        record_real_sky(session)
    assert shown() == (None, {"routes": 0, "callsigns": 0})


def test_movements_of_a_transaction_that_commits_late_are_not_passed_over(make_runtime, postgresql_url):
    runtime = make_runtime(database_url=postgresql_url)
    learner = RouteLearner(runtime)
    move(runtime, 1, "take_off LSZH", "landing EGLL")
    with runtime.sessions() as importing, importing.begin():
        at = NOW - timedelta(days=2)
        for hour, (kind, airport) in enumerate((("take_off", "LSZH"), ("landing", "EDDF"))):
            importing.add(
                Movement(
                    sure=1.0, kind=kind, airport=airport, at=at + timedelta(hours=hour), icao_hex="4B1602",
                    callsign="SWR2", flight_id=2, military=False,
                )
            )  # fmt: skip
        importing.flush()
        move(runtime, 3, "take_off LSZH", "landing LOWW", callsign="SWR3", icao_hex="4B1603")
        assert learner.look(NOW) == 2
        assert learner.look(NOW) == 0
        begun_anew = RouteLearner(runtime)
        assert begun_anew.look(NOW) == 1
    assert learner.look(NOW) == 1
    assert learnt(runtime) == [(1, "SWR100", "LSZH-EGLL"), (2, "SWR2", "LSZH-EDDF"), (3, "SWR3", "LSZH-LOWW")]
    assert begun_anew.look(NOW) == 1
    assert learner.look(NOW) == 0

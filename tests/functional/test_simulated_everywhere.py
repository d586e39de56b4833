"""What is stored of a simulated aircraft is in no sum once a real one was heard, says so in lists, and goes."""

import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.core.clock import to_iso
from skywatch.core.database.engine import writing
from skywatch.core.hooks import SimulatedRows
from skywatch.history.models import Chunk, Flight
from skywatch.history.storage.codec import decode, encode
from skywatch.history.storage.points import SIMULATED, address_code
from skywatch.picture.counted import CountedSky, record_real_sky
from skywatch.picture.models import PictureState
from skywatch.readsb.tar1090 import replay
from skywatch.security.visibility import EVERYTHING
from skywatch.system import simulated
from tests.functional.test_military_everywhere import GHOST, OTHER, ROOT, TRACES, begin, client, told  # noqa: F401
from tests.skies import show, sky_of
from tests.unit.history.stored import row
from tests.unit.test_military_tables import tables

SUMS = {
    "history/stats": lambda answer: answer["flights"],
    "history/stats?from=2020-01-01T00:00:00Z": lambda answer: answer["top_aircraft"],
    "history/heatmap": lambda answer: answer["cells"],
    "history/coverage": lambda answer: [s for s in answer["sectors"] if s["max_distance_nm"] is not None],
    "aircraft/stats": lambda answer: answer["total"],
    "aircraft/top": lambda answer: answer["longest"],
    "alerts/stats": lambda answer: answer["total"],
    "safety/stats": lambda answer: answer["total"],
}
# What no simulator makes: messages, recordings, and who is known or was named by an administrator.
NEVER = ("/acars/", "/audio/", "/known-aircraft", "/airframes", "/deliveries")
# Files and pictures of tracks, without members; and the short form of sessions, which the specification has.
FILES = (
    "/sessions/active",
    "/data/",
    "/globe_history/",
    "/track",
    "/tracks/",
    "/export",
    "/picture",
    "/replay",
    "/areas",
)


@pytest.fixture
def simulating(client, begin):  # noqa: F811
    """Everything that is stored of the ghost is a simulator's; the station's antenna heard it."""
    with writing(client.runtime.sessions) as session:
        for rows in client.runtime.features.provided(SimulatedRows):
            session.execute(sa.update(simulated._table(rows)).values(simulated=True))
        for chunk in session.scalars(sa.select(Chunk)):
            points = decode(chunk.data)
            points["flags"] |= SIMULATED
            points["source"] = 1
            chunk.data = encode(points)
        session.execute(sa.insert(Flight), [row(8, OTHER, first_seen_at=begin, last_seen_at=begin)])
    return client


# What sums nothing of aircraft, or has a test of its own, and where.
OTHER_SUMS = {
    "/api/v1/acars/stats": "messages: no simulator makes any",
    "/api/v1/audio/stats": "recordings: no simulator makes any",
    "/api/v1/cannonball/known-aircraft/stats/": "what administrators entered",
    "/api/v1/feeders/{id}/coverage": "feeders: a simulator is none",
    "/api/v1/feeders/{id}/quality": "feeders: a simulator is none",
    "/api/v1/history/stats/export": "the rows of history/stats: functional/history/test_simulated.py",
    "/api/v1/safety/areas": "below, at the moment of the region",
    "/api/v1/system/receivers/{name}/quality": "of one receiver, which is a simulator or none",
    "/api/v1/system/reception": "functional/reception/test_series.py",
    "/globe_history/{year}/{month}/{day}/heatmap/{half_hour}.bin.ttf": "below, as tar1090's replay",
}
SUMMING = ("stats", "top", "heatmap", "coverage", "quality", "reception", "areas")


def test_every_answer_that_sums_is_asked_here_or_where_it_is_said(client):  # noqa: F811
    paths = client.get("/api/v1/openapi.json", headers=ROOT).json["paths"]
    summing = {path for path in paths if set(path.strip("/").split("/")) & set(SUMMING)}
    asked = {f"/api/v1/{path.partition('?')[0]}" for path in SUMS}
    assert {path for path in summing if path.rstrip("/") not in asked} == set(OTHER_SUMS)


def sums(client):  # noqa: F811
    # The live sky: what counts is asked for once a second.
    show(client.runtime, sky_of({"hex": OTHER, "simulated": True}))
    client.runtime.shared(CountedSky)._looked_at = float("-inf")
    return {path: value(client.get(f"/api/v1/{path}", headers=ROOT).json) for path, value in SUMS.items()}


def outline(client):  # noqa: F811
    return client.get("/data/outline.json", headers=ROOT).json["actualRange"]["last24h"]["points"]


def hear_real(client):  # noqa: F811
    with writing(client.runtime.sessions) as session:
        record_real_sky(session)


def test_every_table_with_the_mark_is_removed_with_the_simulator(client):  # noqa: F811
    marked = {name for name, table in tables().items() if "simulated" in table.c}
    assert {simulated._table(rows).name for rows in client.runtime.features.provided(SimulatedRows)} == marked


def test_no_sum_knows_of_it_once_a_real_aircraft_was_heard(simulating):
    before = sums(simulating)
    assert all(before.values())
    hear_real(simulating)
    real = sums(simulating)
    assert real["history/stats"] == 1
    assert [entry["icao_hex"] for entry in real["history/stats?from=2020-01-01T00:00:00Z"]] == [OTHER]
    assert not any(value for path, value in real.items() if not path.startswith("history/stats"))
    simulated.remove(simulating.runtime.sessions, simulating.runtime.features, None, lambda seconds: None)
    assert sums(simulating) == real


def test_disturbed_areas_and_the_replay_of_others_are_of_real_aircraft_and_ours_has_the_mark(simulating, begin):  # noqa: F811
    def areas():
        return simulating.get("/api/v1/safety/areas", {"at": to_iso(begin)}, headers=ROOT).json["features"]

    def half_hour(*, simulated):
        with simulating.runtime.sessions() as session:
            return replay.half_hour(session, int(begin.timestamp()), EVERYTHING, simulated=simulated)

    ghost = address_code(GHOST).to_bytes(3, "little")
    assert len(areas()) == 1
    assert ghost in half_hour(simulated=True)
    hear_real(simulating)
    assert areas() == []
    assert ghost not in half_hour(simulated=False)
    moment = to_iso(begin + timedelta(seconds=30))
    past = simulating.get("/api/v1/history/picture", {"at": moment}, headers=ROOT).json["aircraft"]
    assert {entry["hex"]: entry.get("simulated") for entry in past}[GHOST.lower()] is True


@pytest.mark.deep("asks everything that takes no identifier")
def test_every_answer_that_names_it_says_that_it_is_simulated(simulating):
    hear_real(simulating)
    document = simulating.get("/api/v1/openapi.json", headers=ROOT).json
    named = set()
    for path, operations in document["paths"].items():
        if "get" not in operations or "{" in path or any(part in path for part in NEVER):
            continue
        if path.split("/")[-1] in ("openapi.json", "asyncapi.json"):
            continue
        answer = simulating.get(path, headers=ROOT, expect_errors=True)
        text = answer.body.decode("utf-8", "replace").lower()
        if answer.status_int == 200 and any(trace in text for trace in TRACES):
            named.add(path)
            assert '"simulated":true' in text or any(part in path for part in FILES), (path, text[:2000])
    lists = {"history/flights", "alerts/history", "safety/events", "cannonball/sessions", "cannonball/alerts"}
    assert {f"/api/v1/{path}" for path in lists} <= {path.rstrip("/") for path in named}


def test_it_is_removed_and_nothing_else(simulating, begin):  # noqa: F811
    before = told(simulating, begin, ROOT)
    runtime = simulating.runtime
    with runtime.sessions() as session:
        counts = simulated.count(session, runtime.features)
    assert counts["Flights with their positions"] == counts["Safety events"] == counts["Cannonball alerts"] == 1
    removed = simulated.remove(runtime.sessions, runtime.features, None, lambda seconds: None)
    assert removed == counts
    after = told(simulating, begin, ROOT)
    assert after == {path for path in before if any(part in path for part in NEVER)}
    with runtime.sessions() as session:
        assert session.scalars(sa.select(Flight.icao_hex)).all() == [OTHER]
        assert session.scalar(sa.select(sa.func.count()).select_from(Chunk)) == 0
        assert simulated.count(session, runtime.features) == {}


def test_flights_that_are_not_marked_go_by_their_positions(simulating):
    runtime = simulating.runtime
    with writing(runtime.sessions) as session:
        session.execute(sa.update(Flight).values(simulated=False))
    simulated.remove(runtime.sessions, runtime.features, None, lambda seconds: None)
    with runtime.sessions() as session:
        assert session.scalars(sa.select(Flight.icao_hex)).all() == [OTHER]


def test_the_tracker_removes_what_was_asked_for_and_forgets_that_it_was(simulating, monkeypatch):
    runtime = simulating.runtime
    removal = simulated.Removal(runtime)

    def flights():
        removal.work(lambda seconds: None)
        with runtime.sessions() as session:
            asked = session.get(PictureState, "simulated_removal") is not None
            return session.scalar(sa.select(sa.func.count()).select_from(Flight)), asked

    assert flights() == (2, False)
    with writing(runtime.sessions) as session:
        simulated.ask(session, runtime.features, simulated.Actor("root", "console"))
    assert flights() == (2, True)
    monkeypatch.setattr(simulated, "BEGIN_AFTER", -simulated.LATE)
    assert flights() == (1, True)
    monkeypatch.setattr(simulated, "END_AFTER", -simulated.LATE)
    assert flights() == (1, False)


def test_who_asks_again_during_a_pass_is_not_forgotten(simulating, monkeypatch):
    runtime = simulating.runtime
    with writing(runtime.sessions) as session:
        simulated.ask(session, runtime.features, simulated.Actor("root", "console"))

    def ask_again(*_):
        with writing(runtime.sessions) as session:
            session.get(PictureState, "simulated_removal").saved_at += timedelta(seconds=1)

    monkeypatch.setattr(simulated, "remove", ask_again)
    for name in ("BEGIN_AFTER", "END_AFTER"):
        monkeypatch.setattr(simulated, name, -simulated.LATE)
    simulated.Removal(runtime).work(lambda seconds: None)
    with runtime.sessions() as session:
        assert session.get(PictureState, "simulated_removal") is not None


def test_others_write_while_rows_are_looked_for_and_none_is_looked_at_twice(simulating, begin, monkeypatch):  # noqa: F811
    runtime = simulating.runtime
    with writing(runtime.sessions) as session:
        rows = [row(20 + n, OTHER, first_seen_at=begin, last_seen_at=begin, simulated=True) for n in range(3)]
        session.execute(sa.insert(Flight), rows)
    monkeypatch.setattr(simulated, "ROWS_A_STEP", 1)
    plans = []

    def look(connection, cursor, statement, parameters, *_):
        if statement.startswith("SELECT"):
            with closing(sqlite3.connect(runtime.engine.url.database, timeout=0)) as other:
                other.execute("BEGIN IMMEDIATE")
                other.rollback()
                plans.append(str(other.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()))

    sa.event.listen(runtime.engine, "before_cursor_execute", look)
    assert simulated._delete(runtime.sessions, Flight.__table__, lambda seconds: None) == 4
    assert len(plans) == 5
    assert all("SEARCH" in plan for plan in plans[1:])

"""The search for flights: what it finds and counts, and that it reads no more of the table than it must."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.history.flights.filter import FlightFilter
from skywatch.history.flights.service import search
from skywatch.history.models import Flight
from skywatch.security.visibility import EVERYTHING, Visibility
from tests.unit.history.stored import row

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_pages_behind_cursors_have_every_flight_once_where_many_began_with_one_tick",
        "test_rare_flights_among_many_are_found_by_an_index",
        "test_registrations_and_types_are_matched_like_callsigns",
        "test_the_beginning_of_a_callsign_finds_what_begins_so",
    ],
)

FLIGHTS = 60
BY_MARKS = "ix_history_flights_first_seen_at"
CALLSIGNS = ("SWR1", "SWR12", "SWR12A", "SWS1", "SW", "=EVIL,1", "100%", "SWR\u00e9", None)


@pytest.fixture
def sessions(database_url):
    engine = create_engine(database_url)
    sessions = create_session_factory(engine)
    rows = []
    for number in range(1, FLIGHTS + 1):
        flight = row(number, f"{number % 7:06X}", callsign=CALLSIGNS[number % len(CALLSIGNS)], military=number % 5 == 0)
        flight["first_seen_at"] += timedelta(minutes=number)
        rows.append({**flight, "emergency": number == 9, "aircraft_type": ("A320", "B738")[number % 2]})
    with writing(sessions) as session:
        session.execute(sa.insert(Flight), rows)
    yield sessions
    engine.dispose()


def found(sessions, limit=100, offset=0, visibility=EVERYTHING, **wanted):
    with sessions() as session:
        flights, count, more = search(
            session, FlightFilter(**wanted), visibility=visibility, limit=limit, offset=offset
        )
        return [flight.id for flight in flights], count, more


@pytest.mark.parametrize("beginning", ["SWR1", "swr", "SW", "=EV", "100%", "%", "", "SWR\u00c9", "Z"])
def test_the_beginning_of_a_callsign_finds_what_begins_so(sessions, beginning):
    upper = beginning.upper()
    wanted = [
        number
        for number in range(FLIGHTS, 0, -1)
        if (name := CALLSIGNS[number % len(CALLSIGNS)]) is not None and name.startswith(upper)
    ]
    assert found(sessions, callsign=f"{beginning}*")[0] == wanted


@pytest.mark.parametrize(
    "wanted",
    [
        {"registration": "HB-*"},
        {"registration": "hb-j*"},
        {"registration": "HB-JA"},
        {"aircraft_type": "A*"},
        {"aircraft_type": "b738"},
        {"registration": "HB-*", "aircraft_type": "B7*"},
    ],
)
def test_registrations_and_types_are_matched_like_callsigns(sessions, wanted):
    with writing(sessions) as session:
        for number, registration in ((3, "HB-JA"), (4, "HB-ZZ"), (5, "D-HBJA")):
            session.execute(sa.update(Flight).where(Flight.id == number).values(registration=registration))
        stored = session.execute(sa.select(Flight.id, Flight.registration, Flight.aircraft_type)).all()

    def matches(text, name):
        text = text.upper()
        return name is not None and (name.startswith(text[:-1]) if text.endswith("*") else name == text)

    expected = {
        number
        for number, registration, aircraft_type in stored
        if matches(wanted.get("registration", "*"), registration or "")
        and matches(wanted.get("aircraft_type", "*"), aircraft_type)
    }
    assert expected
    assert set(found(sessions, **wanted)[0]) == expected


@pytest.mark.parametrize("limit", [7, 30, 60, 61])
@pytest.mark.parametrize("offset", [0, 5, 59, 60, 90])
def test_the_count_is_of_all_whatever_the_page(sessions, limit, offset):
    flights, count, more = found(sessions, limit, offset)
    assert flights == list(range(FLIGHTS, 0, -1))[offset : offset + limit]
    assert (count, more) == (FLIGHTS, offset + limit < FLIGHTS)


def test_pages_behind_cursors_have_every_flight_once_where_many_began_with_one_tick(database_url):
    engine = create_engine(database_url)
    sessions = create_session_factory(engine)
    with writing(sessions) as session:
        session.execute(sa.insert(Flight), [row(number, "4B1620") for number in range(1, 8)])
    ids, cursor = [], None
    with sessions() as session:
        for _ in range(4):
            flights, count, more = search(session, FlightFilter(), visibility=EVERYTHING, limit=2, cursor=cursor)
            ids += [flight.id for flight in flights]
            cursor = flights[-1].first_seen_at, flights[-1].id
            assert (count, more) == (7, len(ids) < 7)
    engine.dispose()
    assert ids == [7, 6, 5, 4, 3, 2, 1]


def test_the_newest_page_is_chosen_in_the_index_and_only_its_rows_are_read(sqlite_url):
    engine = create_engine(sqlite_url)
    asked = []
    with create_session_factory(engine)() as session:
        sa.event.listen(engine, "before_cursor_execute", lambda *call: asked.append(call[2:4]))
        for visibility in (EVERYTHING, Visibility()):
            search(session, FlightFilter(), visibility=visibility, limit=1)
        for statement, parameters in list(asked):
            plan = str(session.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all())
            assert f"COVERING INDEX {BY_MARKS}" in plan, plan
    engine.dispose()
    assert len(asked) > 2


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        ({"callsign": "TST123*"}, "ix_history_flights_callsign_first_seen_at_military"),
        ({"callsign": "TST1234"}, "ix_history_flights_callsign_first_seen_at_military"),
        ({"aircraft_type": "C17"}, "ix_history_flights_aircraft_type_first_seen_at_military"),
        ({"registration": "HB-123*"}, "ix_history_flights_registration_first_seen_at"),
        ({"emergency": True}, BY_MARKS),
        ({"active": True}, BY_MARKS),
    ],
    ids=["beginning", "callsign", "type", "registration", "emergency", "active"],
)
def test_rare_flights_among_many_are_found_by_an_index(sessions, wanted, index):
    many = [
        row(
            number,
            "4B1620",
            callsign=f"TST{number}",
            registration=f"HB-{number}",
            aircraft_type=f"C{number % 90}",
        )
        for number in range(100, 5000)
    ]
    asked = []
    with sessions() as session:
        session.execute(sa.insert(Flight), many)
        session.execute(sa.text("ANALYZE"))
        explain = "EXPLAIN QUERY PLAN"
        if session.get_bind().dialect.name == "postgresql":
            explain = "EXPLAIN"
            # Of so few rows it would rather read all, or sort them.
            for way in ("seqscan", "bitmapscan", "sort")[: 3 if index == BY_MARKS else 1]:
                session.execute(sa.text(f"SET LOCAL enable_{way} = off"))
        sa.event.listen(session.get_bind(), "before_cursor_execute", lambda *call: asked.append(call[2:4]))
        search(session, FlightFilter(**wanted), visibility=Visibility(), limit=1)
        for statement, parameters in list(asked):
            plan = str(session.connection().exec_driver_sql(f"{explain} {statement}", parameters).all())
            assert index in plan, plan

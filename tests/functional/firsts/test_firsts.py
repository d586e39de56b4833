"""Firsts over REST: what was seen first, who may see it, and that it outlives its flights."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.airframes.military import decide
from skywatch.core.clock import to_iso
from skywatch.core.database.engine import writing
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.firsts import worker as worker_module
from skywatch.firsts.models import FirstsState, OpenFlight, Sighting
from skywatch.firsts.worker import FirstsWorker
from skywatch.history.models import Flight
from skywatch.picture.counted import record_real_sky
from skywatch.system import simulated
from tests.functional.firsts.drawing import ANALYST, NOW, OPERATOR, VIEWER, plain_recount

V1 = "/api/v1/firsts"


def firsts(client, query="", headers=ANALYST):
    return client.get(f"{V1}?{query}", headers=headers).json


def keys(client, query="", headers=ANALYST):
    return [(first["kind"], first["key"]) for first in firsts(client, query, headers)["firsts"]]


def test_the_first_of_each_kind_is_listed_once_with_its_flight(client, home):
    home.fly("4B1602", days_ago=3, callsign="EDW7", registration="HB-IJU", operator="Edelweiss")
    flight = home.fly("4B1601", days_ago=5, registration="HB-JJA", operator="SWISS")
    home.fly("4B1601", days_ago=2)
    home.fly("3C6444", days_ago=1, callsign="DLH4", aircraft_type="A20N")
    home.count()
    assert keys(client) == [
        ("airframe", "3C6444"), ("country", "DE"), ("operator", "DLH"), ("type", "A20N"),
        ("airframe", "4B1602"), ("operator", "EDW"),
        ("airframe", "4B1601"), ("country", "CH"), ("operator", "SWR"), ("type", "A320"),
    ]  # fmt: skip
    (entry,) = firsts(client, "kind=operator&limit=1&offset=2")["firsts"]
    assert entry == {
        "kind": "operator", "key": "SWR", "name": "SWISS", "at": to_iso(NOW - timedelta(days=5)),
        "icao_hex": "4B1601", "callsign": "SWR100", "flight_id": flight,
    }  # fmt: skip
    assert [first["name"] for first in firsts(client, "kind=airframe")["firsts"]] == [None, "HB-IJU", "HB-JJA"]


def test_from_is_included_to_is_not_and_pages_are_linked(client, home):
    for number in range(5):
        home.fly(f"4B160{number}", days_ago=5 - number, callsign=None)
    home.count()
    second, fourth = (to_iso(NOW - timedelta(days=days)) for days in (4, 2))
    found = firsts(client, f"kind=airframe&from={second}&to={fourth}")
    assert [first["key"] for first in found["firsts"]] == ["4B1602", "4B1601"]
    assert found["count"] == 2
    # The type was seen first before that span.
    assert firsts(client, f"kind=type&from={second}")["count"] == 0
    page = firsts(client, "limit=3&offset=3")
    assert (page["count"], len(page["firsts"])) == (7, 3)
    assert page["next"].endswith("offset=6")
    assert (
        client.get(f"{V1}?from={fourth}&to={second}", headers=ANALYST, status=400).json["code"] == "validation_failed"
    )


def test_a_flight_counts_from_its_begin_and_is_counted_once_it_has_ended(client, home):
    flight = home.fly(days_ago=0.1, active=True, callsign=None, aircraft_type=None)
    home.count()
    assert keys(client) == [("airframe", "4B1601"), ("country", "CH")]
    home.change(flight, callsign="SWR1", aircraft_type="A321")
    home.count()
    assert ("operator", "SWR") in keys(client)
    # What was misheard is forgotten.
    home.change(flight, callsign="EDW1")
    home.count()
    assert [key for kind, key in keys(client) if kind == "operator"] == ["EDW"]
    home.change(flight, active=False)
    home.count()
    assert [key for kind, key in keys(client) if kind == "operator"] == ["EDW"]
    with client.runtime.sessions() as session:
        assert session.scalars(sa.select(Sighting.flights).where(Sighting.kind == "airframe")).all() == [1]
        assert session.scalars(sa.select(OpenFlight)).all() == []


def test_two_workers_count_each_flight_once(client, home, monkeypatch):
    monkeypatch.setattr(worker_module, "FLIGHTS_AT_ONCE", 2)
    for number in range(5):
        home.fly(days_ago=9 - number)
    other = FirstsWorker(client.runtime)
    write, calls = FirstsWorker._write, []

    def overtaken(self, *arguments):
        write(self, *arguments)
        calls.append(self)

    monkeypatch.setattr(FirstsWorker, "_write", overtaken)
    find = FirstsWorker._find

    def find_late(self, session, now):
        found = find(self, session, now)
        if self is other:
            home.worker.look(now)
        return found

    monkeypatch.setattr(FirstsWorker, "_find", find_late)
    for _ in range(4):
        other.look(NOW)
    home.count()
    with client.runtime.sessions() as session:
        assert session.scalars(sa.select(Sighting.flights).where(Sighting.kind == "airframe")).all() == [5]


def test_numbers_that_are_committed_late_are_counted(client, home, database_url):
    first = home.fly("4B1601", days_ago=3)
    home.last_id += 1
    home.fly("4B1603", days_ago=2)
    home.count()
    home.last_id = first
    if not database_url.startswith("postgresql"):
        pytest.skip("SQLite has one writer")
    home.fly("4B1602", days_ago=2.5)
    home.count()
    assert [key for kind, key in keys(client) if kind == "airframe"] == ["4B1603", "4B1602", "4B1601"]


def test_firsts_stay_when_flights_are_removed_and_move_back_with_older_history(client, home):
    flights = [home.fly(f"4B160{number}", days_ago=20 - number) for number in range(4)]
    home.count()
    before = firsts(client)
    home.remove(*flights)
    after = firsts(client)
    assert {first["flight_id"] for first in before["firsts"]} == {flights[number] for number in range(4)}
    assert {first["flight_id"] for first in after["firsts"]} == {None}
    assert [{**first, "flight_id": 0} for first in before["firsts"]] == [{**f, "flight_id": 0} for f in after["firsts"]]
    imported = home.fly("4B1602", days_ago=90)
    home.count()
    newest = {(first["kind"], first["key"]): first for first in firsts(client)["firsts"]}
    for key in (("airframe", "4B1602"), ("type", "A320"), ("operator", "SWR"), ("country", "CH")):
        assert (newest[key]["flight_id"], newest[key]["at"]) == (imported, to_iso(NOW - timedelta(days=90)))


@pytest.mark.deep("costs over a processor second")
def test_firsts_are_those_of_a_plain_recount_after_retention_and_an_import(client, home):
    rng = np.random.default_rng(51)
    flights = []

    def draw(count, oldest, newest):
        for _ in range(count):
            number = int(rng.integers(30))
            fields = {
                "callsign": rng.choice(["SWR1", "DLH22", "AFR9A", "HBABC", None]),
                "aircraft_type": rng.choice(["A320", "B738", "C172", None]),
            }
            fields = {name: None if value is None else str(value) for name, value in fields.items()}
            days_ago = float(rng.uniform(newest, oldest))
            home.fly(f"{0x4B1600 + number * 0x10000:06X}", days_ago=days_ago, **fields)
        with client.runtime.sessions() as session:
            columns = (Flight.id, Flight.icao_hex, Flight.aircraft_type, Flight.callsign, Flight.first_seen_at)
            known = {flight["id"] for flight in flights}
            flights.extend(row._asdict() for row in session.execute(sa.select(*columns)) if row.id not in known)

    draw(120, oldest=60, newest=1)
    home.count()
    home.remove(*(flight["id"] for flight in flights if flight["first_seen_at"] < NOW - timedelta(days=30)))
    draw(60, oldest=200, newest=40)
    home.count()
    found = firsts(client, "limit=1000")["firsts"]
    assert {(f["kind"], f["key"]): (f["at"], f["icao_hex"]) for f in found} == {
        key: (to_iso(at), icao_hex) for key, (at, icao_hex) in plain_recount(flights).items()
    }
    assert [first["at"] for first in found] == sorted((first["at"] for first in found), reverse=True)


def test_without_the_right_all_is_as_if_military_aircraft_had_never_flown(client, home):
    home.fly("3F4001", days_ago=9, callsign="GAF1", aircraft_type="A400", military=True)
    home.fly("4B1601", days_ago=8, callsign="GAF22", aircraft_type="A400", registration="HB-JJA")
    home.count()
    assert ("airframe", "3F4001") in keys(client)
    less = firsts(client, headers=OPERATOR)
    assert {first["icao_hex"] for first in less["firsts"]} == {"4B1601"}
    assert {(first["kind"], first["key"]) for first in less["firsts"]} == {
        ("airframe", "4B1601"), ("type", "A400"), ("operator", "GAF"), ("country", "CH"),
    }  # fmt: skip
    assert less["count"] == 4
    # Without details nobody learns of operators and registrations.
    least = firsts(client, headers=VIEWER)
    assert [first["kind"] for first in least["firsts"]] == ["airframe", "country", "type"]
    assert {first["name"] for first in least["firsts"]} == {None}
    assert firsts(client, "kind=operator", headers=VIEWER)["count"] == 0


def test_who_turns_military_is_hidden_at_once_and_from_the_counts_soon(client, home):
    home.fly("4B1601", days_ago=3, aircraft_type="PC21")
    home.fly("4B1602", days_ago=3)
    home.count()
    day = (NOW - timedelta(days=3)).date().isoformat()
    with writing(client.runtime.sessions) as session:
        decide(session, COMMAND_LINE, "4B1601", True)
    assert {first["icao_hex"] for first in firsts(client, headers=OPERATOR)["firsts"]} == {"4B1602"}
    home.count()

    def journal(headers):
        return client.get(f"/api/v1/journal?day={day}", headers=headers).json

    assert (journal(OPERATOR)["flights"], journal(OPERATOR)["military_share"]) == (1, None)
    assert (journal(ANALYST)["flights"], journal(ANALYST)["military_share"]) == (2, 0.5)
    with writing(client.runtime.sessions) as session:
        decide(session, COMMAND_LINE, "4B1601", False)
    home.count()
    assert journal(OPERATOR)["flights"] == 2


def test_simulated_aircraft_count_until_a_real_receiver_is_heard_and_can_be_removed(client, home):
    home.fly("4B1601", days_ago=2, simulated=True)
    home.fly("4B1601", days_ago=1.5, simulated=True)
    home.count()
    assert len(keys(client)) == 4
    assert client.get("/api/v1/records", headers=ANALYST).json["busiest_day"]["value"] == 1
    with writing(client.runtime.sessions) as session:
        record_real_sky(session)
    assert keys(client) == []
    home.fly("4B1602", days_ago=1)
    home.count()
    assert len(keys(client)) == 4
    removed = simulated.remove(client.runtime.sessions, client.runtime.features, None, lambda seconds: None)
    assert removed["Sightings"] == 4
    assert removed["Flights with their positions"] == 2
    home.count()
    assert len(keys(client)) == 4


def test_military_changes_of_the_moment_of_a_look_are_not_skipped(client, home, monkeypatch):
    home.fly("4B1601", days_ago=3, aircraft_type="PC21")
    home.fly("4B1602", days_ago=3)
    home.count()
    write, late = FirstsWorker._write, ["4B1602"]

    def overtaken(self, session, *arguments):
        if late:
            decide(session, COMMAND_LINE, late.pop(), True)
        write(self, session, *arguments)

    monkeypatch.setattr(FirstsWorker, "_write", overtaken)
    with writing(client.runtime.sessions) as session:
        decide(session, COMMAND_LINE, "4B1601", True)
    home.count()
    home.count()
    with client.runtime.sessions() as session:
        assert session.scalars(sa.select(Sighting.icao_hex).where(~Sighting.military)).all() == []


def test_who_turns_military_is_out_of_the_counts_of_airframes_and_types_at_once(client, home):
    home.fly("4B1601", days_ago=3, aircraft_type="PC21")
    home.fly("4B1602", days_ago=3)
    home.count()
    with writing(client.runtime.sessions) as session:
        decide(session, COMMAND_LINE, "4B1601", True)
    assert firsts(client, "kind=airframe", OPERATOR)["count"] == 1
    rarest = client.get("/api/v1/records", headers=OPERATOR).json["rarest_types"]
    assert [rare["type"] for rare in rarest] == ["A320"]


def test_addresses_that_are_none_of_icao_are_no_airframes(client, home):
    home.fly("~4B1601")
    home.count()
    assert keys(client) == []


def test_a_look_is_one_batch_and_the_next_one_comes_soon(client, home, monkeypatch):
    monkeypatch.setattr(worker_module, "FLIGHTS_AT_ONCE", 2)
    for number in range(3):
        home.fly(days_ago=9 - number)
    assert home.worker._look() is not None
    with client.runtime.sessions() as session:
        assert session.scalar(sa.select(FirstsState.flight_id)) == 2

"""The board of an airport over REST, from the live picture to the answer."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import numpy as np
import pytest

from skywatch.airports.models import Movement
from skywatch.airports.monitor import AirportMonitor
from skywatch.airports.storage import EVENT, Aircraft, Observed
from skywatch.core.clock import to_iso, unix_now, utcnow
from skywatch.core.database.engine import writing
from skywatch.picture.counted import record_real_sky
from tests.accounts import Population
from tests.skies import show, sky_of
from tests.unit.airports.drawn import Field, fly
from tests.waiting import until

V1 = "/api/v1/airports"


def skies_of(flights, begin):
    """The pictures of some flights, one a second, from a moment on."""
    last = max(flight.track.at[-1] for flight in flights.values()) - 1_795_000_000.0
    shown, seen = {}, {}
    for second in range(int(last) + 70):
        aircraft = []
        for address, flight in flights.items():
            track = flight.track
            index = int(np.searchsorted(track.at, 1_795_000_000.0 + second, "right")) - 1
            age = second - (track.at[index] - 1_795_000_000.0) if index >= 0 else 999
            if index < 0 or age > 60:
                shown.pop(address, None)
                continue
            entry = {
                "hex": address, "flight": f"SWR{address[-2:]}".upper(), "t": "A320", "category": "A3",
                "lat": float(track.lat[index]), "lon": float(track.lon[index]), "gs": float(track.gs[index]),
                "track": float(track.course[index]), "seen_pos": float(age), "seen": float(age), "r": "HB-JJA",
                "alt_baro": "ground" if track.ground[index] else int(track.alt[index]),
            }  # fmt: skip
            if not np.isnan(track.qnh[index]):
                entry["nav_qnh"] = float(track.qnh[index])
            aircraft.append(entry)
        sky = sky_of(*aircraft, seq=second + 1, now=begin + second)
        for row, entry in enumerate(aircraft):
            sky.columns["previous_row"][row] = seen.get(entry["hex"], -1)
        seen = {entry["hex"]: row for row, entry in enumerate(aircraft)}
        yield sky


@pytest.fixture
def board(make_client):
    return make_client(auth_mode="hybrid")


def flown(client, kinds, before=()):
    """Fly these movements at Zurich before the present moment, after other pictures."""
    field = Field("LSZH", 1009.0, np.random.default_rng(4))
    row = next(row for row in field.rows if field.lines.ident[row] == b"14")
    flights = {
        f"4b16{number:02x}": fly(field, kind, row, ground=ground, gap_s=0.0, knows="both")
        for number, (kind, ground) in enumerate(kinds)
    }
    monitor = AirportMonitor(client.runtime)
    monitor.start()
    monitor._work()
    begin = utcnow().timestamp() - 900
    for sky in (*before, *skies_of(flights, begin)):
        monitor.on_tick(sky)
    monitor.close()
    return flights


def test_movements_of_the_picture_are_on_the_board(board):
    flown(
        board,
        [
            ("landing", "flag"),
            ("take_off", "flag"),
            ("go_around", "flag"),
            ("touch_and_go", "flag"),
            ("landing", "none"),
        ],
    )
    population = Population(board.runtime)
    viewer = population.bearer(population.user("ada", "viewer"))
    answer = board.get(f"{V1}/ZRH/board", headers=viewer).json
    kinds = {each["icao_hex"]: (each["kind"], each["runway"]) for each in answer["movements"]}
    assert kinds == {
        "4B1600": ("landing", "14"),
        "4B1601": ("take_off", "14"),
        "4B1602": ("go_around", "14"),
        "4B1603": ("touch_and_go", "14"),
        "4B1604": ("landing", "14"),
    }
    assert answer["count"] == 5
    assert answer["covered"] is True
    assert [at["at"] for at in answer["movements"]] == sorted((at["at"] for at in answer["movements"]), reverse=True)
    assert {each["registration"] for each in answer["movements"]} == {None}
    (runway,) = answer["runways_in_use"]
    assert (runway["runway"], runway["landings"], runway["take_offs"]) == ("14", 3, 2)
    departures = board.get(f"{V1}/ZRH/board?direction=departures", headers=viewer).json
    assert {each["kind"] for each in departures["movements"]} == {"take_off", "touch_and_go"}
    operator = population.bearer(population.user("bob", "operator"))
    assert {each["registration"] for each in board.get(f"{V1}/ZRH/board", headers=operator).json["movements"]} == {
        "HB-JJA"
    }
    sure = {each["icao_hex"]: each["sure"] for each in answer["movements"]}
    assert sure["4B1604"] <= 0.8 < sure["4B1600"]


def add(client, **values):
    fields = {
        "airport": "LSZH", "kind": "landing", "runway": "14", "at": utcnow(), "sure": 0.9, "icao_hex": "4B1620",
        "callsign": "SWR1", "registration": None, "aircraft_type": None, "flight_id": 999, "from_or_to": None,
        "military": False, "simulated": False, **values,
    }  # fmt: skip
    with writing(client.runtime.sessions) as session:
        session.add(Movement(**fields))


def test_military_aircraft_are_on_no_board_of_who_may_not_see_them(board):
    add(board, icao_hex="4B7001", military=True)
    add(board, icao_hex="4B1621")
    population = Population(board.runtime)
    viewer = population.bearer(population.user("ada", "viewer"))
    analyst = population.bearer(population.user("bob", "analyst"))
    less, more = (board.get(f"{V1}/LSZH/board", headers=who).json for who in (viewer, analyst))
    assert [each["icao_hex"] for each in less["movements"]] == ["4B1621"]
    assert (less["count"], more["count"]) == (1, 2)
    assert (less["runways_in_use"][0]["landings"], more["runways_in_use"][0]["landings"]) == (1, 2)
    assert less["movements"][0]["flight_id"] is None


def test_what_is_expected_descends_on_a_line(client):
    field = Field("LSZH", 1013.25, np.random.default_rng(1))
    row = next(row for row in field.rows if field.lines.ident[row] == b"14")
    lat, lon = field.points(row, -6.0, 0.0)
    heading = float(field.lines.heading[row])
    inbound = {
        "hex": "4b1630", "flight": "SWR22", "t": "A320", "lat": float(lat), "lon": float(lon),
        "alt_baro": 3_400, "gs": 150.0, "track": heading, "baro_rate": -750,
    }  # fmt: skip
    level = inbound | {"hex": "4b1631", "baro_rate": 0}
    across = inbound | {"hex": "4b1632", "track": (heading + 90) % 360}
    show(client.runtime, sky_of(inbound, level, across))
    (expected,) = client.get(f"{V1}/LSZH/board").json["expected"]
    assert (expected["icao_hex"], expected["runway"]) == ("4B1630", "14")
    assert client.get(f"{V1}/LSZH/board?direction=departures").json["expected"] == []
    show(client.runtime, sky_of(inbound | {"simulated": True}, seq=2))
    assert len(client.get(f"{V1}/LSZH/board").json["expected"]) == 1
    with writing(client.runtime.sessions) as session:
        record_real_sky(session)
    assert client.get(f"{V1}/LSZH/board").json["expected"] == []


def test_movements_are_dated_where_the_clock_was_set_by_decades(board):
    low = {"hex": "4b1888", "lat": 47.45, "lon": 8.55, "alt_baro": 2_000, "gs": 140.0, "track": 140.0, "seen_pos": 0}
    flown(board, [("landing", "flag")], before=[sky_of(low, now=86_400.0)])
    with board.runtime.sessions() as session:
        movements = session.query(Movement).all()
    assert [each.kind for each in movements] == ["landing"]
    assert abs(movements[0].at.timestamp() - utcnow().timestamp()) < 1_000


def test_simulated_movements_are_told_until_a_real_aircraft_was_heard(client):
    monitor, heard = AirportMonitor(client.runtime), []

    def move(*addresses):
        with writing(client.runtime.sessions) as session:
            aircraft = [Aircraft(address, simulated=address.startswith("4B")) for address in addresses]
            monitor._write(session, [Observed(each, "LSZH", unix_now(), "landing") for each in aircraft])
        until(lambda: any(addresses[-1].encode() in message.data for message in heard))
        return [address for address in addresses if any(address.encode() in message.data for message in heard)]

    with closing(client.runtime.bus.subscribe(["aircraft"], heard.append)):
        assert move("4B1601") == ["4B1601"]
        with writing(client.runtime.sessions) as session:
            record_real_sky(session)
        assert move("4B1602", "3C6444") == ["3C6444"]
    assert {message.event for message in heard} == {EVENT}


def test_spans_are_bounded(client):
    for query in (
        "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z",
        "from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z",
        # There is no earlier moment.
        "to=0001-01-01T00:00:00Z",
        # It would end now.
        f"from={to_iso(utcnow() - timedelta(days=31))}",
    ):
        assert client.get(f"{V1}/LSZH/board?{query}", status=400).json["code"] == "validation_failed"
    day = client.get(f"{V1}/LSZH/board?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z").json
    assert (day["movements"], day["covered"], day["expected"], day["runways_in_use"]) == ([], None, [], [])
    client.get(f"{V1}/LSZH/board?from={to_iso(utcnow() - timedelta(days=30.9))}")
    client.get(f"{V1}/XQXQ/board", status=404)
    first = client.get(f"{V1}/LSZH/board?from=0001-01-01T00:00:00Z&to=0001-01-01T00:30:00Z").json
    assert (first["movements"], first["runways_in_use"]) == ([], [])


def test_from_is_included_and_to_is_not(client):
    at = utcnow().replace(microsecond=0)
    add(client, at=at)
    assert client.get(f"{V1}/LSZH/board?from={to_iso(at)}").json["count"] == 1
    assert client.get(f"{V1}/LSZH/board?to={to_iso(at)}").json["count"] == 0

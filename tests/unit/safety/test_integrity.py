"""Positions that cannot be right, and regions of disturbed navigation signals."""

import dataclasses
import math

import pytest

from skywatch.core import geo
from skywatch.safety.thresholds.thresholds import Thresholds
from tests.unit.safety.drawn import START, Drawn, found, of_type, skies, straight

pytestmark = pytest.mark.deep("walks a corpus")

CENTRE = (47.0, 8.0)


def integrity(aircraft, seconds, thresholds=None):
    return of_type(found(skies(aircraft, seconds), thresholds), "position_integrity")


def cause(event):
    return event.finding.numbers["cause"].value


def at(x, y):
    """Latitude and longitude of a point (nm east and north of the centre)."""
    lat, lon = geo.destination(*CENTRE, math.degrees(math.atan2(x, y)), math.hypot(x, y))
    return {"lat": round(float(lat), 5), "lon": round(float(lon), 5)}


def test_an_aircraft_that_leaps_aside_is_raised():
    path = straight(0, 0, 9000, 240, 90)
    leap = at(0, 40)
    aircraft = Drawn("4b0001", path, changing=lambda t: leap if 40 <= t < 46 else {})
    [event] = integrity([aircraft], 150)
    assert cause(event) == "leap"
    assert 40 <= event.began_at - START <= 46
    assert abs(event.finding.numbers["leap"].value - 40) < 2
    assert event.ended_at is not None


def test_two_wrong_positions_are_no_leap():
    aircraft = Drawn(
        "4b0001", straight(0, 0, 9000, 240, 90), changing=lambda t: at(0, 40 - t / 4) if 40 <= t < 42 else {}
    )
    assert integrity([aircraft], 80) == []


def test_positions_further_ahead_on_the_own_track_are_late_and_no_leap():
    def late(t):
        # The feed repeats an old place with new times, and then catches up.
        return at(240 * (t if t > 80 else min(t, 40.0)) / 3600 * 3, 0)

    aircraft = Drawn("4b0001", straight(0, 0, 30_000, 720, 90), changing=late)
    assert integrity([aircraft], 120) == []


def test_a_place_after_a_gap_in_the_reception_is_no_leap():
    path = straight(0, 0, 9000, 240, 90)
    elsewhere = at(-10, 20)
    aircraft = Drawn(
        "4b0001",
        path,
        changing=lambda t: {"lat": None, "lon": None} if 40 < t < 90 else elsewhere if 90 <= t < 96 else {},
    )
    assert integrity([aircraft], 110) == []


def test_four_aircraft_moved_to_one_point_are_one_event_that_names_them():
    point = at(0, 25)
    aircraft = [
        Drawn(
            f"4b000{number}",
            straight(10 * number - 15, -5, 20_000 + 1000 * number, 300, 90 * number),
            changing=lambda t: point if t >= 45 else {},
        )
        for number in range(4)
    ]
    events = integrity(aircraft, 90)
    [event] = [e for e in events if cause(e) == "gathering"]
    assert event.finding.hexes == ("4b0000", "4b0001", "4b0002", "4b0003")
    assert event.began_at - START <= 55
    assert event.finding.severity == "critical"
    assert event.ended_at is None


def test_aircraft_whose_ways_cross_are_no_gathering():
    aircraft = [
        Drawn(
            f"4b000{number}",
            straight(*(-5 * math.sin(a), -5 * math.cos(a)), 20_000 + 2000 * number, 300, math.degrees(a)),
        )
        for number, a in enumerate((0.0, 1.5, 3.0, 4.5))
    ]
    assert integrity(aircraft, 100) == []


def test_a_formation_that_has_always_been_one_is_no_gathering():
    aircraft = [
        Drawn(f"4b000{number}", straight(0.02 * number, 0, 20_000, 300, 90), fields={"t": "HAWK"})
        for number in range(4)
    ]
    assert [e for e in integrity(aircraft, 140) if cause(e) == "gathering"] == []


def test_geometric_altitude_that_leaps_in_level_flight_is_raised():
    path = straight(0, 0, 30_000, 400, 90)
    aircraft = Drawn("4b0001", path, changing=lambda t: {"alt_geom": 31_000 if t < 60 else 27_000})
    [event] = integrity([aircraft], 90)
    assert cause(event) == "altitude"
    assert event.finding.numbers["leap"].value == pytest.approx(-4000, abs=100)


@pytest.mark.parametrize("is_snapshot", [False, True])
def test_geometric_altitude_that_stood_still_before_it_leaps_is_raised(is_snapshot):
    """Unchanged for 40 s, of which the aircraft flies level for 38, and then 3,200 ft higher."""

    def path(t):
        return 0.125 * t, 0.0, 35_000.0 - max(0.0, 22 - t) * 30

    def sent(t):
        return {"alt_geom": 35_400 - round(max(0.0, 20 - t) * 30) if t < 60 else 38_600, "snapshot": is_snapshot}

    [event] = integrity([Drawn("4b0001", path, changing=sent)], 90)
    assert cause(event) == "altitude"
    assert event.finding.numbers["leap"].value == pytest.approx(3200, abs=100)


def test_altitudes_of_before_and_after_a_gap_of_reception_are_not_compared():
    def path(t):
        return 0.111 * t, 0.0, 30_000 if t < 55 else 26_000

    def sent(t):
        return {"alt_geom": 31_000} if t < 40 else {} if t < 85 else {"alt_geom": 27_000}

    aircraft = Drawn("4b0001", path, changing=sent, heard=lambda t: t < 40 or t >= 70)
    assert integrity([aircraft], 120) == []


def test_geometric_altitude_that_differs_while_climbing_is_not_raised():
    path = straight(0, 0, 10_000, 400, 90, 2000)
    aircraft = Drawn("4b0001", path, changing=lambda t: {"alt_geom": round(10_000 + t * 60)})
    assert integrity([aircraft], 90) == []


def crowd(bad, good=5, when=60, until=10_000, stagger=2.0, **jammed):
    """Aircraft around a place of which some turn bad after a minute."""
    fields = jammed or {"nic": 0, "nac_p": 0}
    aircraft = []
    for number in range(bad + good):
        start = when + stagger * number
        is_bad = number < bad
        aircraft.append(
            Drawn(
                f"4b{number:04x}",
                straight(3 * (number % 4), 3 * (number // 4), 20_000 + 1000 * number, 200, 37 * number),
                fields={"nic": 8, "nac_p": 9},
                changing=lambda t, s=start, b=is_bad: fields if b and s <= t < until else {},
            )
        )
    return aircraft


def regions(aircraft, seconds=160, thresholds=None):
    return [event for event in integrity(aircraft, seconds, thresholds) if cause(event) == "region"]


@pytest.mark.parametrize("jammed", [{"nic": 0, "nac_p": 0}, {"nic": 5}, {"nac_p": 4}])
def test_a_jammed_area_is_raised_within_half_a_minute_and_ends(jammed):
    [event] = regions(crowd(4, until=110, **jammed), 230)
    third = 60 + 2 * 2.0
    assert third <= event.began_at - START <= third + 30
    assert event.finding.severity == "warning"
    assert event.finding.numbers["bad"].value == 4
    # Good aircraft count in the cells of the bad ones.
    assert 3 <= event.finding.numbers["good"].value <= 5
    assert abs(event.finding.position.lat - 47) < 0.5
    assert event.ended_at is not None


def test_two_aircraft_are_no_region():
    assert regions(crowd(2)) == []


def test_a_small_share_is_no_region():
    assert regions(crowd(3, good=30), 100) == []


def test_aircraft_that_were_never_good_do_not_count():
    aircraft = [dataclasses.replace(a, fields={"nic": 0, "nac_p": 0}) for a in crowd(4)]
    assert regions(aircraft) == []


def test_a_flicker_of_some_seconds_does_not_count():
    def flicker(t):
        return {"nic": 0} if t >= 60 and t % 10 < 4 else {}

    aircraft = [dataclasses.replace(a, changing=flicker) for a in crowd(4)]
    assert regions(aircraft) == []


def test_aircraft_that_ground_stations_relay_do_not_count():
    def relayed(t):
        return {"type": "tisb_icao", "nic": 0, "nac_p": 0} if 60 <= t < 120 else {}

    aircraft = [dataclasses.replace(a, changing=relayed) for a in crowd(4)]
    assert regions(aircraft) == []

    def after_relay(t):
        return {"type": "tisb_icao"} if 40 <= t < 100 else {"nic": 0, "nac_p": 0} if t >= 100 else {}

    aircraft = [dataclasses.replace(a, changing=after_relay) for a in crowd(4)]
    assert regions(aircraft) == []


def test_aircraft_that_turn_bad_long_after_each_other_are_no_region():
    aircraft = crowd(3, stagger=40.0, when=30)
    assert regions(aircraft, 150, Thresholds(area_within_s=30)) == []
    assert len(regions(aircraft, 150, Thresholds(area_within_s=100))) == 1

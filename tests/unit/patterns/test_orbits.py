"""Circling and racetracks, and what looks like them and is not."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from skywatch.patterns.findings import Change
from skywatch.patterns.loops.shape import measure
from skywatch.patterns.track.trail import Vertex
from tests.unit.patterns.flights import START, Flight, circuits, feed, found, kinds


def orbits(turns: float = 4.0, radius_nm: float = 0.8, **kw: float) -> Flight:
    return Flight(**kw).straight(6.0).orbit(turns, radius_nm).straight(6.0)


@pytest.mark.parametrize("every_s", [1.0, 5.0, 10.0, 15.0, 20.0])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_circles_are_circling_however_often_heard(every_s: float, sense: float) -> None:
    (pattern,) = found(orbits(4.0 * sense), every_s)
    assert pattern.pattern_type == "circling"
    assert pattern.is_surveillance
    assert pattern.confidence == "high"
    assert pattern.radius_nm == pytest.approx(0.8, rel=0.1)
    assert pattern.details["direction"] == ("right" if sense > 0 else "left")
    # Six miles out, then four circles of five miles: 240 s and 804 s at 90 kt.
    assert pattern.t0 - START == pytest.approx(240.0, abs=60.0)
    assert pattern.t1 - START == pytest.approx(1044.0, abs=60.0)


def test_centre_is_that_of_the_circles() -> None:
    flight = orbits(3.0)
    (pattern,) = found(flight)
    lat, lon = flight.plane.unproject(0.8, 6.0)
    assert (pattern.center_lat, pattern.center_lon) == pytest.approx((lat, lon), abs=0.002)


@pytest.mark.parametrize(("lat", "lon"), [(0.0, 0.0), (-33.0, 180.0), (52.0, -179.99), (70.0, 25.0), (89.95, 10.0)])
def test_nothing_depends_on_where_on_earth(lat: float, lon: float) -> None:
    (pattern,) = found(orbits(3.0, lat=lat, lon=lon))
    assert pattern.pattern_type == "circling"
    assert pattern.radius_nm == pytest.approx(0.8, rel=0.1)
    assert -180.0 <= pattern.center_lon < 180.0


def test_noise_lost_tracks_and_a_gap_are_borne() -> None:
    assert kinds(orbits().positions(5.0, noise_nm=0.05, tracked=False)) == ["circling"]
    assert kinds(orbits().positions(10.0, gap=(500.0, 620.0))) == ["circling"]


@pytest.mark.parametrize("way", ["repeated", "interpolated"])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_wrong_tracks_are_not_believed(way: str, sense: float) -> None:
    """Tracks that are repeated for two minutes, or interpolated as numbers, from 350 degrees through south to 10."""
    positions = orbits(4.0 * sense).positions(5.0)
    tracks = np.array([p[5] for p in positions])
    number = np.arange(len(tracks))
    if way == "repeated":
        tracks = tracks[number - number % 24]
    else:
        tracks = np.interp(number, number[::8], tracks[::8])
    (pattern,) = found([(*p[:5], float(track), None) for p, track in zip(positions, tracks, strict=True)])
    assert pattern.pattern_type == "circling"
    assert pattern.details["turns"] == pytest.approx(4.0, abs=0.2)
    assert pattern.details["direction"] == ("right" if sense > 0 else "left")


def test_circles_that_follow_a_car_are_circling() -> None:
    flight = Flight(speed_kt=110.0).straight(5.0)
    for _ in range(6):
        flight.orbit(1.0, 0.7).straight(0.8)
    assert kinds(flight) == ["circling"]


def test_it_is_reported_within_two_turns_then_followed_and_ended() -> None:
    events = feed(orbits(5.0).positions(5.0))
    first, *others, last = events
    assert first.change is Change.DETECTED
    lap_s = 201.0
    assert first.pattern.detected_at - (START + 240.0) <= 2.0 * lap_s
    assert {event.change for event in others} == {Change.EXTENDED}
    ends = [event.pattern.t1 for event in others]
    assert ends == sorted(ends)
    assert all(b - a >= 15.0 for a, b in itertools.pairwise(ends))
    assert last.change is Change.ENDED
    assert last.pattern.number == first.pattern.number


@pytest.mark.parametrize("every_s", [15.0, 20.0, 25.0])
@pytest.mark.parametrize("radius_nm", [0.35, 0.6, 0.9])
def test_whenever_positions_are_heard_two_turns_are_enough(every_s: float, radius_nm: float) -> None:
    lap_s = 2.0 * math.pi * radius_nm * 3600.0 / 90.0
    for way_nm in (6.0, 6.1, 6.2, 6.3, 6.4, 6.5):
        (pattern,) = found(Flight().straight(way_nm).orbit(5.0, radius_nm).straight(6.0), every_s)
        begin = START + way_nm * 3600.0 / 90.0
        assert 1.5 <= (pattern.detected_at - begin) / lap_s <= 1.9


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("corners", [0, 1, 2, 3])
def test_turns_on_the_way_there_delay_no_report(corners: int, sense: float) -> None:
    """With two and three corners to the same side, a loop ends amid the first circle, which counts all the same."""
    flight = Flight(speed_kt=90.0).straight(3.0)
    for _ in range(corners):
        flight.turn(90.0 * sense, 0.6).straight(4.0)
    begin, lap_s = flight.t, 2.0 * math.pi * 0.6 * 3600.0 / 90.0
    (pattern,) = found(flight.orbit(4.0 * sense, 0.6).straight(6.0))
    assert pattern.detected_at - begin <= 1.95 * lap_s
    assert pattern.t0 == pytest.approx(begin, abs=30.0)
    assert pattern.details["turns"] == pytest.approx(4.0, abs=0.25)


@pytest.mark.parametrize("away_nm", [2.0, 2.5, 3.0])
def test_circles_flown_again_after_minutes_elsewhere_are_another_pattern(away_nm: float) -> None:
    flight = Flight(speed_kt=90.0).straight(3.0).orbit(3.0, 0.6)
    left = flight.t
    flight.straight(away_nm).turn(-225.0, 0.5).straight(away_nm).turn(45.0, 0.4).straight(0.2)
    back = flight.t
    patterns = found(flight.orbit(2.0, 0.6).straight(5.0))
    first, second = (p for p in patterns if p.pattern_type == "circling")
    assert first.t1 == pytest.approx(left, abs=30.0)
    assert first.details["turns"] == pytest.approx(3.0, abs=0.2)
    assert second.t0 == pytest.approx(back, abs=60.0)
    assert second.details["turns"] == pytest.approx(2.0, abs=0.2)


def test_later_positions_cost_no_earlier_detection_time() -> None:
    positions = orbits(5.0).positions(5.0)
    whole = [e.pattern.detected_at for e in feed(positions) if e.change is Change.DETECTED]
    cut = [e.pattern.detected_at for e in feed(positions[:130]) if e.change is Change.DETECTED]
    assert whole == cut


def test_ovals_are_a_racetrack() -> None:
    flight = Flight(speed_kt=95.0).straight(5.0).oval(4.0, 2.5, 0.5).straight(5.0)
    (pattern,) = found(flight)
    assert pattern.pattern_type == "racetrack"
    assert pattern.is_surveillance
    assert pattern.details["leg_share"] == pytest.approx(0.61, abs=0.1)


def test_circles_after_ovals_are_two_patterns() -> None:
    flight = Flight(speed_kt=95.0).straight(5.0).oval(4.0, 2.5, 0.5).straight(3.0).orbit(5.0, 0.5).straight(5.0)
    assert kinds(flight) == ["racetrack", "circling"]


def test_two_figures_of_eight_are_circling_and_one_is_not() -> None:
    def eights(count: int) -> Flight:
        flight = Flight(speed_kt=90.0).straight(5.0)
        for _ in range(count):
            flight.orbit(1.0, 0.7).orbit(-1.0, 0.7)
        return flight.straight(8.0)

    assert kinds(eights(1)) == []
    assert kinds(eights(3)) == ["circling"]


def test_quick_figures_of_eight_are_circling_where_they_go_on_in_one_place() -> None:
    def eights(count: int) -> Flight:
        flight = Flight(speed_kt=100.0, alt_ft=3500.0).straight(5.0)
        for _ in range(count):
            flight.orbit(1.0, 0.3).orbit(-1.0, 0.3)
        return flight.straight(8.0)

    assert kinds(eights(1)) == []
    assert kinds(eights(4)) == ["circling"]


def test_a_lap_a_transit_and_a_turn_elsewhere_are_no_circling() -> None:
    for way_nm in (2.0, 3.0, 4.0):
        flight = Flight(speed_kt=110.0).straight(8.0).orbit(1.1, 1.2).straight(way_nm).turn(200.0, 0.6).straight(9.0)
        assert kinds(flight) == [], way_nm


def test_a_pattern_ends_with_the_last_part_of_its_last_lap_whenever_heard() -> None:
    for part in (0.5, 0.6, 0.7, 0.8):
        for way_nm in (6.0, 6.2, 6.4):
            flight = Flight(speed_kt=100.0).straight(way_nm).orbit(2.0 + part, 0.7)
            end = flight.t
            (pattern,) = found(flight.straight(8.0))
            # An eighth of a lap is 20 s.
            assert pattern.t1 == pytest.approx(end, abs=30.0)


def test_orbits_elsewhere_end_the_orbits_before() -> None:
    flight = Flight(speed_kt=100.0).straight(6.0).orbit(3.0, 0.6).straight(3.0).orbit(2.0, 0.6).straight(8.0)
    first, second = found(flight)
    assert (first.pattern_type, second.pattern_type) == ("circling", "circling")
    assert first.t1 < second.t0
    assert second.details["turns"] == pytest.approx(2.0, abs=0.3)


@pytest.mark.parametrize(
    "flight",
    [
        Flight(speed_kt=450.0, alt_ft=36000.0).straight(400.0),
        Flight(speed_kt=250.0, alt_ft=8000.0).straight(30.0).turn(180.0, 1.5).straight(30.0),
        Flight(speed_kt=120.0).straight(8.0).orbit(1.0, 1.0).straight(8.0),
        Flight(speed_kt=120.0).straight(8.0).orbit(1.3, 1.0).straight(8.0),
        Flight(speed_kt=90.0).straight(8.0).turn(90.0, 0.5).turn(-270.0, 0.5).straight(8.0),
        Flight(speed_kt=95.0, alt_ft=3500.0).straight(8.0).orbit(1.0, 0.16).orbit(-1.0, 0.16).straight(8.0),
        Flight(speed_kt=95.0, alt_ft=3500.0).straight(8.0).orbit(2.0, 0.16).straight(8.0),
        Flight(speed_kt=15.0, alt_ft=0.0).straight(1.0).orbit(3.0, 0.2).straight(1.0),
    ],
    ids=["airliner", "reversal", "one lap", "a lap and a bit", "procedure turn", "steep turns", "720", "taxiing"],
)
def test_ordinary_turns_are_no_pattern(flight: Flight) -> None:
    assert kinds(flight) == []


@pytest.mark.parametrize("seen_above_ft", [0.0, 200.0, 400.0])
def test_aerodrome_circuits_are_no_surveillance(seen_above_ft: float) -> None:
    events = feed(circuits(5, seen_above_ft=seen_above_ft))
    assert events
    for event in events:
        assert event.pattern.pattern_type == "racetrack"
        assert not event.pattern.is_surveillance
        assert event.pattern.confidence == "low"
        assert event.pattern.details["reason"] == "aerodrome_circuit"


def test_without_a_height_ovals_are_no_surveillance_and_circles_not_surely() -> None:
    unknown = [(*p[:3], None, *p[4:]) for p in circuits(5)]
    patterns = found(unknown)
    assert patterns
    assert not any(p.is_surveillance for p in patterns)
    (pattern,) = found([(*p[:3], None, *p[4:]) for p in orbits().positions()])
    assert pattern.is_surveillance
    assert pattern.confidence == "low"


def test_orbits_at_changing_heights_are_still_surveillance() -> None:
    flight = Flight(speed_kt=100.0, alt_ft=1500.0).straight(6.0)
    for lap in range(6):
        flight.turn(200.0, 0.7, climb_ft=300.0 if lap % 2 else -300.0).turn(160.0, 0.7)
    (pattern,) = found(flight.straight(6.0))
    assert pattern.pattern_type == "circling"
    assert pattern.is_surveillance


def test_holding_is_a_racetrack_with_a_reason() -> None:
    # One-minute legs and standard-rate turns at 210 kt.
    flight = Flight(speed_kt=210.0, alt_ft=7000.0).straight(20.0).oval(4.0, 3.5, 1.11).straight(20.0)
    (pattern,) = found(flight)
    assert pattern.pattern_type == "racetrack"
    assert not pattern.is_surveillance
    assert pattern.details["reason"] == "holding"


def test_tanker_tracks_are_too_fast_to_be_surveillance() -> None:
    flight = Flight(speed_kt=420.0, alt_ft=24000.0).straight(60.0).oval(3.0, 40.0, 6.0).straight(60.0)
    (pattern,) = found(flight)
    assert pattern.pattern_type == "racetrack"
    assert pattern.details["reason"] == "fast"


def test_gliders_in_thermals_are_no_surveillance() -> None:
    flight = Flight(speed_kt=50.0, alt_ft=2000.0).straight(5.0)
    for _ in range(8):
        flight.turn(360.0, 0.07, climb_ft=120.0)
    (pattern,) = found(flight.straight(5.0))
    assert pattern.details["reason"] == "thermal"
    assert not pattern.is_surveillance


def test_a_slow_descent_over_many_laps_is_a_spiral() -> None:
    flight = Flight(speed_kt=110.0, alt_ft=6000.0).straight(6.0)
    for _ in range(6):
        flight.turn(360.0, 1.0, climb_ft=-450.0)
    (pattern,) = found(flight.straight(6.0))
    assert pattern.details["reason"] == "spiral_descent"
    assert not pattern.is_surveillance


def test_far_up_and_down_again_in_circles_is_parachute_dropping() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=1000.0).straight(3.0)
    flight.turn(360.0, 1.2, climb_ft=4000.0).turn(180.0, 1.2, climb_ft=3000.0).turn(180.0, 1.2, climb_ft=-3000.0)
    flight.turn(360.0, 1.2, climb_ft=-3500.0)
    patterns = found(flight.straight(6.0))
    assert [p.details["reason"] for p in patterns] == ["parachute_dropping"]


@pytest.mark.parametrize("speed_kt", [90.0, 130.0, 165.0])
def test_holds_are_practised_at_any_speed_of_a_light_aircraft(speed_kt: float) -> None:
    radius_nm = speed_kt / 3600.0 / math.radians(3.0)
    flight = Flight(speed_kt=speed_kt, alt_ft=2500.0).straight(8.0).oval(3.0, speed_kt / 60.0, radius_nm).straight(8.0)
    (pattern,) = found(flight)
    assert pattern.details["reason"] == "practice_hold"


def test_circles_before_and_after_a_landing_do_not_add_up() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=800.0).straight(4.0).orbit(1.0, 0.6).straight(1.0, climb_ft=-700.0)
    flight.stand(400.0).straight(1.0, climb_ft=700.0).orbit(1.0, 0.6).straight(6.0)
    assert kinds(flight) == []


@pytest.mark.parametrize("turns", [(270.0, 360.0, 180.0), (180.0, 360.0, 270.0)])
@pytest.mark.parametrize("sense", [-1.0, 1.0])
def test_training_turns_a_way_apart_are_no_circling(sense: float, turns: tuple[float, ...]) -> None:
    flight = Flight(speed_kt=110.0, alt_ft=3000.0).straight(8.0)
    for turn in turns:
        flight.turn(sense * turn, 0.21).straight(0.6)
    assert kinds(flight.straight(8.0), every_s=4.0) == []


@pytest.mark.parametrize("turn_deg", [360.0, 380.0])
def test_a_small_loop_after_a_wide_one_is_no_circling(turn_deg: float) -> None:
    flight = Flight(speed_kt=60.0, alt_ft=3000.0).straight(8.0).turn(turn_deg, 0.22).turn(turn_deg, 0.09)
    assert kinds(flight.straight(8.0), every_s=4.0) == []


def test_circles_that_drift_by_their_own_radius_are_circling_all_the_same() -> None:
    flight = Flight(speed_kt=90.0).straight(5.0)
    for _ in range(6):
        flight.orbit(1.0, 0.4).straight(0.4)
    assert kinds(flight.straight(5.0)) == ["circling"]


def test_a_thermal_that_weakens_stays_a_thermal() -> None:
    flight = Flight(speed_kt=55.0, alt_ft=3000.0).straight(3.0)
    for lap in range(20):
        flight.turn(360.0, 0.1, climb_ft=90.0 if lap < 10 else 20.0)
    patterns = found(flight.straight(3.0))
    assert {p.details["reason"] for p in patterns} == {"thermal"}


def test_a_level_lap_on_the_way_up_does_not_make_a_lift_surveillance() -> None:
    flight = Flight(speed_kt=115.0, alt_ft=1000.0).turn(360.0, 1.0, climb_ft=3500.0).turn(380.0, 1.0)
    patterns = found(flight.turn(180.0, 1.0, climb_ft=-400.0).straight(6.0))
    assert patterns
    assert not any(p.is_surveillance for p in patterns)


@pytest.mark.parametrize("aside_nm", [-0.02, 0.0, 0.02])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_laps_heard_in_places_on_one_line_are_laps_whichever_way_the_line_leans(aside_nm: float, sense: float) -> None:
    line = [Vertex(45.0 * n, sense * aside_nm * (n % 2), 0.9 * (n % 2), 3000.0, 150.0, sense * 180.0 * n, 0.9 * n)
            for n in range(3)]  # fmt: skip
    assert measure(line).winding_deg == pytest.approx(sense * 360.0, abs=10.0)


@pytest.mark.parametrize(("gap_s", "turns"), [(75.0, 1.9), (105.0, 2.2)])
def test_a_gap_amid_the_second_lap_hardly_delays_the_call(gap_s: float, turns: float) -> None:
    # Six miles at 90 kt, and then a lap of 0.8 nm around every 201 s.
    positions = orbits(3.0).positions(20.0, gap=(440.0, 440.0 + gap_s))
    told_at = next(event.pattern.detected_at for event in feed(positions) if event.change is Change.DETECTED)
    assert (told_at - START - 240.0) / 201.0 < turns

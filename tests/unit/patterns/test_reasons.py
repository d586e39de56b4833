"""Ordinary reasons beyond circuits and spirals; and that one stretch of time has one name."""

from __future__ import annotations

from itertools import combinations

import pytest

from benchmarks._pattern_table import has_two_names
from skywatch.patterns.corpora.tracks import find_patterns
from skywatch.patterns.findings import Change, Pattern, PatternType
from tests.unit.patterns.drawn.wide.corpus import draw
from tests.unit.patterns.flights import Flight, feed, found


def reasons(patterns: list[Pattern]) -> set[str | None]:
    return {p.details.get("reason") for p in patterns}


def test_circles_of_a_glider_that_hardly_rises_are_a_thermal() -> None:
    flight = Flight(speed_kt=48.0, alt_ft=3000.0).straight(3.0)
    for _ in range(8):
        flight.turn(180.0, 0.07, climb_ft=40.0).turn(180.0, 0.07, climb_ft=-40.0)
    assert reasons(found(flight, 2.0)) == {"thermal"}
    # A helicopter keeps farther away, and banks less.
    assert found(Flight(speed_kt=60.0, alt_ft=900.0).straight(3.0).orbit(5.0, 0.25))[0].is_surveillance


def spraying(*, low_ft: float, top_ft: float) -> Flight:
    flight = Flight(speed_kt=110.0, alt_ft=low_ft + 400.0).straight(4.0, climb_ft=-400.0)
    for number in range(14):
        side = 1.0 if number % 2 == 0 else -1.0
        flight.straight(1.2).turn(90.0 * side, 0.16, climb_ft=top_ft).turn(90.0 * side, 0.16, climb_ft=-top_ft)
    return flight.straight(4.0)


def test_passes_at_the_lowest_height_with_ups_between_them_are_spraying() -> None:
    patterns = found(spraying(low_ft=100.0, top_ft=240.0))
    assert patterns
    assert reasons(patterns) == {"low_passes"}
    assert any(p.is_surveillance for p in found(spraying(low_ft=100.0, top_ft=0.0)))


def steps(*, in_turns_ft: float, each_lap_ft: float = 0.0) -> Flight:
    """Fly laps at the lowest level that are so much higher in both turns, or on one of the lines."""
    flight = Flight(speed_kt=110.0, alt_ft=700.0).straight(4.0, climb_ft=-400.0)
    for _ in range(7):
        for line_ft in (0.0, each_lap_ft):
            flight.alt_ft = 300.0 + line_ft
            flight.straight(1.0)
            flight.alt_ft = 300.0 + in_turns_ft
            flight.turn(180.0, 0.16)
    return flight.straight(4.0)


def test_low_pull_ups_in_each_turn_are_spraying_and_one_step_in_a_lap_is_none() -> None:
    assert reasons(found(steps(in_turns_ft=60.0))) == {"low_passes"}
    for watching in (steps(in_turns_ft=0.0), steps(in_turns_ft=0.0, each_lap_ft=60.0)):
        assert any(p.is_surveillance for p in found(watching))


def test_a_glider_to_and_fro_along_a_slope_is_no_watcher_of_traffic() -> None:
    def along(speed_kt: float) -> list[Pattern]:
        flight = Flight(speed_kt=speed_kt, alt_ft=2500.0)
        for number in range(8):
            side = 1.0 if number % 2 == 0 else -1.0
            flight.straight(1.5, climb_ft=160.0 * side).turn(-60.0 * side, 0.1).turn(300.0 * side, 0.1)
            flight.turn(-60.0 * side, 0.1)
        return found(flight)

    assert reasons(along(52.0)) == {"soaring"}
    assert any(p.is_surveillance for p in along(72.0))


def approaches(laps: int) -> Flight:
    """Instrument approaches to an aerodrome that lies higher than the one where the flight began: laps of 10 min."""
    flight = Flight(speed_kt=110.0, alt_ft=200.0).straight(9.0, climb_ft=4800.0)
    for _ in range(laps):
        flight.straight(6.0, climb_ft=-1800.0).straight(2.0, climb_ft=1200.0).turn(180.0, 0.8, climb_ft=600.0)
        flight.straight(8.0).turn(180.0, 0.8)
    return flight.straight(6.0, climb_ft=-1800.0)


def test_approaches_with_wide_laps_are_aerodrome_circuits_wherever_the_flight_began() -> None:
    patterns = found(approaches(4))
    assert reasons(patterns) == {"aerodrome_circuit"}


def test_a_short_hold_in_wind_is_a_hold_though_nearly_round() -> None:
    flight = Flight(speed_kt=210.0, alt_ft=8000.0).straight(15.0).oval(3.0, 2.6, 1.4)
    assert reasons(found(flight)) == {"holding"}
    # Wide circles without legs are flown by those who watch, at the same speed.
    assert found(Flight(speed_kt=180.0, alt_ft=8000.0).straight(15.0).orbit(3.0, 2.0))[0].is_surveillance


def test_a_pattern_of_less_than_one_turn_and_a_half_after_all_is_withdrawn() -> None:
    withdrawn = 0
    for track in draw(3, 12, ("box_of_turns", "unlike_loops")):
        events = feed([tuple(p) for p in track.points])  # type: ignore[misc]
        ended = [e.pattern for e in events if e.change is Change.ENDED]
        for p in ended:
            if p.pattern_type is PatternType.CIRCLING and p.details.get("figure") is None and p.details["turns"] < 1.5:
                assert (p.details["withdrawn"], p.is_surveillance) == ("turns", False)
                withdrawn += 1
        assert not any("withdrawn" in p.details for p in find_patterns(track))
    assert withdrawn


@pytest.mark.parametrize("kind", ["loiter", "uneven_eights", "oval", "two_places", "road"])
def test_one_stretch_of_time_has_one_name(kind: str) -> None:
    for track in draw(73, 4, (kind,)):
        patterns = find_patterns(track)
        assert not has_two_names(patterns), track.id
        assert all(a.number != b.number for a, b in combinations(patterns, 2))


def test_loitering_ends_where_circling_begins() -> None:
    flight = Flight(speed_kt=80.0, alt_ft=1200.0).straight(8.0)
    for number in range(40):
        flight.straight(0.7).turn((110.0, -70.0, 160.0, -130.0, 90.0)[number % 5], 0.25)
    begins_t = flight.t
    loitering, circling = found(flight.orbit(5.0, 0.3).straight(6.0))
    assert (loitering.pattern_type, circling.pattern_type) == ("loitering", "circling")
    assert loitering.t1 <= circling.t0 + 1.0
    assert circling.t0 > begins_t - 120.0

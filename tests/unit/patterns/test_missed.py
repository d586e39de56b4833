"""Flights that were once missed or taken for something else, each through the receptions that it was missed in."""

from __future__ import annotations

import pytest

from benchmarks import _pattern_receptions as receptions
from skywatch.patterns.corpora.tracks import find_patterns
from skywatch.patterns.findings import Pattern, PatternType
from tests.unit.patterns.drawn import afterwards, unseen
from tests.unit.patterns.drawn.missed import KINDS, draw
from tests.unit.patterns.flights import START, Flight, found, kinds

SEED = 7


def of(kind: str, *receptions: str, of_each: int = 2) -> list[list[Pattern]]:
    """The patterns of drawn flights of one kind, as they are received."""
    return [find_patterns(track) for track in draw(SEED, of_each, (kind,), receptions)]


@pytest.mark.parametrize("kind", ["steep_exercise", "medium_exercise"])
def test_as_many_full_circles_one_way_as_the_other_are_an_exercise(kind: str) -> None:
    for patterns in of(kind, "adsb", "usual"):
        assert not any(p.is_surveillance for p in patterns)


def test_an_exercise_says_so_and_who_goes_on_turning_watches() -> None:
    begin = Flight(speed_kt=95.0, alt_ft=3000.0).straight(4.0)
    (exercise,) = found(begin.orbit(2.0, 0.25).straight(0.4).orbit(-2.0, 0.25).straight(4.0))
    assert exercise.details["reason"] == "training"
    assert exercise.confidence_score <= 0.3
    watching = Flight(speed_kt=95.0, alt_ft=3000.0).straight(4.0).orbit(2.5, 0.25).orbit(-5.0, 0.25).straight(4.0)
    assert any(p.is_surveillance for p in found(watching))


def test_a_hold_that_is_entered_on_the_other_side_is_a_hold() -> None:
    for patterns in of("calm_hold", "adsb", "usual", of_each=4):
        assert not any(p.is_surveillance for p in patterns)


@pytest.mark.parametrize(
    ("kind", "received"), [("still_hover", "bare"), ("still_hover", "mlat"), ("loose_hover", "adsb")]
)
def test_hovering_needs_neither_a_speed_nor_a_height_that_moves(kind: str, received: str) -> None:
    for patterns in of(kind, received):
        assert "stakeout" in {p.pattern_type.value for p in patterns if p.is_surveillance}


def along(flight: Flight, *, back: bool, circles: int) -> Flight:
    """Fly a power line with two bends, or back along it, with so many full circles over one of its masts."""
    bends = (25.0, -40.0) if not back else (40.0, -25.0)
    flight.straight(2.0).turn(bends[0], 0.2).straight(1.2)
    if circles:
        flight.orbit(circles, 0.2)
    return flight.straight(1.2).turn(bends[1], 0.2).straight(2.0)


@pytest.mark.parametrize("circles", [0, 1, 2])
def test_full_circles_over_a_line_end_no_way_along_it(circles: int) -> None:
    flight = along(Flight(speed_kt=70.0, alt_ft=1000.0), back=False, circles=circles)
    flight.turn(-60.0, 0.2).turn(300.0, 0.2).turn(-60.0, 0.2)
    (way,) = [p for p in found(along(flight, back=True, circles=0)) if p.pattern_type is not PatternType.CIRCLING]
    assert way.pattern_type is PatternType.HIGHWAY_TRACKING
    assert way.duration_s >= 0.75 * (flight.t - START)


def test_the_turns_at_the_ends_of_a_line_are_no_part_of_what_is_retraced() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=1200.0).straight(6.0)
    for _ in range(4):
        # A wide turn: its way is as long as the half of the line.
        flight.turn(-60.0, 0.35).turn(300.0, 0.35).turn(-60.0, 0.35).straight(5.0)
    assert set(kinds(flight)) == {"highway_tracking"}


@pytest.mark.parametrize("reception", ["adsb", "mlat"])
def test_circles_of_nine_miles_are_circling(reception: str) -> None:
    for patterns in of("wide_orbit", reception):
        assert {(p.pattern_type, p.is_surveillance) for p in patterns} == {(PatternType.CIRCLING, True)}


def test_wide_laps_with_long_legs_are_a_tour() -> None:
    flight = Flight(speed_kt=180.0, alt_ft=9000.0).straight(10.0)
    for _ in range(12):
        flight.straight(9.0).turn(90.0, 2.0)
    assert not any(p.pattern_type is PatternType.CIRCLING for p in found(flight))


def test_lines_that_come_down_to_a_runway_lap_after_lap_are_no_search() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=500.0)
    for number in range(8):
        # Each circuit is a little wider than the one before, so that its lines shift to one side.
        wide = 0.5 + 0.06 * number
        flight.straight(1.5, climb_ft=900.0).turn(-90.0, 0.2).straight(wide).turn(-90.0, 0.2)
        flight.straight(3.5).turn(-90.0, 0.2).straight(wide).turn(-90.0, 0.2).straight(2.0, climb_ft=-900.0)
    assert not any(p.is_surveillance for p in found(flight))


def lanes(climbs_ft: tuple[float, float], turns_ft: float, speed_kt: float) -> Flight:
    """Fly eight lanes side by side that climb by so much one way and the other way, and by `turns_ft` in each turn."""
    flight = Flight(speed_kt=speed_kt, alt_ft=5000.0).straight(4.0)
    for number in range(8):
        side = 1.0 if number % 2 else -1.0
        flight.straight(2.0, climb_ft=climbs_ft[number % 2]).turn(180.0 * side, 0.25, climb_ft=turns_ft)
    return flight.straight(5.0)


@pytest.mark.parametrize(
    ("climbs_ft", "turns_ft", "speed_kt", "reason"),
    [
        ((300.0, 250.0), 50.0, 60.0, "soaring"),
        ((-300.0, -300.0), 350.0, 100.0, "training"),
        ((-300.0, -300.0), 0.0, 100.0, "training"),
        ((300.0, -300.0), 0.0, 100.0, None),
        ((0.0, 0.0), 200.0, 100.0, None),
    ],
)
def test_lines_that_climb_both_ways_are_no_search_and_those_that_follow_the_ground_are(
    climbs_ft: tuple[float, float], turns_ft: float, speed_kt: float, reason: str | None
) -> None:
    searches = [p for p in found(lanes(climbs_ft, turns_ft, speed_kt)) if p.pattern_type is PatternType.GRID_SEARCH]
    assert {(p.is_surveillance, p.details.get("reason")) for p in searches} == {(reason is None, reason)}


@pytest.mark.parametrize("kind", ["chandelles", "wave_soaring"])
def test_half_circles_to_either_side_that_climb_are_no_search(kind: str) -> None:
    for track in draw(SEED, 2, (kind,), ("adsb", "usual"), among=afterwards.KINDS):
        assert not any(p.is_surveillance for p in find_patterns(track))


def test_a_figure_of_eight_is_told_while_its_first_lobe_is_flown_again() -> None:
    flight = Flight(speed_kt=80.0, alt_ft=1500.0).straight(4.0)
    for number in range(6):
        flight.straight(0.52).turn(240.0 if number % 2 else -240.0, 0.3).straight(0.52)
        if number == 2:
            third_t = flight.t
    (eight,) = found(flight.straight(6.0))
    assert eight.details["figure"] == "eight"
    assert eight.detected_at < third_t


@pytest.mark.deep("walks a corpus")
def test_most_of_what_is_drawn_is_found_in_time_however_it_is_heard() -> None:
    everything = (flight for kinds in (KINDS, afterwards.KINDS, unseen.KINDS) for flight in draw(SEED, 3, among=kinds))
    rows = receptions.count(everything)
    circling, far = rows["= circling", "all"], "far_mlat"
    assert circling["found"] >= 0.93 * circling["segments"]
    assert circling["told"] >= 0.7 * circling["segments"]
    for label, least in (("grid_survey", 0.6), ("line", 0.5), ("racetrack", 0.6), ("circling", 0.85)):
        row = rows[f"= {label}", far]
        assert row["found"] >= least * row["segments"], label
    # Spraying with pull-ups so low that nothing tells it is what is left.
    harmless = [
        row
        for (name, each), row in rows.items()
        if each == "all" and row["harmless"] and name not in ("= harmless", "crop_dusting")
    ]
    assert sum(row["alarmed"] for row in harmless) <= 0.04 * sum(row["harmless"] for row in harmless)

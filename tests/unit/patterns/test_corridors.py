"""Highway tracking and speed traps: to and fro along one line."""

from __future__ import annotations

import pytest

from tests.unit.patterns.flights import Flight, circuits, kinds

ROAD = ((3.0, 40.0), (2.0, -60.0), (4.0, 30.0), (2.0, -50.0), (3.0, 0.0))


def along(flight: Flight, *, back: bool) -> Flight:
    """Fly the road, gently round its bends."""
    legs = [(nm, -bend) for nm, bend in ROAD] if back else list(ROAD)
    if back:
        bends = [bend for _, bend in ROAD][:-1]
        legs = [(nm, -bend) for nm, bend in zip([n for n, _ in ROAD][::-1], [*bends[::-1], 0.0], strict=True)]
    for nm, bend in legs:
        flight.straight(nm)
        if bend:
            flight.turn(bend, 0.4)
    return flight


def dumbbell(flight: Flight) -> Flight:
    """Turn back on to the same line: a quarter left, three to the right, and back to where the turn began."""
    return flight.turn(-90.0, 0.25).turn(270.0, 0.25).straight(0.5)


def test_following_a_road_and_back_is_highway_tracking() -> None:
    flight = along(Flight(speed_kt=85.0, alt_ft=1500.0), back=False)
    assert "highway_tracking" in kinds(along(dumbbell(flight), back=True))


def test_following_a_road_once_is_not() -> None:
    assert kinds(along(Flight(speed_kt=85.0, alt_ft=1500.0), back=False)) == []


def test_straight_there_and_back_is_not_until_the_third_time() -> None:
    def passes(count: int) -> Flight:
        flight = Flight(speed_kt=85.0, alt_ft=1500.0)
        for _ in range(count):
            dumbbell(flight.straight(8.0))
        return flight

    assert kinds(passes(2)) == []
    assert "highway_tracking" in kinds(passes(4))


def test_fast_or_climbing_passes_are_not() -> None:
    flight = along(Flight(speed_kt=200.0, alt_ft=1500.0), back=False)
    assert "highway_tracking" not in kinds(along(dumbbell(flight), back=True))
    flight = Flight(speed_kt=85.0, alt_ft=1500.0)
    for _ in range(4):
        dumbbell(flight.straight(8.0, climb_ft=1500.0))
        dumbbell(flight.straight(8.0, climb_ft=-1500.0))
    assert "highway_tracking" not in kinds(flight)


def test_passing_over_the_same_short_stretch_is_a_speed_trap() -> None:
    flight = Flight(speed_kt=80.0, alt_ft=1200.0).straight(5.0)
    for _ in range(8):
        dumbbell(flight.straight(1.8))
    assert "speed_trap" in kinds(flight)


def test_three_passes_and_circuits_are_no_speed_trap() -> None:
    flight = Flight(speed_kt=80.0, alt_ft=1200.0).straight(5.0)
    for _ in range(2):
        dumbbell(flight.straight(1.8))
    assert "speed_trap" not in kinds(flight.straight(5.0))
    assert "speed_trap" not in kinds(circuits(6))


def bulb(flight: Flight, radius_nm: float) -> Flight:
    """Turn back on to the same line with three arcs of one radius."""
    return flight.turn(-60.0, radius_nm).turn(300.0, radius_nm).turn(-60.0, radius_nm)


@pytest.mark.parametrize(("line_nm", "kind"), [(3.0, "speed_trap"), (3.8, "highway_tracking")])
def test_wide_turns_at_the_ends_of_a_short_line_hide_and_end_nothing(line_nm: float, kind: str) -> None:
    flight = Flight(speed_kt=90.0, alt_ft=1500.0).straight(6.0)
    for _ in range(6):
        bulb(flight.straight(line_nm), 0.45)
    assert kinds(flight) == [kind]


def test_a_line_is_found_again_after_a_turn_of_five_miles_and_after_silence() -> None:
    flight = Flight(speed_kt=120.0, alt_ft=3000.0)
    for _ in range(4):
        bulb(flight.straight(14.0), 0.7)
    assert set(kinds(flight)) == {"highway_tracking"}
    road = along(dumbbell(along(Flight(speed_kt=85.0, alt_ft=1500.0), back=False)), back=True)
    assert "highway_tracking" in kinds(road.positions(gap=(800.0, 920.0)))


def valley(climb_ft_min: float, bends: tuple[float, ...]) -> Flight:
    """Fly up a valley with bends and down again."""
    flight = Flight(speed_kt=90.0, alt_ft=2000.0).straight(5.0)
    climb_ft = climb_ft_min * 2.0 / 1.5
    for bend in bends:
        flight.straight(2.0, climb_ft=climb_ft).turn(bend, 0.3)
    bulb(flight.straight(2.0, climb_ft=climb_ft), 0.3)
    for bend in reversed(bends):
        flight.straight(2.0, climb_ft=-climb_ft).turn(-bend, 0.3)
    return flight.straight(2.0, climb_ft=-climb_ft)


def test_bends_to_either_side_add_up_and_one_bend_is_none() -> None:
    assert "highway_tracking" in kinds(valley(0.0, (25.0, -25.0, 25.0, -25.0)))
    assert kinds(valley(0.0, (0.0, 25.0, 0.0, 0.0))) == []


def test_a_valley_rises_and_a_take_off_climbs() -> None:
    bends = (45.0, -50.0, 45.0, -40.0)
    assert "highway_tracking" in kinds(valley(90.0, bends))
    # Out of an aerodrome along the same line.
    flight = Flight(speed_kt=90.0, alt_ft=1400.0).straight(0.5).straight(1.5, climb_ft=500.0)
    for bend in bends:
        flight.straight(2.0).turn(bend, 0.3)
    bulb(flight.straight(2.0), 0.3)
    for bend in reversed(bends):
        flight.straight(2.0).turn(-bend, 0.3)
    assert "highway_tracking" not in kinds(flight.straight(2.0))

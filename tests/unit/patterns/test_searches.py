"""Grid and area searches, loitering and stakeouts."""

from __future__ import annotations

import pytest

from tests.unit.patterns.flights import START, Flight, found, kinds


def grid(sweeps: int, *, sweep_nm: float = 5.0, spacing_nm: float = 0.5, **kw: float) -> Flight:
    flight = Flight(**kw).straight(6.0)
    for number in range(sweeps):
        side = 1.0 if number % 2 == 0 else -1.0
        flight.straight(sweep_nm).turn(180.0 * side, 0.5 * spacing_nm)
    return flight.turn(90.0, 0.5).straight(10.0)


@pytest.mark.parametrize("every_s", [5.0, 10.0, 30.0])
def test_lines_flown_to_and_fro_are_a_grid(every_s: float) -> None:
    (pattern,) = found(grid(8, speed_kt=100.0), every_s)
    assert pattern.pattern_type == "grid_search"
    assert pattern.details["spacing_nm"] == pytest.approx(0.5, abs=0.1)
    assert pattern.details["sweeps"] >= 7
    assert pattern.detected_at - START < 0.62 * (pattern.t1 - START)


@pytest.mark.parametrize("sweep_nm", [2.5, 10.0, 40.0])
def test_grids_of_any_size(sweep_nm: float) -> None:
    assert kinds(grid(6, sweep_nm=sweep_nm, spacing_nm=0.2 * sweep_nm, speed_kt=140.0)) == ["grid_search"]


def test_interleaved_lines_become_a_grid() -> None:
    # Every turn goes the same way: line 1, 6, 2, 7, 3, 8, ... as aerial photographers like it.
    flight = Flight(speed_kt=140.0, alt_ft=6000.0).straight(6.0)
    for _ in range(6):
        flight.straight(10.0).turn(180.0, 1.25).straight(10.0).turn(180.0, 1.0)
    assert "grid_search" in kinds(flight.straight(10.0))


def test_three_lines_and_one_line_to_and_fro_are_no_grid() -> None:
    assert "grid_search" not in kinds(grid(3, speed_kt=100.0))
    flight = Flight(speed_kt=100.0).straight(6.0)
    for _ in range(4):
        flight.straight(6.0).turn(-45.0, 0.3).turn(225.0, 0.3).straight(6.0).turn(-45.0, 0.3).turn(225.0, 0.3)
    assert "grid_search" not in kinds(flight)


def test_expanding_square_is_an_area_search() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=1000.0).straight(8.0)
    for number in range(1, 17):
        flight.straight(0.8 * ((number + 1) // 2)).turn(90.0, 0.15)
    patterns = found(flight)
    assert "area_search" in [p.pattern_type for p in patterns]
    assert "circling" not in [p.pattern_type for p in patterns]


def test_sector_search_is_an_area_search() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=1000.0).straight(5.0)
    for _ in range(3):
        for leg in (3.0, 3.0, 6.0, 3.0, 6.0, 3.0, 3.0):
            flight.straight(leg).turn(120.0, 0.15)
        flight.turn(30.0, 0.3)
    assert "area_search" in kinds(flight)


def test_a_search_flies_in_a_few_directions() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=1000.0).straight(8.0)
    for number in range(30):
        flight.straight(1.6).turn((37.0, 95.0, -61.0, 128.0, -22.0, 83.0, 160.0)[number % 7], 0.3)
    assert "area_search" not in kinds(flight)


def test_right_angles_to_either_side_are_no_search() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=3000.0).straight(4.0)
    for leg, side in (
        (4, 1),
        (3, 1),
        (5, -1),
        (4, -1),
        (6, -1),
        (5, 1),
        (4, -1),
        (3, -1),
        (7, 1),
        (3, -1),
        (4, -1),
        (6, 1),
    ):
        flight.straight(float(leg)).turn(90.0 * side, 0.3)
    assert kinds(flight.straight(4.0)) == []


def test_turns_back_after_any_way_are_no_grid() -> None:
    flight = Flight(speed_kt=100.0, alt_ft=3000.0).straight(3.3)
    for number, leg in enumerate((6.8, 1.0, 1.4)):
        flight.turn(180.0 * (1.0 if number % 2 == 0 else -1.0), 0.3).straight(leg)
    assert kinds(flight.turn(90.0, 0.4).straight(8.0)) == []


def test_short_lines_next_to_each_other_are_a_grid_once_there_are_six() -> None:
    assert kinds(grid(4, sweep_nm=1.3, spacing_nm=0.74, speed_kt=100.0)) == []
    assert kinds(grid(7, sweep_nm=1.3, spacing_nm=0.74, speed_kt=100.0)) == ["grid_search"]


def approaches(count: int, side: float = 1.0) -> Flight:
    """Practised approaches: outbound, a procedure turn, inbound over the beacon, and back onto the line."""
    flight = Flight(speed_kt=100.0, alt_ft=3000.0).straight(2.0)
    for _ in range(count):
        flight.straight(3.0).turn(-45.0 * side, 0.5).straight(1.6).turn(180.0 * side, 0.5).straight(0.6)
        flight.turn(45.0 * side, 0.5).straight(4.0).turn(-60.0, 0.3).turn(300.0, 0.3).turn(-60.0, 0.3)
    return flight.straight(6.0)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_practised_procedure_turns_are_no_surveillance(side: float) -> None:
    patterns = found(approaches(4, side))
    assert patterns
    assert {p.details["reason"] for p in patterns} == {"procedure_turn"}
    assert not any(p.is_surveillance for p in patterns)
    assert all(p.confidence == "low" for p in patterns)


def test_loitering_in_thermals_is_no_surveillance() -> None:
    flight = Flight(speed_kt=55.0, alt_ft=3000.0).straight(3.0)
    for _ in range(4):
        for _ in range(8):
            flight.turn(360.0, 0.12, climb_ft=90.0)
        flight.straight(1.2, climb_ft=-700.0).turn(150.0, 0.2)
    patterns = found(flight)
    assert "circling" in [p.pattern_type for p in patterns]
    assert not any(p.is_surveillance for p in patterns)


def test_wandering_over_the_same_ground_is_loitering() -> None:
    flight = Flight(speed_kt=80.0, alt_ft=1200.0).straight(8.0)
    for number in range(40):
        flight.straight(0.7).turn((110.0, -70.0, 160.0, -130.0, 90.0)[number % 5], 0.25)
    patterns = [p for p in found(flight) if p.pattern_type == "loitering"]
    assert len(patterns) == 1
    assert patterns[0].duration_s >= 1200.0
    assert patterns[0].radius_nm < 5.0


def test_passing_slowly_and_training_up_and_down_are_no_loitering() -> None:
    assert kinds(Flight(speed_kt=60.0).straight(40.0)) == []
    flight = Flight(speed_kt=90.0, alt_ft=3000.0).straight(8.0)
    for number in range(40):
        climb = 900.0 if number % 4 < 2 else -900.0
        flight.straight(0.7, climb_ft=climb).turn((110.0, -70.0, 160.0, -130.0, 90.0)[number % 5], 0.25)
    assert "loitering" not in kinds(flight)


@pytest.mark.parametrize(("climb_ft", "expected"), [(0.0, True), (400.0, True), (1500.0, False)])
def test_a_way_that_folds_a_little_must_be_nearly_level_to_be_loitering(climb_ft: float, expected: bool) -> None:
    flight = Flight(speed_kt=80.0, alt_ft=2000.0).straight(8.0)
    for number in range(40):
        flight.straight(0.7, climb_ft=climb_ft / 40.0).turn((110.0, -70.0, 160.0, -130.0, 90.0)[number % 5], 0.25)
    assert ("loitering" in kinds(flight)) is expected


@pytest.mark.parametrize(("speed_kt", "leg_nm"), [(58.0, 1.5), (65.0, 1.8)])
def test_slow_flight_over_new_ground_is_no_loitering(speed_kt: float, leg_nm: float) -> None:
    flight = Flight(speed_kt=speed_kt).straight(6.0)
    for number in range(16):
        flight.straight(leg_nm).turn((80.0, 80.0, 100.0, -30.0)[number % 4], 0.2)
    assert kinds(flight.straight(6.0)) == []


def test_hovering_over_one_spot_is_a_stakeout() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=200.0).straight(2.0, climb_ft=800.0).straight(6.0).drift(900.0, 12.0)
    (pattern,) = found(flight.straight(6.0))
    assert pattern.pattern_type == "stakeout"
    assert pattern.radius_nm < 0.6
    assert pattern.duration_s == pytest.approx(900.0, abs=150.0)


@pytest.mark.parametrize(
    "flight",
    [
        Flight(speed_kt=90.0, alt_ft=1000.0).straight(6.0, climb_ft=-950.0).stand(1200.0),
        Flight(speed_kt=90.0, alt_ft=200.0)
        .straight(6.0, climb_ft=3000.0)
        .stand(1200.0)
        .straight(5.0, climb_ft=-3000.0),
        Flight(speed_kt=90.0, alt_ft=1000.0).straight(6.0, climb_ft=-950.0).drift(900.0, 12.0),
        Flight(speed_kt=30.0, alt_ft=1000.0).drift(900.0, 12.0),
    ],
    ids=["parked", "parked on a hill", "taxiing", "never flew"],
)
def test_standing_on_the_ground_is_no_stakeout(flight: Flight) -> None:
    assert kinds(flight) == []

"""Flights beside a threshold: what is nearly a glider, a training flight, a round trip or a station is none."""

import math

import pytest

from tests.unit.patterns.flights import Flight, found


def climbing(speed_kt, radius_nm, ft_per_min):
    seconds = 2 * math.pi * radius_nm * 6 * 3600 / speed_kt
    flight = Flight(speed_kt=speed_kt, alt_ft=1200).straight(6)
    return flight.turn(6 * 360, radius_nm, climb_ft=ft_per_min * seconds / 60).straight(5)


@pytest.mark.parametrize(
    ("speed_kt", "radius_nm", "ft_per_min"),
    [(45, 0.24, 70), (60, 0.24, 70), (60, 0.24, 150), (85, 0.15, 150), (90, 0.22, 70), (110, 0.24, 150)],
)
def test_who_circles_and_climbs_too_slowly_or_too_fast_for_a_glider_is_told(speed_kt, radius_nm, ft_per_min):
    (circling,) = found(climbing(speed_kt, radius_nm, ft_per_min), 4.0)
    assert (circling.pattern_type.value, circling.is_surveillance) == ("circling", True)


@pytest.mark.parametrize(("speed_kt", "radius_nm"), [(72, 0.095), (80, 0.1), (90, 0.1)])
def test_a_tight_orbit_that_is_too_fast_for_a_glider_is_told(speed_kt, radius_nm):
    (circling,) = found(Flight(speed_kt=speed_kt).straight(6).orbit(8, radius_nm).straight(5), 3.0)
    assert (circling.pattern_type.value, circling.is_surveillance) == ("circling", True)


@pytest.mark.parametrize(("speed_kt", "radius_nm", "gap_nm"), [(80, 0.2, 0.3), (110, 0.35, 0.6), (130, 0.3, 0.8)])
def test_steep_turns_to_both_sides_circle_nothing(speed_kt, radius_nm, gap_nm):
    flight = Flight(speed_kt=speed_kt, alt_ft=3000).straight(6)
    for _ in range(4):
        flight.turn(360, radius_nm).straight(gap_nm).turn(-360, radius_nm).straight(gap_nm)
    assert "circling" not in {pattern.pattern_type.value for pattern in found(flight.straight(10))}


@pytest.mark.parametrize(("speed_kt", "radius_nm"), [(240, 0.8), (240, 1.2), (300, 0.8)])
def test_a_jet_in_its_training_area_keeps_no_station(speed_kt, radius_nm):
    flight = Flight(speed_kt=speed_kt, alt_ft=9000).straight(6)
    for _ in range(30):
        flight.turn(200, radius_nm).straight(2).turn(-160, radius_nm).straight(2).turn(140, radius_nm).straight(2)
    assert found(flight.straight(20)) == []


@pytest.mark.parametrize(("speed_kt", "leg_nm", "radius_nm"), [(420, 100, 8), (400, 80, 8)])
def test_a_round_trip_of_a_hundred_miles_is_no_racetrack(speed_kt, leg_nm, radius_nm):
    flight = Flight(speed_kt=speed_kt, alt_ft=30000).straight(40).oval(3, leg_nm, radius_nm).straight(60)
    assert found(flight, 10.0) == []

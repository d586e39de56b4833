"""Searches that turn round and round, and figures of eight with straight diagonals."""

from __future__ import annotations

from itertools import pairwise
from math import radians, sin, tan

import pytest

from skywatch.patterns.searches.lobes import LobeFinder
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.trail import Trail
from tests.unit.patterns.flights import START, Flight, feed, found


def square(legs: int, *, spacing_nm: float = 0.6, side: float = 1.0, speed_kt: float = 90.0) -> Flight:
    flight = Flight(speed_kt=speed_kt, alt_ft=1000.0).straight(6.0)
    for number in range(legs):
        flight.straight(spacing_nm * (number // 2 + 1) - 0.2).turn(90.0 * side, 0.1)
    return flight


def sectors(count: int, *, reach_nm: float = 2.0, side: float = 1.0) -> Flight:
    """Triangles about the datum at which it arrives, whose corners are as sharp as an aircraft turns."""
    flight = Flight(speed_kt=90.0, alt_ft=1000.0).straight(6.0)
    radius = 0.1
    cut_nm = radius * tan(radians(60.0))
    for _ in range(count):
        flight.straight(reach_nm - cut_nm).turn(120.0 * side, radius).straight(reach_nm - 2.0 * cut_nm)
        flight.turn(120.0 * side, radius).straight(reach_nm - cut_nm)
    return flight


def eights(count: float, *, half_deg: float = 30.0, radii_nm: tuple[float, float] = (0.3, 0.3)) -> Flight:
    flight = Flight(speed_kt=80.0, alt_ft=1500.0).straight(4.0)
    for number in range(round(2 * count)):
        radius = radii_nm[number % 2]
        way = radius / tan(radians(half_deg))
        side = 1.0 if number % 2 == 0 else -1.0
        flight.straight(way).turn(side * (180.0 + 2.0 * half_deg), radius).straight(way)
    return flight.straight(6.0)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(("every_s", "by_leg"), [(5.0, 10), (15.0, 13)])
def test_an_expanding_square_is_a_search_from_the_second_round(side: float, every_s: float, by_leg: int) -> None:
    flight = square(16, side=side)
    (pattern,) = found(flight, every_s)
    assert pattern.pattern_type == "area_search"
    assert pattern.details["search"] == "expanding"
    assert pattern.is_surveillance
    assert pattern.details["spacing_nm"] == pytest.approx(0.6, abs=0.25)
    # Nine legs are two rounds and the next side; heard seldom, small first rounds are seen late.
    assert pattern.detected_at < square(by_leg, side=side).t


def test_the_name_of_a_search_replaces_circling() -> None:
    flight = Flight(speed_kt=80.0, alt_ft=1000.0).straight(5.0)
    for number in range(60):
        flight.turn(30.0, 0.3 + 0.04 * number)
    names = {(e.pattern.pattern_type.value, e.pattern.details.get("superseded_by")) for e in feed(flight.positions())}
    assert ("circling", "area_search") in names
    (pattern,) = found(flight)
    assert pattern.pattern_type == "area_search"
    assert pattern.t1 > START + 0.9 * (flight.t - START)


def test_orbits_that_move_or_grow_at_one_side_are_circling() -> None:
    flight = Flight(speed_kt=80.0, alt_ft=1000.0).straight(5.0)
    for _ in range(5):
        flight.orbit(1.0, 0.4).straight(0.15)
    assert [p.pattern_type for p in found(flight)] == ["circling"]
    # Each lap wider than the last, all with the same tangent: nobody searches so.
    touching = Flight(speed_kt=80.0, alt_ft=1000.0).straight(5.0)
    for radius in (0.4, 0.45, 0.5, 0.55):
        touching.orbit(1.0, radius)
    assert [p.pattern_type for p in found(touching)] == ["circling"]


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("reach_nm", [1.2, 4.0])
def test_a_sector_search_is_known_by_its_datum(side: float, reach_nm: float) -> None:
    (pattern,) = found(sectors(6, side=side, reach_nm=reach_nm))
    assert pattern.pattern_type == "area_search"
    assert pattern.details["search"] == "sector"
    assert pattern.details["leg_nm"] == pytest.approx(reach_nm, rel=0.2)
    # The second sector, with the turn after it, is the second round.
    assert pattern.detected_at < START + sectors(3, side=side, reach_nm=reach_nm).t - START


def test_one_triangle_is_no_search() -> None:
    assert found(sectors(1).straight(8.0)) == []


@pytest.mark.parametrize("half_deg", [20.0, 30.0, 45.0])
def test_figures_of_eight_with_straight_diagonals_are_circling(half_deg: float) -> None:
    (pattern,) = found(eights(4, half_deg=half_deg))
    assert pattern.pattern_type == "circling"
    assert pattern.details["direction"] == "both"
    assert pattern.is_surveillance
    size_nm = 0.3 / sin(radians(half_deg)) + 0.3
    assert pattern.radius_nm == pytest.approx(size_nm, rel=0.25)


def test_pylons_of_an_eight_may_be_unlike() -> None:
    assert [p.pattern_type for p in found(eights(4, radii_nm=(0.4, 0.25)))] == ["circling"]


def test_one_figure_of_eight_is_a_manoeuvre() -> None:
    assert found(eights(1)) == []


def test_one_lobe_lost_by_reception_ends_no_figure_of_eight() -> None:
    flight = eights(5)
    (pattern,) = found(flight.positions(5.0, gap=(500.0, 580.0)))
    assert pattern.pattern_type == "circling"
    assert pattern.duration_s > 0.8 * (flight.t - START - 460.0)


def test_a_lobe_that_closes_before_the_place_of_the_last_crossing_is_seen() -> None:
    finder, trail, lobes = LobeFinder(PatternSettings()), Trail(PatternSettings()), []
    flight = Flight(speed_kt=80.0).straight(3.0)
    for number in range(6):
        # The second lobe of each figure is turned back a little, and comes to the diagonal sooner.
        flight.straight(0.5).turn(240.0 if number % 2 == 0 else -246.0, 0.3).straight(0.5)
    for position in flight.positions():
        vertex = trail.add(*position[:6])
        lobe = None if vertex is None else finder.add(vertex)
        lobes += [] if lobe is None else [lobe]
    sides = [lobe.turn_deg > 0.0 for lobe in lobes]
    assert len(sides) >= 5
    assert all(a is not b for a, b in pairwise(sides))

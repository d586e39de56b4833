"""Stakeouts: who hovers at the height at which he was first heard, who stands, who drifts."""

from __future__ import annotations

import random

import pytest

from skywatch.patterns.corpora.tracks import find_patterns
from tests.unit.patterns.drawn.wide.corpus import draw
from tests.unit.patterns.flights import Flight, Position, kinds


def hover(flight: Flight, minutes: float, *, wander_ft: float = 60.0, drift_kt: float = 4.0) -> Flight:
    """Hover with a height that wanders from minute to minute, as it is held by hand."""
    rnd, level_ft = random.Random(3), flight.alt_ft
    for _ in range(round(minutes * 2.0)):
        target_ft = level_ft + rnd.uniform(-wander_ft, wander_ft)
        flight.drift(30.0, drift_kt, wander_ft=2.0 * (target_ft - flight.alt_ft))
        flight.alt_ft = target_ft
    return flight


def test_hovering_at_the_height_of_the_flight_there_is_a_stakeout() -> None:
    flight = hover(Flight(speed_kt=90.0, alt_ft=1200.0).straight(5.0), 10.0).straight(4.0)
    assert kinds(flight) == ["stakeout"]


def test_hovering_lower_than_it_was_ever_heard_is_a_stakeout() -> None:
    flight = hover(Flight(speed_kt=90.0, alt_ft=1500.0).straight(5.0, climb_ft=-400.0), 10.0).straight(4.0)
    assert kinds(flight) == ["stakeout"]


def test_who_came_down_and_stands_is_none() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=1500.0).straight(5.0, climb_ft=-900.0).drift(60.0, 3.0, 10.0)
    assert kinds(flight.stand(1200.0).straight(4.0)) == []


def test_who_came_down_and_taxies_is_none() -> None:
    flight = Flight(speed_kt=80.0, alt_ft=1500.0).straight(5.0, climb_ft=-900.0)
    assert kinds(flight.drift(900.0, 15.0)) == []


def test_who_was_never_seen_to_fly_is_none() -> None:
    flight = Flight(speed_kt=12.0, alt_ft=1500.0).straight(0.5)
    # One speed that cannot be true, as multilateration reports now and then.
    positions = hover(flight, 12.0).positions()
    t, lat, lon, alt, _, track, rate = positions[9]
    positions[9] = (t, lat, lon, alt, 90.0, track, rate)
    assert kinds(positions) == []


def unsent(flight: Flight, every_s: float, noise_nm: float = 0.0) -> list[Position]:
    """The positions of a flight that sends neither speed nor track."""
    positions = flight.positions(every_s, noise_nm=noise_nm)
    return [(t, lat, lon, alt, None, None, None) for t, lat, lon, alt, *_ in positions]


@pytest.mark.parametrize(
    ("wander_ft", "every_s", "noise_nm", "types"),
    [
        (20.0, 15.0, 0.0, {"stakeout"}),
        (150.0, 15.0, 0.0, set()),
        (150.0, 5.0, 0.0, {"stakeout"}),
        (150.0, 8.0, 0.03, {"stakeout"}),
        (20.0, 8.0, 0.08, {"stakeout"}),
        (150.0, 8.0, 0.12, set()),
    ],
)
def test_without_a_speed_the_positions_less_their_noise_or_the_height_tell_who_hovers(
    wander_ft: float, every_s: float, noise_nm: float, types: set[str]
) -> None:
    flight = hover(Flight(speed_kt=90.0, alt_ft=1200.0).straight(8.0), 12.0, wander_ft=wander_ft)
    assert set(kinds(unsent(flight, every_s, noise_nm))) == types


@pytest.mark.parametrize(("every_s", "noise_nm"), [(5.0, 0.0), (9.0, 0.04)])
def test_small_circles_are_no_hovering_though_nobody_sends_the_speed(every_s: float, noise_nm: float) -> None:
    flight = Flight(speed_kt=58.0, alt_ft=3000.0).straight(8.0)
    flight.speed_kt = 46.0
    for number in range(30):
        flight.turn(360.0, 0.06, climb_ft=60.0 if number % 4 < 2 else -60.0)
    assert "stakeout" not in kinds(unsent(flight, every_s, noise_nm))


def test_who_taxies_quickly_after_he_stood_did_not_hover() -> None:
    flight = Flight(speed_kt=90.0, alt_ft=1500.0).straight(5.0, climb_ft=-900.0).stand(300.0)
    flight.speed_kt = 65.0
    flight.straight(1.2).turn(180.0, 0.1).stand(60.0).straight(4.0, climb_ft=900.0)
    assert kinds(flight) == []


@pytest.mark.parametrize("kind", ["landed", "balloon", "balloon_mlat", "weak_lift_mlat"])
def test_drawn_flights_that_keep_to_a_place_are_no_stakeouts(kind: str) -> None:
    for track in draw(72, 3, (kind,)):
        assert "stakeout" not in {p.pattern_type.value for p in find_patterns(track)}

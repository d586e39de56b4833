"""Laps in the moving air: what wind makes round is a hold, and lines and turns are no circles."""

from __future__ import annotations

from math import atan2, cos, degrees, hypot, radians, sin

import pytest

from skywatch.patterns.corpora.tracks import find_patterns
from skywatch.patterns.findings import Change, Pattern
from skywatch.patterns.loops.air import air_lap
from skywatch.patterns.track.trail import Vertex
from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.wide.corpus import draw
from tests.unit.patterns.drawn.wide.reception import FULL, hear
from tests.unit.patterns.flights import Flight, feed

AIRSPEED_KT, WIND_KT, STEP_S = 100.0, 30.0, 5.0


def lap(leg_s: float, rate_deg_s: float = 3.0, wind_kt: float = WIND_KT) -> list[Vertex]:
    """A lap of two half circles and two legs, as long in time, in a wind to the east; every 5 s."""
    line, heading, x, y, unwound, before, t = [], 0.0, 0.0, 0.0, 0.0, None, 0.0
    half_s = 180.0 / rate_deg_s
    while t <= 2.0 * (half_s + leg_s):
        vx, vy = AIRSPEED_KT * sin(radians(heading)) + wind_kt, AIRSPEED_KT * cos(radians(heading))
        track = degrees(atan2(vx, vy))
        unwound += 0.0 if before is None else (track - before + 180.0) % 360.0 - 180.0
        before = track
        line.append(Vertex(t, x, y, 3000.0, hypot(vx, vy), unwound, 0.0))
        x, y = x + vx * STEP_S / 3600.0, y + vy * STEP_S / 3600.0
        heading += rate_deg_s * STEP_S if t % (half_s + leg_s) < half_s else 0.0
        t += STEP_S
    return line


def test_a_lap_tells_wind_airspeed_rate_of_turn_and_legs() -> None:
    air = air_lap(lap(60.0))
    assert air is not None
    assert air.airspeed_kt == pytest.approx(AIRSPEED_KT, abs=0.5)
    assert air.wind_kt == pytest.approx(WIND_KT, abs=0.5)
    assert air.misfit_kt < 0.1
    assert air.rate_deg_s == pytest.approx(3.0, abs=0.05)
    assert air.straight_s == pytest.approx(120.0, abs=6.0)
    assert air.legs_s == pytest.approx((60.0, 60.0), abs=6.0)


def test_a_circle_in_the_air_has_no_legs_in_any_wind() -> None:
    for wind_kt in (0.0, 20.0, 40.0):
        air = air_lap(lap(0.0, wind_kt=wind_kt))
        assert air is not None
        assert air.straight_share < 0.05


def test_few_places_and_straight_flight_are_no_lap_in_the_air() -> None:
    assert air_lap(lap(60.0)[:5]) is None
    assert air_lap([Vertex(10.0 * n, n, 0.0, None, 100.0, 0.0, n) for n in range(9)]) is None


def practised(wind: tuple[float, float], *, hold: bool) -> list[Pattern]:
    """Five laps at three degrees a second in a third of the airspeed of wind: a hold, or circles over one place."""
    dice = Dice("practised")
    pen = Pen(dice, 105.0, 4000.0, wind_kt=0.0)
    pen.wander_nm, pen.heading, pen.wind = 0.003, 0.0, wind
    pen.straight(6.0)
    x, y, radius = pen.x, pen.y, pen.rate_radius_nm(3.0)
    for _ in range(5):
        if not hold:
            pen.turn(360.0, radius)
            continue
        pen.in_air = True
        pen.turn((180.0 - pen.heading) % 360.0, radius).straight(105.0 / 60.0).turn(120.0, radius)
        pen.in_air = False
        pen.turn_to(x, y, 1.0, radius)
    pen.straight(6.0)
    return find_patterns(hear(pen, dice, "practised", "abc123", "practised", FULL))


def test_a_hold_that_the_wind_makes_nearly_round_is_practised() -> None:
    (pattern,) = practised((0.0, 35.0), hold=True)
    assert (pattern.pattern_type, pattern.details.get("reason")) == ("circling", "practice_hold")


def test_a_hold_whose_way_back_is_long_against_the_wind_is_practised() -> None:
    (pattern,) = practised((0.0, -35.0), hold=True)
    assert (pattern.pattern_type, pattern.details.get("reason")) == ("racetrack", "practice_hold")


def test_circles_of_the_same_rate_in_the_same_wind_are_watching() -> None:
    (pattern,) = practised((0.0, 35.0), hold=False)
    assert (pattern.pattern_type, pattern.is_surveillance) == ("circling", True)


@pytest.mark.parametrize("kind", ["windy_hold", "airliner_hold", "weak_lift"])
def test_holds_in_wind_and_weak_lift_are_ordinary(kind: str) -> None:
    for track in draw(1, 8, (kind,)):
        assert not any(p.is_surveillance and p.pattern_type == "circling" for p in find_patterns(track)), track.id


def test_a_slow_helicopter_that_keeps_its_height_is_no_glider() -> None:
    for track in draw(1, 6, ("tight_orbit",)):
        assert any(p.is_surveillance for p in find_patterns(track)), track.id


def test_lines_and_turns_this_way_and_that_are_seldom_circling() -> None:
    called = [{p.pattern_type.value for p in find_patterns(track)} for track in draw(1, 8, ("loiter",))]
    assert sum("circling" in kinds for kinds in called) <= 3
    assert sum("loitering" in kinds for kinds in called) >= 5


def test_a_call_is_kept_while_the_circling_goes_on_in_laps_of_another_size() -> None:
    flight = Flight(speed_kt=140.0).straight(4.0).orbit(1.8, 1.0)
    flight.straight(3.0).orbit(0.5, 1.9).straight(3.0).orbit(3.0, 1.9).straight(6.0)
    events = [event for event in feed(flight.positions(10.0)) if event.change is not Change.EXTENDED]
    assert [(event.change, event.pattern.number) for event in events] == [(Change.DETECTED, 1), (Change.ENDED, 1)]
    assert "withdrawn" not in events[-1].pattern.details
    assert events[-1].pattern.details["turns"] > 3.0


def test_one_lap_with_legs_before_a_round_one_is_circling() -> None:
    """Only where every lap is lines and turns is it no circling; a stretched lap may be the way to the circle."""
    dice = Dice("stretched")
    pen = Pen(dice, 105.0, 3000.0, wind_kt=0.0)
    pen.wander_nm, pen.heading = 0.003, 0.0
    pen.straight(6.0)
    for _ in range(2):
        pen.turn(180.0, 0.4).straight(1.4)
    pen.turn(430.0, 0.6).straight(6.0)
    (pattern,) = find_patterns(hear(pen, dice, "stretched", "abc123", "stretched", FULL))
    assert pattern.pattern_type == "circling"

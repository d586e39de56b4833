"""Kinds of flight thought up when the rules for those of `missed` were finished, and judged once."""

from __future__ import annotations

from math import atan2, cos, degrees, hypot, radians, sin

from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.missed import LINE, STAKEOUT, Kind
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.watching import CIRCLING, GRID, HELICOPTER, LIGHT, RACETRACK, TWIN, arrive, leave
from tests.unit.patterns.drawn.wide.staying import hover

_VAGUE = ("loitering", "area_search", "stakeout")


def egg(dice: Dice) -> Pen:
    """Draw an egg: turns of unlike radius at the ends of two short legs."""
    pen = arrive(dice, LIGHT, TWIN)
    t0, side, radius = pen.t, dice.side(), pen.turn_radius_nm(dice.between(16.0, 26.0))
    for _ in range(round(dice.between(3.0, 7.0))):
        for wide in (1.0, 1.5):
            pen.turn(side * 180.0, wide * radius).straight(0.3 * radius)
    return leave(pen.note(CIRCLING, t0))


def square_orbit(dice: Dice) -> Pen:
    """Draw a block of houses gone round: four short legs, four quick turns."""
    pen = arrive(dice, HELICOPTER, LIGHT)
    t0, side, radius = pen.t, dice.side(), pen.turn_radius_nm(dice.uniform(18.0, 28.0))
    for _ in range(round(4.0 * dice.between(2.6, 6.0))):
        pen.straight(dice.uniform(0.8, 1.2) * radius).turn(side * 90.0, radius)
    return leave(pen.note(CIRCLING, t0))


def relay_oval(dice: Dice) -> Pen:
    """Draw a relay aircraft at height: ovals of 6 to 12 nm that turn with the wind by a few degrees a lap."""
    pen = arrive(dice, (100.0, 170.0), alt_ft=(9000.0, 20000.0))
    t0, side, radius, leg = pen.t, dice.side(), dice.between(0.7, 1.4), dice.between(6.0, 12.0)
    for _ in range(round(dice.between(2.5, 4.0))):
        for _ in range(2):
            pen.straight(leg).turn(side * dice.uniform(178.0, 184.0), radius)
    return leave(pen.note(RACETRACK, t0))


def magnetic_survey(dice: Dice) -> Pen:
    """Draw close lanes, each after the last one, and tie lines across them."""
    pen = arrive(dice, LIGHT, TWIN)
    t0, spacing, lane_nm = pen.t, dice.uniform(0.1, 0.25), dice.between(3.0, 6.0)
    radius, x, y, heading = pen.turn_radius_nm(25.0), pen.x, pen.y, pen.heading
    east, north = sin(radians(heading)), cos(radians(heading))
    for number in range(round(dice.between(10.0, 16.0))):
        off, back = number * spacing, number % 2
        along = lane_nm if back else 0.0
        pen.fly_to(x + along * east + off * north, y + along * north - off * east, heading + 180.0 * back, radius)
        pen.straight(lane_nm)
    return leave(pen.note(GRID, t0))


def coast_patrol(dice: Dice) -> Pen:
    """Draw a beach flown there and back, with a full circle over two swimmers."""
    pen = arrive(dice, (60.0, 95.0), alt_ft=(500.0, 1500.0))
    t0, radius = pen.t, pen.turn_radius_nm(20.0)
    bends = [dice.uniform(-35.0, 35.0) for _ in range(5)]
    for back in (False, True):
        for bend in [-b for b in reversed(bends)] if back else bends:
            pen.straight(dice.uniform(1.3, 1.3)).turn(bend, radius)
            if dice.random() < 0.2:
                pen.turn(dice.side() * 360.0, radius)
        pen.straight(1.3)
        if not back:
            pen.turn(-60.0, radius).fly_back(1.0, radius)
    return leave(pen.note(LINE, t0))


def two_hovers(dice: Dice) -> Pen:
    """Draw a camera helicopter that hovers on two sides of one place, ten minutes each."""
    pen = Pen(dice, dice.between(75.0, 105.0), dice.between(800.0, 1800.0), wind_kt=dice.uniform(0.0, 15.0))
    pen.straight(dice.between(4.0, 8.0))
    t0 = pen.t
    for _ in range(2):
        hover(pen, dice.between(500.0, 800.0), dice.uniform(0.3, 4.0), dice.uniform(0.0, 25.0))
        pen.turn(dice.side() * 90.0, 0.08).straight(0.25)
    return leave(pen.note(STAKEOUT, t0))


def chandelles(dice: Dice) -> Pen:
    """Draw climbing turns by half a circle to either side in turns, as pilots train them."""
    pen = Pen(dice, dice.between(85.0, 120.0), dice.between(2500.0, 4500.0)).straight(dice.between(4.0, 8.0))
    for number in range(round(dice.between(4.0, 8.0))):
        pen.climb(1e6, 900.0).turn((1.0 if number % 2 else -1.0) * 180.0, pen.turn_radius_nm(dice.uniform(25.0, 35.0)))
        pen.climb(0.0, 500.0).straight(dice.uniform(0.8, 2.0))
    return pen.level().straight(dice.between(4.0, 8.0))


def late_landing(dice: Dice) -> Pen:
    """Draw an airliner that goes around twice, with wide circuits in between."""
    pen = Pen(dice, dice.between(140.0, 190.0), dice.between(3500.0, 6000.0)).straight(dice.between(10.0, 20.0))
    side, radius, ground = dice.side(), pen.rate_radius_nm(2.5), pen.alt_ft - 2800.0
    x, y, heading = pen.x, pen.y, pen.heading
    for _ in range(dice.choice((2, 3))):
        pen.climb(0.0, 700.0)
        while pen.alt_ft > ground + 300.0:
            pen.straight(0.1)
        pen.climb(1e6, 1500.0).straight(dice.uniform(2.0, 4.0)).turn(side * 180.0, radius)
        while pen.alt_ft < ground + 2800.0:
            pen.straight(0.1)
        pen.level()
        along = (pen.x - x) * sin(radians(heading)) + (pen.y - y) * cos(radians(heading))
        pen.straight(max(along + 3.0, 1.0)).turn(side * 180.0, radius).fly_to(x, y, heading, radius)
    return pen


def wave_soaring(dice: Dice) -> Pen:
    """Draw a glider in a wave: beats of a few miles across the wind, climbing slowly and evenly."""
    pen = Pen(dice, dice.between(55.0, 75.0), dice.between(6000.0, 12000.0)).straight(dice.between(2.0, 4.0))
    radius, side = pen.turn_radius_nm(25.0), 1.0
    for _ in range(round(dice.between(5.0, 10.0))):
        pen.climb(1e6, dice.uniform(80.0, 350.0)).straight(dice.uniform(1.5, 4.0)).turn(side * 180.0, radius)
        side = -side
    return pen.climb(0.0, 300.0).straight(dice.between(4.0, 8.0))


def school_nav(dice: Dice) -> Pen:
    """Draw a cross-country lesson: a triangle of 20 nm legs with a full circle over each turning point."""
    pen = Pen(dice, dice.between(85.0, 120.0), dice.between(2000.0, 4000.0))
    x, y, side = pen.x, pen.y, dice.side()
    for _ in range(2):
        pen.straight(dice.between(10.0, 20.0)).turn(side * 360.0, pen.turn_radius_nm(25.0))
        pen.turn(side * dice.uniform(100.0, 140.0), pen.turn_radius_nm(20.0))
    pen.turn((degrees(atan2(x - pen.x, y - pen.y)) - pen.heading + 180.0) % 360.0 - 180.0, pen.turn_radius_nm(20.0))
    return pen.straight(hypot(x - pen.x, y - pen.y))


KINDS: dict[str, Kind] = {
    "egg": Kind(egg, CIRCLING, (*_VAGUE, "racetrack")),
    "square_orbit": Kind(square_orbit, CIRCLING, (*_VAGUE, "racetrack")),
    "relay_oval": Kind(relay_oval, RACETRACK, _VAGUE),
    "magnetic_survey": Kind(magnetic_survey, GRID, _VAGUE),
    "coast_patrol": Kind(coast_patrol, LINE, ("loitering", "racetrack")),
    "two_hovers": Kind(two_hovers, STAKEOUT, ("loitering",)),
    "chandelles": Kind(chandelles),
    "late_landing": Kind(late_landing),
    "wave_soaring": Kind(wave_soaring),
    "school_nav": Kind(school_nav),
}

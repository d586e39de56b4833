"""Searches from the air after the IAMSAR Manual, volume III: expanding squares, sector searches, spirals, lines."""

from __future__ import annotations

from math import cos, radians, sin

from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.watching import GRID, HELICOPTER, LIGHT, TWIN, arrive, fly_lanes, leave

AREA = "area_search"


def expanding_square(dice: Dice) -> Pen:
    """Draw legs of 1, 1, 2, 2, 3, 3... times the spacing, all turns to one side."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN, alt_ft=(500.0, 2500.0))
    spacing = dice.between(0.4, 1.6)
    radius = min(pen.turn_radius_nm(dice.between(18.0, 30.0)), 0.45 * spacing)
    t0, side, heading = pen.t, dice.side(), pen.heading
    x, y = pen.x, pen.y
    for number in range(round(dice.between(10.0, 20.0))):
        way, course = spacing * (number // 2 + 1), radians(heading + side * 90.0 * number)
        x, y = x + way * sin(course), y + way * cos(course)
        # Turns begin before the corner.
        early = min(radius, 0.4 * way)
        pen.turn_to(x + dice.gauss(0.0, 0.03) - early * sin(course), y + dice.gauss(0.0, 0.03) - early * cos(course),
                    side, radius)  # fmt: skip
    return leave(pen.note(AREA, t0))


def sector_search(dice: Dice) -> Pen:
    """Draw three triangles through one datum, once to three times, each time turned by 30 degrees."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN, alt_ft=(500.0, 2500.0))
    radius = pen.turn_radius_nm(dice.between(18.0, 30.0))
    reach = max(dice.between(1.2, 4.0), 6.0 * radius)
    t0, side, x0, y0 = pen.t, dice.side(), pen.x, pen.y
    for number in range(dice.choice((3, 6, 6, 9))):
        if number and number % 3 == 0:
            pen.turn(side * 30.0, radius)
        # Out from the datum, along the rim, and in again: over the datum into the next sector.
        course = radians(pen.heading)
        rim = course + radians(side * 60.0)
        pen.straight(reach)
        pen.turn_to(x0 + reach * sin(rim), y0 + reach * cos(rim), side, radius)
        pen.turn_to(x0 + dice.gauss(0.0, 0.05), y0 + dice.gauss(0.0, 0.05), side, radius)
    return leave(pen.note(AREA, t0))


def spiral_search(dice: Dice) -> Pen:
    """Draw a spiral outward whose laps lie evenly apart."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN, alt_ft=(500.0, 2500.0))
    t0, side = pen.t, dice.side()
    radius, apart = dice.between(0.3, 0.7), dice.between(0.3, 0.8)
    for _ in range(round(dice.between(3.0, 6.0)) * 12):
        pen.turn(side * 30.0, radius)
        radius += apart / 12.0
    return leave(pen.note(AREA, t0))


def long_lines(dice: Dice) -> Pen:
    """Draw the long lines of an aerial photographer, in an order of his own."""
    pen = arrive(dice, LIGHT, TWIN, alt_ft=(3000.0, 20000.0))
    pen.wander_nm = min(pen.wander_nm, 0.008)
    t0, lane_nm = pen.t, dice.between(9.0, 20.0)
    order = dice.choice(("side by side", "field", "there and back"))
    fly_lanes(pen, round(dice.between(6.0, 10.0)), dice.between(0.4, 1.5), lane_nm, order)
    return leave(pen.note(GRID, t0))

"""Work at low height: spraying of fields."""

from __future__ import annotations

from math import cos, radians, sin

from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen


def spraying(dice: Dice) -> Pen:
    """Draw swaths next to each other or half a field over, each at the same low height, with a turn above them."""
    pen = Pen(dice, dice.between(95.0, 140.0), dice.between(100.0, 4000.0))
    low, apart = pen.alt_ft, dice.between(0.008, 0.03)
    pen.alt_ft += 500.0
    pen.straight(dice.between(2.0, 6.0))
    heading, side, way = pen.heading, dice.side(), dice.between(0.4, 1.8)
    x, y, radius = pen.x, pen.y, pen.turn_radius_nm(dice.uniform(35.0, 50.0))
    rounds = dice.random() < 0.5
    field = round(max(2.2 * radius / apart, 6.0)) if rounds else 1
    for number in range(round(dice.between(12.0, 40.0))):
        lane = number // 2 + (number % 2) * field if rounds else number
        course = heading + 180.0 * (number % 2)
        at, across = (way if number % 2 else 0.0), side * lane * apart
        along = radians(heading)
        to_x, to_y = x + at * sin(along) + across * cos(along), y + at * cos(along) - across * sin(along)
        begin = pen.t
        pen.fly_to(to_x, to_y, course, radius)
        # Up in the first half of the turn and down in the second, by 80 to 250 ft.
        top, flown = dice.uniform(80.0, 250.0), max(pen.t - begin, 1.0)
        pen.path = [
            p if p[0] <= begin or not number else (*p[:3], low + top * min(1.0, 2.0 - 2.0 * abs(
                2.0 * (p[0] - begin) / flown - 1.0)), *p[4:])
            for p in pen.path
        ]  # fmt: skip
        pen.alt_ft = low
        pen.level().straight(way)
    return pen.climb(1e6, 600.0).straight(dice.between(2.0, 6.0))

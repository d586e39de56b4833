"""Gliders: weak lift, slopes, tows."""

from __future__ import annotations

from math import cos, radians, sin

from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen


def _glider(dice: Dice, alt_ft: tuple[float, float]) -> Pen:
    pen = Pen(dice, dice.between(45.0, 60.0), dice.between(*alt_ft), wind_kt=dice.uniform(0.0, 18.0))
    pen.in_air = True
    return pen


def weak_lift(dice: Dice) -> Pen:
    """Draw circles in lift that just about holds the glider up, and glides between them."""
    pen = _glider(dice, (2000.0, 5000.0)).straight(dice.between(2.0, 5.0))
    for _ in range(round(dice.between(2.0, 5.0))):
        side, radius = dice.side(), pen.turn_radius_nm(dice.between(22.0, 40.0))
        for _ in range(round(dice.between(5.0, 30.0) * 4.0)):
            pen.climb_ft_min = dice.uniform(-180.0, 190.0)
            pen.turn(side * 90.0, radius * dice.uniform(0.75, 1.3))
        pen.climb(0.0, dice.between(120.0, 250.0)).straight(dice.between(0.5, 5.0)).level()
    return pen


def slope(dice: Dice) -> Pen:
    """Draw a glider to and fro along a ridge, turning away from the slope, where the wind is driven up."""
    pen = _glider(dice, (1500.0, 4000.0))
    pen.in_air = False
    pen.straight(dice.between(1.0, 3.0))
    side, radius, way = dice.side(), pen.turn_radius_nm(dice.uniform(28.0, 40.0)), dice.between(0.8, 4.5)
    x, y, heading = pen.x, pen.y, radians(pen.heading)
    for number in range(round(dice.between(6.0, 22.0))):
        # The ridge stays where it is; how far along it he turns, and how close he flies, differs.
        end = (1.0 if number % 2 == 0 else 0.0) * way + dice.gauss(0.0, 0.08 * way)
        aside = dice.gauss(0.0, 0.03)
        pen.climb_ft_min = dice.uniform(-120.0, 120.0)
        turn = -side if number % 2 == 0 else side
        pen.turn_to(x + end * sin(heading) + aside * cos(heading), y + end * cos(heading) - aside * sin(heading),
                    turn, radius)  # fmt: skip
    return pen.straight(dice.between(2.0, 5.0))


def tows(dice: Dice) -> Pen:
    """Draw tows of gliders: up in wide turns, steeply down, a landing on the same runway, again and again."""
    pen = Pen(dice, dice.between(58.0, 75.0), dice.between(0.0, 1800.0), wind_kt=dice.uniform(0.0, 12.0))
    ground, x, y, heading = pen.alt_ft, pen.x, pen.y, pen.heading
    hidden = dice.choice((0.0, 150.0, 400.0))
    for _ in range(round(dice.between(3.0, 7.0))):
        side, radius = dice.side(), pen.turn_radius_nm(dice.uniform(10.0, 22.0))
        top = ground + dice.between(1500.0, 3500.0)
        pen.climb(1e6, dice.uniform(350.0, 650.0)).straight(dice.uniform(1.0, 2.0))
        while pen.alt_ft < top:
            pen.turn(side * 90.0, radius * dice.uniform(0.8, 1.5)).straight(dice.uniform(0.0, 1.2))
        pen.climb(0.0, dice.uniform(900.0, 1600.0))
        while pen.alt_ft > ground + 700.0:
            pen.turn(-side * 90.0, radius * dice.uniform(0.7, 1.2)).straight(dice.uniform(0.0, 0.4))
        pen.level().fly_to(x, y, heading, radius)
        # The last of the way was the approach, down to the runway.
        pen.path = [
            p if pen.t - p[0] > 60.0 else (*p[:3], ground + (p[3] - ground) * (pen.t - p[0]) / 60.0, *p[4:])
            for p in pen.path
        ]
        pen.alt_ft = ground
        pen.t += dice.uniform(60.0, 300.0)
    pen.path = [p for p in pen.path if p[3] >= ground + hidden]
    return pen

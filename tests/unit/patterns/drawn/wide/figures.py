"""Circles, figures of eight and ovals of those who watch: wider, tighter, drifting, interrupted."""

from __future__ import annotations

from math import radians, tan

from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.watching import CIRCLING, HELICOPTER, LIGHT, RACETRACK, TWIN, arrive, leave


def tight_orbit(dice: Dice) -> Pen:
    """Draw a helicopter's small circles."""
    pen = arrive(dice, (45.0, 75.0), alt_ft=(500.0, 2000.0))
    t0, radius, side = pen.t, dice.between(0.12, 0.3), dice.side()
    for _ in range(round(dice.between(3.0, 14.0) * 4.0)):
        pen.turn(side * 90.0, radius * dice.uniform(0.85, 1.15))
    return leave(pen.note(CIRCLING, t0))


def drifting_orbit(dice: Dice) -> Pen:
    """Draw circles that nobody corrects for the wind."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN)
    t0, radius = pen.t, min(max(pen.turn_radius_nm(dice.between(12.0, 30.0)), 0.15), 1.5)
    wind, strength = pen.wind, dice.uniform(0.03, 0.12) * pen.tas_kt
    pen.wind, pen.in_air = (strength, 0.0), True
    pen.turn(dice.side() * 360.0 * dice.between(3.0, 10.0), radius)
    pen.wind, pen.in_air = wind, False
    return leave(pen.note(CIRCLING, t0))


def high_orbit(dice: Dice) -> Pen:
    """Draw a drone's wide circles."""
    pen = arrive(dice, (90.0, 190.0), alt_ft=(12000.0, 25000.0))
    t0 = pen.t
    pen.turn(dice.side() * 360.0 * dice.between(2.4, 6.0), dice.between(1.2, 3.8))
    return leave(pen.note(CIRCLING, t0))


def two_places(dice: Dice) -> Pen:
    """Draw circles about one place, a transit, and circles about another."""
    pen = arrive(dice, HELICOPTER, LIGHT)
    radius = min(max(pen.turn_radius_nm(dice.between(10.0, 30.0)), 0.15), 1.5)
    for place in range(2):
        t0 = pen.t
        pen.turn(dice.side() * 360.0 * dice.between(2.5, 7.0), radius * dice.uniform(0.8, 1.25))
        pen.note(CIRCLING, t0)
        if place == 0:
            pen.straight(dice.between(4.0, 8.0))
    return leave(pen)


def _eights(pen: Pen, count: int, half_deg: float, radius: float, other: float) -> Pen:
    """Draw figures of eight whose diagonals are tangents of both circles and cross at twice `half_deg`."""
    side = pen.rnd.side()
    out, back = radius / tan(radians(half_deg)), other / tan(radians(half_deg))
    for _ in range(count):
        for way, lobe in ((out, radius), (back, other)):
            lobe *= pen.rnd.uniform(0.93, 1.07)
            pen.straight(way).turn(side * (180.0 + 2.0 * half_deg), lobe).straight(way)
            side = -side
    return pen


def straight_eights(dice: Dice) -> Pen:
    """Draw figures of eight with straight diagonals, two and a half and more."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN)
    t0, radius = pen.t, max(pen.turn_radius_nm(dice.between(12.0, 33.0)), 0.15)
    _eights(pen, round(dice.between(3.0, 7.0)), dice.uniform(18.0, 45.0), radius, radius)
    return leave(pen.note(CIRCLING, t0))


def uneven_eights(dice: Dice) -> Pen:
    """Draw figures of eight whose circles are of two sizes."""
    pen = arrive(dice, HELICOPTER, LIGHT)
    t0, radius = pen.t, max(pen.turn_radius_nm(dice.between(15.0, 33.0)), 0.15)
    _eights(pen, round(dice.between(3.0, 7.0)), dice.uniform(25.0, 60.0), radius, radius * dice.uniform(0.6, 1.0))
    return leave(pen.note(CIRCLING, t0))


def long_oval(dice: Dice) -> Pen:
    """Draw ovals with legs of miles, high up, as sensors look sideways."""
    pen = arrive(dice, TWIN, (180.0, 240.0), alt_ft=(9000.0, 25000.0))
    t0, side = pen.t, dice.side()
    radius, leg_nm = pen.turn_radius_nm(dice.between(10.0, 25.0)), dice.between(8.0, 22.0)
    for _ in range(round(dice.between(2.5, 5.0) * 2.0)):
        pen.straight(leg_nm * dice.uniform(0.95, 1.05)).turn(side * 180.0, radius)
    return leave(pen.note(RACETRACK, t0))

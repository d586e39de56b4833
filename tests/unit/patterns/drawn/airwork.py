"""Training and play: loops and lines that resemble nothing, and follow no subject."""

from __future__ import annotations

from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.watching import LIGHT, TWIN


def _light(dice: Dice) -> Pen:
    return Pen(dice, dice.between(*LIGHT), dice.between(2000.0, 5000.0)).straight(dice.between(5.0, 10.0))


def unlike_loops(dice: Dice) -> Pen:
    """Draw single loops of unlike size, joined by transits of a minute or more."""
    pen = Pen(dice, dice.between(*dice.choice((LIGHT, TWIN))), dice.between(2000.0, 5000.0))
    pen.straight(dice.between(5.0, 10.0))
    small = pen.turn_radius_nm(dice.between(25.0, 38.0))
    for number in range(round(dice.between(2.0, 5.0))):
        radius = small * (1.0 if number % 2 else dice.uniform(1.8, 3.5))
        pen.turn(dice.side() * 360.0 * dice.uniform(0.95, 1.2), radius)
        pen.straight(dice.between(1.5, 4.0) * pen.tas_kt / 100.0).turn(dice.uniform(-50.0, 50.0), radius)
        pen.straight(dice.between(0.5, 2.0) * pen.tas_kt / 100.0)
    return pen.straight(dice.between(5.0, 10.0))


def loop_in_loop(dice: Dice) -> Pen:
    """Draw a wide loop and a far smaller one within it or next to it."""
    pen = _light(dice)
    small, side = pen.turn_radius_nm(dice.between(20.0, 35.0)), dice.side()
    large = small * dice.uniform(2.2, 5.0)
    loops = [large, small] if dice.random() < 0.5 else [small, large]
    for radius in loops:
        pen.turn(side * 360.0 * dice.uniform(0.95, 1.1), radius)
    return pen.straight(dice.between(5.0, 10.0))


def steep_turns(dice: Dice) -> Pen:
    """Draw pairs of steep turns, one to each side, with minutes between the pairs."""
    pen = _light(dice)
    radius = pen.turn_radius_nm(dice.between(38.0, 50.0))
    for _ in range(dice.choice((1, 2, 3))):
        side = dice.side()
        pen.turn(side * 360.0, radius).straight(dice.uniform(0.0, 0.5)).turn(-side * 360.0, radius)
        pen.straight(dice.between(2.0, 5.0)).turn(dice.uniform(-90.0, 90.0), pen.turn_radius_nm(20.0))
        pen.straight(dice.between(1.0, 4.0))
    return pen.straight(dice.between(3.0, 8.0))


def airwork(dice: Dice) -> Pen:
    """Draw half an hour in a practice area: turns at random, stalls, climbs, slow flight, a steep turn."""
    pen = _light(dice)
    cruise = pen.tas_kt
    begin = pen.t
    minutes = dice.between(20.0, 45.0)
    while pen.t - begin < minutes * 60.0:
        what = dice.choice(("turn", "turn", "stall", "climb", "steep", "slow", "straight"))
        radius = pen.turn_radius_nm(dice.uniform(15.0, 35.0))
        if what == "turn":
            pen.turn(dice.choice((90.0, -90.0, 180.0, -180.0, dice.uniform(-270.0, 270.0))), radius)
        elif what == "stall":
            pen.tas_kt = 0.65 * cruise
            pen.straight(1.0)
            pen.climb(0.0, 900.0).straight(0.4).level()
            pen.tas_kt = cruise
        elif what == "climb":
            pen.climb(1e6 if pen.alt_ft < 4500.0 else 0.0, 600.0).straight(dice.uniform(0.8, 2.5)).level()
        elif what == "steep":
            pen.turn(dice.side() * 360.0, pen.turn_radius_nm(45.0))
        elif what == "slow":
            pen.tas_kt = 0.7 * cruise
            pen.straight(dice.uniform(1.0, 3.0)).turn(dice.side() * 90.0, pen.turn_radius_nm(15.0))
            pen.tas_kt = cruise
        pen.straight(dice.uniform(0.4, 3.5))
    return pen.straight(dice.between(5.0, 10.0))


def sightseeing(dice: Dice) -> Pen:
    """Draw a tour: legs between sights, one turn about some of them."""
    pen = _light(dice)
    for _ in range(round(dice.between(3.0, 6.0))):
        if dice.random() < 0.6:
            pen.turn(dice.side() * 360.0 * dice.uniform(0.7, 1.15), pen.turn_radius_nm(dice.between(15.0, 30.0)))
        pen.straight(dice.between(3.0, 8.0)).turn(dice.uniform(-120.0, 120.0), pen.turn_radius_nm(20.0))
        pen.straight(dice.between(2.0, 5.0))
    return pen

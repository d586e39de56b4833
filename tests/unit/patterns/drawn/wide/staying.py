"""Keeping to a place: hovering and loitering, and what looks like it: the landed, the taxiing, balloons."""

from __future__ import annotations

from math import atan2, cos, degrees, hypot, radians, sin, sqrt

from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.watching import HELICOPTER, LIGHT, leave

STAKEOUT, LOITERING = "stakeout", "loitering"


def hover(pen: Pen, seconds: float, drift_kt: float, wander_ft: float) -> Pen:
    """Hover: the speed is a walk about nought with a memory of 20 s, the height one with a memory of two minutes."""
    rnd, vx, vy, up_ft, level_ft = pen.rnd, 0.0, 0.0, 0.0, pen.alt_ft
    x0, y0 = pen.x, pen.y
    for _ in range(round(seconds)):
        # Who hovers comes back to the spot, within a few minutes.
        vx += -vx / 20.0 - (pen.x - x0) * 3600.0 / 4000.0 + drift_kt * sqrt(2.0 / 20.0) * rnd.gauss(0.0, 0.7)
        vy += -vy / 20.0 - (pen.y - y0) * 3600.0 / 4000.0 + drift_kt * sqrt(2.0 / 20.0) * rnd.gauss(0.0, 0.7)
        up_ft += -up_ft / 120.0 + wander_ft * sqrt(2.0 / 120.0) * rnd.gauss(0.0, 1.0)
        pen.t += 1.0
        pen.x, pen.y = pen.x + vx / 3600.0, pen.y + vy / 3600.0
        pen.alt_ft = level_ft + up_ft
        pen.path.append((pen.t, pen.x, pen.y, pen.alt_ft, hypot(vx, vy), degrees(atan2(vx, vy)) % 360.0))
    return pen


def stand(pen: Pen, seconds: float) -> Pen:
    """Stand still; the air pressure moves a little."""
    level_ft, up_ft = pen.alt_ft, 0.0
    for _ in range(round(seconds)):
        pen.t += 1.0
        up_ft += -up_ft / 300.0 + 10.0 * sqrt(2.0 / 300.0) * pen.rnd.gauss(0.0, 1.0)
        pen.path.append((pen.t, pen.x, pen.y, level_ft + up_ft, 0.0, pen.heading % 360.0))
    return pen


def _slow_down(pen: Pen, to_ft: float) -> Pen:
    """Slow down to a hover over a mile or so, and come to a height."""
    cruise, begin_ft = pen.tas_kt, pen.alt_ft
    for step in range(12):
        pen.tas_kt = cruise + (8.0 - cruise) * (step + 1) / 12.0
        pen.climb_ft_min = (to_ft - begin_ft) / 12.0 / (0.06 * 60.0 / max(pen.tas_kt, 20.0))
        pen.straight(0.06)
    pen.tas_kt, pen.alt_ft = cruise, to_ft
    return pen.level()


def _hovers(dice: Dice, pen: Pen, height_ft: float) -> Pen:
    """Draw hovering over one to three spots close to each other, and the way off."""
    _slow_down(pen, height_ft)
    t0 = pen.t
    for spot in range(dice.choice((1, 1, 2, 3))):
        if spot:
            pen.turn(dice.side() * dice.uniform(40.0, 150.0), 0.05).straight(dice.uniform(0.05, 0.2))
        hover(pen, dice.between(500.0, 1100.0), dice.uniform(2.0, 9.0), dice.uniform(20.0, 90.0))
    pen.note(STAKEOUT, t0)
    return leave(pen)


def _comes(dice: Dice, alt_ft: float) -> Pen:
    pen = Pen(dice, dice.between(70.0, 120.0), alt_ft, wind_kt=dice.uniform(0.0, 15.0))
    return pen.straight(dice.between(3.0, 10.0))


def hover_from_base(dice: Dice) -> Pen:
    """Draw a helicopter that took off low, climbed, and hovers."""
    pen = Pen(dice, dice.between(*HELICOPTER), dice.between(100.0, 800.0), wind_kt=dice.uniform(0.0, 15.0))
    pen.climb(1e6, 700.0).straight(1.7).level().straight(dice.between(2.0, 8.0))
    return _hovers(dice, pen, pen.alt_ft + dice.uniform(-300.0, 100.0))


def hover_level(dice: Dice) -> Pen:
    """Draw a helicopter first heard at the height at which it hovers."""
    pen = _comes(dice, dice.between(700.0, 2500.0))
    return _hovers(dice, pen, pen.alt_ft + dice.uniform(-60.0, 60.0))


def hover_below(dice: Dice) -> Pen:
    """Draw a helicopter that comes down a few hundred feet to hover, lower than it was ever heard."""
    pen = _comes(dice, dice.between(1200.0, 2500.0))
    return _hovers(dice, pen, pen.alt_ft - dice.uniform(150.0, 500.0))


def loiter(dice: Dice) -> Pen:
    """Draw half an hour and more of turns this way and that about one place, level."""
    pen = Pen(dice, dice.between(*dice.choice((HELICOPTER, LIGHT))), dice.between(1000.0, 3000.0))
    pen.straight(dice.between(4.0, 9.0))
    t0, x0, y0, reach = pen.t, pen.x, pen.y, dice.between(1.2, 2.6)
    while pen.t - t0 < dice.between(1900.0, 3000.0):
        radius = pen.turn_radius_nm(dice.uniform(12.0, 28.0))
        pen.turn(dice.side() * dice.uniform(30.0, 200.0), radius).straight(dice.uniform(0.2, 0.9) * reach)
        if hypot(pen.x - x0, pen.y - y0) > reach:
            at = radians(dice.uniform(0.0, 360.0))
            way = 0.5 * reach * dice.random()
            pen.fly_to(x0 + way * sin(at), y0 + way * cos(at), dice.uniform(0.0, 360.0), radius)
    return leave(pen.note(LOITERING, t0))


def landed(dice: Dice) -> Pen:
    """Draw a helicopter that comes down, stands with its transponder on, and goes again."""
    pen = _comes(dice, dice.between(500.0, 2500.0))
    _slow_down(pen, max(pen.alt_ft - dice.uniform(400.0, 1800.0), 50.0))
    hover(pen, dice.uniform(20.0, 90.0), 4.0, 8.0)
    stand(pen, dice.between(400.0, 1500.0))
    hover(pen, dice.uniform(20.0, 60.0), 4.0, 8.0)
    return pen.climb(1e6, 700.0).straight(2.0).level().straight(dice.between(2.0, 8.0))


def taxiing(dice: Dice) -> Pen:
    """Draw a landing and ten minutes of taxiing and waiting, the ground not reported."""
    pen = Pen(dice, dice.between(60.0, 90.0), dice.between(600.0, 1500.0), wind_kt=0.0)
    ground = pen.alt_ft - dice.uniform(300.0, 600.0)
    pen.climb(0.0, 500.0).straight((pen.alt_ft - ground) / 500.0 * pen.tas_kt / 60.0).level().straight(0.3)
    pen.alt_ft = ground
    for _ in range(round(dice.between(6.0, 12.0))):
        pen.tas_kt = dice.uniform(20.0, 26.0)
        pen.straight(dice.uniform(0.05, 0.25)).turn(dice.side() * 90.0, 0.02)
        stand(pen, dice.uniform(10.0, 60.0))
    return pen


def balloon(dice: Dice) -> Pen:
    """Draw a balloon: it drifts with the wind, which turns and weakens with the height."""
    pen = Pen(dice, 30.0, dice.between(800.0, 4000.0), wind_kt=0.0)
    speed, towards, rate = dice.between(2.0, 11.0), dice.uniform(0.0, 360.0), 0.0
    for _ in range(round(dice.between(1800.0, 4500.0))):
        speed = min(max(speed + dice.gauss(0.0, 0.05), 0.5), 15.0)
        towards += dice.gauss(0.0, 0.6)
        rate += -rate / 60.0 + dice.gauss(0.0, 0.25)
        pen.t += 1.0
        pen.x += speed / 3600.0 * sin(radians(towards))
        pen.y += speed / 3600.0 * cos(radians(towards))
        pen.alt_ft += rate
        pen.path.append((pen.t, pen.x, pen.y, pen.alt_ft, speed, towards % 360.0))
    return pen

"""Training: touch and go by all shapes of circuit, approaches with wide laps, holds in wind and of changing length."""

from __future__ import annotations

from math import cos, pi, radians, sin

from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.watching import LIGHT, TWIN
from tests.unit.patterns.drawn.wide.staying import hover


def touch_and_go(dice: Dice) -> Pen:
    """Draw long or short circuits whose width and downwind leg change from lap to lap; the runway may be hidden."""
    pen = Pen(dice, dice.between(60.0, 120.0), dice.between(0.0, 5000.0), wind_kt=dice.uniform(0.0, 20.0))
    ground, side, radius = pen.alt_ft, dice.side(), pen.rate_radius_nm(dice.uniform(2.8, 4.5))
    height, width = dice.between(600.0, 1400.0), dice.between(0.1, 0.8)
    x, y, heading = pen.x, pen.y, pen.heading
    upwind, wider = dice.between(0.6, 2.5), dice.choice((0.0, 0.0, 0.05, -0.04))
    hidden = dice.choice((0.0, 0.0, 200.0, 400.0))
    for lap in range(round(dice.between(4.0, 11.0))):
        out, aside = upwind * dice.uniform(0.85, 1.2), max(width + wider * lap + dice.gauss(0.0, 0.04), 0.02)
        final = dice.uniform(0.6, 2.0)
        pen.climb(1e6, 700.0).straight(out).turn(side * 90.0, radius).straight(aside).turn(side * 90.0, radius)
        while pen.alt_ft < ground + height:
            pen.straight(0.05)
        pen.level()
        along = (pen.x - x) * sin(radians(heading)) + (pen.y - y) * cos(radians(heading))
        pen.straight(max(along + final, 0.3))
        to_go = 3.2 * radius + aside + final
        pen.climb(0.0, (pen.alt_ft - ground) / (to_go / pen.tas_kt * 60.0))
        pen.turn(side * 90.0, radius).straight(max(aside - 0.01, 0.01)).fly_to(x, y, heading, radius)
        pen.level()
        pen.alt_ft = ground
        pen.straight(dice.uniform(0.1, 0.4))
    pen.climb(1e6, 600.0).straight(4.0)
    pen.path = [p for p in pen.path if p[3] >= ground + hidden]
    return pen


def approaches(dice: Dice) -> Pen:
    """Draw practised instrument approaches: a long final, a missed approach, and back in a wide lap of 8 to 14 min."""
    pen = Pen(dice, dice.between(85.0, 150.0), dice.between(1500.0, 3500.0))
    home = pen.alt_ft - dice.choice((0.0, 0.0, 1500.0))
    side, radius = dice.side(), pen.rate_radius_nm(dice.uniform(2.5, 3.2))
    high, minimum = pen.alt_ft + dice.between(1500.0, 2800.0), pen.alt_ft + dice.between(150.0, 600.0)
    if home < pen.alt_ft:
        # The flight began at an aerodrome that lies lower.
        pen.alt_ft = home
    pen.climb(1e6, 700.0)
    while pen.alt_ft < high:
        pen.straight(0.2)
    pen.level().straight(dice.between(2.0, 8.0))
    x, y, heading, final = pen.x, pen.y, pen.heading, dice.between(4.0, 8.0)
    lap_nm = pen.tas_kt / 60.0 * dice.uniform(8.0, 14.0)
    aside = max(0.5 * (lap_nm - 2.0 * final - 8.0) - 2.0 * radius, 1.0)
    for _ in range(round(dice.between(2.0, 5.0))):
        pen.fly_to(x, y, heading, radius)
        pen.climb(0.0, (pen.alt_ft - minimum) / (final / pen.tas_kt * 60.0)).straight(final)
        pen.climb(1e6, 600.0).straight(dice.uniform(1.5, 3.0))
        pen.turn(side * 90.0, radius).straight(aside * dice.uniform(0.8, 1.2)).turn(side * 90.0, radius)
        while pen.alt_ft < high:
            pen.straight(0.1)
        pen.level()
        along = (pen.x - x) * sin(radians(heading)) + (pen.y - y) * cos(radians(heading))
        pen.straight(max(along + 2.0, 1.0)).turn(side * 90.0, radius)
    return pen.fly_to(x, y, heading, radius).climb(0.0, 500.0).straight(final)


def _hold(pen: Pen, laps: int, leg_min: tuple[float, float], rate: tuple[float, float]) -> Pen:
    """Draw laps over one fix: a timed leg out, half a circle back, and straight to the fix as soon as it lies ahead."""
    dice, side = pen.rnd, pen.rnd.side()
    radius = pen.rate_radius_nm(dice.uniform(*rate))
    x, y, outbound = pen.x, pen.y, pen.heading + 180.0
    for _ in range(laps):
        pen.in_air = True
        pen.turn(side * ((outbound - pen.heading) * side % 360.0), radius * dice.uniform(0.93, 1.07))
        pen.straight(pen.tas_kt / 60.0 * dice.uniform(*leg_min))
        pen.turn(side * 120.0, radius * dice.uniform(0.93, 1.07))
        pen.in_air = False
        pen.turn_to(x + dice.gauss(0.0, 0.06), y + dice.gauss(0.0, 0.06), side, radius)
    return pen


def windy_hold(dice: Dice) -> Pen:
    """Draw a practised hold in a strong wind, which the turns do not make up for."""
    pen = Pen(dice, dice.between(85.0, 140.0), dice.between(2500.0, 7000.0))
    strength, blows = pen.tas_kt * dice.uniform(0.15, 0.35), radians(dice.uniform(0.0, 360.0))
    pen.wind = (strength * sin(blows), strength * cos(blows))
    pen.straight(dice.between(5.0, 12.0))
    _hold(pen, round(dice.between(2.0, 5.0)), (0.8, 1.2), (2.7, 3.3))
    return pen.straight(dice.between(3.0, 10.0))


def changing_hold(dice: Dice) -> Pen:
    """Draw holds whose legs become longer or shorter, as an instructor asks for them."""
    pen = Pen(dice, dice.between(85.0, 150.0), dice.between(2500.0, 7000.0)).straight(dice.between(5.0, 12.0))
    minutes = dice.choice(((0.5, 1.0, 1.5), (1.0, 1.0, 1.0, 1.5, 1.5), (1.5, 1.2, 1.0), (1.0, 1.25, 1.5, 1.5)))
    _hold_of(pen, minutes)
    if dice.random() < 0.4:
        pen.straight(dice.between(4.0, 8.0))
        _hold_of(pen, (1.0, 1.0, 1.2))
    return pen.straight(dice.between(3.0, 10.0))


def _hold_of(pen: Pen, minutes: tuple[float, ...]) -> None:
    dice, side = pen.rnd, pen.rnd.side()
    radius = pen.rate_radius_nm(dice.uniform(2.7, 3.3))
    x, y, heading = pen.x, pen.y, pen.heading
    for leg_min in minutes:
        pen.turn(side * 180.0, radius * dice.uniform(0.95, 1.05))
        pen.straight(pen.tas_kt / 60.0 * leg_min * dice.uniform(0.93, 1.07)).turn(side * 150.0, radius)
        pen.fly_to(x + dice.gauss(0.0, 0.05), y + dice.gauss(0.0, 0.05), heading + dice.gauss(0.0, 2.0), radius)


def airliner_hold(dice: Dice) -> Pen:
    """Draw an airliner's or a turboprop's hold, in up to 70 kt of wind."""
    tas_kt = dice.between(*dice.choice(((150.0, 190.0), (200.0, 265.0))))
    pen = Pen(dice, tas_kt, dice.between(5000.0, 15000.0), wind_kt=dice.uniform(0.0, 70.0))
    pen.straight(dice.between(20.0, 40.0))
    # Three degrees a second, or 25 degrees of bank where that is less.
    rate = min(3.0, 360.0 * tas_kt / 3600.0 / (2.0 * pi * pen.turn_radius_nm(25.0)))
    _hold(pen, round(dice.between(2.0, 6.0)), (0.9, 1.6), (0.85 * rate, rate))
    return pen.climb(0.0, 1200.0).straight(dice.between(8.0, 12.0)).level().straight(10.0)


def helicopter_circuits(dice: Dice) -> Pen:
    """Draw a helicopter's circuits, each with a minute of hovering above the ground."""
    pen = Pen(dice, dice.between(55.0, 75.0), dice.between(0.0, 2000.0), wind_kt=0.0)
    ground, side, radius = pen.alt_ft, dice.side(), pen.rate_radius_nm(dice.uniform(3.0, 5.0))
    x, y, heading, height = pen.x, pen.y, pen.heading, dice.between(450.0, 800.0)
    for _ in range(round(dice.between(3.0, 8.0))):
        hover(pen, dice.uniform(20.0, 90.0), 3.0, 5.0)
        pen.heading = heading
        pen.climb(1e6, 700.0).straight(dice.uniform(0.5, 0.9)).turn(side * 180.0, radius)
        while pen.alt_ft < ground + height:
            pen.straight(0.05)
        pen.level().straight(dice.uniform(0.8, 1.6))
        pen.climb(0.0, 500.0).turn(side * 180.0, radius).fly_to(x, y, heading, radius)
        pen.level().alt_ft = ground + 5.0
    return pen.climb(1e6, 600.0).straight(3.0)


def box_of_turns(dice: Dice) -> Pen:
    """Draw ground reference work: a rectangle about a field, turns on a point, S turns across a road."""
    pen = Pen(dice, dice.between(*LIGHT), dice.between(1200.0, 3000.0)).straight(dice.between(4.0, 9.0))
    for what in dice.sample(("box", "point", "esses", "eight"), 3):
        side, radius = dice.side(), pen.turn_radius_nm(dice.uniform(22.0, 38.0))
        if what == "box":
            for _ in range(round(dice.uniform(4.0, 6.0))):
                pen.straight(dice.uniform(0.4, 1.0)).turn(side * 90.0, radius)
        elif what == "point":
            pen.turn(side * 360.0 * dice.uniform(1.0, 1.5), radius)
        elif what == "eight":
            pen.turn(side * 270.0, radius).straight(0.3).turn(-side * 270.0, radius)
        else:
            for number in range(4):
                pen.turn(side * (180.0 if number % 2 else -180.0), radius)
        pen.straight(dice.uniform(1.5, 4.0)).turn(dice.uniform(-90.0, 90.0), radius).straight(dice.uniform(0.5, 2.0))
    return pen.straight(dice.between(4.0, 9.0))


def delaying(dice: Dice) -> Pen:
    """Draw an arrival that is delayed: vectors to and fro, a turn by a full circle, a long final."""
    pen = Pen(dice, dice.between(*dice.choice((TWIN, (190.0, 250.0)))), dice.between(5000.0, 9000.0))
    pen.straight(dice.between(10.0, 20.0))
    side, radius = dice.side(), pen.rate_radius_nm(dice.uniform(2.0, 3.0))
    pen.turn(side * 90.0, radius).straight(dice.between(4.0, 9.0)).turn(side * 90.0, radius)
    pen.climb(0.0, 500.0).straight(dice.between(6.0, 14.0))
    if dice.random() < 0.6:
        pen.turn(side * 360.0 * dice.uniform(0.95, 1.05), radius).straight(dice.between(2.0, 5.0))
    pen.turn(side * 180.0, radius).straight(dice.between(5.0, 9.0))
    if dice.random() < 0.4:
        pen.level().turn(-side * 180.0, radius).straight(dice.between(5.0, 8.0)).turn(-side * 180.0, radius)
    return pen.climb(0.0, 700.0).straight(6.0)

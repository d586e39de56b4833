"""Flights with an ordinary reason to turn: spirals, holds, thermals, parachutes, circuits, procedure turns, travel."""

from __future__ import annotations

from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.watching import HELICOPTER, JET, LIGHT, TWIN


def spiral_descent(dice: Dice) -> Pen:
    """Draw a descent in circles, from a cruising height, mostly to an aerodrome below."""
    pen = Pen(dice, dice.between(*dice.choice((LIGHT, LIGHT, TWIN))), dice.between(3500.0, 8000.0))
    pen.straight(dice.between(5.0, 15.0))
    turns, side, radius = dice.between(1.6, 6.0), dice.side(), pen.turn_radius_nm(dice.between(12.0, 32.0))
    # The descent takes up what height there is.
    lap_min = 2.0 * 3.14159 * radius / pen.tas_kt * 60.0
    rate = min(max((pen.alt_ft - 1200.0) / (turns * lap_min), 250.0), 1600.0) * dice.uniform(0.7, 1.0)
    pen.climb(0.0, rate)
    for _ in range(round(turns * 4.0)):
        pen.turn(side * 90.0, radius * dice.uniform(0.85, 1.2))
    if dice.random() < 0.6:
        pen.straight(dice.between(1.0, 2.5)).turn(side * 90.0, pen.rate_radius_nm(3.5))
        pen.straight(pen.alt_ft / 600.0 * pen.tas_kt / 60.0)
        return pen
    return pen.level().straight(dice.between(5.0, 12.0))


def practice_hold(dice: Dice) -> Pen:
    """Draw holds as a light aircraft practises them: legs of about a minute, turns of about three degrees a second."""
    pen = Pen(dice, dice.between(80.0, 135.0), dice.between(2500.0, 6000.0))
    pen.straight(dice.between(6.0, 15.0))
    side, radius = dice.side(), pen.rate_radius_nm(dice.uniform(2.6, 3.3))
    # The inbound course over the fix stays; legs are timed by hand, wind is made up for by eye.
    x, y, heading = pen.x, pen.y, pen.heading
    for _ in range(round(dice.between(2.0, 5.0))):
        pen.turn(side * 180.0, radius * dice.uniform(0.93, 1.07))
        pen.straight(pen.tas_kt / 60.0 * dice.uniform(0.85, 1.25))
        pen.turn(side * 180.0, radius * dice.uniform(0.93, 1.07))
        pen.fly_to(x + dice.gauss(0.0, 0.05), y + dice.gauss(0.0, 0.05), heading + dice.gauss(0.0, 2.0), radius)
    if dice.random() < 0.5:
        pen.climb(0.0, 500.0).straight(dice.between(3.0, 5.0)).level()
    return pen.straight(dice.between(3.0, 10.0))


def jet_hold(dice: Dice) -> Pen:
    """Draw a hold of an airliner: legs of a minute or longer, turns of three degrees a second or 25 degrees of bank."""
    pen = Pen(dice, dice.between(200.0, 260.0), dice.between(6000.0, 14000.0))
    pen.straight(dice.between(20.0, 40.0))
    side, radius = dice.side(), max(pen.rate_radius_nm(3.0), pen.turn_radius_nm(25.0))
    leg_nm = pen.tas_kt / 60.0 * dice.uniform(1.0, 1.5)
    for _ in range(round(dice.between(2.0, 4.0))):
        pen.turn(side * 180.0, radius).straight(leg_nm).turn(side * 180.0, radius).straight(leg_nm)
        if dice.random() < 0.4:
            pen.alt_ft -= 1000.0
    return pen.climb(0.0, 1200.0).straight(dice.between(8.0, 12.0)).level().straight(10.0)


def thermal(dice: Dice) -> Pen:
    """Draw a glider: circles that climb and drift with the wind, glides between them."""
    pen = Pen(dice, dice.between(42.0, 62.0), dice.between(2000.0, 4000.0), wind_kt=dice.uniform(0.0, 15.0))
    pen.in_air = True
    pen.straight(dice.between(2.0, 4.0))
    for _ in range(round(dice.between(2.0, 4.0))):
        side, radius = dice.side(), pen.turn_radius_nm(dice.between(25.0, 42.0))
        pen.climb(1e6, dice.between(120.0, 500.0))
        for _ in range(round(dice.between(4.0, 14.0) * 4.0)):
            pen.turn(side * 90.0, radius * dice.uniform(0.8, 1.25))
        pen.climb(0.0, dice.between(120.0, 250.0)).straight(dice.between(2.0, 6.0))
    return pen


def parachutes(dice: Dice) -> Pen:
    """Draw a lift of parachutists: a climb in wide circles, a straight run, a steep spiral down; once or twice."""
    pen = Pen(dice, dice.between(75.0, 110.0), dice.between(200.0, 900.0))
    ground = pen.alt_ft
    for _ in range(dice.choice((1, 1, 2))):
        side, radius, top = (
            dice.side(),
            pen.turn_radius_nm(dice.between(8.0, 20.0)),
            ground + dice.between(7000.0, 12500.0),
        )
        pen.climb(1e6, dice.between(600.0, 1300.0))
        while pen.alt_ft < top:
            pen.turn(side * 90.0, radius * dice.uniform(0.8, 1.4)).straight(dice.uniform(0.0, 0.6))
        pen.level().straight(dice.between(2.0, 4.0))
        pen.climb(0.0, dice.between(1800.0, 4000.0))
        while pen.alt_ft > ground + 1300.0:
            pen.turn(side * 90.0, radius * dice.uniform(0.8, 1.3))
        pen.climb(0.0, 700.0)
        while pen.alt_ft > ground:
            pen.straight(0.1)
        pen.level().straight(0.5)
    return pen


def circuits(dice: Dice) -> Pen:
    """Draw aerodrome circuits with touch and go; reception often ends above the runway."""
    pen = Pen(dice, dice.between(65.0, 105.0), dice.between(0.0, 900.0), wind_kt=dice.uniform(0.0, 10.0))
    ground, side, radius = pen.alt_ft, dice.side(), pen.rate_radius_nm(dice.uniform(3.0, 4.5))
    height, width = dice.between(800.0, 1100.0), dice.between(0.35, 0.7)
    x, y, heading = pen.x, pen.y, pen.heading
    hidden = dice.choice((0.0, 0.0, 200.0, 350.0))
    for _ in range(round(dice.between(3.0, 8.0))):
        upwind, downwind = dice.uniform(0.8, 1.6), dice.uniform(0.3, 1.0)
        pen.climb(1e6, height / (upwind + 1.0) * pen.tas_kt / 60.0)
        pen.straight(upwind).turn(side * 90.0, radius).straight(width).turn(side * 90.0, radius)
        pen.level().straight(upwind + downwind + 0.6)
        pen.climb(0.0, (pen.alt_ft - ground) / (2.0 * radius * 1.57 + width + downwind + 0.7) * pen.tas_kt / 60.0)
        pen.turn(side * 90.0, radius).straight(width)
        pen.fly_to(x, y, heading, radius)
        pen.alt_ft = max(pen.alt_ft, ground)
        if pen.alt_ft > ground + 150.0:
            pen.alt_ft = ground + 100.0
        pen.level()
        pen.straight(dice.uniform(0.1, 0.3))
    pen.climb(1e6, 600.0).straight(4.0)
    pen.path = [p for p in pen.path if p[3] >= ground + hidden]
    return pen


def procedure_turns(dice: Dice) -> Pen:
    """Draw practice approaches with a procedure turn: outbound, 45 degrees aside, half a circle, inbound, again."""
    pen = Pen(dice, dice.between(85.0, 140.0), dice.between(2500.0, 4000.0))
    side, radius = dice.side(), pen.rate_radius_nm(dice.uniform(2.7, 3.2))
    x, y, outbound, high = pen.x, pen.y, pen.heading, pen.alt_ft
    pen.straight(dice.between(1.0, 3.0))
    low = high - dice.choice((0.0, 900.0, 1500.0))
    for _ in range(dice.choice((1, 1, 2, 3))):
        pen.straight(pen.tas_kt / 60.0 * dice.uniform(1.5, 2.5))
        pen.turn(-side * 45.0, radius).straight(pen.tas_kt / 60.0 * dice.uniform(0.7, 1.1)).turn(side * 180.0, radius)
        # Inbound over the beacon, coming down; then away in a climb and back to it.
        back = outbound + 180.0
        if low < pen.alt_ft:
            pen.climb(0.0, 450.0)
        pen.straight(pen.tas_kt / 60.0 * 0.5).fly_to(x + dice.gauss(0.0, 0.03), y + dice.gauss(0.0, 0.03), back, radius)
        pen.climb(1e6, 600.0) if pen.alt_ft < high - 100.0 else pen.level()
        pen.straight(dice.between(1.5, 3.0)).level()
        pen.fly_to(x, y, outbound, radius)
    return pen.straight(dice.between(4.0, 10.0))


def travel(dice: Dice) -> Pen:
    """Draw a journey with turns at waypoints, and an approach with vectors."""
    pen = Pen(dice, dice.between(*dice.choice((LIGHT, TWIN, JET, (380.0, 460.0)))), dice.between(4000.0, 12000.0))
    radius = max(pen.turn_radius_nm(22.0), 0.3)
    for _ in range(round(dice.between(2.0, 6.0))):
        pen.straight(dice.between(5.0, 25.0)).turn(dice.side() * dice.uniform(10.0, 100.0), radius)
    if dice.random() < 0.5:
        pen.straight(5.0).turn(180.0 * dice.side(), radius).straight(dice.between(4.0, 9.0)).turn(180.0, radius)
    return pen.climb(0.0, 600.0).straight(dice.between(5.0, 10.0))


def single_lap(dice: Dice) -> Pen:
    """Draw one lap of a circle or an oval on the way."""
    pen = Pen(dice, dice.between(*dice.choice((HELICOPTER, LIGHT, TWIN, JET))), dice.between(1500.0, 8000.0))
    pen.straight(dice.between(8.0, 15.0))
    side, radius = dice.side(), pen.turn_radius_nm(dice.between(12.0, 28.0))
    if dice.random() < 0.5:
        pen.turn(side * 360.0 * dice.uniform(0.9, 1.3), radius)
    else:
        leg_nm = radius * dice.between(2.0, 5.0)
        pen.straight(leg_nm).turn(side * 180.0, radius).straight(leg_nm).turn(side * 180.0, radius).straight(leg_nm)
    return pen.straight(dice.between(8.0, 15.0))


def road(dice: Dice) -> Pen:
    """Draw a flight along a road and back, once or twice over the same bends."""
    pen = Pen(dice, dice.between(70.0, 110.0), dice.between(1000.0, 2500.0))
    radius = pen.turn_radius_nm(20.0)
    pen.straight(dice.between(2.0, 4.0))
    bends = [
        (dice.uniform(1.2, 3.5), dice.side() * dice.uniform(15.0, 50.0)) for _ in range(round(dice.between(3.0, 5.0)))
    ]
    t0 = pen.t
    for passing in range(round(dice.between(2.0, 5.0))):
        along = bends if passing % 2 == 0 else [(way, -bend) for way, bend in reversed(bends)]
        if passing % 2 == 0:
            for way, bend in along:
                pen.straight(way).turn(bend, radius)
        else:
            for way, bend in along:
                pen.turn(bend, radius).straight(way)
        turn = dice.side()
        pen.straight(0.2).turn(-turn * 60.0, radius).fly_back(turn, radius).straight(0.2)
    pen.note("highway_tracking", t0)
    return pen.straight(dice.between(4.0, 8.0))

"""Kinds of flight thought up when the rules for those of `afterwards` were finished, and judged once."""

from __future__ import annotations

from math import cos, radians, sin

from tests.unit.patterns.drawn.afterwards import _VAGUE
from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.missed import LINE, STAKEOUT, Kind
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.watching import CIRCLING, GRID, HELICOPTER, LIGHT, RACETRACK, TWIN, arrive, leave
from tests.unit.patterns.drawn.wide.staying import hover


def triangle_orbit(dice: Dice) -> Pen:
    """Draw a triangle with wide corners flown around something again and again."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN)
    t0, side, radius = pen.t, dice.side(), pen.turn_radius_nm(dice.uniform(15.0, 25.0))
    for _ in range(round(3.0 * dice.between(2.7, 6.0))):
        pen.straight(dice.uniform(0.6, 1.1) * radius).turn(side * 120.0, radius)
    return leave(pen.note(CIRCLING, t0))


def growing_interest(dice: Dice) -> Pen:
    """Draw wide circles that become narrower from lap to lap, and stay so."""
    pen = arrive(dice, HELICOPTER, LIGHT)
    t0, side, radius = pen.t, dice.side(), pen.turn_radius_nm(dice.uniform(9.0, 13.0))
    for lap in range(round(dice.between(4.0, 8.0))):
        pen.turn(side * 360.0, radius * max(1.0 - 0.12 * lap, 0.55))
    return leave(pen.note(CIRCLING, t0))


def convoy_oval(dice: Dice) -> Pen:
    """Draw ovals beside a convoy, each farther along the road than the last."""
    pen = arrive(dice, LIGHT, TWIN)
    t0, side, radius = pen.t, dice.side(), pen.turn_radius_nm(dice.uniform(18.0, 28.0))
    leg, ahead = radius * dice.uniform(4.0, 7.0), radius * dice.uniform(0.3, 0.8)
    for _ in range(round(dice.between(3.0, 6.0))):
        pen.straight(leg + ahead).turn(side * 180.0, radius).straight(leg).turn(side * 180.0, radius)
    return leave(pen.note(RACETRACK, t0))


def double_grid(dice: Dice) -> Pen:
    """Draw a field photographed twice: lanes, and lanes across them."""
    pen = arrive(dice, LIGHT, TWIN, alt_ft=(1500.0, 9000.0))
    t0, spacing, lanes = pen.t, dice.uniform(0.3, 0.7), round(dice.between(6.0, 9.0))
    lane_nm, radius = max((lanes - 1) * spacing, 2.5), pen.turn_radius_nm(25.0)
    x, y, heading = pen.x, pen.y, pen.heading
    east, north = sin(radians(heading)), cos(radians(heading))
    for across in (False, True):
        for number in range(lanes):
            off, back = number * spacing, number % 2
            along = lane_nm if back else 0.0
            u, w = (off, along) if across else (along, off)
            course = heading + 90.0 * across + 180.0 * back
            pen.fly_to(x + u * east + w * north, y + u * north - w * east, course, radius).straight(lane_nm)
    return leave(pen.note(GRID, t0))


def valley_patrol(dice: Dice) -> Pen:
    """Draw a valley flown up and down again twice, with its height."""
    pen = arrive(dice, (60.0, 110.0), alt_ft=(1500.0, 5000.0))
    t0, radius, rise = pen.t, pen.turn_radius_nm(22.0), dice.uniform(20.0, 90.0)
    bends = [dice.uniform(-45.0, 45.0) for _ in range(round(dice.between(3.0, 6.0)))]
    for number in range(dice.choice((2, 3))):
        if number:
            pen.turn(-60.0, radius).fly_back(1.0, radius)
        pen.climb(0.0 if number % 2 else 1e6, rise)
        for bend in [-b for b in reversed(bends)] if number % 2 else bends:
            pen.straight(1.6).turn(bend, radius)
        pen.level().straight(1.6)
    return leave(pen.note(LINE, t0))


def step_hover(dice: Dice) -> Pen:
    """Draw a helicopter that hovers beside a mast, steps 50 ft up, and hovers on."""
    pen = Pen(dice, dice.between(70.0, 100.0), dice.between(600.0, 1600.0), wind_kt=dice.uniform(0.0, 12.0))
    pen.straight(dice.between(4.0, 8.0))
    t0 = pen.t
    for _ in range(3):
        hover(pen, dice.between(280.0, 500.0), dice.uniform(0.3, 4.0), dice.uniform(0.0, 20.0))
        pen.alt_ft += 50.0
    return leave(pen.note(STAKEOUT, t0))


def lazy_eights(dice: Dice) -> Pen:
    """Draw lazy eights: half circles to either side, each up over its first half and down over its second."""
    pen = Pen(dice, dice.between(85.0, 120.0), dice.between(2500.0, 5000.0)).straight(dice.between(4.0, 8.0))
    for number in range(round(dice.between(4.0, 10.0))):
        side, radius = 1.0 if number % 2 else -1.0, pen.turn_radius_nm(dice.uniform(20.0, 30.0))
        pen.climb(1e6, 1000.0).turn(side * 90.0, radius).climb(0.0, 1000.0).turn(side * 90.0, radius)
        pen.level().straight(dice.uniform(0.0, 0.4))
    return pen.straight(dice.between(4.0, 8.0))


def s_turns(dice: Dice) -> Pen:
    """Draw turns about a road: half circles to either side at 800 ft, as pilots train them."""
    pen = Pen(dice, dice.between(80.0, 110.0), dice.between(600.0, 1500.0)).straight(dice.between(4.0, 8.0))
    radius = pen.turn_radius_nm(dice.uniform(18.0, 28.0))
    for number in range(round(dice.between(4.0, 9.0))):
        pen.turn((1.0 if number % 2 else -1.0) * 180.0, radius).straight(dice.uniform(0.0, 0.3))
    return pen.straight(dice.between(4.0, 8.0))


def stalls(dice: Dice) -> Pen:
    """Draw a lesson of stalls: slow lines with a plunge at their end, a clearing turn, a climb back."""
    pen = Pen(dice, dice.between(75.0, 100.0), dice.between(3000.0, 5500.0)).straight(dice.between(4.0, 8.0))
    top = pen.alt_ft
    for _ in range(round(dice.between(4.0, 7.0))):
        pen.turn(dice.side() * dice.choice((90.0, 180.0)), pen.turn_radius_nm(25.0)).straight(dice.uniform(1.0, 2.0))
        pen.climb(0.0, 1500.0).straight(0.3).climb(1e6, 600.0)
        while pen.alt_ft < top:
            pen.straight(0.1)
        pen.level()
    return pen.straight(dice.between(4.0, 8.0))


def winch(dice: Dice) -> Pen:
    """Draw a training glider: three launches, each followed by a circuit of the field."""
    pen = Pen(dice, dice.between(48.0, 58.0), dice.between(200.0, 1500.0), wind_kt=dice.uniform(0.0, 10.0))
    ground, side, x, y, heading = pen.alt_ft, dice.side(), pen.x, pen.y, pen.heading
    for _ in range(dice.choice((3, 4, 5))):
        pen.climb(1e6, 2000.0).straight(0.5).climb(0.0, 180.0).straight(dice.uniform(0.2, 0.8))
        if dice.random() < 0.5:
            pen.turn(side * 360.0, 0.15)
        pen.turn(side * 180.0, 0.15).straight(dice.uniform(1.6, 2.2)).climb(0.0, 250.0).turn(side * 180.0, 0.15)
        pen.fly_to(x, y, heading, 0.15)
        pen.level().alt_ft = ground
    return pen.climb(1e6, 300.0).straight(2.0)


def balloon(dice: Dice) -> Pen:
    """Draw a balloon: it drifts, rises and sinks, and hardly keeps one course."""
    pen = Pen(dice, dice.between(4.0, 14.0), dice.between(800.0, 3000.0), wind_kt=0.0)
    for _ in range(30):
        pen.climb(1e6 if dice.random() < 0.5 else 0.0, dice.uniform(0.0, 300.0))
        pen.turn(dice.uniform(-25.0, 25.0), 0.5).straight(pen.tas_kt / 60.0 * dice.uniform(0.5, 2.0))
        pen.alt_ft = max(pen.alt_ft, 500.0)
    return pen


def crop_dusting(dice: Dice) -> Pen:
    """Draw spraying: lanes along a field at a few feet, a pull-up and a turn at each end."""
    pen = Pen(dice, dice.between(100.0, 130.0), dice.between(600.0, 900.0)).straight(dice.between(3.0, 6.0))
    field_ft, lane_nm, radius = pen.alt_ft - 500.0, dice.between(0.5, 1.2), pen.turn_radius_nm(35.0)
    x, y, heading = pen.x, pen.y, pen.heading
    east, north = sin(radians(heading)), cos(radians(heading))
    for number in range(round(dice.between(14.0, 26.0))):
        off, back = 0.012 * number, number % 2
        pen.alt_ft = field_ft
        pen.level().straight(lane_nm)
        pen.climb(1e6, 900.0).turn(-30.0, radius).level()
        along = 0.0 if back else lane_nm
        pen.fly_to(x + along * east + off * north, y + along * north - off * east, heading + 180.0 * (1 - back), radius)
    return pen.climb(1e6, 600.0).straight(4.0)


def pad_shuttle(dice: Dice) -> Pen:
    """Draw a helicopter between a port and a ship: there, down for some minutes, and back."""
    pen = Pen(dice, dice.between(100.0, 140.0), 100.0)
    leg, radius = dice.between(8.0, 20.0), pen.turn_radius_nm(20.0)
    for _ in range(dice.choice((3, 4, 5))):
        pen.climb(1e6, 800.0).straight(1.8).level().straight(leg).climb(0.0, 800.0).straight(1.8).level()
        pen.alt_ft = 100.0
        hover(pen, dice.uniform(200.0, 500.0), 0.1, 0.0)
        pen.turn(180.0, 0.05)
    return pen.climb(1e6, 800.0).turn(90.0, radius).straight(4.0)


def sightseeing(dice: Dice) -> Pen:
    """Draw a round flight over sights, one circle over some of them, and home."""
    pen = Pen(dice, dice.between(85.0, 115.0), dice.between(1500.0, 3000.0)).straight(dice.between(3.0, 6.0))
    x, y, side = pen.x, pen.y, dice.side()
    for _ in range(4):
        pen.straight(dice.between(3.0, 8.0)).turn(side * dice.uniform(40.0, 110.0), pen.turn_radius_nm(20.0))
        if dice.random() < 0.6:
            pen.turn(dice.side() * 360.0, pen.turn_radius_nm(dice.uniform(15.0, 30.0)))
    return pen.turn_to(x, y, side, pen.turn_radius_nm(20.0)).straight(dice.between(3.0, 6.0))


def thermal_tour(dice: Dice) -> Pen:
    """Draw a glider across country: thermals on the way, and glides of some miles between them."""
    pen = Pen(dice, dice.between(48.0, 65.0), dice.between(3000.0, 5000.0), wind_kt=dice.uniform(0.0, 15.0))
    pen.in_air = True
    pen.straight(dice.between(3.0, 6.0))
    for _ in range(dice.choice((3, 4))):
        side, radius = dice.side(), pen.turn_radius_nm(dice.uniform(30.0, 45.0))
        for _ in range(round(dice.between(6.0, 20.0))):
            pen.climb(1e6, dice.uniform(100.0, 500.0)).turn(side * 360.0, radius * dice.uniform(0.9, 1.15))
        pen.climb(0.0, 200.0).turn(dice.uniform(-90.0, 90.0), radius).straight(dice.between(4.0, 10.0))
    return pen


def approach_hold(dice: Dice) -> Pen:
    """Draw a turboprop that holds two or three times without wind, then leaves the hold for its approach."""
    pen = Pen(dice, dice.between(150.0, 210.0), dice.between(4000.0, 9000.0), wind_kt=dice.uniform(0.0, 4.0))
    pen.straight(dice.between(8.0, 15.0))
    side, radius, leg = dice.side(), pen.rate_radius_nm(3.0), pen.tas_kt / 60.0
    for _ in range(dice.choice((2, 3))):
        pen.turn(side * 180.0, radius).straight(leg).turn(side * 180.0, radius).straight(leg)
    return pen.climb(0.0, 900.0).turn(side * 140.0, radius).straight(8.0)


KINDS: dict[str, Kind] = {
    "triangle_orbit": Kind(triangle_orbit, CIRCLING, (*_VAGUE, "racetrack")),
    "growing_interest": Kind(growing_interest, CIRCLING, _VAGUE),
    "convoy_oval": Kind(convoy_oval, RACETRACK, (*_VAGUE, "circling")),
    "double_grid": Kind(double_grid, GRID, _VAGUE),
    "valley_patrol": Kind(valley_patrol, LINE, ("loitering", "racetrack")),
    "step_hover": Kind(step_hover, STAKEOUT, ("loitering",)),
    "lazy_eights": Kind(lazy_eights),
    "s_turns": Kind(s_turns),
    "stalls": Kind(stalls),
    "winch": Kind(winch),
    "balloon": Kind(balloon),
    "crop_dusting": Kind(crop_dusting),
    "pad_shuttle": Kind(pad_shuttle),
    "sightseeing": Kind(sightseeing),
    "thermal_tour": Kind(thermal_tour),
    "approach_hold": Kind(approach_hold),
}

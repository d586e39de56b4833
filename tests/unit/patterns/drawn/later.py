"""Kinds of flight thought up when the rules for lines, low pull-ups and hovering were finished, and judged once."""

from __future__ import annotations

from math import atan2, cos, degrees, radians, sin

from tests.unit.patterns.drawn.afterwards import _VAGUE
from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.missed import LINE, STAKEOUT, Kind
from tests.unit.patterns.drawn.pen import Pen
from tests.unit.patterns.drawn.watching import CIRCLING, GRID, HELICOPTER, LIGHT, RACETRACK, TWIN, arrive, leave
from tests.unit.patterns.drawn.wide.staying import hover


def d_orbit(dice: Dice) -> Pen:
    """Draw a D: half a circle round a place, and straight along its front."""
    pen = arrive(dice, HELICOPTER, LIGHT)
    t0, side, radius = pen.t, dice.side(), pen.turn_radius_nm(dice.uniform(12.0, 20.0))
    corner = 0.35 * radius
    for _ in range(round(dice.between(2.8, 6.0))):
        pen.turn(side * 140.0, radius).turn(side * 110.0, corner).straight(0.7 * radius).turn(side * 110.0, corner)
    return leave(pen.note(CIRCLING, t0))


def switching_orbit(dice: Dice) -> Pen:
    """Draw two and a half circles one way, a swing to the other side, and four more about the same place."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN)
    t0, side, radius = pen.t, dice.side(), pen.turn_radius_nm(dice.uniform(14.0, 24.0))
    pen.turn(side * 900.0, radius).straight(0.2 * radius).turn(-side * 1440.0, radius)
    return leave(pen.note(CIRCLING, t0))


def boomerang(dice: Dice) -> Pen:
    """Draw ovals whose two legs bend by 20 to 30 degrees in their middle, as along a bay."""
    pen = arrive(dice, LIGHT, TWIN)
    t0, side, radius = pen.t, dice.side(), pen.turn_radius_nm(dice.uniform(18.0, 26.0))
    leg, bend = radius * dice.uniform(4.0, 6.0), dice.uniform(20.0, 30.0)
    for _ in range(round(dice.between(2.8, 5.0))):
        for way in (1.0, -1.0):
            pen.straight(leg).turn(way * side * bend, 2.0 * radius).straight(leg).turn(side * 180.0, radius)
    return leave(pen.note(RACETRACK, t0))


def tilted_blocks(dice: Dice) -> Pen:
    """Draw a field photographed in two blocks, the second turned by 20 to 40 degrees."""
    pen = arrive(dice, LIGHT, TWIN, alt_ft=(1500.0, 8000.0))
    t0, spacing, lane_nm = pen.t, dice.uniform(0.25, 0.5), dice.between(3.0, 5.0)
    radius, heading = pen.turn_radius_nm(25.0), pen.heading
    for block in range(2):
        course = heading + block * dice.uniform(20.0, 40.0)
        x, y = pen.x, pen.y
        east, north = sin(radians(course)), cos(radians(course))
        for number in range(8):
            off, back = number * spacing, number % 2
            along = lane_nm if back else 0.0
            pen.fly_to(x + along * east + off * north, y + along * north - off * east, course + 180.0 * back, radius)
            pen.straight(lane_nm)
    return leave(pen.note(GRID, t0))


def train_line(dice: Dice) -> Pen:
    """Draw a railway followed out, over a town twice round, and back to where it began."""
    pen = arrive(dice, (70.0, 105.0), alt_ft=(700.0, 2000.0))
    t0, radius = pen.t, pen.turn_radius_nm(20.0)
    pieces = [(dice.uniform(-30.0, 30.0), dice.uniform(1.4, 3.0)) for _ in range(4)]
    for bend, way in pieces:
        pen.turn(bend, 2.0 * radius).straight(way)
    side = dice.side()
    pen.turn(side * 720.0, 1.2 * radius).turn(-60.0, radius).fly_back(1.0, radius)
    for bend, way in reversed(pieces):
        pen.straight(way).turn(-bend, 2.0 * radius)
    return leave(pen.note(LINE, t0))


def beach_beat(dice: Dice) -> Pen:
    """Draw a straight beach of three to five miles flown to and fro, each pass a little beside the last."""
    pen = arrive(dice, (65.0, 95.0), alt_ft=(500.0, 1500.0))
    t0, radius, way = pen.t, pen.turn_radius_nm(20.0), dice.between(3.0, 5.0)
    for _ in range(dice.choice((4, 5, 6))):
        pen.straight(way * dice.uniform(0.9, 1.1)).turn(-60.0, radius).turn(300.0, radius)
        pen.turn(-60.0 + dice.uniform(-2.0, 2.0), radius)
    return leave(pen.note(LINE, t0))


def creeping_hover(dice: Dice) -> Pen:
    """Draw a helicopter that hovers, creeps fifty yards along a street, and hovers on, five times."""
    pen = Pen(dice, dice.between(70.0, 100.0), dice.between(700.0, 1600.0), wind_kt=dice.uniform(0.0, 12.0))
    pen.straight(dice.between(5.0, 9.0))
    t0 = pen.t
    for _ in range(5):
        hover(pen, dice.between(150.0, 260.0), dice.uniform(0.3, 3.0), dice.uniform(0.0, 25.0))
        pen.turn(dice.uniform(-30.0, 30.0), 0.05).straight(0.03)
    return leave(pen.note(STAKEOUT, t0))


def spiral_in(dice: Dice) -> Pen:
    """Draw a pilot who loses height over his field in five wide circles before he joins the circuit and lands."""
    pen = Pen(dice, dice.between(75.0, 110.0), dice.between(4000.0, 6000.0)).straight(dice.between(6.0, 10.0))
    ground, side, radius = pen.alt_ft - 3500.0, dice.side(), pen.turn_radius_nm(dice.uniform(18.0, 30.0))
    pen.climb(0.0, dice.uniform(450.0, 700.0))
    while pen.alt_ft > ground + 1000.0:
        pen.turn(side * 90.0, radius)
    pen.level().straight(1.0).turn(side * 90.0, radius).climb(0.0, 500.0).straight(1.0).turn(side * 90.0, radius)
    while pen.alt_ft > ground + 30.0:
        pen.straight(0.05)
    return pen


def air_race(dice: Dice) -> Pen:
    """Draw laps of an air race at 180 to 240 kt about pylons that are no two alike, and a climb away."""
    pen = Pen(dice, dice.between(210.0, 240.0), dice.between(500.0, 900.0)).straight(dice.between(6.0, 9.0))
    side, radius = dice.side(), pen.turn_radius_nm(55.0)
    pieces = [(dice.uniform(0.6, 2.0), turn) for turn in (40.0, 110.0, 60.0, 150.0)]
    for _ in range(2):
        for way, turn in pieces:
            pen.straight(way).turn(side * turn, radius)
    return pen.climb(1e6, 1500.0).straight(6.0)


def orchard(dice: Dice) -> Pen:
    """Draw an orchard sprayed by a helicopter: short lanes at 50 kt, a hop of 60 ft and a turn on the spot."""
    pen = Pen(dice, dice.between(90.0, 110.0), dice.between(700.0, 1000.0)).straight(dice.between(4.0, 7.0))
    field_ft, lane_nm = pen.alt_ft - 500.0, dice.between(0.3, 0.6)
    pen.climb(0.0, 700.0)
    while pen.alt_ft > field_ft:
        pen.straight(0.05)
    pen.tas_kt = dice.uniform(48.0, 60.0)
    for number in range(round(dice.between(16.0, 30.0))):
        side = 1.0 if number % 2 else -1.0
        pen.alt_ft = field_ft
        pen.level().straight(lane_nm)
        pen.alt_ft = field_ft + 60.0
        pen.turn(-side * 30.0, 0.04).turn(side * 210.0, 0.04)
    pen.tas_kt = 95.0
    return pen.climb(1e6, 700.0).straight(4.0)


def ferry(dice: Dice) -> Pen:
    """Draw a scenic flight up a fjord with bends and back along it, landing where it began."""
    pen = Pen(dice, dice.between(90.0, 120.0), 100.0)
    radius = pen.turn_radius_nm(20.0)
    pieces = [(dice.uniform(-35.0, 35.0), dice.uniform(2.0, 4.0)) for _ in range(4)]
    pen.climb(1e6, 700.0).straight(2.5).level()
    for bend, way in pieces:
        pen.turn(bend, 2.0 * radius).straight(way)
    pen.climb(1e6, 500.0).turn(-60.0, radius).fly_back(1.0, radius).level()
    for bend, way in reversed(pieces):
        pen.straight(way).turn(-bend, 2.0 * radius)
    pen.climb(0.0, 500.0)
    while pen.alt_ft > 120.0:
        pen.straight(0.1)
    return pen


def formation(dice: Dice) -> Pen:
    """Draw a wingman who joins up: a circle and a third of waiting, then weaving to and fro along a straight way."""
    pen = Pen(dice, dice.between(100.0, 140.0), dice.between(2000.0, 5000.0)).straight(dice.between(5.0, 9.0))
    side, radius = dice.side(), pen.turn_radius_nm(25.0)
    pen.turn(side * 480.0, radius)
    for number in range(8):
        pen.turn((-60.0 if number % 2 else 60.0) * side, radius).straight(dice.uniform(0.3, 0.8))
    return pen.straight(dice.between(6.0, 10.0))


def base_search(dice: Dice) -> Pen:
    """Draw a light aircraft that looks for an aerodrome in haze: lines this way and that, a half circle, and home."""
    pen = Pen(dice, dice.between(85.0, 110.0), dice.between(1500.0, 2500.0))
    x, y = pen.x, pen.y
    pen.straight(dice.between(8.0, 14.0))
    for _ in range(5):
        pen.turn(dice.uniform(-150.0, 150.0), pen.turn_radius_nm(20.0)).straight(dice.uniform(1.0, 3.5))
    pen.turn((degrees(atan2(x - pen.x, y - pen.y)) - pen.heading + 180.0) % 360.0 - 180.0, pen.turn_radius_nm(20.0))
    return pen.straight(dice.between(6.0, 10.0))


def glider_tow_wait(dice: Dice) -> Pen:
    """Draw a glider that keeps its height in two places of weak lift, some circles each, and glides home."""
    pen = Pen(dice, dice.between(46.0, 60.0), dice.between(2000.0, 4000.0), wind_kt=dice.uniform(0.0, 12.0))
    pen.in_air = True
    pen.straight(dice.between(3.0, 5.0))
    for _ in range(2):
        side, radius = dice.side(), pen.turn_radius_nm(dice.uniform(28.0, 42.0))
        for _ in range(round(dice.between(8.0, 14.0))):
            pen.climb_ft_min = dice.uniform(-60.0, 160.0)
            pen.turn(side * 360.0, radius * dice.uniform(0.9, 1.15))
        pen.climb(0.0, 180.0).straight(dice.between(2.0, 4.0))
    return pen


KINDS: dict[str, Kind] = {
    "d_orbit": Kind(d_orbit, CIRCLING, (*_VAGUE, "racetrack")),
    "switching_orbit": Kind(switching_orbit, CIRCLING, _VAGUE),
    "boomerang": Kind(boomerang, RACETRACK, (*_VAGUE, "circling")),
    "tilted_blocks": Kind(tilted_blocks, GRID, _VAGUE),
    "train_line": Kind(train_line, LINE, ("loitering", "circling")),
    "beach_beat": Kind(beach_beat, LINE, ("loitering", "racetrack")),
    "creeping_hover": Kind(creeping_hover, STAKEOUT, ("loitering",)),
    "spiral_in": Kind(spiral_in),
    "air_race": Kind(air_race),
    "orchard": Kind(orchard),
    "ferry": Kind(ferry),
    "formation": Kind(formation),
    "base_search": Kind(base_search),
    "glider_tow_wait": Kind(glider_tow_wait),
}

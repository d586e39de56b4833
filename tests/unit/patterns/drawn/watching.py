"""Flights of those who watch or survey: orbits, ovals and lanes. Each draws one pen with its labelled segments."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, radians, sin

from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import Pen

CIRCLING, RACETRACK, GRID = "circling", "racetrack", "grid_survey"

# True airspeed (kt) of a helicopter, a light aircraft, a twin or turboprop and a jet.
HELICOPTER, LIGHT, TWIN, JET = (55.0, 95.0), (80.0, 125.0), (130.0, 200.0), (190.0, 240.0)


def arrive(dice: Dice, *classes: tuple[float, float], alt_ft: tuple[float, float] = (1000.0, 6000.0)) -> Pen:
    """Begin with a flight to the place; one of five begins there, as after a gap in reception."""
    pen = Pen(dice, dice.between(*dice.choice(classes)), dice.between(*alt_ft))
    if dice.random() > 0.2:
        pen.straight(dice.between(4.0, 12.0))
        if dice.random() < 0.5:
            pen.turn(dice.side() * dice.between(20.0, 80.0), pen.turn_radius_nm(15.0)).straight(dice.between(2.0, 5.0))
    return pen


def leave(pen: Pen) -> Pen:
    """Fly off from the place; one of five is no longer heard by then."""
    if pen.rnd.random() > 0.2:
        pen.straight(pen.rnd.between(4.0, 12.0))
    return pen


def _orbit_radius(dice: Dice, pen: Pen) -> float:
    """Return the radius of an orbit (nm): 8 to 33 degrees of bank, 0.15 to 2.5 nm."""
    return min(max(pen.turn_radius_nm(dice.between(8.0, 33.0)), 0.15), 2.5)


def orbit(dice: Dice) -> Pen:
    """Draw circles about one point."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN, JET)
    t0, radius = pen.t, _orbit_radius(dice, pen)
    pen.turn(dice.side() * 360.0 * dice.between(2.6, 12.0), radius)
    return leave(pen.note(CIRCLING, t0))


def hand_flown(dice: Dice) -> Pen:
    """Draw circles whose bank changes from quarter to quarter and lap to lap, and whose height steps."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN)
    t0, radius, side = pen.t, _orbit_radius(dice, pen), dice.side()
    for _ in range(round(dice.between(3.0, 10.0))):
        lap = radius * dice.uniform(0.85, 1.18)
        for _ in range(4):
            pen.turn(side * 90.0, lap * dice.uniform(0.8, 1.25))
        if dice.random() < 0.2:
            pen.alt_ft += dice.choice((-300.0, 300.0))
    return leave(pen.note(CIRCLING, t0))


def following(dice: Dice) -> Pen:
    """Draw circles about a subject that moves, with a new course now and then."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN)
    t0, radius, side = pen.t, _orbit_radius(dice, pen), dice.side()
    # The circles are drawn in a frame that moves with the subject, at up to half a radius a lap and more.
    wind, pen.in_air = pen.wind, True
    moves_kt, towards = dice.uniform(0.03, 0.16) * pen.tas_kt, radians(dice.uniform(0.0, 360.0))
    for _ in range(round(dice.between(3.0, 10.0))):
        pen.wind = (moves_kt * sin(towards), moves_kt * cos(towards))
        pen.turn(side * 360.0, radius)
        towards += radians(dice.uniform(-50.0, 50.0))
    pen.wind, pen.in_air = wind, False
    return leave(pen.note(CIRCLING, t0))


def eights(dice: Dice) -> Pen:
    """Draw figures of eight, three and more."""
    pen = arrive(dice, HELICOPTER, LIGHT)
    t0, radius, side = pen.t, max(_orbit_radius(dice, pen), 0.35), dice.side()
    for _ in range(round(dice.between(3.0, 6.0))):
        pen.turn(side * 360.0, radius).turn(-side * 360.0, radius)
    return leave(pen.note(CIRCLING, t0))


def _ovals(pen: Pen, laps: int, change: Callable[[], float], drift_nm: float, stray_nm: float) -> None:
    dice = pen.rnd
    radius = pen.turn_radius_nm(dice.between(14.0, 30.0))
    leg_nm = 2.0 * radius * dice.between(1.3, 5.0)
    side, along = dice.side(), radians(pen.heading)
    heading = pen.heading
    east, north = sin(along), cos(along)
    x, y, low = pen.x, pen.y, 0.0
    for _ in range(laps):
        for way, end in ((1.0, low + leg_nm), (-1.0, low)):
            end += dice.gauss(0.0, 2.0 * stray_nm)
            # Along the line to its end, and round onto the other line.
            to_go = (end - (pen.x - x) * east - (pen.y - y) * north) * way
            pen.straight(max(to_go, 0.3))
            aside = (2.0 * radius * side if way > 0 else 0.0) + dice.gauss(0.0, stray_nm)
            at = (pen.x - x) * north - (pen.y - y) * east
            pen.turn(180.0 * side, max(0.5 * abs(aside - at), 0.6 * radius))
            pen.heading = heading + (180.0 if way > 0 else 0.0)
        low += drift_nm
        # Shorter than wide they would be circles by definition.
        leg_nm = max(leg_nm * change(), 2.0 * radius)


def oval(dice: Dice) -> Pen:
    """Draw ovals of one length over one line."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN, JET)
    t0 = pen.t
    _ovals(pen, round(dice.between(2.6, 7.0)), lambda: 1.0, 0.0, dice.uniform(0.0, 0.04))
    return leave(pen.note(RACETRACK, t0))


def changing_oval(dice: Dice) -> Pen:
    """Draw ovals whose length changes slowly, whose far end moves or which move along their line."""
    pen = arrive(dice, LIGHT, TWIN, JET)
    t0, factor = pen.t, dice.choice((0.82, 0.88, 1.12, 1.2))
    drift_nm = dice.choice((0.0, 0.4, -0.4, 0.8))
    _ovals(pen, round(dice.between(3.0, 6.0)), lambda: factor * dice.uniform(0.95, 1.05), drift_nm,
           dice.uniform(0.0, 0.04))  # fmt: skip
    return leave(pen.note(RACETRACK, t0))


def _in_order(lanes: int, order: str, skip: int) -> list[int]:
    """Return the lanes' numbers as they are flown."""
    if order == "field":
        # One field over: 0, k, 1, k + 1, ..., k - 1, 2 k - 1, all turns one way; then the next two fields.
        blocks = range(0, max(lanes, 2 * skip - 1), 2 * skip)
        return [lane for first in blocks for i in range(first, first + skip) for lane in (i, i + skip)]
    if order == "there and back":
        return [*range(0, lanes, 2), *range(lanes - 1 - lanes % 2, 0, -2)]
    return list(range(lanes))


def fly_lanes(pen: Pen, lanes: int, spacing_nm: float, lane_nm: float, order: str) -> None:
    """Draw so many parallel lanes, in one of the orders of `_in_order`."""
    dice = pen.rnd
    radius = pen.turn_radius_nm(dice.between(17.0, 30.0))
    lane_nm = max(lane_nm, 3.0 * radius)
    skip = max(round(2.0 * radius / spacing_nm), 2) + dice.randrange(3)
    # Fields are longer than they are apart.
    skip = max(min(skip, int(0.7 * lane_nm / spacing_nm)), 2)
    heading, side = pen.heading, dice.side()
    east, north = sin(radians(heading)), cos(radians(heading))
    x, y = pen.x, pen.y
    for number, lane in enumerate(_in_order(lanes, order, skip)):
        way = 1.0 if number % 2 == 0 else -1.0
        across = lane * spacing_nm * side + dice.gauss(0.0, 0.04 * spacing_nm)
        begin = (0.0 if way > 0 else lane_nm) - way * dice.uniform(0.0, 0.3)
        end = (lane_nm if way > 0 else 0.0) + way * dice.uniform(0.0, 0.3)
        course = heading if way > 0 else heading + 180.0
        at_x, at_y = x + east * begin + north * across, y + north * begin - east * across
        if number or dice.random() < 0.5:
            pen.fly_to(at_x, at_y, course, radius)
        else:
            pen.heading = course
        pen.straight(abs(end - begin))


def _grid(dice: Dice, spacing_nm: tuple[float, float], order: str) -> Pen:
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN, alt_ft=(800.0, 12000.0))
    pen.wander_nm = min(pen.wander_nm, 0.008)
    # Lanes are 0.08 nm apart and more, whatever the ranges are stretched by.
    spacing = max(dice.between(*spacing_nm), 0.08)
    t0 = pen.t
    lanes = round(dice.between(10.0, 24.0)) if order != "side by side" else round(dice.between(6.0, 20.0))
    fly_lanes(pen, lanes, spacing, dice.between(2.0, 9.0), order)
    return leave(pen.note(GRID, t0))


def close_lanes(dice: Dice) -> Pen:
    """Draw lanes 0.08 to 0.35 nm apart, one next to the other."""
    return _grid(dice, (0.08, 0.35), "side by side")


def close_field(dice: Dice) -> Pen:
    """Draw lanes 0.08 to 0.35 nm apart, one field over: all turns go one way."""
    return _grid(dice, (0.08, 0.35), "field")


def wide_lanes(dice: Dice) -> Pen:
    """Draw lanes 0.35 to 1.5 nm apart, one next to the other."""
    return _grid(dice, (0.35, 1.5), "side by side")


def wide_field(dice: Dice) -> Pen:
    """Draw lanes 0.35 to 1.5 nm apart, one field over."""
    return _grid(dice, (0.35, 1.5), "field")


def back_lanes(dice: Dice) -> Pen:
    """Draw every second lane, then back over those left out."""
    return _grid(dice, (0.1, 0.8), "there and back")


def two_blocks(dice: Dice) -> Pen:
    """Draw two blocks of lanes with an orbit or a transit between them."""
    pen = arrive(dice, LIGHT, TWIN, alt_ft=(800.0, 9000.0))
    pen.wander_nm = min(pen.wander_nm, 0.008)
    spacing, lane_nm = dice.uniform(0.09, 0.6), dice.between(1.8, 6.0)
    for block in range(2):
        t0 = pen.t
        fly_lanes(pen, round(dice.between(6.0, 12.0)), spacing, lane_nm, "side by side")
        pen.note(GRID, t0)
        if block == 0:
            if dice.random() < 0.5:
                pen.turn(dice.side() * dice.uniform(360.0, 480.0), pen.turn_radius_nm(20.0))
            pen.turn(dice.side() * dice.uniform(30.0, 120.0), pen.turn_radius_nm(20.0)).straight(dice.between(3.0, 9.0))
    return leave(pen)

"""Kinds of flight that detection once missed or took for something else, and what becomes of them on the way.

The same flight is heard through each of seven receptions, so that what a reception costs shows by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import cos, radians, sin, tan

from skywatch.patterns.corpora.tracks import Segment, Track
from skywatch.patterns.track.plane import wrap_deg
from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import START, Pen
from tests.unit.patterns.drawn.watching import CIRCLING, GRID, HELICOPTER, LIGHT, RACETRACK, TWIN, arrive, leave
from tests.unit.patterns.drawn.wide.reception import Reception, hear
from tests.unit.patterns.drawn.wide.staying import hover

LINE, STAKEOUT = "line", "stakeout"

RECEPTIONS: dict[str, Reception] = {
    "adsb": Reception((1.0, 4.0), (0.002, 0.008), 0.05, 0.0),
    "usual": Reception((4.0, 12.0), (0.002, 0.012), 0.2, 0.3),
    "gaps": Reception((1.0, 6.0), (0.002, 0.01), 0.1, 4.0, (30.0, 120.0)),
    "seldom": Reception((12.0, 25.0), (0.002, 0.02), 0.2, 0.5, (30.0, 120.0)),
    "bare": Reception((2.0, 8.0), (0.002, 0.012), 0.1, 0.2, velocity_share=0.0),
    "mlat": Reception((5.0, 10.0), (0.02, 0.07), 0.2, 0.3, (20.0, 60.0), 6.0, 8.0, 0.5),
    "far_mlat": Reception((6.0, 14.0), (0.06, 0.17), 0.2, 0.3, (20.0, 60.0), 12.0, 15.0, 0.3),
}
"""By name; noise in nautical miles, one sigma in each direction."""


def wide_orbit(dice: Dice) -> Pen:
    """Draw the circles of a military observer or a large drone, 3 to 9 nm in radius."""
    pen = arrive(dice, (130.0, 240.0), alt_ft=(12000.0, 24000.0))
    t0, radius, side = pen.t, dice.between(3.0, 9.0), dice.side()
    for _ in range(round(4.0 * dice.between(2.4, 5.0))):
        pen.turn(side * 90.0, radius * dice.uniform(0.92, 1.08))
    return leave(pen.note(CIRCLING, t0))


def bow_tie(dice: Dice) -> Pen:
    """Draw figures of eight with straight diagonals, the turns a little wider than half a circle."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN)
    t0, radius, side = pen.t, pen.turn_radius_nm(dice.between(14.0, 28.0)), dice.side()
    more = dice.uniform(25.0, 70.0)
    # So long that two diagonals and two turns come back to where they began.
    diagonal = 2.0 * radius / tan(radians(more / 2.0))
    for _ in range(round(dice.between(3.0, 6.0))):
        for way in (1.0, -1.0):
            pen.straight(diagonal * dice.uniform(0.97, 1.03)).turn(side * way * (180.0 + more), radius)
    return leave(pen.note(CIRCLING, t0))


def changing_orbit(dice: Dice) -> Pen:
    """Draw circles whose radius changes from lap to lap by a quarter, and whose centre steps aside."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN)
    t0, radius, side = pen.t, pen.turn_radius_nm(dice.between(10.0, 26.0)), dice.side()
    for _ in range(round(dice.between(4.0, 9.0))):
        radius *= dice.uniform(0.8, 1.25)
        pen.turn(side * 360.0, radius).straight(dice.uniform(0.0, 0.4) * radius)
    return leave(pen.note(CIRCLING, t0))


def border_track(dice: Dice) -> Pen:
    """Draw long ovals along a border at 150 kt: legs of 12 to 35 nm, turns of 1 to 2 nm."""
    pen = arrive(dice, (120.0, 180.0), alt_ft=(8000.0, 22000.0))
    t0, radius, side, leg = pen.t, dice.between(0.8, 2.0), dice.side(), dice.between(12.0, 35.0)
    for _ in range(round(dice.between(2.4, 4.0))):
        for _ in range(2):
            pen.straight(leg * dice.uniform(0.96, 1.04)).turn(side * 180.0, radius)
    return leave(pen.note(RACETRACK, t0))


def changing_ovals(dice: Dice) -> Pen:
    """Draw ovals whose legs become longer and shorter from lap to lap by a quarter."""
    pen = arrive(dice, LIGHT, TWIN)
    t0, side = pen.t, dice.side()
    radius = pen.turn_radius_nm(dice.between(14.0, 26.0))
    leg = 2.0 * radius * dice.between(1.6, 4.0)
    for _ in range(round(dice.between(3.0, 6.0))):
        for _ in range(2):
            pen.straight(max(leg * dice.uniform(0.8, 1.25), 2.2 * radius))
            pen.turn(side * 180.0, radius * dice.uniform(0.85, 1.15))
    return leave(pen.note(RACETRACK, t0))


def _bends(dice: Dice, pieces: int, piece_nm: float, bend_deg: float) -> list[tuple[float, float]]:
    """Return the course changes and lengths of a line with bends."""
    return [(dice.uniform(-bend_deg, bend_deg), piece_nm * dice.uniform(0.7, 1.3)) for _ in range(pieces)]


def _along(pen: Pen, line: list[tuple[float, float]], radius: float, stops: float) -> None:
    for bend, way in line:
        pen.turn(bend, radius).straight(way * 0.5)
        if pen.rnd.random() < stops:
            pen.turn(pen.rnd.side() * 360.0, 0.8 * radius)
        pen.straight(way * 0.5)


def _to_and_fro(pen: Pen, line: list[tuple[float, float]], passes: int, stops: float) -> None:
    """Fly a line with bends several times, with a turn by a full circle over something of interest now and then."""
    dice, radius = pen.rnd, pen.turn_radius_nm(18.0)
    ways = [way for _, way in line]
    bends = [bend for bend, _ in line[1:]]
    for number in range(passes):
        if number:
            side = dice.side()
            pen.turn(-side * 60.0, radius).fly_back(side, radius)
            ways.reverse()
            bends = [-bend for bend in reversed(bends)]
        _along(pen, list(zip([0.0, *bends], ways, strict=True)), radius, stops)


def power_line(dice: Dice) -> Pen:
    """Draw a power line with bends flown there and back by a helicopter that circles some masts once."""
    pen = arrive(dice, (50.0, 90.0), alt_ft=(500.0, 2000.0))
    t0 = pen.t
    _to_and_fro(pen, _bends(dice, round(dice.uniform(3.0, 6.0)), dice.between(1.5, 3.0), 45.0), 2, 0.3)
    return leave(pen.note(LINE, t0))


def river(dice: Dice) -> Pen:
    """Draw a river with many bends flown there and back."""
    pen = arrive(dice, (70.0, 110.0), alt_ft=(600.0, 2500.0))
    t0 = pen.t
    _to_and_fro(
        pen, _bends(dice, round(dice.uniform(6.0, 11.0)), dice.between(0.9, 1.8), 60.0), dice.choice((2, 3)), 0.08
    )
    return leave(pen.note(LINE, t0))


def border_line(dice: Dice) -> Pen:
    """Draw a border, nearly straight, flown to and fro three times and more."""
    pen = arrive(dice, (70.0, 130.0), alt_ft=(1000.0, 5000.0))
    t0 = pen.t
    _to_and_fro(
        pen, _bends(dice, round(dice.uniform(2.0, 4.0)), dice.between(3.0, 7.0), 25.0), dice.choice((3, 4)), 0.0
    )
    return leave(pen.note(LINE, t0))


def straight_line(dice: Dice) -> Pen:
    """Draw one straight road of a few miles flown to and fro four to seven times."""
    pen = arrive(dice, (65.0, 110.0), alt_ft=(600.0, 2500.0))
    t0 = pen.t
    _to_and_fro(pen, [(0.0, dice.between(1.5, 6.0))], dice.choice((4, 5, 6, 7)), 0.0)
    return leave(pen.note(LINE, t0))


def _lanes(dice: Dice, pen: Pen, lanes: int, spacing: float, lane_nm: float, bend: float) -> None:
    """Draw lanes side by side; `bend` degrees in their middle, as along a coast."""
    radius = min(pen.turn_radius_nm(25.0), 0.5 * spacing) if spacing > 0.3 else pen.turn_radius_nm(25.0)
    x, y, heading, side = pen.x, pen.y, pen.heading, dice.side()
    east, north = sin(radians(heading)), cos(radians(heading))
    turned = radians(heading + bend)
    for number in range(lanes):
        off = number * spacing * side + dice.gauss(0.0, 0.03 * spacing)
        half = 0.5 * lane_nm
        begin = (x + north * off, y - east * off)
        middle = (begin[0] + half * east, begin[1] + half * north)
        end = (middle[0] + half * sin(turned), middle[1] + half * cos(turned))
        places = [(begin, heading), (middle, heading + bend / 2.0), (end, heading + bend)]
        if number % 2:
            places = [(place, course + 180.0) for place, course in reversed(places)]
        for (px, py), course in places:
            pen.fly_to(px, py, course, max(radius, 0.1))


def coast_lanes(dice: Dice) -> Pen:
    """Draw lanes that follow a coast with a bend."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN)
    t0 = pen.t
    _lanes(
        dice,
        pen,
        round(dice.between(6.0, 12.0)),
        dice.uniform(0.3, 1.2),
        dice.between(5.0, 12.0),
        dice.uniform(10.0, 35.0),
    )
    return leave(pen.note(GRID, t0))


def search_crawl(dice: Dice) -> Pen:
    """Draw a creeping line ahead: many short lanes, wide apart."""
    pen = arrive(dice, HELICOPTER, LIGHT, TWIN)
    t0, spacing = pen.t, dice.uniform(0.4, 1.2)
    _lanes(dice, pen, round(dice.between(8.0, 16.0)), spacing, max(spacing * dice.uniform(2.2, 4.0), 1.5), 0.0)
    return leave(pen.note(GRID, t0))


def survey(dice: Dice) -> Pen:
    """Draw plain parallel lanes of a survey."""
    pen = arrive(dice, LIGHT, TWIN, alt_ft=(1500.0, 12000.0))
    t0 = pen.t
    _lanes(dice, pen, round(dice.between(7.0, 16.0)), dice.uniform(0.15, 0.8), dice.between(3.0, 9.0), 0.0)
    return leave(pen.note(GRID, t0))


def _hovers(dice: Dice, drift_kt: float, wander_ft: float) -> Pen:
    pen = Pen(dice, dice.between(70.0, 110.0), dice.between(700.0, 2500.0), wind_kt=dice.uniform(0.0, 12.0))
    pen.straight(dice.between(3.0, 8.0))
    cruise = pen.tas_kt
    for step in range(12):
        pen.tas_kt = cruise + (8.0 - cruise) * (step + 1) / 12.0
        pen.straight(0.06)
    pen.tas_kt, t0 = cruise, pen.t
    hover(pen, dice.between(600.0, 1400.0), drift_kt, wander_ft)
    return leave(pen.note(STAKEOUT, t0))


def still_hover(dice: Dice) -> Pen:
    """Draw hovering under an autopilot: the speed shows 0 kt, the height does not move."""
    return _hovers(dice, dice.uniform(0.2, 0.8), dice.uniform(0.0, 5.0))


def loose_hover(dice: Dice) -> Pen:
    """Draw hovering by hand."""
    return _hovers(dice, dice.uniform(2.0, 7.0), dice.uniform(10.0, 60.0))


def steep_exercise(dice: Dice) -> Pen:
    """Draw an exercise: two or three steep turns one way, as many the other, perhaps again; entered and left level."""
    pen = Pen(dice, dice.between(80.0, 120.0), dice.between(2500.0, 5500.0)).straight(dice.between(4.0, 9.0))
    for _ in range(dice.choice((1, 1, 2))):
        radius, count, side = pen.turn_radius_nm(dice.uniform(38.0, 50.0)), dice.choice((2, 2, 3)), dice.side()
        for way in (side, -side):
            for _ in range(count):
                pen.turn(way * 360.0, radius * dice.uniform(0.94, 1.06))
            pen.straight(dice.uniform(0.0, 0.6))
        pen.straight(dice.between(1.5, 4.0)).turn(dice.uniform(-90.0, 90.0), pen.turn_radius_nm(20.0))
    return pen.straight(dice.between(3.0, 8.0))


def medium_exercise(dice: Dice) -> Pen:
    """Draw medium turns of 25 to 35 degrees of bank: two one way, two the other."""
    pen = Pen(dice, dice.between(80.0, 120.0), dice.between(2500.0, 5500.0)).straight(dice.between(4.0, 9.0))
    radius, side = pen.turn_radius_nm(dice.uniform(26.0, 36.0)), dice.side()
    for way in (side, -side):
        pen.turn(way * 720.0, radius).straight(dice.uniform(0.2, 1.0))
    return pen.straight(dice.between(3.0, 8.0))


def jump_run(dice: Dice) -> Pen:
    """Draw lifts of parachutists: a climb in ovals of no fixed shape, a level run, a plunge, again."""
    pen = Pen(dice, dice.between(75.0, 110.0), dice.between(200.0, 2500.0), wind_kt=dice.uniform(0.0, 12.0))
    ground, side, radius = pen.alt_ft, dice.side(), pen.turn_radius_nm(dice.uniform(16.0, 26.0))
    x, y, heading = pen.x, pen.y, pen.heading
    for _ in range(dice.choice((1, 2))):
        top = ground + dice.choice((4000.0, 9000.0, 12500.0))
        pen.climb(1e6, dice.uniform(600.0, 1100.0))
        while pen.alt_ft < top:
            pen.straight(dice.uniform(0.4, 1.8)).turn(side * dice.uniform(150.0, 210.0), radius)
        pen.level().fly_to(x, y, heading, radius).straight(1.5)
        pen.climb(0.0, dice.uniform(1800.0, 3500.0))
        while pen.alt_ft > ground + 900.0:
            pen.turn(side * 90.0, radius).straight(dice.uniform(0.1, 0.8))
        pen.climb(0.0, 600.0).fly_to(x, y, heading, radius)
        pen.level().alt_ft = ground
    return pen.climb(1e6, 700.0).straight(4.0)


def tug(dice: Dice) -> Pen:
    """Draw a tug: each lap climbs 2000 ft with a glider and plunges to the field."""
    pen = Pen(dice, dice.between(60.0, 80.0), dice.between(200.0, 2500.0), wind_kt=dice.uniform(0.0, 10.0))
    ground, side, radius = pen.alt_ft, dice.side(), pen.turn_radius_nm(dice.uniform(18.0, 28.0))
    x, y, heading = pen.x, pen.y, pen.heading
    for _ in range(dice.choice((3, 4, 5))):
        pen.climb(1e6, dice.uniform(400.0, 600.0)).straight(dice.uniform(0.6, 1.0))
        top = ground + dice.uniform(1500.0, 2200.0)
        while pen.alt_ft < top:
            pen.turn(side * dice.uniform(60.0, 120.0), radius).straight(dice.uniform(0.2, 0.9))
        pen.climb(0.0, dice.uniform(1000.0, 1600.0))
        while pen.alt_ft > ground + 500.0:
            pen.turn(side * 60.0, radius).straight(dice.uniform(0.1, 0.6))
        pen.climb(0.0, 500.0).fly_to(x, y, heading, radius)
        pen.level().alt_ft = ground
        pen.straight(0.2)
    return pen


def calm_hold(dice: Dice) -> Pen:
    """Draw holds with hardly any wind, light aircraft and turboprops, perhaps with an entry to the other side."""
    pen = Pen(dice, dice.between(85.0, 200.0), dice.between(3000.0, 9000.0), wind_kt=dice.uniform(0.0, 5.0))
    pen.straight(dice.between(6.0, 14.0))
    side, radius = dice.side(), pen.rate_radius_nm(dice.uniform(2.6, 3.2))
    x, y, heading = pen.x, pen.y, pen.heading
    leg = pen.tas_kt / 60.0 * dice.uniform(0.9, 1.1)
    if dice.random() < 0.5:
        # A parallel entry: out on the other side, back over the fix.
        pen.turn(-side * 180.0, radius).straight(leg).turn(-side * 200.0, radius).fly_to(x, y, heading, radius)
    for _ in range(dice.choice((2, 3, 4))):
        pen.turn(side * 180.0, radius * dice.uniform(0.95, 1.05)).straight(leg * dice.uniform(0.93, 1.07))
        pen.turn(side * 180.0, radius * dice.uniform(0.95, 1.05)).fly_to(x, y, heading, radius)
    return pen.straight(dice.between(4.0, 10.0))


def gaggle(dice: Dice) -> Pen:
    """Draw a glider among others: weak lift in which it hardly climbs, circles re-centred again and again."""
    pen = Pen(dice, dice.between(42.0, 58.0), dice.between(2000.0, 5000.0), wind_kt=dice.uniform(0.0, 12.0))
    pen.in_air = True
    pen.straight(dice.between(2.0, 4.0))
    for _ in range(dice.choice((1, 2, 3))):
        side, radius = dice.side(), pen.turn_radius_nm(dice.uniform(25.0, 42.0))
        for _ in range(round(4.0 * dice.between(6.0, 16.0))):
            pen.climb_ft_min = dice.uniform(-100.0, 220.0)
            pen.turn(side * 90.0, radius * dice.uniform(0.8, 1.3))
        pen.climb(0.0, dice.between(120.0, 250.0)).straight(dice.between(1.5, 5.0))
    return pen


def rescue(dice: Dice) -> Pen:
    """Draw a rescue helicopter that lands, stands and goes: no watching, and nothing that goes round."""
    pen = Pen(dice, dice.between(90.0, 130.0), dice.between(800.0, 2500.0)).straight(dice.between(4.0, 9.0))
    pen.climb(0.0, 700.0).straight(1.5).level()
    cruise = pen.tas_kt
    for step in range(12):
        pen.tas_kt = cruise + (8.0 - cruise) * (step + 1) / 12.0
        pen.straight(0.05)
    pen.tas_kt = cruise
    hover(pen, dice.uniform(60.0, 200.0), 3.0, 5.0)
    return pen.climb(1e6, 800.0).straight(2.5).level().straight(dice.between(4.0, 9.0))


def vectors(dice: Dice) -> Pen:
    """Draw an airliner that is led about by a controller: wide turns at the standard rate, most to one side."""
    pen = Pen(dice, dice.between(180.0, 245.0), dice.between(4000.0, 11000.0)).straight(dice.between(10.0, 20.0))
    radius, side = pen.rate_radius_nm(dice.uniform(2.0, 3.0)), dice.side()
    for _ in range(dice.choice((4, 5, 6, 7))):
        pen.turn(side * dice.choice((90.0, 90.0, 180.0, 60.0)), radius).straight(dice.uniform(3.0, 9.0))
        if dice.random() < 0.2:
            side = -side
    return pen.climb(0.0, 800.0).straight(8.0)


def _lap_s(pen: Pen, segment: Segment) -> float:
    """Return the time that a full circle of turn to either side takes in a segment, on the average."""
    tracks = [track for t, *_, track in pen.path if segment.t0 <= START + t <= segment.t1]
    turned_deg = sum(abs(wrap_deg(b - a)) for a, b in pairwise(tracks))
    return (segment.t1 - segment.t0) * 360.0 / max(turned_deg, 360.0)


@dataclass(frozen=True)
class Kind:
    """One kind of flight: `label` is what it is, None where nobody should hear of it; other types that it may be."""

    draw: Callable[[Dice], Pen]
    label: str | None = None
    may_be: tuple[str, ...] = ()


_VAGUE = ("loitering", "area_search", "stakeout")

KINDS: dict[str, Kind] = {
    "wide_orbit": Kind(wide_orbit, CIRCLING, _VAGUE),
    "bow_tie": Kind(bow_tie, CIRCLING, _VAGUE),
    "changing_orbit": Kind(changing_orbit, CIRCLING, _VAGUE),
    "border_track": Kind(border_track, RACETRACK, _VAGUE),
    "changing_ovals": Kind(changing_ovals, RACETRACK, _VAGUE),
    "coast_lanes": Kind(coast_lanes, GRID, _VAGUE),
    "search_crawl": Kind(search_crawl, GRID, _VAGUE),
    "survey": Kind(survey, GRID, _VAGUE),
    "power_line": Kind(power_line, LINE, ("loitering", "racetrack")),
    "river": Kind(river, LINE, ("loitering", "racetrack")),
    "border_line": Kind(border_line, LINE, ("loitering", "racetrack")),
    "straight_line": Kind(straight_line, LINE, ("loitering", "racetrack")),
    "still_hover": Kind(still_hover, STAKEOUT, ("loitering",)),
    "loose_hover": Kind(loose_hover, STAKEOUT, ("loitering",)),
    "steep_exercise": Kind(steep_exercise),
    "medium_exercise": Kind(medium_exercise),
    "jump_run": Kind(jump_run),
    "tug": Kind(tug),
    "calm_hold": Kind(calm_hold),
    "gaggle": Kind(gaggle),
    "rescue": Kind(rescue),
    "vectors": Kind(vectors),
}


def draw(
    seed: int,
    of_each: int,
    kinds: tuple[str, ...] = (),
    receptions: tuple[str, ...] = (),
    among: dict[str, Kind] = KINDS,
) -> Iterator[Track]:
    """Yield `of_each` flights of each kind, or of some, each through every reception, or through some.

    The same seed draws the same flights; `source` is the kind and `id` ends with the reception.
    """
    for number, (name, kind) in enumerate(among.items()):
        for index in range(of_each if not kinds or name in kinds else 0):
            dice = Dice(f"missed/{seed}/{name}/{index}")
            pen = kind.draw(dice)
            for way, reception in RECEPTIONS.items():
                if receptions and way not in receptions:
                    continue
                heard = Dice(f"missed/{seed}/{name}/{index}/{way}")
                track = hear(
                    pen, heard, f"{name}-{index}-{way}", f"{number:02x}{index:04x}", kind.label or name, reception
                )
                track.source, track.reception, track.may_be = name, way, list(kind.may_be)
                for segment in track.segments:
                    segment.lap_s = _lap_s(pen, segment)
                yield track

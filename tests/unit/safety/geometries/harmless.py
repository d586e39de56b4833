"""Encounters that must not be raised: near, and as everybody intends."""

from __future__ import annotations

import math
from random import Random

from tests.unit.safety.geometries.flying import (
    Air,
    Encounter,
    Leg,
    Path,
    air,
    fly,
    moved,
    placed,
    received,
    turns_onto_finals,
)


def _of(r: Random, paths: list[Path], seconds: int, *fields: dict[str, object]) -> Encounter:
    fields += ({},) * (len(paths) - len(fields))
    drawn = [received(r, path, seconds, **of) for path, of in zip(paths, fields, strict=True)]
    return Encounter(drawn, seconds, False)


def _still(seconds: int) -> Air:
    return Air(0.0, 0.0, 0, seconds)


def parallel_approaches(r: Random) -> Encounter:
    """Both established on parallel finals 0.12 to 1 nm apart; one passes the other."""
    around, heading, apart = air(r, 90, 130), r.uniform(0, 360), r.uniform(0.12, 1.0)
    speed = r.uniform(90, 160)
    first = fly(around, speed, heading, 3000, [Leg(1e9, rate_fpm=-speed * 5)])
    second = fly(around, speed + r.uniform(-30, 30), heading + r.uniform(-1, 1), 3000, [Leg(1e9, rate_fpm=-speed * 5)])
    side = math.radians(heading + 90)
    here, there = first(90), second(90)
    dx, dy = here[0] - there[0] + math.sin(side) * apart, here[1] - there[1] + math.cos(side) * apart
    return _of(r, [first, moved(second, dx, dy, r.uniform(-200, 200))], 130)


def turns_onto_parallel_finals(r: Random) -> Encounter:
    """Both descend and turn by up to 30 degrees onto finals 0.4 to 1 nm apart (ICAO Doc 9643)."""
    return _of(r, turns_onto_finals(r, air(r, 80, 130), 10, 30)[0], 130)


def formation(r: Random) -> Encounter:
    """Two that weave around their places, turn, climb and descend together."""
    around, side = air(r, 0, 200), r.choice((-1, 1))
    legs = [Leg(60), Leg(30, 2.0 * side, 400), Leg(60, 0.0, -400), Leg(1e9, -1.0 * side)]
    lead = fly(around, r.uniform(80, 200), r.uniform(0, 360), 4000, legs)
    swing, period = r.uniform(0.02, 0.1), r.uniform(50, 110)
    dx, dy = r.uniform(-0.4, 0.4), r.uniform(-0.4, 0.4)

    def weaves(t: float) -> tuple[float, float, float]:
        x, y, z = lead(t)
        s = swing * math.sin(2 * math.pi * t / period)
        return x + dx + s, y + dy - s, z + 60 * math.sin(2 * math.pi * t / 70)

    return _of(r, [lead, weaves], 200)


def formation_joins(r: Random) -> Encounter:
    """Together for a minute at 0.6 to 0.9 nm, then one joins the other with 10 to 30 kt."""
    around = air(r, 0, 220)
    lead = fly(around, r.uniform(90, 200), r.uniform(0, 360), 5000, [Leg(1e9)])
    angle, far, near = r.uniform(0, 2 * math.pi), r.uniform(0.6, 0.9), r.uniform(0.03, 0.08)
    closing = r.uniform(10, 30) / 3600

    def joins(t: float) -> tuple[float, float, float]:
        x, y, z = lead(t)
        away = max(near, far - closing * max(t - 60, 0))
        return x + away * math.sin(angle), y + away * math.cos(angle), z - 100

    return _of(r, [lead, joins], 220)


def tow(r: Random) -> Encounter:
    """A glider behind its tug."""
    around, side = air(r, 0, 160), r.choice((-1, 1))
    lead = fly(
        around,
        r.uniform(58, 75),
        r.uniform(0, 360),
        1500,
        [Leg(50, 0, 450), Leg(40, 2.5 * side, 450), Leg(1e9, 0, 450)],
    )
    late = r.uniform(1.5, 2.2)

    def glider(t: float) -> tuple[float, float, float]:
        x, y, z = lead(max(t - late, 0.0))
        return x, y, z + 15

    return _of(r, [lead, glider], 160, {}, {"category": "B1"})


def _levels_off(r: Random, level: float, rate: float, at_s: float, seconds: int, around: Air) -> Path:
    """To a level, captured at ``at_s``; half of the fast ones have less than 1,500 ft/min for the last 1,000 ft."""
    brake = r.uniform(0.045, 0.075)
    slow = math.copysign(min(abs(rate), 1400.0), rate)
    last = 1000 / abs(slow) * 60 if r.random() < 0.5 and abs(rate) > 1500 else 0.0
    legs = (
        [Leg(max(at_s - last, 1.0), 0.0, rate), Leg(last, 0.0, slow), Leg(1e9)]
        if last
        else [Leg(at_s, 0.0, rate), Leg(1e9)]
    )
    speed = r.uniform(100, 200) if level < 10_000 else r.uniform(300, 460)
    path = fly(around, speed, r.uniform(0, 360), 0, legs, brake)
    return moved(path, 0, 0, level - path(seconds)[2])


def _selects(r: Random, level: float) -> dict[str, object]:
    if r.random() < 0.5:
        return {}
    qnh = 1013.2
    return {"nav_altitude_mcp": round(level / 64) * 64, "nav_qnh": qnh}


def level_off_below(r: Random) -> Encounter:
    """One climbs to, or descends to, 1,000 ft from another one in level flight."""
    around = air(r, 95, 120)
    level = r.choice((5_000, 8_000, 15_000, 24_000, 35_000))
    rate = r.uniform(500, 1500 if level < 10_000 else 2600) * r.choice((-1, 1))
    first = _levels_off(r, level, rate, 95 + r.uniform(-15, 15), 120, around)
    speed = r.uniform(100, 200) if level < 10_000 else r.uniform(300, 460)
    second = fly(around, speed, r.uniform(0, 360), level, [Leg(1e9)])
    second = placed(first, second, 95, r.uniform(0, 0.4), 0)
    second = moved(second, 0, 0, level + math.copysign(1000, rate) - second(0)[2])
    return _of(r, [first, second], 120, _selects(r, level))


def level_offs_1000_ft_apart(r: Random) -> Encounter:
    """One climbs, one descends, and they level off 1,000 ft apart."""
    around = air(r, 95, 120)
    level = r.choice((5_000, 8_000, 15_000, 24_000, 35_000))
    most = 1500 if level < 10_000 else 2600
    first = _levels_off(r, level, r.uniform(500, most), 95 + r.uniform(-15, 15), 120, around)
    second = _levels_off(r, level + 1000, -r.uniform(500, most), 95 + r.uniform(-15, 15), 120, around)
    height = second(95)[2]
    second = placed(first, second, 95, r.uniform(0, 0.4), 0)
    second = moved(second, 0, 0, height - second(95)[2])
    return _of(r, [first, second], 120, _selects(r, level), _selects(r, level + 1000))


def copy_of_a_relay(r: Random) -> Encounter:
    """One aircraft and what ADS-R, or a good TIS-B, makes of it under another address, seconds late."""
    around = air(r, 0, 160)
    side = r.choice((-1, 1))
    lead = fly(
        around, r.uniform(90, 250), r.uniform(0, 360), 5000, [Leg(50), Leg(30, 2.5 * side, 300), Leg(1e9, -0.8 * side)]
    )
    late = r.uniform(0.5, 8)
    source = r.choice(("adsr_other", "tisb_other", "tisb_trackfile", "adsr_icao"))

    def copy(t: float) -> tuple[float, float, float]:
        return lead(max(t - late, 0.0))

    encounter = _of(r, [lead, copy], 160, {}, {"type": source, "nic": 8, "nac_p": 8})
    encounter.aircraft[1].hex = "" if source == "adsr_icao" else "~"
    return encounter


def five_miles(r: Random) -> Encounter:
    around = air(r, 95, 115)
    level = r.choice((24_000, 31_000, 38_000))
    heading = r.uniform(0, 360)
    paths = [fly(around, r.uniform(380, 470), h, level, [Leg(1e9)]) for h in (heading, heading + r.uniform(30, 180))]
    return _of(r, [paths[0], placed(*paths, 95, r.uniform(4.6, 6.0), 0)], 115)


def a_thousand_feet(r: Random) -> Encounter:
    """Level, one above the other by the usual separation."""
    around = air(r, 95, 115)
    level = r.choice((3_000, 8_000, 16_000, 34_000))
    heading = r.uniform(0, 360)
    speeds = (80, 200) if level < 10_000 else (300, 470)
    paths = [fly(around, r.uniform(*speeds), h, level, [Leg(1e9)]) for h in (heading, heading + r.uniform(10, 350))]
    above = 500 if level < 10_000 and r.random() < 0.5 else 1000
    return _of(r, [paths[0], placed(*paths, 95, r.uniform(0, 0.5), above)], 115)


def in_trail(r: Random) -> Encounter:
    """One final, two to four miles apart; the one behind is faster until it slows down."""
    around, heading = air(r, 0, 180), r.uniform(0, 360)
    slow = r.uniform(80, 140)
    excess = r.uniform(10, 35)
    first = fly(around, slow, heading, 3000, [Leg(1e9, rate_fpm=-slow * 5)])
    legs = [Leg(r.uniform(40, 70), 0, -slow * 5), Leg(30, 0, -slow * 5, -excess / 30), Leg(1e9, 0, -slow * 5)]
    second = fly(around, slow + excess, heading, 3000, legs)
    behind = r.uniform(2.2, 4.0)
    angle = math.radians(heading)
    return _of(r, [first, moved(second, -behind * math.sin(angle), -behind * math.cos(angle), r.uniform(0, 500))], 180)


def turns_away(r: Random) -> Encounter:
    """One turns by 40 to 100 degrees and passes the other a mile and more away, as in circuits."""
    around = air(r, 110, 130)
    turn = r.uniform(2.0, 3.0) * r.choice((-1, 1))
    before = r.uniform(45, 70)
    lasts = r.uniform(40, 100) / abs(turn)
    first = fly(around, r.uniform(80, 130), r.uniform(0, 360), 2500, [Leg(110 - before), Leg(lasts, turn), Leg(1e9)])
    second = fly(around, r.uniform(80, 130), r.uniform(0, 360), 2500, [Leg(1e9)])
    for miss in (1.2, -1.2, 1.8, -1.8, 2.5, -2.5, 3.5):
        aside = placed(first, second, 110, miss, 0)
        if min(math.dist(first(t)[:2], aside(t)[:2]) for t in range(0, 131, 2)) >= 1.1:
            return _of(r, [first, aside], 130)
    return _of(r, [first, moved(second, 0, 0, 1200)], 130)


def departures(r: Random) -> Encounter:
    """Parallel runways, side by side, then apart by 15 degrees and more."""
    around, heading = air(r, 0, 130), r.uniform(0, 360)
    apart, side = r.uniform(0.3, 0.8), math.radians(heading + 90)
    paths = []
    for sign in (-1, 1):
        legs = [Leg(r.uniform(30, 60), 0, 1600), Leg(10, 1.5 * sign, 1800), Leg(1e9, 0, 1800)]
        path = fly(around, r.uniform(130, 170), heading, 700, legs)
        paths.append(moved(path, sign * apart / 2 * math.sin(side), sign * apart / 2 * math.cos(side), 0))
    return _of(r, paths, 130)


HARMLESS = (
    parallel_approaches, turns_onto_parallel_finals, formation, formation_joins, tow, level_off_below,
    level_offs_1000_ft_apart, copy_of_a_relay, five_miles, a_thousand_feet, in_trail, turns_away, departures,
)  # fmt: skip

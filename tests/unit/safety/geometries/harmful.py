"""Encounters that must be raised: two aircraft that are, or would be, inside the box around each other."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from tests.unit.safety.geometries.flying import (
    Encounter,
    Leg,
    Path,
    air,
    fly,
    placed,
    received,
    straight_on,
    turns_onto_finals,
)

LEVELS = (2_500, 4_000, 6_500, 9_000, 14_000, 24_000, 35_000)


def _speed(r: Random, altitude: float) -> float:
    return r.uniform(80, 230) if altitude < 10_000 else r.uniform(280, 470)


def _small(altitude: float) -> float:
    """Nearly the size of the box (nm)."""
    return 0.4 if altitude <= 10_000 else 0.4 + 2.5 * min((altitude - 10_000) / 9_500, 1)


def _pair(
    r: Random, first: Path, second: Path, closest_s: int, seconds: int, miss: float, vertical: float, lead_s: float,
    fields: tuple[dict[str, Any], dict[str, Any]] = ({}, {}), is_decided: bool = True,
) -> Encounter:  # fmt: skip
    second = placed(first, second, closest_s, miss, vertical)
    aircraft = [received(r, path, seconds, **of) for path, of in zip((first, second), fields, strict=True)]
    return Encounter(aircraft, seconds, True, lead_s, is_decided)


def _level(r: Random, least: float, most: float, **fields: Any) -> Encounter:
    """Two in level flight that cross at an angle."""
    around = air(r, 95, 112)
    altitude = r.choice(LEVELS)
    heading, angle = r.uniform(0, 360), r.uniform(least, most) * r.choice((-1, 1))
    paths = [fly(around, _speed(r, altitude), h, altitude, [Leg(1e9)]) for h in (heading, heading + angle)]
    miss, vertical = r.uniform(0, 0.8 * _small(altitude)), r.uniform(-250, 250)
    return _pair(r, *paths, 95, 112, miss, vertical, 25.0, (fields, {}))


def head_on(r: Random) -> Encounter:
    return _level(r, 160, 180)


def crossing(r: Random) -> Encounter:
    return _level(r, 30, 150)


def overtaking(r: Random) -> Encounter:
    """Nearly the same track, one faster by 15 kt and more."""
    around = air(r, 150, 165)
    altitude = r.choice(LEVELS)
    slow = r.uniform(80, 140) if altitude < 10_000 else r.uniform(280, 400)
    heading = r.uniform(0, 360)
    paths = [
        fly(around, speed, heading + turn, altitude, [Leg(1e9)])
        for speed, turn in ((slow, 0.0), (slow + r.uniform(15, 90), r.uniform(-5, 5)))
    ]
    miss, vertical = r.uniform(0, 0.25), r.uniform(-250, 250)
    return _pair(r, *paths, 150, 165, miss, vertical, 25.0)


def overtaking_on_final(r: Random) -> Encounter:
    """One final: the faster one behind, by less than 40 kt, above or below the slower one."""
    around = air(r, 170, 185)
    slow = r.uniform(65, 120)
    heading = r.uniform(0, 360)
    rate = -r.uniform(400, 700)
    paths = []
    for speed, turn in ((slow, 0.0), (slow + r.uniform(14, 39), r.uniform(-2, 2))):
        factor = speed / slow if r.random() < 0.5 else 1.0
        paths.append(fly(around, speed, heading + turn, 3000, [Leg(1e9, rate_fpm=rate * factor)]))
    return _pair(r, *paths, 170, 185, r.uniform(0, 0.08), r.uniform(-150, 150), 25.0)


def _selected(r: Random, altitude: float, rate: float, chance: float) -> dict[str, Any]:
    """What the crew has selected: beyond where the two meet."""
    if r.random() >= chance:
        return {}
    selected = altitude + math.copysign(r.uniform(1500, 8000), rate)
    qnh = r.uniform(990, 1035)
    if selected <= 18_000:
        selected += (qnh - 1013.25) * 27.3
    return {"nav_altitude_mcp": round(selected / 64) * 64, "nav_qnh": round(qnh, 1)}


def climb_and_descent(r: Random) -> Encounter:
    """One climbs and one descends, through each other's levels; half of them tell what they have selected."""
    around = air(r, 95, 112)
    altitude = r.choice(LEVELS[1:])
    most = 1200 if altitude < 10_000 else 2800
    rates = r.uniform(400, most), -r.uniform(400, most)
    heading = r.uniform(0, 360)
    paths = [
        fly(around, _speed(r, altitude), h, altitude, [Leg(1e9, rate_fpm=rate)])
        for h, rate in zip((heading, heading + r.uniform(20, 340)), rates, strict=True)
    ]
    fields = tuple(_selected(r, path(95)[2], rate, 0.5) for path, rate in zip(paths, rates, strict=True))
    miss, vertical = r.uniform(0, 0.7 * _small(paths[0](95)[2])), r.uniform(-200, 200)
    return _pair(r, *paths, 95, 112, miss, vertical, 25.0, fields, is_decided=all(fields))


def climb_through_a_level(r: Random) -> Encounter:
    """One climbs or descends through the level of another one; half of them tell what they have selected."""
    around = air(r, 95, 112)
    altitude = r.choice(LEVELS[1:])
    rate = r.uniform(400, 1200 if altitude < 10_000 else 2800) * r.choice((-1, 1))
    heading = r.uniform(0, 360)
    paths = [
        fly(around, _speed(r, altitude), h, altitude, [Leg(1e9, rate_fpm=of)])
        for h, of in ((heading, rate), (heading + r.uniform(20, 340), 0.0))
    ]
    fields = _selected(r, paths[0](95)[2], rate, 0.5)
    miss, vertical = r.uniform(0, 0.7 * _small(paths[0](95)[2])), r.uniform(-200, 200)
    return _pair(r, *paths, 95, 112, miss, vertical, 25.0, (fields, {}), is_decided=bool(fields))


def turning(r: Random) -> Encounter:
    """One turns, or both: the turn began 25 to 50 s before the closest point and goes on beyond it."""
    around = air(r, 95, 112)
    altitude = r.choice(LEVELS[:4])
    heading = r.uniform(0, 360)
    paths = []
    for turns in (True, r.random() < 0.3):
        began = 95 - r.uniform(25, 50)
        turn = r.uniform(1.0, 3.0) * r.choice((-1, 1)) if turns else 0.0
        legs = [Leg(began), Leg(1e9, turn)]
        paths.append(fly(around, r.uniform(80, 200), heading + r.uniform(0, 360), altitude, legs))
    return _pair(r, *paths, 95, 112, r.uniform(0, 0.2), r.uniform(-200, 200), 20.0)


def turned(r: Random) -> Encounter:
    """A turn by 30 to 120 degrees that ends 5 to 20 s before the closest point, and began 25 s before or earlier."""
    around = air(r, 95, 112)
    altitude = r.choice(LEVELS[:4])
    turn, ended = r.uniform(1.2, 3.0), r.uniform(5, 20)
    lasts = max(r.uniform(30, 120) / turn, 26 - ended)
    legs = [Leg(95 - ended - lasts), Leg(lasts, turn * r.choice((-1, 1))), Leg(1e9)]
    paths = [
        fly(around, r.uniform(80, 200), r.uniform(0, 360), altitude, legs),
        fly(around, r.uniform(80, 200), r.uniform(0, 360), altitude, [Leg(1e9)]),
    ]
    return _pair(r, *paths, 95, 112, r.uniform(0, 0.2), r.uniform(-200, 200), 20.0)


def through_the_parallel_final(r: Random) -> Encounter:
    """One is established, the other descends towards the parallel final and does not turn onto it."""
    around = air(r, 95, 112)
    heading = r.uniform(0, 360)
    speed = r.uniform(110, 165)
    angle = r.uniform(16, 30) * r.choice((-1, 1))
    first = fly(around, speed, heading, 3500, [Leg(1e9, rate_fpm=-speed * 5)])
    second = fly(around, speed + r.uniform(-10, 25), heading + angle, 3500, [Leg(1e9, rate_fpm=-speed * 5)])
    return _pair(r, first, second, 95, 112, r.uniform(0, 0.2), r.uniform(-150, 150), 15.0)


def overshoots_the_turn_to_final(r: Random) -> Encounter:
    """Both turn onto parallel finals, descending; one stops its turn 12 to 25 degrees before and crosses the other."""
    around = air(r, 110, 125)
    heading, side = r.uniform(0, 360), r.choice((-1, 1))
    speed, turn = r.uniform(100, 160), r.uniform(1.5, 3.0)
    left = r.uniform(12, 25)
    ways = []
    for of, angle, ends, begins in ((side, 0.0, 75, r.uniform(40, 90)), (-side, left, 85, r.uniform(50, 100))):
        lasts = (begins - angle) / turn
        legs = [Leg(max(ends - lasts, 1.0), 0.0, -500), Leg(lasts, turn * of, -600), Leg(1e9, 0.0, -650)]
        ways.append(fly(around, speed + r.uniform(-8, 8), heading - of * begins, 4000, legs))
    return _pair(r, *ways, 110, 125, r.uniform(0, 0.15), r.uniform(-150, 150), 15.0)


def base_legs_towards_each_other(r: Random) -> Encounter:
    """Opposite base legs of parallel finals that point at each other until both turn, 40 s and less before they would
    meet. Vertically they are not apart, as they have to be until both are established (ICAO Doc 4444, 6.7.3.2)."""
    around = air(r, 80, 130)
    while True:
        paths, turns_s = turns_onto_finals(r, around, 45, 90)
        until_s, miss_nm = straight_on(*paths, turns_s - 1)
        if miss_nm <= 0.4 and until_s <= 40:
            return Encounter([received(r, path, 130) for path in paths], 130, True, 15.0)


def crossing_with_ads_r(r: Random) -> Encounter:
    """One is heard by ADS-R, of good integrity."""
    return _level(r, 30, 180, type="adsr_icao", nic=8)


def crossing_with_good_tis_b(r: Random) -> Encounter:
    return _level(r, 30, 180, type="tisb_icao", nic=7, nac_p=8)


HARMFUL = (
    head_on, crossing, overtaking, overtaking_on_final, climb_and_descent, climb_through_a_level, turning, turned,
    through_the_parallel_final, overshoots_the_turn_to_final, base_legs_towards_each_other, crossing_with_ads_r,
    crossing_with_good_tis_b,
)  # fmt: skip

"""Ordinary situations that look dangerous to a naive eye, drawn with variations: nothing may be raised in them.

A situation is a function of a random generator; its aircraft are drawn around the origin (nm), some minutes long.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from random import Random

from tests.unit.safety.drawn import Drawn, straight

Path = Callable[[float], tuple[float, float, float]]
SECONDS = 240


def legs(start: tuple[float, float, float], *parts: tuple[float, float, float, float]) -> Path:
    """Legs flown one after the other: (seconds, knots, degrees, ft/min); the last one goes on for good."""
    corners = [(0.0, *start)]
    for seconds, speed, track, rate in parts:
        t, x, y, altitude = corners[-1]
        east, north = math.sin(math.radians(track)), math.cos(math.radians(track))
        way = speed * seconds / 3600
        corners.append((t + seconds, x + east * way, y + north * way, altitude + rate * seconds / 60))

    def path(t: float) -> tuple[float, float, float]:
        for before, after in pairwise(corners):
            if t <= after[0] or after is corners[-1]:
                share = (t - before[0]) / (after[0] - before[0])
                return tuple(a + share * (b - a) for a, b in zip(before[1:], after[1:], strict=True))
        raise AssertionError

    return path


def smooth(path: Path, seconds: float = 6.0) -> Path:
    """The same with its corners flown as turns."""
    at = [seconds * (n / 4 - 0.5) for n in range(5)]

    def turned(t: float) -> tuple[float, float, float]:
        places = [path(max(t + dt, 0.0)) for dt in at]
        return tuple(sum(values) / len(values) for values in zip(*places, strict=True))

    return turned


def offset(path: Path, x: float, y: float, altitude_ft: float = 0.0) -> Path:
    """A path moved aside."""

    def moved(t: float) -> tuple[float, float, float]:
        px, py, altitude = path(t)
        return px + x, py + y, altitude + altitude_ft

    return moved


def behind(path: Path, seconds: float) -> Path:
    """A path flown later; before that its first place is approached straight."""

    def late(t: float) -> tuple[float, float, float]:
        if t >= seconds:
            return path(t - seconds)
        here, ahead = path(0.0), path(1.0)
        return tuple(a + (b - a) * (t - seconds) for a, b in zip(here, ahead, strict=True))

    return late


def circle(radius_nm: float, period_s: float, phase: float, altitude_ft: float, rate_fpm: float = 0.0) -> Path:
    """Around the origin."""

    def path(t: float) -> tuple[float, float, float]:
        angle = 2 * math.pi * (t / period_s + phase)
        return radius_nm * math.cos(angle), radius_nm * math.sin(angle), altitude_ft + rate_fpm * t / 60

    return path


def light(path: Path, **fields: object) -> Drawn:
    """A light aircraft with ordinary ADS-B; ``tests`` give it an address."""
    return Drawn("", path, noise_m=8.0, fields={"category": "A1", **fields})


def airliner(path: Path, **fields: object) -> Drawn:
    return Drawn("", path, noise_m=5.0, fields={"category": "A3", **fields})


def formation_of_light_aircraft(r: Random) -> list[Drawn]:
    """Four that weave around their places by some tenths of a mile."""
    lead = smooth(legs((0, 0, 3000), (90, 120, 40, 300), (60, 120, 130, 0), (60, 120, 200, -200)), 12)

    def weaves(x: float, y: float, altitude_ft: float, period_s: float) -> Path:
        def path(t: float) -> tuple[float, float, float]:
            px, py, altitude = lead(t)
            swing = 0.08 * math.sin(2 * math.pi * t / period_s)
            return px + x + swing, py + y - swing, altitude + altitude_ft

        return path

    places = ((0.0, 0.0), (0.25, 0.2), (-0.25, 0.2), (0.0, 0.4))
    return [light(weaves(*place, r.uniform(-80, 80), r.uniform(60, 100))) for place in places]


def formation_takes_off(r: Random) -> list[Drawn]:
    """Two roll one after the other, and join while they climb."""
    gap = r.uniform(8, 15)

    def on_ground(until: float) -> Callable[[float], dict[str, object]]:
        return lambda t: {"alt_baro": "ground"} if t < until else {}

    path = legs((0, 0, 500), (20, 60, 90, 0), (120, 100, 90, 700), (60, 110, 60, 300))
    second = legs((0, 0, 500), (20, 60, 90, 0), (60, 112, 90, 700), (60, 100, 90, 700), (60, 110, 60, 300))
    aircraft = [light(path), light(behind(second, gap))]
    aircraft[0].changing, aircraft[1].changing = on_ground(20), on_ground(20 + gap)
    return aircraft


def military_formation(r: Random) -> list[Drawn]:
    """Four in trail close up, and break for the landing one after the other."""
    lead = smooth(legs((0, 0, 9000), (150, 300, 90, 0), (90, 280, 180, -800)), 10)
    fields = {"dbFlags": 1, "t": "HAWK"}
    return [
        light(offset(behind(lead, 3.0 * n), 0, r.uniform(-0.1, 0.1), 100 * n), flight=f"VIPER{n}", **fields)
        for n in range(4)
    ]


def refuelling(r: Random) -> list[Drawn]:
    """A fighter closes up to a tanker from three miles behind, climbs the last 1,000 ft, and leaves."""
    tanker = straight(0, 0, 25_000, 290, 90)
    closing = r.uniform(40, 90)

    def joins(t: float) -> tuple[float, float, float]:
        x, y, altitude = tanker(t)
        left = max(4.0 - closing * t / 3600, 0.03)
        return x - left, y, altitude - 1000 * min(left / 2, 1.0)

    return [
        light(tanker, dbFlags=1, t="K35R", flight="LAGR223"),
        light(joins, dbFlags=1, t="F16", flight="VIPER11"),
    ]


def parallel_approaches(r: Random) -> list[Drawn]:
    """Two finals: one established, the other intercepts 1,000 ft above."""
    apart, angle, ahead = r.uniform(0.55, 1.2), r.uniform(20, 30), r.uniform(-0.6, 0.6)
    one = legs((-12 + ahead, 0, 3000), (60, 170, 90, 0), (400, 145, 90, -760))
    way = 170 * 60 / 3600
    start = (-12 - 0, apart + way * math.sin(math.radians(angle)), 4000)
    two = smooth(legs(start, (60, 170, 90 + angle, 0), (25, 165, 90, 0), (400, 145, 90, -800)), 12)
    return [airliner(one), airliner(two)]


def visual_approaches_side_by_side(r: Random) -> list[Drawn]:
    """Runways 750 ft apart: the second one slides up to the first one."""
    speed = r.uniform(135, 150)
    one = legs((-8, 0, 2600), (400, speed, 90, -750))
    two = legs((-8.3, 0.6, 2700), (90, speed + 10, 97, -760), (400, speed, 90, -740))
    return [airliner(one), airliner(two)]


def tow_and_release(r: Random) -> list[Drawn]:
    """A tug with a glider, heard with different delays; after the release the tug dives away in a turn."""
    lead = smooth(legs((0, 0, 1500), (60, 65, 30, 500), (60, 65, 140, 500), (200, 65, 250, 400)), 14)
    release = r.uniform(140, 160)

    def tug(t: float) -> tuple[float, float, float]:
        if t < release:
            return lead(t)
        x, y, altitude = lead(release)
        later = t - release
        return x + 90 * later / 3600, y - 0.0002 * later**2, altitude - 1500 * later / 60

    def glider(t: float) -> tuple[float, float, float]:
        x, y, altitude = lead(max(t - 1.8, 0.0))
        return x, y, altitude + 15

    return [light(tug), Drawn("", glider, r.uniform(1, 3), 15.0, {"category": "B1"})]


def thermal(r: Random) -> list[Drawn]:
    return [
        Drawn(
            "", circle(r.uniform(0.06, 0.15), r.uniform(20, 26), r.random(), 4000 + 200 * n, 300), r.uniform(1, 4),
            15.0,
            {"category": "B1"} if n % 2 else {"category": None, "t": "GLID"},
        )
        for n in range(5)
    ]  # fmt: skip


def helicopters_at_a_pad(r: Random) -> list[Drawn]:
    arriving = legs((2, 0.3, 900), (100, 70, 262, -350), (40, 15, 262, -100), (200, 1, 0, 0))
    hovering = legs((0.1, 0.1, 160), (60, 2, 90, 0), (30, 30, 20, 400), (200, 90, 20, 300))
    turning = legs((0.15, -0.05, 150), (240, r.uniform(1, 5), r.uniform(0, 360), 0))
    types = ({"category": "A7"}, {"category": None, "t": "EC35"}, {"category": "A7"})
    return [
        Drawn("", path, r.uniform(1, 2), 8.0, fields)
        for path, fields in zip((arriving, hovering, turning), types, strict=True)
    ]


def copies(r: Random) -> list[Drawn]:
    """One aircraft, and what TIS-B, ADS-R and multilateration make of it under other addresses, seconds late."""
    path = smooth(legs((0, 0, 5500), (80, 130, 60, 0), (60, 130, 150, 300), (60, 130, 200, 0)), 10)
    late = [behind(path, r.uniform(1, 8)) for _ in range(3)]
    return [
        light(path, flight="N123AB"),
        Drawn("~", late[0], 3.0, 60.0, {"type": "tisb_trackfile", "nic": 0, "nac_p": 0}),
        Drawn("~", late[1], 1.0, 10.0, {"type": "adsr_other"}),
        Drawn("~", late[2], 2.0, 200.0, {"type": "mlat", "nic": None, "nac_p": None}),
    ]


def scatter_of_multilateration(r: Random) -> list[Drawn]:
    fields = {"type": "mlat", "nic": None, "nac_p": None, "category": None}
    return [
        Drawn("", straight(0, 1.5 * n, 8000 + 200 * n, 140, 80 + 10 * n), 2.0, r.uniform(150, 600), fields)
        for n in range(3)
    ]


def vehicles_and_taxiing_aircraft(r: Random) -> list[Drawn]:
    """Vehicles that report as if in flight, light aircraft without an air/ground switch, and one that lands."""
    around = [
        Drawn("", legs((r.uniform(-0.3, 0.3), 0.03 * n, 400), (60, 15, 90, 0), (60, 20, 270, 0), (200, 12, 180, 0)),
              2.0, 5.0, {"category": category, "alt_baro": 400 + 25 * (n % 2)})
        for n, category in enumerate(("C1", "C2", "C2", "A1", "A1", None))
    ]  # fmt: skip
    lands = light(legs((-3, 0.05, 1200), (140, 70, 90, -330), (30, 45, 90, 0), (200, 15, 180, 0)))
    return [*around, lands]


def drones(r: Random) -> list[Drawn]:
    return [
        Drawn("", circle(0.05 + 0.03 * n, r.uniform(30, 60), r.random(), 300 + 20 * n), 1.0, 3.0, {"category": "B6"})
        for n in range(5)
    ]


def parachute_planes(r: Random) -> list[Drawn]:
    """They climb, drop their jumpers, and dive home; another aircraft passes at a distance."""
    top = r.uniform(40, 60)
    jump = smooth(
        legs((0, 0, 11_500), (top, 100, 90, 1100), (50, 90, 90, 0), (100, 140, 270, -4500), (60, 120, 180, -1000)), 10
    )
    return [light(jump, t="PC6T"), light(straight(-6, 6, 6500, 110, 120))]


def different_pressure_settings(r: Random) -> list[Drawn]:
    """One tells its altitude above the sea, the other pressure altitude: they are 800 ft apart, and seem level."""
    way = 2.5
    one = light(straight(-way, 0, 5500, 130, 90), alt_geom=6300)
    two = light(straight(way, 0, 6300, 130, 270), alt_geom=7100, alt_baro=5500 + 25 * r.randint(-4, 4))
    return [one, two]


def encoders_with_steps_of_100_ft(r: Random) -> list[Drawn]:
    """Opposite directions 500 ft apart, which two coarse encoders show as 400 ft."""
    way, low = 2.5, 5500 + r.uniform(20, 49)
    one, two = light(straight(-way, 0, low, 130, 90)), light(straight(way, 0, low + 499, 130, 270))
    for aircraft in (one, two):
        aircraft.step_ft = 100.0
    return [one, two]


def time_skew_between_receivers(r: Random) -> list[Drawn]:
    """One aircraft by two receivers, one of whose clocks is late; another follows it 1.5 nm behind."""
    path = smooth(legs((0, 0, 4000), (100, 120, 70, 0), (60, 120, 160, 0), (80, 120, 70, 0)), 10)
    late = Drawn("same", path, 1.0, 8.0, {"category": "A1"}, receiver="late", late_s=r.uniform(3, 12))
    follower = light(behind(path, 45))
    follower.receiver = "late"
    first = light(path)
    first.hex = "same"
    return [first, late, follower]


def in_trail_to_one_runway(r: Random) -> list[Drawn]:
    """Three miles apart, the one behind faster until it slows down."""
    one = legs((-6, 0, 2000), (130, 140, 90, -760), (100, 130, 90, 0))
    two = legs((-9.2, 0, 3000), (60, r.uniform(170, 185), 90, -760), (200, 140, 90, -700))
    return [airliner(one), airliner(two)]


def crossing_with_radar_separation(r: Random) -> list[Drawn]:
    """Five miles at one flight level, all crossing angles."""
    angle, speeds = r.uniform(30, 180), (r.uniform(400, 480), r.uniform(400, 480))
    two = straight(0, 0, 35_000, speeds[1], 90 + angle)
    east = speeds[1] * math.cos(math.radians(angle)) - speeds[0]
    north = -speeds[1] * math.sin(math.radians(angle))
    relative = math.hypot(east, north)
    # After two minutes they are nearest, the one at right angles to their relative velocity from the other.
    x, y = 5.2 * -north / relative - east / 30, 5.2 * east / relative - north / 30
    return [airliner(straight(0, 0, 35_000, speeds[0], 90)), airliner(offset(two, x, y))]


def climb_below_another(r: Random) -> list[Drawn]:
    """Levels off 1,000 ft below with the rate that autopilots have, and 0.05 g."""
    rate = r.uniform(1200, 2600)
    top, a = 23_000.0, 1.6
    brake_s = rate / 60 / a

    def climbs(t: float) -> tuple[float, float, float]:
        left = 70 + brake_s / 2 - t
        if left >= brake_s / 2 + brake_s / 2:
            altitude = top - (left - brake_s / 2) * rate / 60
        else:
            altitude = top - a / 2 * max(left, 0.0) ** 2
        return -8 + 400 * t / 3600, 0.0, altitude

    return [airliner(climbs), airliner(straight(8, 0, 24_000, 430, 270))]


def circuit(r: Random) -> list[Drawn]:
    """Four in the circuit of an airfield, one behind the other."""
    wide, speed = r.uniform(0.9, 1.2), r.uniform(80, 95)
    side, across = 2.6 * 3600 / speed, wide * 3600 / speed
    lap = smooth(
        legs(
            (0, 0, 1500), (side, speed, 0, 0), (across, speed, 90, 0), (side, speed, 180, 0), (across, speed, 270, 0),
            (side, speed, 0, 0), (across, speed, 90, 0), (side, speed, 180, 0), (across, speed, 270, 0),
        ),
        14,
    )  # fmt: skip
    round_s = 2 * (side + across)

    def flown(phase: float) -> Path:
        return lambda t: lap((t + phase * round_s) % round_s + 0.0)

    return [light(flown(n / 4)) for n in range(4)]


def paired_departures(r: Random) -> list[Drawn]:
    """Parallel runways, side by side, then 15 degrees apart."""
    apart = r.uniform(0.4, 0.8)
    pair = []
    for side in (-1, 1):
        path = legs(
            (0, side * apart / 2, 500), (30, 150, 90, 1800), (60, 190, 90, 2200), (200, 240, 90 - 15 * side, 2000)
        )
        pair.append(airliner(path))
    return pair


def holding_stack(r: Random) -> list[Drawn]:
    """Four in a stack 1,000 ft apart, one of which descends to the level that is free."""
    stack = [airliner(circle(2.5, 240, r.random(), 8000 + 1000 * n + (1000 if n == 3 else 0))) for n in range(3)]
    descends = circle(2.5, 240, r.random(), 0)

    def steps(t: float) -> tuple[float, float, float]:
        x, y, _ = descends(t)
        return x, y, 12_000 - min(max(t - 60, 0) * 1000 / 60, 1000)

    return [*stack, airliner(steps)]


def holding_on_one_circle(r: Random) -> list[Drawn]:
    """Aircraft that orbit one point on the same circle at different levels, as over a fire."""
    return [light(circle(1.5, 100, n / 4 + r.uniform(0, 0.1), 6000 + 1000 * n)) for n in range(4)]


def hovering_near_a_runway(r: Random) -> list[Drawn]:
    """A helicopter hovers a quarter of a mile and more from a runway on which another one lands."""
    lands = legs((-3, 0, 1700), (100, r.uniform(80, 120), 90, -530), (20, 60, 90, 0), (300, 5, 90, 0))
    hovers = legs((0, r.choice((-1, 1)) * r.uniform(0.28, 0.42), 1000), (300, r.uniform(0, 5), 90, 0))
    return [light(lands), light(hovers, category="A7")]


def altitudes_that_jump(r: Random) -> list[Drawn]:
    """Opposite directions 2,000 ft apart; now and then one altitude is decoded as that of the other."""
    wrong = set(r.sample(range(5, 200, 8), 8))
    first = airliner(legs((-4, 0, 20_000), (300, 300, 90, 0)))
    second = airliner(legs((4, r.uniform(-0.5, 0.5), 22_000), (300, 300, 270, 0)))
    second.every_s, second.changing = 4.0, lambda t: {"alt_baro": 20_000} if t // 4 * 4 + 1 in wrong else {}
    return [first, second]


def taxiing_next_to_a_landing(r: Random) -> list[Drawn]:
    """A parallel taxiway: one with a switch on its gear, one without, and one that lands next to them."""
    lands = light(legs((-3, 0, 1500), (80, 120, 90, -560), (20, 70, 90, 0), (300, 20, 90, 0)))
    lands.changing = lambda t: {"alt_baro": "ground"} if t > 85 else {}
    taxi = [legs((r.uniform(-1, 0.5), y, 760), (300, r.uniform(5, 30), 270, 0)) for y in (-0.1, 0.1)]
    return [lands, light(taxi[0], alt_baro="ground"), light(taxi[1])]


SITUATIONS: tuple[Callable[[Random], list[Drawn]], ...] = (
    formation_of_light_aircraft, formation_takes_off, military_formation, refuelling, parallel_approaches,
    visual_approaches_side_by_side, tow_and_release, thermal, helicopters_at_a_pad, copies,
    scatter_of_multilateration, vehicles_and_taxiing_aircraft, drones, parachute_planes,
    different_pressure_settings, encoders_with_steps_of_100_ft, time_skew_between_receivers,
    in_trail_to_one_runway, crossing_with_radar_separation, climb_below_another, circuit, paired_departures,
    holding_stack, holding_on_one_circle, hovering_near_a_runway, altitudes_that_jump, taxiing_next_to_a_landing,
)  # fmt: skip

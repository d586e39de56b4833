"""Paths of drawn aircraft: flown through the air in legs, drifting with the wind, and received with gaps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.unit.safety.drawn import Drawn

Point = tuple[float, float, float]
Path = Callable[[float], Point]
STEP_S = 0.5
FEET_PER_G = 32.17


@dataclass(frozen=True)
class Leg:
    """So long (s) with a rate of turn (degrees/s), a vertical rate (ft/min) and a change of speed (kt/s)."""

    seconds: float
    turn: float = 0.0
    rate_fpm: float = 0.0
    speeding: float = 0.0


@dataclass(frozen=True)
class Air:
    """What the aircraft of an encounter share: the wind (kt east and north), and the time of the closest point."""

    east_kt: float
    north_kt: float
    closest_s: int
    seconds: int


def air(r: Random, closest_s: int, seconds: int) -> Air:
    """A wind of up to 40 kt."""
    speed, to = r.uniform(0, 40), r.uniform(0, 2 * math.pi)
    return Air(speed * math.sin(to), speed * math.cos(to), closest_s, seconds)


def fly(
    around: Air, speed_kt: float, heading: float, altitude_ft: float, legs: list[Leg], brake_g: float = 0.06
) -> Path:
    """A path through the origin; vertical rates change with ``brake_g``, and the last leg goes on."""
    x = y = 0.0
    z, rate = altitude_ft, legs[0].rate_fpm / 60
    points = [(x, y, z)]
    for number in range(int(around.seconds / STEP_S) + 8):
        leg = _leg_at(legs, number * STEP_S)
        heading += leg.turn * STEP_S
        speed_kt += leg.speeding * STEP_S
        wanted = leg.rate_fpm / 60
        change = brake_g * FEET_PER_G * STEP_S
        rate += max(-change, min(change, wanted - rate))
        x += (speed_kt * math.sin(math.radians(heading)) + around.east_kt) * STEP_S / 3600
        y += (speed_kt * math.cos(math.radians(heading)) + around.north_kt) * STEP_S / 3600
        z += rate * STEP_S
        points.append((x, y, z))

    def path(t: float) -> Point:
        place = max(0.0, min(t / STEP_S, len(points) - 1.001))
        index = int(place)
        share = place - index
        before, after = points[index], points[index + 1]
        return (
            before[0] + share * (after[0] - before[0]),
            before[1] + share * (after[1] - before[1]),
            before[2] + share * (after[2] - before[2]),
        )

    return path


def _leg_at(legs: list[Leg], t: float) -> Leg:
    for leg in legs:
        if t < leg.seconds:
            return leg
        t -= leg.seconds
    return legs[-1]


def moved(path: Path, dx: float, dy: float, dz: float) -> Path:
    """A path moved aside (nm, ft)."""

    def other(t: float) -> Point:
        x, y, z = path(t)
        return x + dx, y + dy, z + dz

    return other


def velocity(path: Path, t: float) -> tuple[float, float]:
    """Knots east and north."""
    here, ahead = path(t), path(t + 1.0)
    return (ahead[0] - here[0]) * 3600, (ahead[1] - here[1]) * 3600


def placed(first: Path, second: Path, t: float, miss_nm: float, vertical_ft: float) -> Path:
    """``second`` moved so that at ``t`` it passes ``first`` at a distance, at right angles to their relative velocity,
    and ``vertical_ft`` above it."""
    here, there = first(t), second(t)
    east, north = (b - a for a, b in zip(velocity(first, t), velocity(second, t), strict=True))
    length = math.hypot(east, north) or 1.0
    return moved(
        second,
        here[0] - there[0] - north / length * miss_nm,
        here[1] - there[1] + east / length * miss_nm,
        here[2] - there[2] + vertical_ft,
    )


def turns_onto_finals(r: Random, around: Air, least: float, most: float) -> tuple[list[Path], float]:
    """Two that descend and turn from both sides, by so many degrees, onto finals 0.4 to 1 nm apart; and when the first
    one begins to turn (s)."""
    heading, apart = r.uniform(0, 360), r.uniform(0.4, 1.0)
    paths, first_s = [], float("inf")
    for side in (-1, 1):
        speed, turn, begins = r.uniform(100, 160), r.uniform(1.5, 3.0), r.uniform(least, most)
        lasts = begins / turn
        legs = [Leg(80 + r.uniform(-12, 12) - lasts, 0.0, -500), Leg(lasts, side * turn, -600), Leg(1e9, 0.0, -650)]
        first_s = min(first_s, legs[0].seconds)
        # Who comes from the left turns left, onto the left final.
        path = fly(around, speed, heading - side * begins, 4000, legs)
        x, y, z = path(115)
        across = math.radians(heading + 90)
        offset, along = side * apart / 2, r.uniform(-0.6, 0.6)
        dx = math.sin(across) * offset + math.sin(math.radians(heading)) * along - x
        dy = math.cos(across) * offset + math.cos(math.radians(heading)) * along - y
        paths.append(moved(path, dx, dy, 3000 + r.uniform(-150, 150) - z))
    return paths, first_s


def straight_on(first: Path, second: Path, t: float) -> tuple[float, float]:
    """In what time (s) and how near (nm) two pass if both fly straight on from ``t``."""
    here, there = first(t), second(t)
    east, north = (b - a for a, b in zip(velocity(first, t), velocity(second, t), strict=True))
    dx, dy, speed = there[0] - here[0], there[1] - here[1], math.hypot(east, north) or 1.0
    return -(dx * east + dy * north) / speed**2 * 3600, abs(dx * north - dy * east) / speed


def received(r: Random, path: Path, seconds: int, **fields: Any) -> Drawn:
    """An aircraft as it is received: with noise, an interval of its own, lost messages and now and then a gap."""
    interval = r.choice((1.0, 1.0, 1.0, 2.0, 3.0, 5.0, 8.0))
    lost = r.choice((0.0, 0.0, 0.1, 0.3)) if interval <= 3 else 0.0
    gaps = [r.uniform(10, seconds) for _ in range(r.choice((0, 0, 1)))]
    length = r.uniform(4, 9)
    missing = {t for t in range(seconds + 2) if r.random() < lost or any(g <= t < g + length for g in gaps)}
    return Drawn(
        "", path, interval, r.uniform(3, 30), {"category": "A1", **fields}, phase_s=r.randint(0, 3),
        step_ft=r.choice((25.0, 25.0, 25.0, 100.0)), heard=lambda t: int(t) not in missing,
    )  # fmt: skip


@dataclass
class Encounter:
    """Two aircraft or more, whether they are in danger, and what is asked of the detection."""

    aircraft: list[Drawn]
    seconds: int
    harmful: bool
    # The lead that is asked (s), where the geometry allows it.
    lead_s: float = 25.0
    # Whether the altitudes at which both will level off are sent, or both are level.
    is_decided: bool = True
    notes: dict[str, float] = field(default_factory=dict)

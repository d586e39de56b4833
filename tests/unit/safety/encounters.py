"""Drawn encounters: two aircraft whose closest point of approach is known exactly."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from tests.unit.safety.drawn import Drawn, straight

LEAD_S = 100


@dataclass(frozen=True)
class DrawnEncounter:
    """Two aircraft that are closest ``LEAD_S`` after the start."""

    one: Drawn
    two: Drawn
    closest_nm: float
    vertical_ft: float
    altitude_ft: float
    crossing_deg: float
    closing_kt: float


def draw(number: int, random_: random.Random) -> DrawnEncounter:
    """An encounter: closest approach 0 to 2 nm and 0 to 1,500 ft, any crossing angle, level or climbing."""
    altitude = random_.choice((3_000, 6_000, 9_000, 15_000, 25_000, 35_000))
    speeds = [random_.uniform(90, 240) if altitude < 10_000 else random_.uniform(300, 480) for _ in range(2)]
    tracks = [random_.uniform(0, 360) for _ in range(2)]
    rates = [random_.choice((0.0, 0.0, random_.uniform(-2500, 2500))) for _ in range(2)]
    vertical = random_.uniform(0, 1500)
    velocity = [
        (speed * math.sin(math.radians(track)), speed * math.cos(math.radians(track)))
        for speed, track in zip(speeds, tracks, strict=True)
    ]
    # At the closest point the offset is at right angles to the relative velocity.
    dx, dy = velocity[1][0] - velocity[0][0], velocity[1][1] - velocity[0][1]
    length = math.hypot(dx, dy)
    closest = random_.uniform(0, 2)
    side = (-dy / length * closest, dx / length * closest)
    at_closest = ((0.0, 0.0, float(altitude)), (side[0], side[1], altitude + vertical))
    every = random_.uniform(1, 10)
    pair = []
    for index in range(2):
        x, y, alt = at_closest[index]
        back_h = LEAD_S / 3600
        path = straight(
            x - velocity[index][0] * back_h,
            y - velocity[index][1] * back_h,
            alt - rates[index] * LEAD_S / 60,
            speeds[index],
            tracks[index],
            rates[index],
        )
        pair.append(
            Drawn(f"{0xA00000 + number * 2 + index:06x}", path, every, 30.0, {"category": "A3"}, phase_s=index * 0.5)
        )
    crossing = abs((tracks[1] - tracks[0] + 180) % 360 - 180)
    return DrawnEncounter(pair[0], pair[1], closest, vertical, altitude, crossing, length)

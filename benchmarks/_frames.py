"""Mode S frames of many aircraft, with their times."""

from __future__ import annotations

from skywatch.core.geo import destination
from skywatch.receivers.mode_s.encoder import (
    airborne_position,
    all_call,
    identification,
    reply,
    reply_altitude_code,
    squitter,
    velocity,
)

Timed = tuple[float, bytes]


def airborne_traffic(aircraft: int, seconds: int) -> list[Timed]:
    """Position squitters of so many aircraft, even and odd in turn, two a second each."""
    frames = []
    for half_seconds in range(seconds * 2):
        for number in range(aircraft):
            at = half_seconds / 2 + number / aircraft / 2
            lat, lon = place(number, at)
            message = airborne_position(lat, lon, half_seconds % 2, 1000 + number * 75)
            frames.append((at, squitter(0x400000 + number * 97, message)))
    return frames


def place(number: int, at: float) -> tuple[float, float]:
    """Where an aircraft is at a time."""
    start_lat, start_lon = 42.0 + number % 25 * 0.4, -5.0 + number // 25 * 0.8
    lat, lon = destination(start_lat, start_lon, number * 37 % 360, (250 + number % 250) * at / 3600)
    return float(lat), float(lon)


def mixed_traffic(aircraft: int, seconds: int) -> list[Timed]:
    """What a receiver hears: positions, velocities, callsigns, all-call and surveillance replies."""
    mixed = []
    for count, (at, frame) in enumerate(airborne_traffic(aircraft, seconds)):
        address = int.from_bytes(frame[1:4], "big")
        mixed.append((at, frame))
        others = (
            squitter(address, velocity(count % 900 - 450, 300, 640, 500)),
            all_call(address),
            reply(4, address, reply_altitude_code(1000 + count % aircraft * 75)),
            reply(20, address, reply_altitude_code(1000 + count % aircraft * 75), register=count),
            squitter(address, identification(f"TST{count % aircraft}")),
        )
        mixed.append((at, others[count // aircraft % len(others)]))
    return mixed

"""A world of feeders: aircraft in the air, antennas on the ground, and what each antenna hears, made once."""

from __future__ import annotations

import dataclasses
import random
from functools import lru_cache

import numpy as np

from skywatch.core.geo import destination
from skywatch.receivers.framing.clock import TICKS_PER_S
from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.encoder import airborne_position, beast, identification, squitter, velocity

# A position and a velocity every half second and a callsign every five, as transponders send them.
HALF_S = 0.5
SPEED_KT = 450.0


@dataclasses.dataclass
class World:
    """``frames[t]`` are the transmissions of half second *t*, as Beast, with the aircraft that sent each; ``hears``
    ?[feeder, aircraft] is whom each feeder hears."""

    frames: list[list[tuple[int, bytes]]]
    hears: Column
    addresses: list[int]

    def bytes_of(self, feeder: int, half_second: int, miss: float, chance: random.Random) -> list[bytes]:
        """The transmissions of half a second that a feeder hears, but for a share that it misses."""
        hears = self.hears[feeder]
        return [frame for number, frame in self.frames[half_second] if hears[number] and chance.random() >= miss]


@lru_cache(maxsize=1 << 17)
def place(aircraft: int, half_second: int) -> tuple[float, float]:
    """A straight flight from a place of its own."""
    lat, lon = 30.0 + aircraft * 7919 % 2500 / 100, -10.0 + aircraft * 104729 % 4000 / 100
    lat, lon = destination(lat, lon, aircraft * 37 % 360, half_second * HALF_S * SPEED_KT / 3600)
    return float(lat), float(lon)


def make_world(feeders: int, hearers: int, frames_s: int, seconds: int, seed: int = 1) -> World:
    """Each aircraft is heard by about ``hearers`` antennas, each antenna hears about ``frames_s`` frames a second."""
    per_aircraft_s = 2.0 * (1 / HALF_S) + 0.2
    heard_by_each = max(1, round(frames_s / per_aircraft_s))
    aircraft = max(1, round(feeders * heard_by_each / hearers))
    # Neighbours hear the same: antennas and aircraft stand on one ring, each antenna hears an arc of it.
    hears = np.zeros((feeders, aircraft), np.bool_)
    for feeder in range(feeders):
        first = round(feeder * aircraft / feeders)
        hears[feeder, (first + np.arange(min(heard_by_each, aircraft))) % aircraft] = True
    chance = random.Random(seed)
    addresses = [0x400000 + number * 97 for number in range(aircraft)]
    frames = []
    for half_second in range(round(seconds / HALF_S)):
        sent = []
        for number, address in enumerate(addresses):
            lat, lon = place(number, half_second)
            altitude_ft = 20_000 + number % 200 * 100
            sent.append((number, squitter(address, airborne_position(lat, lon, half_second % 2, altitude_ft))))
            sent.append((number, squitter(address, velocity(200 + half_second % 50, 300))))
            if (half_second + number) % 10 == 0:
                sent.append((number, squitter(address, identification(f"TST{number}"))))
        chance.shuffle(sent)
        at_ticks = int(half_second * HALF_S * TICKS_PER_S) + 1
        step = int(HALF_S * TICKS_PER_S / len(sent))
        frames.append([(number, beast(frame, at_ticks + n * step)) for n, (number, frame) in enumerate(sent)])
    return World(frames, hears, addresses)


def as_beast(frames: list[bytes], half_second: int) -> list[bytes]:
    """Frames of a half second as Beast."""
    ticks = int(half_second * HALF_S * TICKS_PER_S) + 1
    return [beast(frame, ticks + number * 600) for number, frame in enumerate(frames)]

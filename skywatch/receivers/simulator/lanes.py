"""Lanes of overflights: at each flight level all aircraft fly in one direction, side by side and in trail.

Odd levels lead east and even ones west (ICAO Annex 2, appendix 3, with reduced vertical minima). The lanes of a level
are parallel, so that nobody on them meets, however long they fly; an aircraft joins a lane when the one before is
``IN_TRAIL_NM`` ahead.
"""

from __future__ import annotations

import numpy as np

from skywatch.core import geo
from skywatch.receivers.simulator.paths import Path, frame, lane
from skywatch.receivers.simulator.placement import Kind, SimulatedFlight

# Radar separation is 5 nm (ICAO Doc 4444, 8.7.3); the detectors' box has 3 nm.
LATERAL_NM, IN_TRAIL_NM = 5.0, 8.0
LOWEST, HIGHEST = 29, 41  # thousands of feet
SLOWEST_KT, FASTEST_KT = 430.0, 500.0
# Further from the middle of a level than this (degrees) lanes would be too curved, and slow.
WIDEST_DEG = 45.0
MIN_NM = 4.0


class Lanes:
    """The lanes of all levels within ``radius_nm`` of a centre, and when each can be joined again."""

    def __init__(
        self, generator: np.random.Generator, centre: tuple[float, float], radius_nm: float, now: float
    ) -> None:
        self._generator = generator
        self._now = now
        levels = range(LOWEST, HIGHEST + 1)
        headings = [generator.uniform(10, 170) + (0 if level % 2 else 180) for level in levels]
        self._frames = [frame(*centre, heading) for heading in headings]
        left_nm, half_nm = _chords(radius_nm)
        count = len(levels)
        self._level = np.repeat(np.arange(count), len(left_nm))
        self._left_nm, self._half_nm = np.tile(left_nm, count), np.tile(half_nm, count)
        self._speed_kt = generator.uniform(SLOWEST_KT, FASTEST_KT, len(self._level))
        # Aircraft of a lane that are on their way at the start are whole intervals behind this one.
        self._first_nm = generator.uniform(0, IN_TRAIL_NM, len(self._level))
        self._joined_at = now - self._first_nm / self._speed_kt * 3600
        # One less than there is room for: around the whole Earth the last one flies ahead of the first.
        self._slots = np.maximum((2 * self._half_nm - self._first_nm) / IN_TRAIL_NM, 1).astype(int)
        self._ends = np.cumsum(self._slots)
        self._waiting: list[int] | None = None

    @property
    def capacity(self) -> int:
        """How many aircraft have room at once."""
        return int(self._ends[-1])

    def prepare(self, count: int) -> None:
        """Draw the places of the first ``count`` aircraft."""
        self._waiting = self._generator.choice(self.capacity, min(count, self.capacity), replace=False).tolist()

    def anywhere(self) -> SimulatedFlight | None:
        """A place somewhere on a lane, as everybody has at the start."""
        if not self._waiting:
            return None
        slot = self._waiting.pop()
        which = int(np.searchsorted(self._ends, slot, side="right"))
        number = slot - (self._ends[which] - self._slots[which])
        return self._place(which, self._first_nm[which] + number * IN_TRAIL_NM, self._now)

    def enter(self, now: float) -> SimulatedFlight | None:
        """A place at the beginning of a lane that has room."""
        open_lanes = np.flatnonzero((now - self._joined_at) * self._speed_kt >= IN_TRAIL_NM * 3600)
        if not len(open_lanes):
            return None
        which = int(self._generator.choice(open_lanes))
        self._joined_at[which] = now
        return self._place(which, 0.0, now)

    def _place(self, which: int, flown_nm: float, now: float) -> SimulatedFlight:
        level, speed_kt, half_nm = int(self._level[which]), float(self._speed_kt[which]), float(self._half_nm[which])
        path: Path = lane(self._frames[level], float(self._left_nm[which]), -half_nm)
        began_at = now - flown_nm / speed_kt * 3600
        is_endless = half_nm >= np.pi * path.arc_nm * (1 - 1e-9)
        ends_at = np.inf if is_endless else began_at + 2 * half_nm / speed_kt * 3600
        return SimulatedFlight(Kind.OVERFLIGHT, path, began_at, ends_at, speed_kt, 1000.0 * (LOWEST + level))


def capacity(radius_nm: float) -> int:
    """How many aircraft have room on the lanes within a radius, about."""
    return int((2 * _chords(radius_nm)[1] / IN_TRAIL_NM).sum() * (HIGHEST - LOWEST + 1))


def _chords(radius_nm: float) -> tuple[np.ndarray, np.ndarray]:
    """Distance of each lane from the middle one, and half its length within the radius (nm)."""
    radius = min(radius_nm / geo.EARTH_RADIUS_NM, np.pi)
    widest = min(radius, np.radians(WIDEST_DEG)) * geo.EARTH_RADIUS_NM
    count = int(widest / LATERAL_NM)
    left_nm = np.arange(-count, count + 1) * LATERAL_NM
    cosine = np.cos(left_nm / geo.EARTH_RADIUS_NM)
    half_nm = np.arccos(np.clip(np.cos(radius) / cosine, -1, 1)) * cosine * geo.EARTH_RADIUS_NM
    is_long = half_nm > MIN_NM
    return left_nm[is_long], half_nm[is_long]

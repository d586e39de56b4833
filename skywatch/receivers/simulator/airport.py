"""The airport in the middle and shuttles between airfields around it: aircraft in trail on profiles.

Who flies one profile ``HEADWAY_S`` after another keeps that interval, and with it more than the separation of its
altitude. Arrivals come from one side of the airport and departures leave to the other one, below the lanes of
overflights. A shuttle has a strip of airspace of its own with a lane for each direction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skywatch.core import geo
from skywatch.receivers.simulator.paths import THRESHOLD_NM, Column, Path, Profile, frame, lane, profile
from skywatch.receivers.simulator.placement import ARRIVING, DEPARTING, SHUTTLE, Kind, SimulatedFlight

HEADWAY_S = 75.0
# Arrivals and departures fly within this angle (degrees) of the runway, and no further (nm).
SECTOR_DEG, FARTHEST_NM = 40.0, 250.0
ARRIVING_FT, ARRIVING_KT = 26_000.0, 430.0
DEPARTING_FT, DEPARTING_KT = 27_000.0, 440.0
SHUTTLE_FT, SHUTTLE_KT, SHUTTLE_NM = 16_000.0, 340.0, 96.0
# A strip with its margins, the distance of its lanes from its middle, and how far from the airport it lies (nm):
# there arrivals and departures are above it.
STRIP_LONG_NM, STRIP_WIDE_NM, STRIP_LANE_NM, STRIP_AWAY_NM = 112.0, 12.0, 2.5, 62.0


@dataclass(frozen=True)
class Strip:
    """A strip of airspace: its middle, in nm along the runway and to the left of it."""

    along_nm: float
    left_nm: float

    def contains(self, along_nm: Column, left_nm: Column, margin_nm: float) -> Column:
        """Whether places are in the strip or within the margin."""
        is_near = np.abs(left_nm - self.left_nm) < STRIP_WIDE_NM / 2 + margin_nm
        return is_near & (np.abs(along_nm - self.along_nm) < STRIP_LONG_NM / 2 + margin_nm)


class Stream:
    """Aircraft in trail on one profile; those that are on their way at the start have slots of their own."""

    def __init__(self, generator: np.random.Generator, flown: Profile, now: float) -> None:
        self._now = now
        self._duration_s = flown.duration_s
        first_s = float(generator.uniform(0, HEADWAY_S))
        self._joined_at = now - first_s
        ages = np.arange(first_s, flown.duration_s, HEADWAY_S)
        self._waiting: list[float] = generator.permutation(ages).tolist()

    def join(self, now: float, entering: bool) -> float | None:
        """When the next aircraft began (unix seconds); None where there is no room."""
        if not entering:
            return self._now - self._waiting.pop() if self._waiting else None
        if now - self._joined_at < HEADWAY_S:
            return None
        self._joined_at = now
        return now


class Airport:
    """Arrivals, departures and shuttles around a centre; the runway has a true ``heading_deg``."""

    def __init__(
        self, generator: np.random.Generator, centre: tuple[float, float], radius_nm: float, shuttled: int, now: float
    ) -> None:
        self._generator = generator
        self._centre = centre
        self.heading_deg = float(generator.uniform(0, 360))
        self.profiles = profiles(radius_nm)
        departing, arriving, shuttle = self.profiles
        self._arrivals, self._departures = Stream(generator, arriving, now), Stream(generator, departing, now)
        in_trail = int(shuttle.duration_s / HEADWAY_S)
        aircraft = shuttled - int((arriving.duration_s + departing.duration_s) / HEADWAY_S)
        all_strips = _strips(radius_nm)
        chosen = generator.permutation(len(all_strips))[: max(0, -(-aircraft // (2 * in_trail)))]
        self.strips = [all_strips[index] for index in sorted(chosen.tolist())]
        self._shuttles = [
            (Stream(generator, shuttle, now), self._shuttle_path(strip, direction))
            for strip in self.strips
            for direction in (1, -1)
        ]

    def arrive(self, now: float, entering: bool) -> SimulatedFlight | None:
        """A place among the arrivals."""
        return self._join(Kind.ARRIVAL, self._arrivals, None, ARRIVING, now, entering)

    def depart(self, now: float, entering: bool) -> SimulatedFlight | None:
        """A place among the departures."""
        return self._join(Kind.DEPARTURE, self._departures, None, DEPARTING, now, entering)

    def shuttle(self, kind: Kind, now: float, entering: bool) -> SimulatedFlight | None:
        """A position of a shuttle flight; ``kind`` is only its label."""
        for index in self._generator.permutation(len(self._shuttles)).tolist():
            stream, path = self._shuttles[index]
            place = self._join(kind, stream, path, SHUTTLE, now, entering)
            if place is not None:
                return place
        return None

    def _join(
        self, kind: Kind, stream: Stream, path: Path | None, number: int, now: float, entering: bool
    ) -> SimulatedFlight | None:
        began_at = stream.join(now, entering)
        if began_at is None:
            return None
        if path is None:
            aside = float(self._generator.uniform(-SECTOR_DEG, SECTOR_DEG))
            path = radial(self._centre, self.heading_deg + aside, self.profiles[number], kind is Kind.ARRIVAL)
        return SimulatedFlight(kind, path, began_at, began_at + self.profiles[number].duration_s, profile=number)

    def _shuttle_path(self, strip: Strip, direction: int) -> Path:
        heading = frame(*self._centre, self.heading_deg + (0 if direction == 1 else 180))
        left_nm = strip.left_nm * direction - STRIP_LANE_NM
        return lane(heading, left_nm, strip.along_nm * direction - SHUTTLE_NM / 2)


def profiles(radius_nm: float) -> tuple[Profile, Profile, Profile]:
    """The profiles of departures, arrivals and shuttles in their order in ``placement``."""
    length_nm = min(radius_nm * 0.95, FARTHEST_NM)
    return (
        profile(length_nm, DEPARTING_FT, DEPARTING_KT, climbs=True, descends=False),
        profile(length_nm - THRESHOLD_NM, ARRIVING_FT, ARRIVING_KT, climbs=False, descends=True),
        profile(SHUTTLE_NM, SHUTTLE_FT, SHUTTLE_KT, climbs=True, descends=True),
    )


def radial(centre: tuple[float, float], heading_deg: float, flown: Profile, is_arrival: bool) -> Path:
    """A way to the airport, or from it, that is flown with about this heading."""
    if not is_arrival:
        return lane(frame(*centre, heading_deg), 0.0, THRESHOLD_NM)
    return lane(frame(*centre, heading_deg), 0.0, -float(flown.flown_nm[-1]) - THRESHOLD_NM)


def is_in_sector(aside_deg: Column, distance_nm: Column, margin_nm: float) -> Column:
    """Whether places lie in a sector or within the margin; ``aside_deg`` is measured from the sector's middle."""
    beyond = np.abs((aside_deg + 180) % 360 - 180) - SECTOR_DEG
    is_near = (beyond < 90) & (distance_nm * np.sin(np.radians(np.clip(beyond, 0, 90))) < margin_nm)
    result: Column = (distance_nm < margin_nm) | is_near
    return result


def _strips(radius_nm: float) -> list[Strip]:
    """All strips that have room within the radius and next to the airport: rows along the runway."""
    outer_nm = min(radius_nm * 0.98, geo.EARTH_RADIUS_NM * 0.2)
    rows = int(outer_nm / STRIP_WIDE_NM) + 1
    strips = []
    for left in (np.arange(-rows, rows) + 0.5) * STRIP_WIDE_NM:
        near, far = abs(left) - STRIP_WIDE_NM / 2, abs(left) + STRIP_WIDE_NM / 2
        half = np.sqrt(max(outer_nm**2 - far**2, 0.0))
        if near >= STRIP_AWAY_NM:
            count = int(2 * half / STRIP_LONG_NM)
            strips += [Strip((number - (count - 1) / 2) * STRIP_LONG_NM, left) for number in range(count)]
            continue
        first = np.sqrt(STRIP_AWAY_NM**2 - near**2) + STRIP_LONG_NM / 2
        count = max(int((half - first) / STRIP_LONG_NM + 0.5), 0)
        along = [first + number * STRIP_LONG_NM for number in range(count)]
        strips += [Strip(sign * at, left) for at in along for sign in (-1, 1)]
    return strips

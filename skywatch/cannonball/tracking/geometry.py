"""Velocities and closing speeds, on a plane, which is accurate enough for a hundred miles."""

from __future__ import annotations

import math
from typing import NamedTuple

NM_PER_DEGREE = 60.0
SECONDS_PER_HOUR = 3600.0


class Velocity(NamedTuple):
    """A velocity over ground (kt)."""

    north_kt: float
    east_kt: float


STILL = Velocity(0.0, 0.0)


def velocity_of(speed_kt: float, track_deg: float) -> Velocity:
    """The velocity of a speed along a true track."""
    angle = math.radians(track_deg)
    return Velocity(speed_kt * math.cos(angle), speed_kt * math.sin(angle))


def velocity_between(lat1: float, lon1: float, lat2: float, lon2: float, seconds: float) -> Velocity:
    """The velocity from one point to another in this time (equirectangular approximation)."""
    hours = seconds / SECONDS_PER_HOUR
    north_nm = (lat2 - lat1) * NM_PER_DEGREE
    dlon = (lon2 - lon1 + 180.0) % 360.0 - 180.0
    east_nm = dlon * NM_PER_DEGREE * math.cos(math.radians((lat1 + lat2) / 2))
    return Velocity(north_nm / hours, east_nm / hours)


def closing_speed_kt(aircraft: Velocity, user: Velocity, bearing_deg: float) -> float:
    """The closing speed (kt, positive when approaching).

    The relative velocity projected onto the line of sight from the user to the aircraft at this true bearing.
    """
    angle = math.radians(bearing_deg)
    north_kt, east_kt = aircraft.north_kt - user.north_kt, aircraft.east_kt - user.east_kt
    return -(north_kt * math.cos(angle) + east_kt * math.sin(angle))


def smoothed(before: float | None, now: float, seconds: float, time_constant_s: float) -> float:
    """One step of an exponential moving average with this time constant."""
    if before is None:
        return now
    return before + (now - before) * (1.0 - math.exp(-max(seconds, 0.0) / time_constant_s))


def arrival_s(distance_nm: float, closing_kt: float) -> float:
    """The time to arrival at this closing speed (s); infinite if the distance does not shrink."""
    return distance_nm / closing_kt * SECONDS_PER_HOUR if closing_kt > 1.0 else math.inf


_POINTS = (
    "north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west",
)  # fmt: skip


def compass_point(bearing_deg: float) -> str:
    """A bearing in words."""
    return _POINTS[round(bearing_deg / 45.0) % 8]

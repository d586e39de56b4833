"""Velocities and closing speeds, on a plane, which is accurate enough for a hundred miles."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from skywatch.sentences import Sentence, sentence

NM_PER_DEGREE = 60.0
SECONDS_PER_HOUR = 3600.0


class Velocity(NamedTuple):
    """A velocity over ground (kt), or arrays of them."""

    north_kt: Any
    east_kt: Any


STILL = Velocity(0.0, 0.0)


def velocity_of(speed_kt: Any, track_deg: Any) -> Velocity:
    """The velocity of a speed along a true track; of arrays, too."""
    angle = np.radians(track_deg)
    return Velocity(speed_kt * np.cos(angle), speed_kt * np.sin(angle))


def velocity_between(lat1: float, lon1: float, lat2: float, lon2: float, seconds: float) -> Velocity:
    """The velocity from one point to another in this time (equirectangular approximation)."""
    hours = seconds / SECONDS_PER_HOUR
    north_nm = (lat2 - lat1) * NM_PER_DEGREE
    dlon = (lon2 - lon1 + 180.0) % 360.0 - 180.0
    east_nm = dlon * NM_PER_DEGREE * math.cos(math.radians((lat1 + lat2) / 2))
    return Velocity(north_nm / hours, east_nm / hours)


def closing_speed_kt(aircraft: Velocity, user: Velocity, bearing_deg: Any) -> Any:
    """The closing speed (kt, positive when approaching); of arrays, too.

    The relative velocity projected onto the line of sight from the user to the aircraft at this true bearing.
    """
    angle = np.radians(bearing_deg)
    north_kt, east_kt = aircraft.north_kt - user.north_kt, aircraft.east_kt - user.east_kt
    return -(north_kt * np.cos(angle) + east_kt * np.sin(angle))


def smoothed(before: Any, now: Any, seconds: Any, time_constant_s: float) -> Any:
    """One step of an exponential moving average with this time constant; ``before`` is nan at the first one."""
    step = before + (now - before) * (1.0 - np.exp(-np.maximum(seconds, 0.0) / time_constant_s))
    return np.where(np.isnan(before), now, step)[()]


def arrival_s(distance_nm: Any, closing_kt: Any) -> Any:
    """The time to arrival at this closing speed (s); infinite if the distance does not shrink. Of arrays, too."""
    return np.where(closing_kt > 1.0, distance_nm / np.maximum(closing_kt, 1.0) * SECONDS_PER_HOUR, math.inf)[()]


_POINTS = (
    sentence("compass.n", "north"),
    sentence("compass.ne", "north-east"),
    sentence("compass.e", "east"),
    sentence("compass.se", "south-east"),
    sentence("compass.s", "south"),
    sentence("compass.sw", "south-west"),
    sentence("compass.w", "west"),
    sentence("compass.nw", "north-west"),
)


def compass_point(bearing_deg: float) -> Sentence:
    """A bearing in words."""
    return _POINTS[round(bearing_deg / 45.0) % 8]

"""Paths of simulated aircraft: circles on the sphere flown at a constant speed or by a profile, solved for any time.

A point of a circle is ``c + u cos(angle) + v sin(angle)`` with vectors of three numbers in a sphere of radius 1: great
circles, circles parallel to one (lanes) and small circles around a place are the same formula. Because nothing is
integrated, what keeps apart on paper always keeps apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from skywatch.core import geo

Column = npt.NDArray[Any]

DESCENT_FT_PER_NM = 318.0  # three degrees
# Speed and altitude at the runway, and where profiles begin and end (nm from it).
APPROACH_KT, THRESHOLD_FT, THRESHOLD_NM = 140.0, 450.0, 0.8
CLIMB_FPM, CLIMB_LOSS_FPM = 2600.0, 1700.0
STEP_S = 1.0


class Path(NamedTuple):
    """A circle and the place on it (``angle``, radians) where it begins; ``arc_nm`` is its length for each radian."""

    c: Column
    u: Column
    v: Column
    arc_nm: float
    angle: float


class Frame(NamedTuple):
    """Unit vectors at a place: up, ahead in some direction, and to the left of it."""

    up: Column
    ahead: Column
    left: Column


def frame(lat: float, lon: float, heading_deg: float) -> Frame:
    """The frame at a place for a true heading."""
    phi, lam, heading = np.radians((lat, lon, heading_deg))
    up = np.array((np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)))
    north = np.array((-np.sin(phi) * np.cos(lam), -np.sin(phi) * np.sin(lam), np.cos(phi)))
    east = np.array((-np.sin(lam), np.cos(lam), 0.0))
    ahead = north * np.cos(heading) + east * np.sin(heading)
    # The cross product, written out: for single vectors `np.cross` takes ten times as long.
    left = up[[1, 2, 0]] * ahead[[2, 0, 1]] - up[[2, 0, 1]] * ahead[[1, 2, 0]]
    return Frame(up, ahead, left)


def lane(at: Frame, left_nm: float, start_nm: float) -> Path:
    """A line ``left_nm`` to the left of the great circle of a frame, from ``start_nm`` ahead of its place on."""
    offset = left_nm / geo.EARTH_RADIUS_NM
    arc_nm = geo.EARTH_RADIUS_NM * np.cos(offset)
    return Path(at.left * np.sin(offset), at.up * np.cos(offset), at.ahead * np.cos(offset), arc_nm, start_nm / arc_nm)


def orbit(at: Frame, radius_nm: float, clockwise: bool, angle: float) -> Path:
    """A circle around a place."""
    radius = radius_nm / geo.EARTH_RADIUS_NM
    side = at.left * (-np.sin(radius) if clockwise else np.sin(radius))
    return Path(at.up * np.cos(radius), at.ahead * np.sin(radius), side, geo.EARTH_RADIUS_NM * np.sin(radius), angle)


def locate(c: Column, u: Column, v: Column, angle: Column) -> tuple[Column, Column, Column]:
    """Latitude, longitude and true track (degrees) at angles of circles; vectors are rows of (n, 3)."""
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    x, y, z = (c + u * cos + v * sin).T
    dx, dy, dz = (v * cos - u * sin).T
    across = np.hypot(x, y)
    # The velocity's components along east, (-y, x, 0) / across, and north, (-x z, -y z, across^2) / across.
    track = np.degrees(np.arctan2(x * dy - y * dx, dz * across * across - z * (x * dx + y * dy))) % 360
    return np.degrees(np.arctan2(z, across)), np.degrees(np.arctan2(y, x)), track


@dataclass(frozen=True)
class Profile:
    """Distance flown (nm), altitude (ft), ground speed (kt) and vertical rate (ft/min), a row for each second.

    All who fly a profile one after the other keep their interval, and so their distance, whatever they do.
    """

    flown_nm: Column
    alt_ft: Column
    gs_kt: Column
    rate_fpm: Column

    @cached_property
    def duration_s(self) -> float:
        """How long the flight takes."""
        return (len(self.flown_nm) - 1) * STEP_S

    def at(self, elapsed_s: Column) -> tuple[Column, Column, Column, Column]:
        """The four columns at these times after the beginning."""
        seconds = np.arange(len(self.flown_nm)) * STEP_S
        columns = (self.flown_nm, self.alt_ft, self.gs_kt, self.rate_fpm)
        flown, alt, gs, rate = (np.interp(elapsed_s, seconds, column) for column in columns)
        return flown, alt, gs, rate


def profile(length_nm: float, cruise_ft: float, cruise_kt: float, *, climbs: bool, descends: bool) -> Profile:
    """A flight of ``length_nm`` that begins and ends at a runway, or in cruise."""
    flown, altitude = [0.0], [_altitude(0.0, length_nm, cruise_ft, climbs, descends)]
    climbed = altitude[0]
    while flown[-1] < length_nm:
        flown.append(flown[-1] + float(_speed(altitude[-1], cruise_ft, cruise_kt)) * STEP_S / 3600)
        climbed = min(climbed + _climb_fpm(climbed, cruise_ft) * STEP_S / 60, cruise_ft)
        ceiling = _altitude(flown[-1], length_nm, cruise_ft, False, descends)
        altitude.append(min(climbed, ceiling) if climbs else ceiling)
    alt = np.array(altitude)
    rate = np.gradient(alt, STEP_S) * 60
    return Profile(np.array(flown), alt, _speed(alt, cruise_ft, cruise_kt), rate)


def _altitude(flown_nm: float, length_nm: float, cruise_ft: float, climbs: bool, descends: bool) -> float:
    altitude = THRESHOLD_FT if climbs else cruise_ft
    if descends:
        altitude = min(altitude, THRESHOLD_FT + DESCENT_FT_PER_NM * max(length_nm - flown_nm, 0.0))
    return altitude


def _speed(alt_ft: Any, cruise_ft: float, cruise_kt: float) -> Any:
    return APPROACH_KT + (cruise_kt - APPROACH_KT) * np.clip(alt_ft / cruise_ft, 0, 1) ** 0.6


def _climb_fpm(alt_ft: float, cruise_ft: float) -> float:
    return CLIMB_FPM - CLIMB_LOSS_FPM * alt_ft / cruise_ft

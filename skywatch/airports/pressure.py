"""How high aircraft are over the sea: pressure altitudes corrected by what is known of the local pressure.

Transponders send the altitude of the standard atmosphere. What the pressure of a place adds to it is learnt from the
pressure that crews have set, from the altitude at which aircraft leave or reach the ground of an airport, and, where
the geoid's distance from the ellipsoid was learnt in the same ways, from heights by GNSS.
"""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from typing import NamedTuple

import numpy as np

from skywatch.airports.directory import Column
from skywatch.airports.lines import Lines

# Crews set the local pressure below the transition level: above this (ft) it may be the standard.
QNH_BELOW_FT = 6_000.0
HOUR_S = 3_600
# The begin of an hour (unix s), and the whole degrees of a place.
Place = tuple[int, int, int]
# A value counts for an hour, in its cell of a degree and the eight around.
_MEMORY_S = 3_600.0
# Values of a cell, 112 bytes each; beyond so many cells the one that learnt longest ago is forgotten.
_MOST_VALUES = 40
MOST_CELLS = 2_000
# The error of a corrected height (ft), and of one of which nothing is known.
KNOWN_FT, UNKNOWN_FT = 60.0, 800.0
# The altitude sent last before the ground is that of a few feet.
_CONTACT_FT = 15.0
_CONTACT_S = 6.0
_CONTACT_NM = 2.5


class Track(NamedTuple):
    """What was received of an aircraft, in order of time: columns of the same length, NaN where unknown.

    ``alt`` is the pressure altitude (ft), ``geom`` the height above the ellipsoid, ``qnh`` the pressure that the crew
    has set (hPa), ``gs`` in kt and ``course`` in degrees.
    """

    at: Column
    lat: Column
    lon: Column
    alt: Column
    geom: Column
    qnh: Column
    gs: Column
    course: Column
    ground: Column


class Heights(NamedTuple):
    """Heights over the sea (ft), NaN on the ground, and their error."""

    msl: Column
    error_ft: float


def correction_of(qnh: float) -> float:
    """What a pressure at sea level (hPa) adds to pressure altitudes near it (ft); ICAO standard atmosphere."""
    return float(-145_366.45 * (1.0 - (qnh / 1013.25) ** 0.190284))


class ValuesByCell:
    """The newest values of each cell of a degree, with their times (unix s), of at most ``MOST_CELLS`` cells."""

    def __init__(self) -> None:
        self._cells: OrderedDict[tuple[int, int], deque[tuple[float, float]]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._cells)

    def add(self, lat: float, lon: float, at: float, value: float) -> None:
        """Add a value of a place."""
        cell = math.floor(lat), math.floor(lon)
        self._cells.setdefault(cell, deque(maxlen=_MOST_VALUES)).append((at, value))
        self._cells.move_to_end(cell)
        if len(self._cells) > MOST_CELLS:
            self._cells.popitem(last=False)

    def median(self, lat: float, lon: float, since: float) -> float | None:
        """The median of the values of a place since a time (unix s), of its own cell or else of those around it."""
        y, x = math.floor(lat), math.floor(lon)
        around = [(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]
        for cells in ([(y, x)], around):
            values = [value for cell in cells for at, value in self._cells.get(cell, ()) if at >= since]
            if values:
                return float(np.median(values))
        return None


class LocalPressure:
    """What is known of the pressure by place."""

    def __init__(self) -> None:
        self._corrections, self._undulations = ValuesByCell(), ValuesByCell()
        self._learnt: dict[Place, float] = {}

    def take_learnt(self) -> dict[Place, float]:
        """The corrections (ft) by place and hour that were learnt since the last call, for storage."""
        learnt, self._learnt = self._learnt, {}
        return learnt

    def heights(self, track: Track, lines: Lines) -> Heights:
        """The heights of a track, from which the pressure of its place is learnt."""
        low = int(np.nanargmin(np.where(np.isnan(track.alt), np.inf, track.alt)))
        lat, lon, at = float(track.lat[low]), float(track.lon[low]), float(track.at[low])
        own = _contact(track, lines)
        if own is None:
            with np.errstate(invalid="ignore"):
                given = track.qnh[(track.alt < QNH_BELOW_FT) & (track.qnh > 850.0) & (track.qnh < 1100.0)]
            own = correction_of(float(np.median(given))) if len(given) else None
        gap = track.geom - track.alt
        near = gap[~np.isnan(gap) & (track.alt < track.alt[low] + 2_000.0)]
        geometric = float(np.median(near)) if len(near) else math.nan
        if own is not None:
            self._learn_correction(lat, lon, at, own)
            if not math.isnan(geometric):
                self._undulations.add(lat, lon, at, geometric - own)
            return Heights(track.alt + own, KNOWN_FT)
        undulation = self._undulations.median(lat, lon, -math.inf)
        if undulation is not None and not math.isnan(geometric):
            correction = geometric - undulation
            self._learn_correction(lat, lon, at, correction)
            return Heights(track.alt + correction, KNOWN_FT)
        known = self._corrections.median(lat, lon, at - _MEMORY_S)
        return Heights(track.alt, UNKNOWN_FT) if known is None else Heights(track.alt + known, KNOWN_FT)

    def _learn_correction(self, lat: float, lon: float, at: float, value: float) -> None:
        self._corrections.add(lat, lon, at, value)
        known = self._corrections.median(lat, lon, at - _MEMORY_S)
        if known is not None:
            self._learnt[math.floor(at // HOUR_S) * HOUR_S, math.floor(lat), math.floor(lon)] = known


def _contact(track: Track, lines: Lines) -> float | None:
    """The correction by the altitude at which the aircraft left or reached the ground of an airport, or None."""
    turns = np.flatnonzero(track.ground[1:] != track.ground[:-1])
    values = []
    for turn in turns.tolist():
        air = turn if track.ground[turn + 1] else turn + 1
        rows = lines.near(float(track.lat[air]), float(track.lon[air]), _CONTACT_NM)
        if track.at[turn + 1] - track.at[turn] <= _CONTACT_S and len(rows) and not np.isnan(track.alt[air]):
            along, across = lines.bearings(rows, track.lat[air : air + 1], track.lon[air : air + 1])
            middle = np.hypot(along[:, 0] - lines.length_nm[rows] / 2, across[:, 0])
            values.append(float(lines.elevation_ft[rows[middle.argmin()]]) + _CONTACT_FT - float(track.alt[air]))
    # What differs by more is no pressure there is: an aircraft that reports the ground in the air.
    values = [value for value in values if abs(value) < 1_500.0]
    return float(np.median(values)) if values else None

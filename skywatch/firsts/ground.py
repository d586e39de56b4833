"""Who flies low: below 1,000 ft over the ground of the nearest airport, and away from every airport."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.airports.directory import KINDS, directory

Column = npt.NDArray[Any]
LOW_FT, LOW_NM = 1_000.0, 5.0
# The ground is as high as the nearest airport within a degree; beyond it is the sea, or nobody knows.
AROUND_DEG = 1.0
# Heliports stand on roofs and mountains.
_KINDS = tuple(KINDS.index(kind) for kind in ("large", "medium", "small"))


class Fields:
    """The airports by latitude, and how high the highest one around each degree is."""

    def __init__(self) -> None:
        airports = directory()
        rows = np.flatnonzero(np.isin(airports.kind, _KINDS))
        rows = rows[np.argsort(airports.lat[rows], kind="stable")]
        self._lat, self._lon = airports.lat[rows], airports.lon[rows]
        # Where nobody knows it the ground counts as the sea's.
        self._elevation = np.maximum(airports.elevation_ft[rows], 0).astype("f4")
        y, x = _cells(self._lat, self._lon)
        own = np.zeros((180, 360), "f4")
        np.maximum.at(own, (y, x), self._elevation)
        self._highest = own.copy()
        for dy in (-1, 0, 1):
            for dx in range(-3, 4):
                self._highest = np.maximum(self._highest, np.roll(own, (dy, dx), (0, 1)))

    def low(self, lat: Column, lon: Column, altitude_ft: Column) -> npt.NDArray[np.bool_]:
        """Which aircraft are low ?[n]; NaN is nowhere."""
        result = np.zeros(len(lat), "?")
        with np.errstate(invalid="ignore"):
            known = ~np.isnan(lat) & (altitude_ft < self._highest.max() + LOW_FT)
        rows = np.flatnonzero(known)
        rows = rows[altitude_ft[rows] < self._highest[_cells(lat[rows], lon[rows])] + LOW_FT]
        begins, ends = (np.searchsorted(self._lat, lat[rows] + away).tolist() for away in (-AROUND_DEG, AROUND_DEG))
        places = (column[rows].tolist() for column in (lat, lon, altitude_ft))
        result[rows] = [self._is_low(*each) for each in zip(begins, ends, *places, strict=True)]
        return result

    def _is_low(self, begin: int, end: int, lat: float, lon: float, altitude_ft: float) -> bool:
        """Whether an aircraft is low by the airports from ``begin`` to ``end``, those within a degree of latitude."""
        north = (self._lat[begin:end] - lat) * 60.0
        east = ((self._lon[begin:end] - lon + 180.0) % 360.0 - 180.0) * 60.0 * math.cos(math.radians(lat))
        distance = north * north + east * east
        nearest = int(distance.argmin()) if end > begin else -1
        if nearest < 0 or distance[nearest] > (60.0 * AROUND_DEG) ** 2:
            return altitude_ft < LOW_FT
        return bool(distance[nearest] > LOW_NM**2 and altitude_ft - self._elevation[begin + nearest] < LOW_FT)


def _cells(lat: Column, lon: Column) -> tuple[Column, Column]:
    """The cells of a degree in which places lie."""
    return (lat + 90.0).astype("i4").clip(0, 179), (lon + 180.0).astype("i4") % 360


@lru_cache(maxsize=1)
def fields() -> Fields:
    """The airports, made at the first call."""
    return Fields()

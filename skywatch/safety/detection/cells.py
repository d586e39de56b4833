"""Neighbours in the sky: the pairs of moving aircraft that could meet within a horizon, from cells joined pairwise.

An aircraft is taken at the middle of its way, with half the way as radius; cells of latitude and longitude are as
wide as two such radii and the box, layers of altitude hold whoever crosses them. Source of the method: cell lists of
molecular dynamics (Allen and Tildesley, Computer Simulation of Liquids, 5.3.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skywatch.core import geo
from skywatch.safety.detection.frame import Array

NM_PER_DEGREE = geo.EARTH_RADIUS_NM * np.pi / 180
LAYER_FT = 2000.0
# Cells beyond this latitude are as wide as those at it.
STEEPEST_DEG = 85.0


@dataclass(frozen=True)
class Motion:
    """Airborne aircraft at the tick's time: rows of the frame, degrees, feet, knots east and north, feet a second."""

    rows: Array
    lat: Array
    lon: Array
    alt_ft: Array
    east_kt: Array
    north_kt: Array
    climb_fps: Array


def neighbours(m: Motion, horizon_s: float, widest_nm: float, highest_ft: float) -> tuple[Array, Array]:
    """Pairs, as indexes into ``m``, that may come within ``widest_nm`` and ``highest_ft`` in ``horizon_s``."""
    if len(m.rows) < 2:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    half_h = horizon_s / 7200
    radius_nm = np.hypot(m.east_kt, m.north_kt) * half_h
    lat = np.clip(m.lat + m.north_kt * half_h / NM_PER_DEGREE, -89.9, 89.9)
    shrink = np.cos(np.radians(np.clip(lat, -STEEPEST_DEG, STEEPEST_DEG)))
    lon = (m.lon + m.east_kt * half_h / (NM_PER_DEGREE * shrink)) % 360
    member, layer = _layers(m, horizon_s, highest_ft)
    # Half a per cent for the curvature that the plane leaves out.
    reach_deg = (2 * float(radius_nm.max()) + widest_nm) * 1.005 / NM_PER_DEGREE
    one, two = _join(lat[member], lon[member], layer, reach_deg)
    # A pair that shares several layers counts in the lowest that they share.
    lowest = np.full(len(m.rows), np.iinfo(np.int64).max)
    np.minimum.at(lowest, member, layer)
    shared = layer[one] == np.maximum(lowest[member[one]], lowest[member[two]])
    return member[one[shared]], member[two[shared]]


def _layers(m: Motion, horizon_s: float, highest_ft: float) -> tuple[Array, Array]:
    """Every aircraft in each layer that it crosses: its index and the layer."""
    later = m.alt_ft + m.climb_fps * horizon_s
    bottom = np.floor((np.minimum(m.alt_ft, later) - highest_ft / 2) / LAYER_FT).astype(np.int64)
    top = np.floor((np.maximum(m.alt_ft, later) + highest_ft / 2) / LAYER_FT).astype(np.int64)
    return expand(bottom, top + 1)


def expand(start: Array, end: Array) -> tuple[Array, Array]:
    """All (i, value) with ``start[i] <= value < end[i]``."""
    counts = np.maximum(end - start, 0)
    index = np.repeat(np.arange(len(start)), counts)
    first = np.cumsum(counts) - counts
    return index, np.arange(int(counts.sum())) - first[index] + start[index]


def _join(lat: Array, lon: Array, layer: Array, reach_deg: float) -> tuple[Array, Array]:
    """Pairs in the same layer and in the same or neighbouring cells, each once."""
    band = np.floor((lat + 90) / reach_deg).astype(np.int64)
    bands = int(180 / reach_deg) + 3
    width = _widths(np.arange(bands + 1), reach_deg)
    columns = int(360 / width.min()) + 3
    column = np.floor(lon / width[band]).astype(np.int64)
    floor = layer - int(layer.min())
    key = (floor * bands + band) * columns + column
    order = np.argsort(key)
    key, floor, band, lon = key[order], floor[order], band[order], lon[order]
    column = column[order]
    starts: list[Array] = []
    ends: list[Array] = []
    own: list[Array] = []
    everyone = np.arange(len(key))

    def look(rows: Array, in_band: Array, first: Array, last: Array, after: Array | None = None) -> None:
        base = (floor[rows] * bands + in_band) * columns
        start = np.searchsorted(key, base + first, "left")
        own.append(rows)
        starts.append(start if after is None else np.maximum(start, after))
        ends.append(np.searchsorted(key, base + last, "right"))

    # One's own band: who stands behind oneself in the order, up to the next column.
    look(everyone, band, column, column + 1, everyone + 1)
    _look_around(look, everyone[column == 0], band, width)
    # The next band, whose columns have a width of their own.
    there = np.floor(lon / width[band + 1]).astype(np.int64)
    look(everyone, band + 1, np.maximum(there - 1, 0), there + 1)
    last = np.floor(360 / width[band + 1]).astype(np.int64)
    _look_around(look, everyone[there == 0], band + 1, width)
    high = everyone[there >= last - 1]
    look(high, band[high] + 1, np.zeros(len(high), np.int64), np.zeros(len(high), np.int64))
    left, right = np.concatenate(own), None
    index, right = expand(np.concatenate(starts), np.concatenate(ends))
    return order[left[index]], order[right]


def _look_around(look, rows: Array, band: Array, width: Array) -> None:  # type: ignore[no-untyped-def]
    """From the first column look to the last ones, across longitude 0."""
    last = np.floor(360 / width[band[rows]]).astype(np.int64)
    look(rows, band[rows], np.maximum(last - 1, 2), last)


def _widths(band: Array, reach_deg: float) -> Array:
    """Width (degrees) of a band's columns: the reach at its steeper edge."""
    edge = np.maximum(np.abs(band * reach_deg - 90), np.abs((band + 1) * reach_deg - 90))
    return np.minimum(reach_deg / np.cos(np.radians(np.minimum(edge, STEEPEST_DEG))), 120.0)

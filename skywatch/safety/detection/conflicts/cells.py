"""Neighbours in the sky: the pairs of moving aircraft that could meet within a horizon, from cells joined pairwise.

An aircraft is represented by the middle of its path, with half the path as radius; cells of latitude and longitude are
as wide as two such radii and the box, layers of altitude contain every aircraft that crosses them. Source of the
method: cell lists of molecular dynamics (Allen and Tildesley, Computer Simulation of Liquids, 5.3.2), found by a hash
of the cell as in spatial hashing (Teschner et al., Optimized Spatial Hashing for Collision Detection, 2003).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from skywatch.core import geo
from skywatch.safety.detection.frame import Array

NM_PER_DEGREE = geo.EARTH_RADIUS_NM * np.pi / 180
# Flight levels lie in the middle of layers: who keeps one is in no other layer.
LAYER_FT = 1000.0
# Cells beyond this latitude are as wide as those at it.
STEEPEST_DEG = 85.0
# With fewer columns a cell would be its own neighbour.
MIN_COLUMNS = 3
# A cell is one number: band, column and layer in bits of their own. Layers below sea level count from this many on.
COLUMN_BITS, LAYER_BITS, LOWEST_LAYER = 20, 12, 2048
# With so few aircraft a look at every pair, which says whether any are near, costs a tenth of the cells.
FEW = 64
# Buckets of the hash: many more than cells that are in use. They are the upper bits of a product with 2^64 over the
# golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
BUCKET_BITS = 16
# For so few members a binary search costs less than a table of all buckets.
SEARCHED = 1000
HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Motion:
    """Airborne aircraft at the tick's time: rows of the frame, degrees, feet, knots east and north, feet a second.

    ``turn_deg_s`` is the rate of turn, 0 in straight flight; None where nobody's is known.
    """

    rows: Array
    lat: Array
    lon: Array
    alt_ft: Array
    east_kt: Array
    north_kt: Array
    climb_fps: Array
    turn_deg_s: Array | None = None


@dataclass(frozen=True)
class _Cells:
    """The cell of every member: band of latitude, column of longitude, layer of altitude, and the grid's columns."""

    band: Array
    column: Array
    layer: Array
    lon: Array
    columns: Array

    def numbers(self) -> Array:
        """The cell of every member as one number."""
        return _number(self.band, self.column, self.layer)

    def ordered(self, order: Array) -> _Cells:
        """The members in another order."""
        return _Cells(self.band[order], self.column[order], self.layer[order], self.lon[order], self.columns)


def offset(lat: Array, lon: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """East and north from the first to the second (nm), on the plane that touches the Earth between them."""
    dlon = (lon[second] - lon[first] + 180) % 360 - 180
    middle = np.radians((lat[first] + lat[second]) / 2)
    return dlon * np.cos(middle) * NM_PER_DEGREE, (lat[second] - lat[first]) * NM_PER_DEGREE


def neighbours(m: Motion, horizon_s: float, widest_nm: float, highest_ft: float) -> tuple[Array, Array]:
    """Pairs, as indexes into ``m``, that may come within ``widest_nm`` and ``highest_ft`` in ``horizon_s``."""
    if len(m.rows) < 2:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    half_h = horizon_s / 7200
    fastest_kt = float(np.sqrt((m.east_kt * m.east_kt + m.north_kt * m.north_kt).max()))
    lat = np.clip(m.lat + m.north_kt * (half_h / NM_PER_DEGREE), -89.9, 89.9)
    shrink = np.cos(np.radians(np.clip(lat, -STEEPEST_DEG, STEEPEST_DEG)).astype("f4"))
    lon = (m.lon + m.east_kt * (half_h / NM_PER_DEGREE) / shrink) % 360
    bottom, top = _layers(m, horizon_s, highest_ft)
    # Half a per cent for the curvature that the plane neglects.
    reach_deg = (2 * fastest_kt * half_h + widest_nm) * 1.005 / NM_PER_DEGREE
    if len(m.rows) <= FEW and not _has_neighbours(lat, lon, reach_deg, bottom, top):
        return np.empty(0, np.intp), np.empty(0, np.intp)
    member, layer = expand(bottom, top + 1)
    first, second = _join(_cells(lat, lon, reach_deg, member, layer))
    # A pair that shares several layers counts in the lowest that they share.
    left_row, right_row = member[first], member[second]
    shared = layer[first] == np.maximum(bottom[left_row], bottom[right_row])
    return left_row[shared], right_row[shared]


def _layers(m: Motion, horizon_s: float, highest_ft: float) -> tuple[Array, Array]:
    """The lowest and the highest layer that each aircraft crosses."""
    later = m.alt_ft + m.climb_fps * horizon_s
    bottom = np.floor((np.minimum(m.alt_ft, later) - highest_ft / 2) * (1 / LAYER_FT) + 0.5).astype(np.int32)
    top = np.floor((np.maximum(m.alt_ft, later) + highest_ft / 2) * (1 / LAYER_FT) + 0.5).astype(np.int32)
    return bottom, top


def _has_neighbours(lat: Array, lon: Array, reach_deg: float, bottom: Array, top: Array) -> bool:
    """Whether a pair may be in the same layer and in neighbouring cells; False only where the cells give no pair."""
    first, second = _every_pair(len(lat))
    is_near = np.maximum(bottom[first], bottom[second]) <= np.minimum(top[first], top[second])
    is_near &= np.abs(lat[first] - lat[second]) <= 2.01 * reach_deg
    near = np.flatnonzero(is_near)
    if not len(near):
        return False
    first, second = first[near], second[near]
    width = 360 / _columns(reach_deg)[_bands(lat, reach_deg)]
    apart_deg = np.abs((lon[second] - lon[first] + 180) % 360 - 180)
    return bool((apart_deg <= 2.01 * np.maximum(width[first], width[second])).any())


@lru_cache(maxsize=FEW)
def _every_pair(count: int) -> tuple[Array, Array]:
    first, second = np.triu_indices(count, 1)
    return first, second


def expand(start: Array, end: Array) -> tuple[Array, Array]:
    """All (i, value) with ``start[i] <= value < end[i]``."""
    counts = end - start
    non_empty = np.flatnonzero(counts > 0)
    counts, start = counts[non_empty], start[non_empty]
    first = start - (np.cumsum(counts) - counts)
    which = np.repeat(np.arange(len(non_empty), dtype=np.int32), counts)
    return non_empty[which], np.arange(len(which), dtype=start.dtype) + first[which]


def _cells(lat: Array, lon: Array, reach_deg: float, member: Array, layer: Array) -> _Cells:
    columns = _columns(reach_deg)
    band = _bands(lat, reach_deg)
    # Rounding may exceed 360 degrees: that is the last column.
    column = np.minimum((lon * (columns[band] / 360)).astype(np.int32), columns[band] - 1)
    return _Cells(band[member], column[member], layer, lon[member], columns)


def _bands(lat: Array, reach_deg: float) -> Array:
    band: Array = ((lat + 90) * (1 / reach_deg)).astype(np.int32)
    return band


@lru_cache(maxsize=1)
def _columns(reach_deg: float) -> Array:
    """How many columns each band of latitude has: each as wide as the reach at the band's steeper edge, or wider."""
    band = np.arange(int(180 / reach_deg) + 3)
    edge = np.maximum(np.abs(band * reach_deg - 90), np.abs((band + 1) * reach_deg - 90))
    width = reach_deg / np.cos(np.radians(np.minimum(edge, STEEPEST_DEG)))
    result: Array = np.maximum((360 / width).astype(np.int32), MIN_COLUMNS)
    return result


def _join(cells: _Cells) -> tuple[Array, Array]:
    """Pairs in the same layer and in the same or neighbouring cells, each once."""
    bucket_of = _bucket(cells.numbers())
    order = np.argsort(bucket_of, kind="stable")  # For sixteen bits a radix sort.
    begin_of, end_of = _lookup(bucket_of[order])
    cells = cells.ordered(order)
    band, column, own = cells.band, cells.column, cells.numbers()
    everyone = np.arange(len(order), dtype=np.int32)
    pairs = []

    def collect(there: Array) -> None:
        bucket = _bucket(there)
        # In the same cell: only later members, so that each pair counts once.
        left, right = expand(everyone + 1 if there is own else begin_of(bucket), end_of(bucket))
        # Other cells may share the bucket.
        same = own[right] == there[left]
        pairs.append((left[same], right[same]))

    width = cells.columns[band]
    collect(own)
    collect(_number(band, np.where(column + 1 == width, 0, column + 1), cells.layer))
    # The next band has columns of its own width.
    above = band + 1
    width = cells.columns[above]
    column_there = np.minimum((cells.lon * (width / 360)).astype(np.int32), width - 1)
    collect(_number(above, np.where(column_there == 0, width - 1, column_there - 1), cells.layer))
    collect(_number(above, column_there, cells.layer))
    collect(_number(above, np.where(column_there + 1 == width, 0, column_there + 1), cells.layer))
    left, right = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return order[left], order[right]


def _lookup(buckets: Array) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Where the members of a bucket begin and where they end among the sorted buckets of all members."""
    if len(buckets) <= SEARCHED:
        return lambda bucket: np.searchsorted(buckets, bucket), lambda bucket: np.searchsorted(buckets, bucket, "right")
    ends = np.zeros((1 << BUCKET_BITS) + 1, np.int32)
    np.cumsum(np.bincount(buckets, minlength=1 << BUCKET_BITS), out=ends[1:])
    return lambda bucket: ends[bucket], lambda bucket: ends[bucket.astype(np.int32) + 1]


def _number(band: Array, column: Array, layer: Array) -> Array:
    number: Array = (band.astype("i8") << COLUMN_BITS | column) << LAYER_BITS | (layer + LOWEST_LAYER)
    return number


def _bucket(number: Array) -> Array:
    bucket: Array = ((number.view("u8") * HASH_FACTOR) >> np.uint64(64 - BUCKET_BITS)).astype(np.uint16)
    return bucket

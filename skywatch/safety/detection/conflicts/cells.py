"""Neighbours in the sky: the pairs of moving aircraft that could meet within a horizon, from cells joined pairwise.

An aircraft is represented by the middle of its path, with half the path as radius; cells of latitude and longitude are
as wide as two such radii and the box, layers of altitude contain every aircraft that crosses them. Source of the
method: cell lists of molecular dynamics (Allen and Tildesley, Computer Simulation of Liquids, 5.3.2), found by a hash
of the cell as in spatial hashing (Teschner et al., Optimized Spatial Hashing for Collision Detection, 2003).

Aircraft in one place make as many pairs as the square of their number, and receivers may report any number. So the
pairs of a tick have a limit (``most_pairs``); they are counted before any of them is made.
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
# Pairs that are examined in a tick: so many, and so many more for each aircraft. 13,600 aircraft worldwide with their
# hubs make 77,000, most of which only share a bucket, 400 around Los Angeles 18,000, and 250 at a fly-in 23,000.
PAIRS, PAIRS_EACH = 50_000, 8


@dataclass(frozen=True)
class Motion:
    """Airborne aircraft at the tick's time: rows of the frame, degrees, feet, knots east and north, feet a second.

    ``turn_deg_s`` is the rate of turn, 0 in straight flight; None where nobody's is known. ``strangers``: whom only
    strangers hear; None where ours hear everybody.
    """

    rows: Array
    lat: Array
    lon: Array
    alt_ft: Array
    east_kt: Array
    north_kt: Array
    climb_fps: Array
    turn_deg_s: Array | None = None
    strangers: Array | None = None


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

    def of(self, which: Array) -> _Cells:
        """Some of the members, or all of them in another order."""
        return _Cells(self.band[which], self.column[which], self.layer[which], self.lon[which], self.columns)


@dataclass(frozen=True)
class _Ranges:
    """The members sorted by bucket, and for each of them where those of its own and of four other cells are.

    ``around`` has for each of the five the cells' numbers, and where their buckets begin and end among the members.
    Cells that share a bucket are told apart by their numbers.
    """

    order: Array
    numbers: Array
    around: list[tuple[Array, Array, Array]]

    @property
    def pairs(self) -> int:
        """How many pairs of members share a bucket."""
        return sum(int((end - begin).sum()) for _, begin, end in self.around)

    def partners(self) -> Array:
        """In how many of these pairs each member is."""
        count = np.zeros(len(self.order) + 1, "i8")
        for _, begin, end in self.around:
            count[:-1] += end - begin
            count += np.cumsum(np.bincount(begin, minlength=len(count)) - np.bincount(end, minlength=len(count)))
        partners = np.empty(len(self.order), "i8")
        partners[self.order] = count[:-1]
        return partners


def offset(lat: Array, lon: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """East and north from the first to the second (nm), on the plane that touches the Earth between them."""
    dlon = (lon[second] - lon[first] + 180) % 360 - 180
    middle = np.radians((lat[first] + lat[second]) / 2)
    return dlon * np.cos(middle) * NM_PER_DEGREE, (lat[second] - lat[first]) * NM_PER_DEGREE


def most_pairs(aircraft: int) -> int:
    """How many pairs are examined in a tick, and remembered, at most."""
    return PAIRS + PAIRS_EACH * aircraft


def neighbours(m: Motion, horizon_s: float, widest_nm: float, highest_ft: float) -> tuple[Array, Array, Array]:
    """Pairs, as indexes into ``m``, that may come within ``widest_nm`` and ``highest_ft`` in ``horizon_s``.

    With them the crowd, who are in no pair because there would be more than ``most_pairs``: those with the most
    neighbours, which leaves the others what they are compared with; of these first whom only strangers hear, so that
    they hide none of ours.
    """
    nobody = np.empty(0, np.intp)
    if len(m.rows) < 2:
        return nobody, nobody, nobody
    half_h = horizon_s / 7200
    fastest_kt = float(np.sqrt((m.east_kt * m.east_kt + m.north_kt * m.north_kt).max()))
    lat = np.clip(m.lat + m.north_kt * (half_h / NM_PER_DEGREE), -89.9, 89.9)
    shrink = np.cos(np.radians(np.clip(lat, -STEEPEST_DEG, STEEPEST_DEG)).astype("f4"))
    lon = (m.lon + m.east_kt * (half_h / NM_PER_DEGREE) / shrink) % 360
    bottom, top = _layers(m, horizon_s, highest_ft)
    # Half a per cent for the curvature that the plane neglects.
    reach_deg = (2 * fastest_kt * half_h + widest_nm) * 1.005 / NM_PER_DEGREE
    if len(m.rows) <= FEW and not _has_neighbours(lat, lon, reach_deg, bottom, top):
        return nobody, nobody, nobody
    member, layer = expand(bottom, top + 1)
    cells, most = _cells(lat, lon, reach_deg, member, layer), most_pairs(len(m.rows))
    ranges = _ranges(cells)
    if ranges.pairs > most:
        # Without those whose cells only share a bucket.
        ranges = _ranges(cells, is_exact=True)
    is_crowd, everybody = np.zeros(len(m.rows), "?"), np.ones(len(m.rows), "?")
    for of in (m.strangers, everybody):
        if of is None or ranges.pairs <= most:
            continue
        partners = np.bincount(member, ranges.partners(), len(m.rows))
        # Each pair is counted for both of its aircraft; these get what the others leave.
        is_crowd |= of & _crowd(np.where(of, partners, 0.0), most - partners[~of].sum() / 2)
        others = np.flatnonzero(~is_crowd[member])
        member, layer, cells = member[others], layer[others], cells.of(others)
        ranges = _ranges(cells, is_exact=True)
    first, second = _join(ranges)
    # A pair that shares several layers counts in the lowest that they share.
    left_row, right_row = member[first], member[second]
    shared = layer[first] == np.maximum(bottom[left_row], bottom[right_row])
    return left_row[shared], right_row[shared], np.flatnonzero(is_crowd)


def _crowd(partners: Array, most: float) -> Array:
    """Those with the most partners, such that the rest have at most ``most`` pairs with anybody.

    Of those with equally many, all or none: otherwise who is one of them would change with their order.
    """
    ordered = np.sort(partners)
    at = int(np.searchsorted(np.cumsum(ordered), 2 * max(most, 0.0), "right"))
    is_crowd: Array = partners >= max(ordered[min(at, len(ordered) - 1)], 1)
    return is_crowd


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


def _ranges(cells: _Cells, is_exact: bool = False) -> _Ranges:
    """Where to find, for each member, those in the same layer and in the same or neighbouring cells.

    ``is_exact``: without any of other cells, which takes a slower sort.
    """
    bucket = _itself if is_exact else _bucket
    bucket_of = bucket(cells.numbers())
    order = np.argsort(bucket_of, kind="stable")  # For sixteen bits a radix sort.
    begin_of, end_of = _lookup(bucket_of[order])
    cells = cells.of(order)
    band, column, own = cells.band, cells.column, cells.numbers()
    width = cells.columns[band]
    # In the same cell: only later members, so that each pair counts once.
    around = [(own, np.arange(1, len(order) + 1, dtype=np.int32), end_of(bucket(own)))]

    def add(there: Array) -> None:
        buckets = bucket(there)
        around.append((there, begin_of(buckets), end_of(buckets)))

    add(_number(band, np.where(column + 1 == width, 0, column + 1), cells.layer))
    # The next band has columns of its own width.
    above = band + 1
    width = cells.columns[above]
    column_there = np.minimum((cells.lon * (width / 360)).astype(np.int32), width - 1)
    add(_number(above, np.where(column_there == 0, width - 1, column_there - 1), cells.layer))
    add(_number(above, column_there, cells.layer))
    add(_number(above, np.where(column_there + 1 == width, 0, column_there + 1), cells.layer))
    return _Ranges(order, own, around)


def _join(ranges: _Ranges) -> tuple[Array, Array]:
    """Pairs in the same layer and in the same or neighbouring cells, each once."""
    pairs = []
    for there, begin, end in ranges.around:
        left, right = expand(begin, end)
        # Other cells may share the bucket.
        same = ranges.numbers[right] == there[left]
        pairs.append((left[same], right[same]))
    left, right = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return ranges.order[left], ranges.order[right]


def _lookup(buckets: Array) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Where the members of a bucket begin and where they end among the sorted buckets of all members."""
    if len(buckets) <= SEARCHED or buckets.dtype != np.uint16:
        return lambda bucket: np.searchsorted(buckets, bucket), lambda bucket: np.searchsorted(buckets, bucket, "right")
    ends = np.zeros((1 << BUCKET_BITS) + 1, np.int32)
    np.cumsum(np.bincount(buckets, minlength=1 << BUCKET_BITS), out=ends[1:])
    return lambda bucket: ends[bucket], lambda bucket: ends[bucket.astype(np.int32) + 1]


def _number(band: Array, column: Array, layer: Array) -> Array:
    number: Array = (band.astype("i8") << COLUMN_BITS | column) << LAYER_BITS | (layer + LOWEST_LAYER)
    return number


def _itself(number: Array) -> Array:
    return number


def _bucket(number: Array) -> Array:
    bucket: Array = ((number.view("u8") * HASH_FACTOR) >> np.uint64(64 - BUCKET_BITS)).astype(np.uint16)
    return bucket

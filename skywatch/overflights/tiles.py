"""The index of low tracks: what flew low over a tile is stored once more, by tile and hours instead of by aircraft.

A question about an area reads its tiles alone; without them all tracks of the span would have to be decoded. Of each
line between two positions that meets a tile both positions are stored there, so that lines are whole. To store the same
again changes nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Set

import numpy as np

from skywatch.history.storage.codec import BrokenChunk, decode
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    AT_S,
    DEGREES,
    GAP,
    GROUND,
    NO_ALTITUDE,
    SEGMENT_S,
    SIMULATED,
    Column,
    Points,
    identity,
    join,
)
from skywatch.history.storage.shards import slices
from skywatch.overflights.area import Box

log = logging.getLogger(__name__)
# Tiles of a village and its surroundings, and the time of which they have the tracks (s).
TILE_DEG, BLOCK_S = 0.2, 21_600
COLUMNS = round(360 / TILE_DEG)
# Pressure altitudes up to which lines are in the index.
CEILING_FT = 15_000.0
# The longest line between two positions (10 ms), with the rounding of both.
_LONGEST = int(SEGMENT_S / AT_S) + 2


def tiles_of_box(box: Box) -> list[tuple[int, int]]:
    """The tiles that a box meets, as ranges of numbers (both included)."""
    west, south, east, north = box
    rows = range(int((south + 90.0) // TILE_DEG), int((north + 90.0) // TILE_DEG) + 1)
    first, last = (int((lon + 180.0) // TILE_DEG) % COLUMNS for lon in (west, east))
    if east - west >= 360.0:
        last = COLUMNS - 1
    spans = [(first, last)] if west <= east else [(first, COLUMNS - 1), (0, last)]
    return [(row * COLUMNS + begin, row * COLUMNS + end) for row in rows for begin, end in spans]


def joins(points: Points) -> Column:
    """Of each point but the last of ordered ones whether a line leads to the next."""
    before, after = points[:-1], points[1:]
    result: Column = (
        (before["flight"] == after["flight"])
        & (identity(before) == identity(after))
        & (after["flags"] & GAP == 0)
        & (after["at"] > before["at"])
        & (after["at"] - before["at"] <= _LONGEST)
    )
    return result


def is_airborne(points: Points) -> Column:
    """Whether points are in the air at a known altitude."""
    result: Column = points["flags"] & (GROUND | NO_ALTITUDE) == 0
    return result


def pieces(points: Points, fresh: Set[int]) -> Iterator[tuple[int, int, Points]]:
    """(tile, block, points in order) of the low lines and points that touch the slices ``fresh``, of ordered points."""
    if not len(points):
        return
    is_low = is_airborne(points) & (points["alt"] * ALTITUDE_FT <= CEILING_FT)
    is_fresh = np.isin(slices(points), np.fromiter(fresh, "i8"))
    # A line counts as low where one of its ends is, and both are in the air.
    airborne = is_airborne(points)
    line = joins(points) & airborne[:-1] & airborne[1:] & (is_low[:-1] | is_low[1:]) & (is_fresh[:-1] | is_fresh[1:])
    begin = np.flatnonzero(line)
    alone = np.flatnonzero(is_low & is_fresh & np.append(True, ~joins(points)))
    first, last = np.concatenate((begin, alone)), np.concatenate((begin + 1, alone))
    which, tiles = _tiles(points, first, last)
    blocks = points["at"][last[which]] // (BLOCK_S * 100)
    # Both ends of each line, the first one as the begin of a track unless another line leads to it.
    keys = np.concatenate((tiles, tiles))
    block = np.concatenate((blocks, blocks))
    rows = np.concatenate((first[which], last[which]))
    is_begin = np.concatenate((np.ones(len(which), bool), first[which] == last[which]))
    order = np.lexsort((is_begin, rows, keys, block))
    keys, block, rows, is_begin = keys[order], block[order], rows[order], is_begin[order]
    single = np.append(True, (np.diff(keys) != 0) | (np.diff(block) != 0) | (np.diff(rows) != 0))[: len(keys)]
    keys, block, rows, is_begin = keys[single], block[single], rows[single], is_begin[single]
    cuts = np.flatnonzero((np.diff(keys) != 0) | (np.diff(block) != 0)) + 1
    for part in np.split(np.arange(len(keys)), cuts):
        if len(part):
            yield int(keys[part[0]]), int(block[part[0]]) * BLOCK_S, _stored(points.take(rows[part]), is_begin[part])


def decoded_tile(tile: int, block_at: int, data: bytes) -> Points | None:
    """The points of a stored tile; None where it is damaged, which is logged."""
    try:
        return decode(data)
    except BrokenChunk as error:
        log.error("tile %d of %d of the index of low tracks cannot be read: %s", tile, block_at, error)
        return None


def merged(stored: Points, more: Points) -> Points:
    """The points of both in order; of two that are the same the one to which a line leads."""
    points = join([stored, more])
    has_line = points["flags"] & GAP == 0
    order = np.lexsort((has_line, points["at"], points["flight"], points["aircraft"]))
    points = points.take(order)
    same = (
        (points["aircraft"][1:] == points["aircraft"][:-1])
        & (points["flight"][1:] == points["flight"][:-1])
        & (points["at"][1:] == points["at"][:-1])
    )
    result: Points = points[np.append(~same, True)]
    return result


def _tiles(points: Points, first: Column, last: Column) -> tuple[Column, Column]:
    """(which line, tile) of each tile that the box around a line meets."""
    lat, lon = points["lat"] * DEGREES, points["lon"] * DEGREES
    south, north = np.minimum(lat[first], lat[last]), np.maximum(lat[first], lat[last])
    turn = (lon[last] - lon[first] + 180.0) % 360.0 - 180.0
    west, east = lon[first] + np.minimum(turn, 0.0), lon[first] + np.maximum(turn, 0.0)
    row, column = (np.floor((low + add) / TILE_DEG).astype("i8") for low, add in ((south, 90.0), (west, 180.0)))
    high = np.floor((north + 90.0) / TILE_DEG).astype("i8") - row + 1
    wide = np.floor((east + 180.0) / TILE_DEG).astype("i8") - column + 1
    counts = high * wide
    which = np.repeat(np.arange(len(first)), counts)
    number = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = row[which] + number // wide[which]
    columns = (column[which] + number % wide[which]) % COLUMNS
    return which, rows * COLUMNS + columns


def _stored(points: Points, is_begin: Column) -> Points:
    """Points as they are stored: without what nobody asks of them."""
    points["gs"] = points["track"] = points["source"] = 0
    points["flags"] = points["flags"] & (GAP | SIMULATED) | np.where(is_begin, GAP, 0).astype("u1")
    return points

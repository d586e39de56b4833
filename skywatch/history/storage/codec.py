"""Track points as compact bytes and back, without loss.

Points in order of aircraft, flight and time are written column by column as differences; each difference is a
zigzag variable-length number (7 bits a byte, as in Protocol Buffers), and all of it is compressed with zlib, whose
checksum detects damage. Both directions work on whole columns.

Layout: one version byte, then the zlib stream of: number of points, number of groups, time unit; for each group the
differences of aircraft, flight and number of points; then the columns ``at lat lon alt gs track flags``. Above the
eight bits of its flags stands the source of a point: earlier releases wrote none, and read the flags alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.history.storage.points import ADDRESS_MASK, NON_ICAO, POINT, Points, starts_of

VERSION = 1
LEVEL = 9
COLUMNS = ("at", "lat", "lon", "alt", "gs", "track", "flags")
IDENTITY = ADDRESS_MASK | NON_ICAO
SOURCE_SHIFT = 8
_HEAD = 3
_LONGEST = 10
_MORE = 0x80  # set in every byte of a number but its last
Integers = npt.NDArray[np.int64]


class BrokenChunk(ValueError):
    """Bytes that are not a chunk of this version."""


def encode(points: Points) -> bytes:
    """The bytes of points that are in order (see ``points.in_order``)."""
    starts = starts_of(points)
    counts = np.diff(np.append(starts, len(points)))
    at = points["at"]
    unit = int(np.gcd.reduce(at)) if len(points) else 1
    unit = max(unit, 1)
    values = [
        np.array([len(points), len(starts), unit], np.int64),
        _differences(points["aircraft"][starts]),
        _differences(points["flight"][starts]),
        counts.astype(np.int64),
    ]
    for name in COLUMNS:
        column = points[name].astype(np.int64)
        if name == "flags":
            column |= points["source"].astype(np.int64) << SOURCE_SHIFT
        values.append(_differences(column // unit if name == "at" else column))
    return bytes([VERSION]) + zlib.compress(_to_varints(np.concatenate(values)), LEVEL)


def decode(data: bytes, only: int | None = None) -> Points:
    """The points of ``encode``, of one aircraft (its ``points.identity``) or of all; raises BrokenChunk."""
    return decode_all([data], only)[0]


def decode_all(chunks: Sequence[bytes], only: int | None = None) -> list[Points]:
    """``decode`` for many chunks at once, which is faster; raises BrokenChunk if any is damaged."""
    sizes = [0]
    groups: list[Integers] = []
    columns: list[Integers] = []
    for values in _numbers(chunks):
        aircraft, flights, counts, rows = _chunk(values, only)
        groups.append(np.stack((aircraft, flights, counts)))
        columns.append(rows)
        sizes.append(sizes[-1] + rows.shape[1])
    if not groups:
        return []
    aircraft, flights, counts = np.concatenate(groups, axis=1)
    points = np.empty(sizes[-1], POINT)
    points["aircraft"], points["flight"] = np.repeat(aircraft, counts), np.repeat(flights, counts)
    for name, column in zip(COLUMNS, np.concatenate(columns, axis=1), strict=True):
        if name == "flags":
            points["source"] = column >> SOURCE_SHIFT & 0xFF
            column = column & 0xFF
        points[name] = column
    return [points[begin:end] for begin, end in pairwise(sizes)]


def _numbers(chunks: Sequence[bytes]) -> list[Integers]:
    """The numbers of each chunk, still as differences."""
    bodies = []
    for data in chunks:
        if not data or data[0] != VERSION:
            raise BrokenChunk("not a chunk of this version")
        try:
            bodies.append(zlib.decompress(memoryview(data)[1:]))
        except zlib.error as error:
            raise BrokenChunk(f"the chunk is damaged: {error}") from None
        if not bodies[-1]:
            raise BrokenChunk("the chunk is cut short")
    if not bodies:
        return []
    data_of_all = np.frombuffer(b"".join(bodies), np.uint8)
    values, last = _from_varints(data_of_all)
    ends = np.cumsum([len(body) for body in bodies])
    if (data_of_all[ends - 1] >= _MORE).any():
        raise BrokenChunk("the chunk ends within a number")
    return np.split(values, np.searchsorted(last, ends[:-1]))


def _chunk(values: Integers, only: int | None) -> tuple[Integers, Integers, Integers, Integers]:
    """Aircraft, flight and number of points of each group, and the points' COLUMNS as rows, of one chunk."""
    if len(values) < _HEAD:
        raise BrokenChunk("the chunk is cut short")
    # The head was written with the same zigzag as the rest.
    count, groups, unit = values[:_HEAD].tolist()
    if count < 0 or groups < 0 or len(values) != _HEAD + 3 * groups + len(COLUMNS) * count:
        raise BrokenChunk("the chunk's counts do not agree")
    aircraft, flights, counts = values[_HEAD : _HEAD + 3 * groups].reshape(3, groups)
    if counts.sum() != count or (counts < 0).any():
        raise BrokenChunk("the chunk's counts do not agree")
    aircraft, flights = np.cumsum(aircraft), np.cumsum(flights)
    rows = values[_HEAD + 3 * groups :].reshape(len(COLUMNS), count)
    if only is None:
        rows = np.cumsum(rows, axis=1)
    else:
        # Groups of one aircraft may not be adjacent if its military flag changed; others between them are dropped.
        matches = aircraft & IDENTITY == only
        indexes, ends = np.flatnonzero(matches), np.cumsum(counts)
        begin, end = (int(ends[indexes[0]] - counts[indexes[0]]), int(ends[indexes[-1]])) if len(indexes) else (0, 0)
        before = rows[:, :begin].sum(axis=1, keepdims=True)
        rows = before + np.cumsum(rows[:, begin:end], axis=1)
        if len(indexes) and len(indexes) <= indexes[-1] - indexes[0]:
            rows = rows[:, np.repeat(matches, counts)[begin:end]]
        aircraft, flights, counts = aircraft[matches], flights[matches], counts[matches]
    rows[COLUMNS.index("at")] *= unit
    return aircraft, flights, counts, rows


def _differences(column: npt.NDArray[Any]) -> Integers:
    values = column.astype(np.int64)
    values[1:] -= values[:-1].copy()
    return values


def _to_varints(values: Integers) -> bytes:
    """Zigzag, then seven bits a byte, least first, the high bit set on all but the last."""
    folded = ((values << 1) ^ (values >> 63)).astype(np.uint64)
    lengths = np.ones(len(folded), np.int64)
    for size in range(1, _LONGEST):
        more = folded >= np.uint64(1 << (7 * size))
        if not more.any():
            break
        lengths += more
    first = np.cumsum(lengths) - lengths
    out = np.zeros(int(lengths.sum()), np.uint8)
    for index in range(int(lengths.max(initial=0))):
        has = lengths > index
        byte = (folded[has] >> np.uint64(7 * index)) & np.uint64(0x7F)
        out[first[has] + index] = byte | np.where(lengths[has] > index + 1, np.uint64(0x80), np.uint64(0))
    return out.tobytes()


def _from_varints(data: npt.NDArray[np.uint8]) -> tuple[Integers, Integers]:
    """The numbers, and where in ``data`` the last byte of each is."""
    last = np.flatnonzero(data < _MORE)
    if len(data) and (len(last) == 0 or last[-1] != len(data) - 1):
        raise BrokenChunk("the chunk ends within a number")
    first = np.append(0, last[:-1] + 1) if len(last) else last
    lengths = last - first + 1
    if int(lengths.max(initial=0)) > _LONGEST:
        raise BrokenChunk("the chunk holds a number that is too long")
    folded = (data[first] & 0x7F).astype(np.uint64)
    index, more = 1, np.flatnonzero(lengths > 1)
    while len(more):
        folded[more] |= (data[first[more] + index] & np.uint8(0x7F)).astype(np.uint64) << np.uint64(7 * index)
        index += 1
        more = more[lengths[more] > index]
    return (folded >> np.uint64(1)).astype(np.int64) ^ -(folded & np.uint64(1)).astype(np.int64), last

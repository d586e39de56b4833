"""The columns form of the picture, for maps: each aircraft as a row of a few values instead of an object of many.

Rows are complete and are encoded once a tick for all who asked for the same fields; only rows of aircraft that are
marked for a user (flag 8) are that user's own. A ``limit`` thins a crowded sky: marked aircraft and emergencies first,
then military aircraft, then aircraft spread over the area, so that no part of a map goes empty.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from skywatch.picture.state.doubt import sure_emergencies
from skywatch.picture.state.sky import Column, Sky
from skywatch.realtime.topics import packed_rows
from skywatch.realtime.topics.packed_rows import PackedRows, UnpackableError

Rows = npt.NDArray[np.intp]

DEFAULT_FIELDS = ("hex", "lat", "lon", "track", "gs", "alt_baro", "flags", "category", "flight")
MAX_LIMIT = 100_000
# A position older than this is shown where it was, and marked.
STALE_S = 15.0
ON_GROUND, MILITARY, EMERGENCY, ALERT, MLAT, TISB, STALE = 1, 2, 4, 8, 16, 32, 64
# 1e-4 degrees are 11 m, less than an aircraft's length.
POSITION_DIGITS = 4
# Cells along each side of the area over which a thinned sky is spread.
SPREAD_CELLS = 24


@dataclass(frozen=True)
class Form:
    """What a subscriber of columns asked for: ``fields`` of a row, ``hex`` first, and at most so many rows."""

    fields: tuple[str, ...]
    limit: int | None = None


_FLAGS = {"on_ground": ON_GROUND, "military": MILITARY, "emergency": EMERGENCY, "mlat": MLAT, "tisb": TISB}


def flags_of(sky: Sky, rows: Rows) -> npt.NDArray[np.uint8]:
    """The flags of some aircraft of a sky."""
    flags = np.zeros(len(rows), dtype="u1")
    for name, bit in _FLAGS.items():
        flags[sky.column(name)[rows]] |= bit
    flags[_is_stale(sky, sky.column("position_at")[rows])] |= STALE
    return flags


def is_stale(sky: Sky) -> npt.NDArray[np.bool_]:
    """Which positions are too old to be carried on along the track."""
    return _is_stale(sky, sky.column("position_at"))


def _is_stale(sky: Sky, position_at: Column) -> npt.NDArray[np.bool_]:
    stale: npt.NDArray[np.bool_] = sky.now - position_at > STALE_S
    return stale


def became_stale(sky: Sky, before: Sky) -> npt.NDArray[np.bool_]:
    """Which positions became stale, or fresh again, at this tick: that alone is not a change of the aircraft."""
    was = sky.column("previous_row")
    existing = was >= 0
    if not len(before):
        return np.zeros(len(sky), dtype=bool)
    result: npt.NDArray[np.bool_] = existing & (is_stale(sky) != is_stale(before)[np.where(existing, was, 0)])
    return result


def _texts(column: Column) -> list[Any]:
    try:
        values: list[Any] = column.astype("U").tolist()
    except UnicodeDecodeError:
        values = [text.decode("ascii", "replace") for text in column.tolist()]
    return _without(values, column == b"")


def _wholes(column: Column) -> list[Any]:
    is_unknown = np.isnan(column)
    return _without(np.rint(np.where(is_unknown, 0, column)).astype(np.int64).tolist(), is_unknown)


def _degrees(column: Column) -> list[Any]:
    return _without(np.round(column, POSITION_DIGITS).tolist(), np.isnan(column))


def _without(values: list[Any], is_unknown: npt.NDArray[np.bool_]) -> list[Any]:
    """Values as they are written, None for unknown ones."""
    for at in np.flatnonzero(is_unknown).tolist():
        values[at] = None
    return values


def _packed_texts(column: Column) -> packed_rows.Field:
    return packed_rows.texts(column)


def _packed_wholes(column: Column) -> packed_rows.Field:
    is_unknown = np.isnan(column)
    numbers = np.rint(np.where(is_unknown, 0, column))
    if len(numbers) and np.abs(numbers).max() > packed_rows.MAX_WHOLE:
        raise UnpackableError("a number is too large")
    return packed_rows.wholes(numbers.astype(np.int64), is_unknown)


def _packed_degrees(column: Column) -> packed_rows.Field:
    return packed_rows.floats(np.round(column, POSITION_DIGITS))


def _tenths(column: Column) -> list[Any]:
    return [None if value != value else round(value, 1) for value in column.tolist()]


# field -> column of the sky and how it is written; all other fields are read from the aircraft's JSON object.
QUICK: dict[str, tuple[str, Callable[[Column], list[Any]]]] = {
    "lat": ("lat", _degrees),
    "lon": ("lon", _degrees),
    "track": ("track_deg", _wholes),
    "gs": ("gs_kt", _wholes),
    "alt_baro": ("alt_baro_ft", _wholes),
    "alt_geom": ("alt_geom_ft", _wholes),
    "baro_rate": ("baro_rate_fpm", _wholes),
    "geom_rate": ("geom_rate_fpm", _wholes),
    "distance_nm": ("distance_nm", _tenths),
    "bearing": ("bearing_deg", _wholes),
    "rssi": ("rssi_db", _tenths),
    "category": ("category", _texts),
    "flight": ("flight", _texts),
    "squawk": ("squawk", _texts),
    "t": ("type", _texts),
}


# How a list of values is written as MessagePack; what is not here is packed row by row.
_PACKED: dict[Callable[[Column], list[Any]], Callable[[Column], packed_rows.Field]] = {
    _texts: _packed_texts,
    _wholes: _packed_wholes,
    _degrees: _packed_degrees,
}
# The field that is made of several columns.
ROUTE = "route"
_MAX_FIELDS = 15


def packed_rows_of(sky: Sky, rows: Rows, fields: tuple[str, ...]) -> PackedRows | None:
    """The rows of ``rows_of`` packed all at once; None where a field or a value of theirs cannot be."""
    names = [name for name in fields if name not in ("hex", "flags", ROUTE)]
    if len(fields) > _MAX_FIELDS or any(name not in QUICK or QUICK[name][1] not in _PACKED for name in names):
        return None
    packed = []
    try:
        for name in fields:
            if name == "hex":
                packed.append(packed_rows.texts(np.array([sky.hexes[row] for row in rows.tolist()], "S")))
            elif name == "flags":
                packed.append(packed_rows.wholes(flags_of(sky, rows).astype(np.int64)))
            elif name == ROUTE:
                packed.append(packed_rows.texts(sky.routes(rows)))
            else:
                column, write = QUICK[name]
                packed.append(_PACKED[write](sky.column(column)[rows]))
    except (UnpackableError, UnicodeEncodeError):
        return None
    return packed_rows.join(packed, len(rows))


def rows_of(sky: Sky, rows: Rows, fields: tuple[str, ...], details: bool) -> list[tuple[Any, ...]]:
    """Complete rows of some aircraft; unknown values are None, and so are airframe details without ``details``."""
    slow = [name for name in fields if name not in QUICK and name not in ("hex", "flags", ROUTE)]
    objects = [msgspec.json.decode(sky.body(row, details)) for row in rows.tolist()] if slow else []
    columns: list[list[Any]] = []
    for name in fields:
        if name == "hex":
            columns.append([sky.hexes[row] for row in rows.tolist()])
        elif name == "flags":
            columns.append(flags_of(sky, rows).tolist())
        elif name == ROUTE:
            columns.append(_texts(sky.routes(rows)))
        elif name in QUICK:
            column, write = QUICK[name]
            columns.append(write(sky.column(column)[rows]))
        else:
            columns.append([entry.get(name) for entry in objects])
    return list(zip(*columns, strict=True))


Encode = Callable[[Any], bytes]
_json: Encode = msgspec.json.Encoder().encode
_pack: Encode = msgspec.msgpack.Encoder().encode


class EncodedRows:
    """The rows of one tick, each encoded when it is first needed in a form and then shared by all areas."""

    def __init__(self, sky: Sky, fields: tuple[str, ...], details: bool) -> None:
        self._sky = sky
        self._fields = fields
        self._details = details
        self._flags = fields.index("flags") if "flags" in fields else None
        self._encoded: dict[Encode, list[bytes | None]] = {}

    def json(self, rows: Rows, marked: Rows) -> bytes:
        """A list of some rows as JSON."""
        return b"[%b]" % b",".join(self._bodies(rows, marked, _json))

    def packed(self, rows: Rows, marked: Rows) -> bytes:
        """A list of some rows as MessagePack."""
        bodies = self.packed_bodies(rows, marked)
        return array_head(len(bodies)) + b"".join(bodies)

    def packed_run(self, rows: Rows) -> PackedRows:
        """Some rows as MessagePack one after the other, none of them marked."""
        packed = packed_rows_of(self._sky, rows, self._fields)
        if packed is None:
            bodies = self._shared(rows, _pack)
            packed = PackedRows(b"".join(bodies), list(accumulate(map(len, bodies))))
        return packed

    def packed_bodies(self, rows: Rows, marked: Rows) -> list[bytes]:
        """Each of some rows as MessagePack; in their order where none is marked."""
        return self._bodies(rows, marked, _pack)

    def _bodies(self, rows: Rows, marked: Rows, encode: Encode) -> list[bytes]:
        """Each row encoded; those of ``marked`` have the flag and are not shared with other users."""
        if not len(marked) or self._flags is None:
            return self._shared(rows, encode)
        is_marked = np.isin(rows, marked)
        own = [list(row) for row in rows_of(self._sky, rows[is_marked], self._fields, self._details)]
        for row in own:
            row[self._flags] |= ALERT
        return self._shared(rows[~is_marked], encode) + [encode(row) for row in own]

    def _shared(self, rows: Rows, encode: Encode) -> list[bytes]:
        encoded = self._encoded.get(encode)
        if encoded is None:
            encoded = self._encoded[encode] = [None] * len(self._sky)
        missing = np.array([row for row in rows.tolist() if encoded[row] is None], dtype=np.intp)
        if len(missing):
            for row, body in zip(missing.tolist(), self._encode(missing, encode), strict=True):
                encoded[row] = body
        return [body for row in rows.tolist() if (body := encoded[row]) is not None]

    def _encode(self, rows: Rows, encode: Encode) -> list[bytes]:
        packed = packed_rows_of(self._sky, rows, self._fields) if encode is _pack else None
        if packed is not None:
            return packed.each()
        return list(map(encode, rows_of(self._sky, rows, self._fields, self._details)))


def array_head(length: int) -> bytes:
    """The head of a MessagePack array (specification of MessagePack, "array format family")."""
    if length < 16:
        return bytes((0x90 | length,))
    return struct.pack(">BH", 0xDC, length) if length < 1 << 16 else struct.pack(">BI", 0xDD, length)


def thin(sky: Sky, rows: Rows, limit: int, shown: frozenset[str], marked: Rows | None = None) -> Rows:
    """At most ``limit`` of these rows: marked ones and emergencies, military, then spread over the area.

    Aircraft that only one feeder has heard rank with others, whatever they declare: they may not exist.
    Aircraft ``shown`` before rank first in their cell, so that aircraft do not appear and disappear at each tick.
    """
    if len(rows) <= limit:
        return rows
    emergency, military = sure_emergencies(sky)[rows], sky.column("military")[rows]
    if marked is not None:
        emergency = emergency | np.isin(rows, marked)
    is_sure = ~sky.column("single_source")[rows]
    emergency, military = emergency & is_sure, military & is_sure
    stays = np.fromiter((sky.hexes[row] in shown for row in rows.tolist()), "?", len(rows))
    cell = _cells(sky.column("lat")[rows], sky.column("lon")[rows])
    # The rank within the cell; first ones of all cells precede second ones.
    order = np.lexsort((rows, ~stays, cell))
    sorted_cell = cell[order]
    starts = np.flatnonzero(np.r_[True, sorted_cell[1:] != sorted_cell[:-1]])
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.arange(len(rows)) - np.repeat(starts, np.diff(np.r_[starts, len(rows)]))
    best = np.lexsort((~stays, rank, ~military, ~emergency))[:limit]
    return rows[np.sort(best)]


def _cells(lat: Column, lon: Column) -> npt.NDArray[np.int64]:
    """The cell of each position in a grid over the extent of all of them; those without one share a cell."""
    has_position = ~(np.isnan(lat) | np.isnan(lon))
    cells = np.full(len(lat), -1, dtype=np.int64)
    if not has_position.any():
        return cells
    indices = []
    for values in (lat[has_position], lon[has_position]):
        low, high = float(values.min()), float(values.max())
        step = max((high - low) / SPREAD_CELLS, 1e-6)
        indices.append(np.minimum((values - low) / step, SPREAD_CELLS - 1).astype(np.int64))
    cells[has_position] = indices[0] * SPREAD_CELLS + indices[1]
    return cells

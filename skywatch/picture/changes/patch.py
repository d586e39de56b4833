"""Makes a sky of the one before and the changes that came."""

from __future__ import annotations

import numpy as np

from skywatch.picture.changes.message import LINE, Changes, unpack
from skywatch.picture.changes.objects import FollowedSky, Objects
from skywatch.picture.state.row_map import RowMap
from skywatch.picture.state.sky import COLUMNS, DOUBT, Column, Sky, put_together, received_doubt


class MissingBase(ValueError):
    """The sky that the changes build upon is not here."""


def apply_changes(data: bytes, before: Sky) -> Sky:
    """The sky of ``encode_changes``; raises MissingBase where it builds upon another, ValueError where it is none."""
    changes = unpack(data)
    if changes.epoch != before.epoch or changes.seq != before.seq + 1:
        raise MissingBase(f"tick {changes.seq} builds upon one that is not here")
    if changes.encoded.count(LINE) != max(0, changes.count - 1):
        raise ValueError("the encoded aircraft differ in number")
    previous = (np.frombuffer(changes.previous_row, "<i4") + np.arange(changes.count, dtype="i4")).astype("i4")
    rows, new = RowMap.or_first(previous), np.flatnonzero(previous < 0).tolist()
    hexes = before.hexes
    if new or not rows.is_same(hexes):
        hexes = rows.listed(hexes)
        for row, address in zip(new, changes.new_hexes, strict=True):
            hexes[row] = address
    columns, told = _columns(changes, before, previous, rows), changes.later_columns.get(DOUBT)
    doubt = None if told is None else _undo(told, rows, before.doubt_by_row())
    return FollowedSky.make(
        Objects.of(before).then(data, changes.encoded, rows),
        epoch=changes.epoch,
        seq=changes.seq,
        now=changes.now,
        messages=changes.messages,
        hexes=hexes,
        columns=columns,
        details=_details(changes, before, rows),
        left=changes.left,
        receivers=changes.receivers,
        station=changes.station,
        names=before.names if changes.names is None else changes.names,
        exact_station=changes.exact_station,
        doubt=received_doubt(doubt, columns["receiver"], changes.receivers),
    )


def _columns(changes: Changes, before: Sky, previous: Column, rows: RowMap) -> dict[str, Column]:
    given = put_together(changes.columns, changes.later_columns, changes.count)
    return {
        name: previous if name == "previous_row" else _undo(given[name], rows, before.columns[name]) for name in COLUMNS
    }


def _details(changes: Changes, before: Sky, rows: RowMap) -> list[bytes]:
    changed = np.frombuffer(changes.detail_rows, "<u4").tolist()
    if not changed and rows.is_same(before.details):
        return before.details
    details = rows.listed(before.details)
    for row, detail in zip(changed, changes.details.split(LINE) if changed else [], strict=True):
        details[row] = detail
    return details


def _undo(data: bytes, rows: RowMap, before: Column) -> Column:
    width, count = before.dtype.itemsize, len(rows)
    if len(data) != width * count:
        raise ValueError("columns differ in length")
    difference = np.frombuffer(data, np.uint8)
    if not difference.any():
        return before if rows.is_same(before) else rows.column(before)
    was = np.frombuffer(rows.column(before).tobytes(), np.uint8).reshape(count, width)
    return np.frombuffer((difference.reshape(width, count).T ^ was).tobytes(), before.dtype)

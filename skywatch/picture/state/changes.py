"""A sky as its difference from the one before: what travels between processes in most seconds.

Columns are combined with those of the tick before by exclusive or, so that what did not change is zero. Of JSON
objects that have as many members as before only the members that differ are sent. What is left is compressed.
"""

from __future__ import annotations

import zlib

import msgspec
import numpy as np
import numpy.typing as npt

from skywatch.picture.state.sky import COLUMNS, Column, Sky, put_together, set_apart

_LEVEL = 1
# Within JSON a line feed is always escaped, and no object begins with this.
_LINE, _WHOLE = b"\n", b"!"
_Rows = npt.NDArray[np.intp]


class MissingBase(ValueError):
    """The sky that the changes build upon is not here."""


class _Changes(msgspec.Struct, array_like=True):
    epoch: str
    seq: int
    now: float
    messages: int
    count: int
    new_hexes: list[str]
    left: tuple[str, ...]
    receivers: tuple[str, ...]
    station: tuple[float, float] | None
    names: tuple[str, ...] | None  # None: as before
    previous_row: bytes
    columns: dict[str, bytes]
    encoded: bytes
    detail_rows: bytes
    details: bytes
    exact_station: tuple[float, float] | None = None
    later_columns: dict[str, bytes] = {}


_pack = msgspec.msgpack.Encoder()
_unpack = msgspec.msgpack.Decoder(_Changes)


def can_follow(sky: Sky, before: Sky) -> bool:
    """Whether a sky can be sent as its difference from another one."""
    return sky.epoch == before.epoch and sky.seq == before.seq + 1 and len(before) > 0


def encode_changes(sky: Sky, before: Sky) -> bytes:
    """What leads from one sky to the next; see ``can_follow``."""
    previous = sky.columns["previous_row"]
    rows = _rows(previous)
    columns, later = set_apart(
        {
            name: _xor(column, before.columns[name][rows])
            for name, column in sky.columns.items()
            if name != "previous_row"
        }
    )
    lines = list(map(_difference, sky.encoded, map(before.encoded.__getitem__, rows.tolist())))
    new = np.flatnonzero(previous < 0)
    for row in new.tolist():
        lines[row] = _WHOLE + sky.encoded[row]
    old_details = map(before.details.__getitem__, rows.tolist())
    differ = [row for row, (now, was) in enumerate(zip(sky.details, old_details, strict=True)) if now != was]
    detail_rows = np.union1d(np.array(differ, dtype=np.intp), new)
    return zlib.compress(
        _pack.encode(
            _Changes(
                sky.epoch,
                sky.seq,
                sky.now,
                sky.messages,
                len(sky),
                [sky.hexes[row] for row in new.tolist()],
                sky.left,
                sky.receivers,
                sky.station,
                None if sky.names == before.names else sky.names,
                (previous - np.arange(len(sky), dtype="i4")).astype("<i4").tobytes(),
                columns,
                _LINE.join(lines),
                detail_rows.astype("<u4").tobytes(),
                _LINE.join([sky.details[row] for row in detail_rows.tolist()]),
                sky.exact_station,
                later,
            )
        ),
        _LEVEL,
    )


def apply_changes(data: bytes, before: Sky) -> Sky:
    """The sky of ``encode_changes``; raises MissingBase where it builds upon another, ValueError where it is none."""
    try:
        changes = _unpack.decode(zlib.decompress(data))
    except (msgspec.MsgspecError, zlib.error) as error:
        raise ValueError(f"not the changes of a sky: {error}") from None
    if changes.epoch != before.epoch or changes.seq != before.seq + 1:
        raise MissingBase(f"tick {changes.seq} builds upon one that is not here")
    given = put_together(changes.columns, changes.later_columns, changes.count)
    previous = (np.frombuffer(changes.previous_row, "<i4") + np.arange(changes.count, dtype="i4")).astype("i4")
    rows = _rows(previous)
    columns: dict[str, Column] = {
        name: previous if name == "previous_row" else _undo(given[name], before.columns[name][rows]) for name in COLUMNS
    }
    old_rows = rows.tolist()
    lines = changes.encoded.split(_LINE) if changes.count else []
    if len(lines) != changes.count:
        raise ValueError("the encoded aircraft differ in number")
    encoded = list(map(_restore, lines, map(before.encoded.__getitem__, old_rows)))
    details = list(map(before.details.__getitem__, old_rows))
    detail_rows = np.frombuffer(changes.detail_rows, "<u4").tolist()
    for row, detail in zip(detail_rows, changes.details.split(_LINE) if detail_rows else [], strict=True):
        details[row] = detail
    hexes = list(map(before.hexes.__getitem__, old_rows))
    for row, address in zip(np.flatnonzero(previous < 0).tolist(), changes.new_hexes, strict=True):
        hexes[row] = address
    return Sky(
        changes.epoch,
        changes.seq,
        changes.now,
        changes.messages,
        hexes,
        columns,
        encoded,
        details,
        changes.left,
        changes.receivers,
        changes.station,
        before.names if changes.names is None else changes.names,
        changes.exact_station,
    )


def _rows(previous: Column) -> _Rows:
    """Rows to compare with; those that are new are compared with any."""
    return np.maximum(previous, 0).astype(np.intp)


def _xor(column: Column, before: Column) -> bytes:
    """Bytes that are zero where nothing has changed; those of equal weight stand together, which packs better."""
    width = column.dtype.itemsize
    now, was = (np.frombuffer(values.tobytes(), np.uint8).reshape(-1, width) for values in (column, before))
    return (now ^ was).T.tobytes()


def _undo(data: bytes, before: Column) -> Column:
    width, count = before.dtype.itemsize, len(before)
    if len(data) != width * count:
        raise ValueError("columns differ in length")
    was = np.frombuffer(before.tobytes(), np.uint8).reshape(count, width)
    now = np.frombuffer(data, np.uint8).reshape(width, count).T ^ was
    return np.frombuffer(now.tobytes(), before.dtype)


def _difference(now: bytes, was: bytes) -> bytes:
    """The pieces between commas that differ, the others empty; or the whole."""
    if now == was:
        return b""
    pieces, old = now.split(b","), was.split(b",")
    if len(pieces) != len(old) or b"" in pieces:
        return _WHOLE + now
    return b",".join([piece if piece != other else b"" for piece, other in zip(pieces, old, strict=True)])


def _restore(line: bytes, was: bytes) -> bytes:
    if not line:
        return was
    if line[:1] == _WHOLE:
        return line[1:]
    pieces = zip(line.split(b","), was.split(b","), strict=True)
    return b",".join([piece or other for piece, other in pieces])

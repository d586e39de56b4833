"""The format of changes as releases since 0028 write and read it, object by object and piece by piece."""

from __future__ import annotations

import zlib
from dataclasses import replace

import msgspec
import numpy as np

from skywatch.picture.state.sky import COLUMNS, LATER_COLUMNS, Sky

CHANGES = (
    "epoch", "seq", "now", "messages", "count", "new_hexes", "left", "receivers", "station", "names", "previous_row",
    "columns", "encoded", "detail_rows", "details", "exact_station", "later_columns",
)  # fmt: skip


def write(sky: Sky, before: Sky) -> bytes:
    """The changes, with the single members that differ."""
    previous = sky.column("previous_row")
    rows = np.maximum(previous, 0).tolist()
    new = np.flatnonzero(previous < 0).tolist()
    columns = {
        name: _xor(column, before.column(name)[rows]) for name, column in sky.columns.items() if name != "previous_row"
    }
    lines = [_difference(body, before.encoded[row]) for body, row in zip(sky.encoded, rows, strict=True)]
    for row in new:
        lines[row] = b"!" + sky.encoded[row]
    details = [row for row, was in enumerate(rows) if row in new or sky.details[row] != before.details[was]]
    message = (
        sky.epoch,
        sky.seq,
        sky.now,
        sky.messages,
        len(sky),
        [sky.hexes[row] for row in new],
        sky.left,
        sky.receivers,
        sky.station,
        None if sky.names == before.names else sky.names,
        (previous - np.arange(len(sky), dtype="i4")).astype("<i4").tobytes(),
        {name: data for name, data in columns.items() if name not in LATER_COLUMNS},
        b"\n".join(lines),
        np.array(details, "<u4").tobytes(),
        b"\n".join(sky.details[row] for row in details),
        sky.exact_station,
        {name: data for name, data in columns.items() if name in LATER_COLUMNS},
    )
    return zlib.compress(msgspec.msgpack.encode(message))


def read(data: bytes, before: Sky) -> Sky:
    """The sky that changes lead to."""
    got = dict(zip(CHANGES, msgspec.msgpack.decode(zlib.decompress(data)), strict=True))
    count = got["count"]
    previous = (np.frombuffer(got["previous_row"], "<i4") + np.arange(count, dtype="i4")).astype("i4")
    rows = np.maximum(previous, 0).tolist()
    given = got["columns"] | got["later_columns"]
    columns = {
        name: previous if name == "previous_row" else _undo(given[name], before.column(name)[rows]) for name in COLUMNS
    }
    lines = got["encoded"].split(b"\n") if count else []
    details, hexes = [before.details[row] for row in rows], [before.hexes[row] for row in rows]
    changed = np.frombuffer(got["detail_rows"], "<u4").tolist()
    for row, detail in zip(changed, got["details"].split(b"\n") if changed else [], strict=True):
        details[row] = detail
    for row, address in zip(np.flatnonzero(previous < 0).tolist(), got["new_hexes"], strict=True):
        hexes[row] = address
    return replace(
        before,
        seq=got["seq"],
        now=got["now"],
        messages=got["messages"],
        hexes=hexes,
        columns=columns,
        encoded=[_restored(line, before.encoded[row]) for line, row in zip(lines, rows, strict=True)],
        details=details,
        left=tuple(got["left"]),
        receivers=tuple(got["receivers"]),
        names=before.names if got["names"] is None else tuple(got["names"]),
        scratch={},
    )


def _xor(now: np.ndarray, was: np.ndarray) -> bytes:
    width = now.dtype.itemsize
    one, other = (np.frombuffer(values.tobytes(), "u1").reshape(-1, width) for values in (now, was))
    return (one ^ other).T.tobytes()


def _undo(data: bytes, was: np.ndarray) -> np.ndarray:
    width = was.dtype.itemsize
    before = np.frombuffer(was.tobytes(), "u1").reshape(-1, width)
    return np.frombuffer((np.frombuffer(data, "u1").reshape(width, -1).T ^ before).tobytes(), was.dtype)


def _difference(now: bytes, was: bytes) -> bytes:
    if now == was:
        return b""
    pieces, old = now.split(b","), was.split(b",")
    if len(pieces) != len(old) or b"" in pieces:
        return b"!" + now
    return b",".join(piece if piece != other else b"" for piece, other in zip(pieces, old, strict=True))


def _restored(line: bytes, was: bytes) -> bytes:
    if not line:
        return was
    if line[:1] == b"!":
        return line[1:]
    return b",".join(piece or other for piece, other in zip(line.split(b","), was.split(b","), strict=True))

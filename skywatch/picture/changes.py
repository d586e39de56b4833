"""A sky as its difference from the one before: what travels between processes in most seconds.

Columns are combined with those of the tick before by exclusive or, so that what did not change is zero. The objects
travel whole, in blocks of rows; each is compressed with the same rows of the tick before as its dictionary. They are
unpacked when somebody reads them: a process that shows columns or tiles alone never does.

Not here: publishing and following it (`picture/distribution`).
"""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import msgspec
import numpy as np

from skywatch.picture.state.row_map import RowMap
from skywatch.picture.state.sky import (
    COLUMNS,
    DOUBT,
    LATER_COLUMNS,
    LATER_MEMBERS,
    MAX_BYTES,
    Column,
    Sky,
    from_bytes,
    missing_column,
    received_doubt,
)

VERSION = 1
# Rows of a block. All of it and of its dictionary then is in the cache, and in the tables of the compression: in blocks
# of 256 objects take two thirds more bytes, in those of 64 a tenth more time.
BLOCK = 128
_LEVEL, _BLOCK_LEVEL = 1, 2
# So many changes wait at most to be unpacked; a whole sky comes every ten ticks.
MAX_WAITING = 12
# Within JSON a line feed is always escaped.
_LINE = b"\n"
# One thread unpacks objects, and others wait for what it makes.
_unpacking = threading.RLock()
# A message as the releases before read it: changes of a sky that they do not have, so that they ask for a whole one.
_FOR_EARLIER: tuple[Any, ...] = ("", 0, 0.0, 0, 0, (), (), (), None, None, b"", {}, b"", b"", b"", None, {})


class MissingBase(ValueError):
    """The sky that changes build upon is not here, or they are of a version that this release does not read."""


class Changes(msgspec.Struct, array_like=True):
    """What differs from the tick before; ``names`` is None where they are as before. Fields are added at the end."""

    epoch: str
    seq: int
    now: float
    messages: int
    count: int
    new_hexes: list[str]
    left: tuple[str, ...]
    receivers: tuple[str, ...]
    station: tuple[float, float] | None
    exact_station: tuple[float, float] | None
    names: tuple[str, ...] | None
    previous_row: bytes
    columns: dict[str, bytes]
    detail_rows: bytes
    details: bytes
    blocks: list[bytes]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Changes)


def can_follow(sky: Sky, before: Sky) -> bool:
    """Whether a sky can be sent as its difference from another one."""
    return sky.epoch == before.epoch and sky.seq == before.seq + 1 and len(before) > 0


def encode_changes(sky: Sky, before: Sky) -> bytes:
    """What leads from one sky to the next; see ``can_follow``."""
    previous = sky.columns["previous_row"]
    rows, new = RowMap.or_first(previous), np.flatnonzero(previous < 0).tolist()
    columns = {
        name: _xor(column, rows.column(before.columns[name]))
        for name, column in sky.columns.items()
        if name != "previous_row"
    }
    columns[DOUBT] = _xor(sky.doubt_by_row(), rows.column(before.doubt_by_row()))
    detail_rows = sorted({*rows.changed(sky.details, before.details), *new})
    return _pack(
        Changes(
            sky.epoch,
            sky.seq,
            sky.now,
            sky.messages,
            len(sky),
            [sky.hexes[row] for row in new],
            sky.left,
            sky.receivers,
            sky.station,
            sky.exact_station,
            None if sky.names == before.names else sky.names,
            (previous - np.arange(len(sky), dtype="i4")).astype("<i4").tobytes(),
            columns,
            np.array(detail_rows, "<u4").tobytes(),
            _LINE.join([sky.details[row] for row in detail_rows]),
            _pack_objects(sky.encoded, rows.listed(before.encoded)),
        )
    )


def apply_changes(data: bytes, before: Sky) -> Sky:
    """The sky of ``encode_changes``; raises MissingBase where it builds upon another, ValueError where it is none."""
    changes = unpack(data)
    if changes.epoch != before.epoch or changes.seq != before.seq + 1:
        raise MissingBase(f"tick {changes.seq} builds upon one that is not here")
    missing = LATER_MEMBERS.difference(changes.columns)
    if before.missing - missing:
        raise MissingBase(f"tick {changes.seq} builds upon columns that are not here")
    if len(changes.blocks) != -(-changes.count // BLOCK):
        raise ValueError("the encoded aircraft differ in number")
    previous = (np.frombuffer(changes.previous_row, "<i4") + np.arange(changes.count, dtype="i4")).astype("i4")
    rows, new = RowMap.or_first(previous), np.flatnonzero(previous < 0).tolist()
    hexes = before.hexes
    if new or not rows.is_same(hexes):
        hexes = rows.listed(hexes)
        for row, address in zip(new, changes.new_hexes, strict=True):
            hexes[row] = address
    columns = _columns(changes, before, previous, rows)
    doubt = None if DOUBT in missing else _undo(changes.columns[DOUBT], rows, before.doubt_by_row())
    return FollowedSky.make(
        Objects.of(before).then(changes.blocks, rows),
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
        missing=missing,
    )


def unpack(data: bytes) -> Changes:
    """The changes of a message; raises MissingBase where it is another release's, ValueError where it is none."""
    try:
        fields = msgspec.msgpack.decode(zlib.decompressobj().decompress(data, MAX_BYTES), type=list)
        if len(fields) <= len(_FOR_EARLIER) or fields[len(_FOR_EARLIER)][0] != VERSION:
            raise MissingBase("changes of another release cannot be read")
        return _decoder.decode(_unpacked(memoryview(fields[len(_FOR_EARLIER)])[1:], MAX_BYTES))
    except (msgspec.MsgspecError, zlib.error, TypeError, IndexError) as error:
        raise ValueError(f"not the changes of a sky: {error}") from None


class Objects:
    """The objects of a sky by row: a list, or what makes it of that of the tick before."""

    def __init__(self, made: list[bytes] | None, waiting: int = 0) -> None:
        self._made = made
        self._waiting = waiting
        self._before: Objects | None = None
        self._make: Callable[[list[bytes]], list[bytes]] | None = None

    @classmethod
    def of(cls, sky: Sky) -> Objects:
        """Those of any sky."""
        objects = sky.objects if isinstance(sky, FollowedSky) else None
        return objects or cls(sky.encoded)

    def then(self, blocks: list[bytes], rows: RowMap) -> Objects:
        """Those of the next tick, whose rows were these."""
        following = Objects(None, self._waiting + 1)
        following._before, following._make = self, partial(_unpack_objects, blocks, rows)
        if following._waiting > MAX_WAITING:
            following.get()
        return following

    def settle(self, data: bytes) -> None:
        """The whole sky has come (``to_bytes``): what leads to it is not needed any more."""
        with _unpacking:
            if self._made is None:
                self._before, self._make, self._waiting = Objects([]), lambda _: from_bytes(data).encoded, 1

    def get(self) -> list[bytes]:
        """The objects; raises ValueError where what came cannot be unpacked."""
        with _unpacking:
            steps: list[Objects] = []
            last: Objects | None = self
            while last is not None and last._made is None:
                steps.append(last)
                last = last._before
            made = last._made if last is not None else None
            for step in reversed(steps):
                assert made is not None
                assert step._make is not None
                made = step._make(made)
            assert made is not None
            self._made, self._before, self._make, self._waiting = made, None, None, 0
            return made


class FollowedSky(Sky):
    """A sky that came as changes; ``objects`` are its ``encoded`` ones."""

    objects: Objects | None = None

    @classmethod
    def make(cls, objects: Objects, **values: Any) -> FollowedSky:
        """A sky of these values, all but ``encoded``."""
        sky = cls(encoded=[], **values)
        members = vars(sky)
        members["objects"] = objects
        # So that they are unpacked when somebody reads them.
        del members["encoded"]
        return sky

    @cached_property
    def encoded(self) -> list[bytes]:
        """The objects, unpacked now; raises ValueError as ``Objects.get`` does."""
        assert self.objects is not None
        return self.objects.get()


def _pack(changes: Changes) -> bytes:
    import zstandard

    content = bytes((VERSION,)) + zstandard.ZstdCompressor(_LEVEL).compress(_encoder.encode(changes))
    return zlib.compress(_encoder.encode((*_FOR_EARLIER, content)), 0)


def _pack_objects(objects: list[bytes], before: list[bytes]) -> list[bytes]:
    """Blocks of objects; ``before`` are those of the same rows in the tick before."""
    import zstandard

    blocks = []
    for start in range(0, len(objects), BLOCK):
        compressor = zstandard.ZstdCompressor(_BLOCK_LEVEL, dict_data=_dictionary(before, start), write_checksum=True)
        blocks.append(compressor.compress(_LINE.join(objects[start : start + BLOCK])))
    return blocks


def _unpack_objects(blocks: list[bytes], rows: RowMap, before: list[bytes]) -> list[bytes]:
    was, objects, remaining = rows.listed(before), [], MAX_BYTES
    for number, block in enumerate(blocks):
        unpacked = _unpacked(block, remaining, _dictionary(was, number * BLOCK))
        remaining -= len(unpacked)
        objects += unpacked.split(_LINE)
    if len(objects) != len(rows):
        raise ValueError("the encoded aircraft differ in number")
    return objects


def _dictionary(objects: list[bytes], start: int) -> Any:
    import zstandard

    return zstandard.ZstdCompressionDict(
        _LINE.join(objects[start : start + BLOCK]), dict_type=zstandard.DICT_TYPE_RAWCONTENT
    )


def _unpacked(data: bytes | memoryview, most: int, dictionary: Any = None) -> bytes:
    """At most so many bytes; raises ValueError."""
    import zstandard

    try:
        if not 0 <= zstandard.frame_content_size(data) <= most:
            raise ValueError("what came of the picture is too large, or does not say how large it is")
        unpacked: bytes = zstandard.ZstdDecompressor(dict_data=dictionary).decompress(data)
    except zstandard.ZstdError as error:
        raise ValueError(f"what came of the picture cannot be unpacked: {error}") from None
    return unpacked


def _columns(changes: Changes, before: Sky, previous: Column, rows: RowMap) -> dict[str, Column]:
    columns = {}
    for name in COLUMNS:
        if name == "previous_row":
            columns[name] = previous
        elif name in changes.columns:
            columns[name] = _undo(changes.columns[name], rows, before.columns[name])
        elif name in LATER_COLUMNS:
            columns[name] = np.where(previous < 0, missing_column(name, len(rows)), rows.column(before.columns[name]))
        else:
            raise ValueError("the columns are those of another version")
    return columns


def _details(changes: Changes, before: Sky, rows: RowMap) -> list[bytes]:
    changed = np.frombuffer(changes.detail_rows, "<u4").tolist()
    if not changed and rows.is_same(before.details):
        return before.details
    details = rows.listed(before.details)
    for row, detail in zip(changed, changes.details.split(_LINE) if changed else [], strict=True):
        details[row] = detail
    return details


def _xor(column: Column, before: Column) -> bytes:
    """Bytes that are zero where nothing has changed; those of equal weight stand together, which packs better."""
    width = column.dtype.itemsize
    now, was = (np.frombuffer(values.tobytes(), np.uint8).reshape(-1, width) for values in (column, before))
    return (now ^ was).T.tobytes()


def _undo(data: bytes, rows: RowMap, before: Column) -> Column:
    width, count = before.dtype.itemsize, len(rows)
    if len(data) != width * count:
        raise ValueError("columns differ in length")
    difference = np.frombuffer(data, np.uint8)
    if not difference.any():
        return before if rows.is_same(before) else rows.column(before)
    was = np.frombuffer(rows.column(before).tobytes(), np.uint8).reshape(count, width)
    return np.frombuffer((difference.reshape(width, count).T ^ was).tobytes(), before.dtype)

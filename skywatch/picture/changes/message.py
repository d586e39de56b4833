"""The message that leads from one sky to the next: columns combined with those before, and lines for the objects.

Every release since 0028 reads it. Columns are combined with those of the tick before by exclusive or, so that what did
not change is zero. Of each JSON object there is a line: empty where it is as before, ``!`` and the object, or its
pieces between commas, of which those that are empty are as before. What is left is compressed.
"""

from __future__ import annotations

import zlib

import msgspec

from skywatch.picture.state.sky import Sky

_LEVEL = 1
# Within JSON a line feed is always escaped, and no object begins with the second.
LINE, WHOLE = b"\n", b"!"


class Changes(msgspec.Struct, array_like=True):
    """What differs from the tick before; ``names`` is None where they are as before."""

    epoch: str
    seq: int
    now: float
    messages: int
    count: int
    new_hexes: list[str]
    left: tuple[str, ...]
    receivers: tuple[str, ...]
    station: tuple[float, float] | None
    names: tuple[str, ...] | None
    previous_row: bytes
    columns: dict[str, bytes]
    encoded: bytes
    detail_rows: bytes
    details: bytes
    exact_station: tuple[float, float] | None = None
    later_columns: dict[str, bytes] = {}


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Changes)


def pack(changes: Changes) -> bytes:
    """The message as bytes."""
    return zlib.compress(_encoder.encode(changes), _LEVEL)


def unpack(data: bytes) -> Changes:
    """The message of ``pack``; raises ValueError where it is none."""
    try:
        return _decoder.decode(zlib.decompress(data))
    except (msgspec.MsgspecError, zlib.error) as error:
        raise ValueError(f"not the changes of a sky: {error}") from None


def can_follow(sky: Sky, before: Sky) -> bool:
    """Whether a sky can be sent as its difference from another one."""
    return sky.epoch == before.epoch and sky.seq == before.seq + 1 and len(before) > 0

"""WebSocket frames as bytes, made once and written to every subscriber as they are (RFC 6455, RFC 7692)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Protocol

import msgspec

from skywatch.core.bus import Message

# Small messages grow or gain nothing by compression.
COMPRESS_FROM_BYTES = 1024
# Level 1 is a third of the cost of level 6 for four fifths of its gain on aircraft lists.
COMPRESSION_LEVEL = 1

_FIN, _RSV1, _TEXT, _BINARY, _PING = 0x80, 0x40, 0x1, 0x2, 0x9


class Encoder(Protocol):
    """Encodes an event in a protocol."""

    def __call__(self, event: Event, /) -> bytes: ...


_variants: dict[tuple[Encoder, bool], tuple[Encoder, bool]] = {}


def variant_of(encode: Encoder, deflate: bool) -> tuple[Encoder, bool]:
    """The variant of frames for a protocol's encoder; one object for all connections that take it."""
    return _variants.setdefault((encode, deflate), (encode, deflate))


def text_frame(payload: bytes, compressed: bool = False, binary: bool = False) -> bytes:
    """One unmasked, unfragmented frame; ``compressed`` says that the payload is deflated already."""
    first = _FIN | (_BINARY if binary else _TEXT) | (_RSV1 if compressed else 0)
    return _head(first, len(payload)) + payload


def ping_frame(payload: bytes = b"") -> bytes:
    """A ping; the payload has at most 125 bytes."""
    return _head(_FIN | _PING, len(payload)) + payload


def message_frame(payload: bytes, deflate: bool, binary: bool = False) -> bytes:
    """A frame, compressed where the connection negotiated it and it is worth it.

    Each message is compressed on its own (no context is carried over), which every receiver can read, so that one
    compressed frame serves all connections.
    """
    if not deflate or len(payload) < COMPRESS_FROM_BYTES:
        return text_frame(payload, binary=binary)
    compressor = zlib.compressobj(COMPRESSION_LEVEL, zlib.DEFLATED, -15)
    deflated = compressor.compress(payload) + compressor.flush(zlib.Z_SYNC_FLUSH)
    # RFC 7692, 7.2.1: the empty block that a sync flush ends with is not sent.
    return text_frame(deflated[:-4], compressed=True, binary=binary)


def _head(first: int, length: int) -> bytes:
    if length < 126:
        return bytes((first, length))
    if length <= 0xFFFF:
        return struct.pack("!BBH", first, 126, length)
    return struct.pack("!BBQ", first, 127, length)


class Point(msgspec.Struct, frozen=True):
    """The point from which a subscriber resumes: epoch and seq of its last event."""

    epoch: str
    seq: int


class Event:
    """One outgoing event: the data encoded once, and each variant of its frame made when first needed.

    ``data`` is JSON, or a function that makes it when somebody needs it; ``packed`` makes the same as MessagePack,
    where that is cheaper than from the JSON. ``receipts`` are the messages in it of which it is recorded that they were
    written to their user, ``aircraft`` the addresses that it is about.
    """

    __slots__ = ("_data", "_frames", "_packed", "aircraft", "epoch", "event", "receipts", "seq", "topic")

    def __init__(
        self,
        topic: str,
        event: str,
        epoch: str,
        seq: int,
        data: bytes | Callable[[], bytes],
        packed: Callable[[], bytes] | None = None,
        receipts: tuple[Message, ...] = (),
        aircraft: frozenset[str] = frozenset(),
    ) -> None:
        self.topic = topic
        self.event = event
        self.epoch = epoch
        self.seq = seq
        self.receipts = receipts
        self.aircraft = aircraft
        self._data = data
        # Not a bound method: an event that refers to itself is only freed by the garbage collector.
        self._packed: bytes | Callable[[], bytes] | None = packed
        self._frames: dict[tuple[Encoder, bool], bytes] = {}

    @property
    def data(self) -> bytes:
        """The data as JSON."""
        if not isinstance(self._data, bytes):
            self._data = self._data()
        return self._data

    @property
    def packed(self) -> bytes:
        """The data as MessagePack."""
        if not isinstance(self._packed, bytes):
            self._packed = self._packed() if self._packed else msgspec.msgpack.encode(msgspec.json.decode(self.data))
        return self._packed

    def frame(self, variant: tuple[Encoder, bool]) -> bytes:
        """The frame for a variant: the protocol's encoder, and whether to compress; a packet where it is for polls."""
        frame = self._frames.get(variant)
        if frame is None:
            encode, deflate = variant
            frame = encode(self)
            if not getattr(encode, "is_packet", False):
                frame = message_frame(frame, deflate, getattr(encode, "is_binary", False))
            self._frames[variant] = frame
        return frame

    @property
    def has_frames(self) -> bool:
        """Whether a frame was made and is kept."""
        return bool(self._frames)

    def forget_frames(self) -> None:
        """Keep the data alone; what is asked for again is made again."""
        self._frames = {}
        if not callable(self._packed):
            self._packed = None

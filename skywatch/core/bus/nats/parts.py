"""Messages that are larger than what a server takes at once: cut into parts, and put together again.

Each part begins with a version, the message's number, the part's index and how many there are (big endian, 13 bytes).
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Iterator
from itertools import count

_HEADER = struct.Struct(">BQHH")
VERSION = 1
# Messages of which not all parts have come; beyond, the oldest is given up.
MAX_INCOMPLETE = 32
_numbers = count(secrets.randbits(48) << 16)


class PartsError(ValueError):
    """The bytes are no part that this release can read."""


class UnknownPartsError(PartsError):
    """Parts of a release whose parts this one cannot read."""


def cut(data: bytes, max_bytes: int) -> Iterator[bytes]:
    """The parts of a message, of at most so many bytes each; raises PartsError where there would be over 65,535."""
    size = max_bytes - _HEADER.size
    parts = max(1, -(-len(data) // size))
    if parts > 0xFFFF:
        raise PartsError(f"{len(data)} bytes are too many for parts of {max_bytes}")
    number = next(_numbers) & 0xFFFFFFFFFFFFFFFF
    view = memoryview(data)
    for index in range(parts):
        yield _HEADER.pack(VERSION, number, index, parts) + view[index * size : (index + 1) * size]


class Joiner:
    """Puts parts together; parts of one message come in order, those of several may be mixed."""

    def __init__(self) -> None:
        self._incomplete: dict[int, list[bytes]] = {}

    def add(self, part: bytes) -> bytes | None:
        """The message that this part completes, or None; raises PartsError."""
        if len(part) < _HEADER.size:
            raise PartsError("a part is cut short")
        version, number, index, parts = _HEADER.unpack_from(part)
        if version != VERSION:
            raise UnknownPartsError(f"parts of version {version} cannot be read; this release reads {VERSION}")
        content = part[_HEADER.size :]
        if parts == 1:
            return content
        received = self._incomplete.pop(number, [])
        if index != len(received):
            # A part before it was lost.
            return None
        received.append(content)
        if len(received) == parts:
            return b"".join(received)
        self._incomplete[number] = received
        if len(self._incomplete) > MAX_INCOMPLETE:
            del self._incomplete[next(iter(self._incomplete))]
        return None

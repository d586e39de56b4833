"""What readsb's ``beast_reduce_plus`` adds to Beast: the UUID of the receiver ahead of its frames, and pings.

``1A E4`` and 36 characters are the UUID, unescaped; ``1A 'W' 'O'`` asks for pings, which are ``1A 'P'`` and 24 bits of
milliseconds with doubled ``1A``. Heartbeats and frames ahead of the UUID are dropped.
"""

from __future__ import annotations

import re

UUID_LENGTH = 36
DIGITS = 32
# An escape of an odd run begins a message; the pairs before it are data.
_UUID_FRAME = re.compile(rb"(?<!\x1a)(?:\x1a\x1a)*\x1a\xe4")
_ASKS_FOR_PINGS = re.compile(rb"(?<!\x1a)(?:\x1a\x1a)*\x1aWO")
PING_EVERY_S = 5.0
# So many bytes may precede the UUID.
MAX_AHEAD = 4096
# Doubled escapes of a whole message may precede a request.
MAX_RUN = 64
_HEXADECIMAL = frozenset("0123456789abcdef")


def split_uuid(received: bytes) -> tuple[str, bytes] | None:
    """The lower-case digits of the UUID (empty: none) and the bytes behind it; None while it has not come."""
    frame = _UUID_FRAME.search(received)
    if frame is None or len(received) < frame.end() + UUID_LENGTH:
        return None
    end = frame.end() + UUID_LENGTH
    return _digits(received[frame.end() : end]), received[end:]


class PingRequest:
    """Whether the bytes of a connection, however they are cut, have asked for pings."""

    def __init__(self) -> None:
        self.is_made = False
        self._tail = b""

    def look_in(self, received: bytes) -> None:
        """Look in the bytes that follow those of the calls before."""
        if self.is_made:
            return
        # What may become a request: a run of escapes and up to one byte behind it.
        received = self._tail + received
        self.is_made = _ASKS_FOR_PINGS.search(received) is not None
        self._tail = received[-MAX_RUN:]


def ping(now: float) -> bytes:
    """A ping at a time in seconds."""
    stamp = int(now * 1000) & 0xFFFFFF
    return b"\x1aP" + stamp.to_bytes(3, "big").replace(b"\x1a", b"\x1a\x1a")


def _digits(text: bytes) -> str:
    digits = text.decode("latin-1").lower().replace("-", "")[:DIGITS]
    return digits if len(digits) == DIGITS and _HEXADECIMAL.issuperset(digits) else ""

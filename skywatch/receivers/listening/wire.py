"""What readsb's ``beast_reduce_plus`` adds to Beast: the UUID of the receiver ahead of its frames, and pings.

``1A E4`` and 36 characters are the UUID, unescaped; ``1A 'W' 'O'`` asks for pings, which are ``1A 'P'`` and 24 bits of
milliseconds with doubled ``1A``. Heartbeats and frames ahead of the UUID are dropped.
"""

from __future__ import annotations

import re

ESCAPE = 0x1A
UUID_FRAME = b"\x1a\xe4"
UUID_LENGTH = 36
DIGITS = 32
ASKS_FOR_PINGS = re.compile(rb"(?:^|[^\x1a])\x1aWO", re.DOTALL)
PING_EVERY_S = 5.0
# So many bytes may precede the UUID.
MAX_AHEAD = 4096
_HEXADECIMAL = frozenset("0123456789abcdef")


def split_uuid(received: bytes) -> tuple[str, bytes] | None:
    """The lower-case digits of the UUID (empty: none) and the bytes behind it; None while it has not come."""
    start = received.find(UUID_FRAME)
    if start < 0 or len(received) < start + 2 + UUID_LENGTH:
        return None
    end = start + 2 + UUID_LENGTH
    return _digits(received[start + 2 : end]), received[end:]


def ping(now: float) -> bytes:
    """A ping at a time in seconds."""
    stamp = int(now * 1000) & 0xFFFFFF
    return b"\x1aP" + stamp.to_bytes(3, "big").replace(b"\x1a", b"\x1a\x1a")


def _digits(text: bytes) -> str:
    digits = text.decode("latin-1").lower().replace("-", "")[:DIGITS]
    return digits if len(digits) == DIGITS and _HEXADECIMAL.issuperset(digits) else ""

"""Engine.IO protocol 4: the packets below Socket.IO (open, close, ping, pong, message, upgrade, noop).

Source: github.com/socketio/engine.io-protocol, revision 4.
"""

from __future__ import annotations

import msgspec

from skywatch.realtime.wire.frames import text_frame
from skywatch.realtime.wire.messages import BadPacket

VERSION = "4"
OPEN, CLOSE, PING, PONG, MESSAGE, UPGRADE, NOOP = (bytes([c]) for c in b"0123456")
PING_FRAME = text_frame(PING)
PROBE, PROBE_ANSWER = PING + b"probe", PONG + b"probe"
PROBE_ANSWER_FRAME = text_frame(PROBE_ANSWER)
# Between the packets of one poll.
SEPARATOR = b"\x1e"
# Stands before the base64 of binary data in a poll.
BINARY = b"b"


def open_packet(sid: str, interval_s: float, timeout_s: float, max_payload: int, upgrades: tuple[str, ...]) -> bytes:
    """The handshake that begins every connection."""
    return OPEN + msgspec.json.encode(
        {
            "sid": sid,
            "upgrades": upgrades,
            "pingInterval": int(interval_s * 1000),
            "pingTimeout": int(timeout_s * 1000),
            "maxPayload": max_payload,
        }
    )


def read_packet(payload: bytes) -> tuple[bytes, bytes]:
    """Type and content of a client's packet; raises BadPacket where it is none that a client may send."""
    kind, content = payload[:1], payload[1:]
    if kind == MESSAGE:
        return kind, content
    if kind == PING and content == b"probe":
        return kind, content
    if kind in (CLOSE, PONG, NOOP) and not content:
        return kind, content
    raise BadPacket("not an Engine.IO packet")

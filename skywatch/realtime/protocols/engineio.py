"""Engine.IO protocol 4 over WebSocket: the packets below Socket.IO (open, close, ping, pong, message).

Source: github.com/socketio/engine.io-protocol, revision 4. HTTP long-polling is not offered.
"""

from __future__ import annotations

import secrets

import msgspec

from skywatch.realtime.frames import text_frame
from skywatch.realtime.protocols.base import BadPacket

VERSION = "4"
OPEN, CLOSE, PING, PONG, MESSAGE, UPGRADE, NOOP = (bytes([c]) for c in b"0123456")
PING_FRAME = text_frame(PING)


def open_packet(interval_s: float, timeout_s: float, max_payload: int) -> bytes:
    """The handshake that begins every connection."""
    return OPEN + msgspec.json.encode(
        {
            "sid": secrets.token_urlsafe(15),
            "upgrades": [],
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

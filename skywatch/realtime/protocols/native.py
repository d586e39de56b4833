"""The native protocol ``skywatch.v1``: one JSON object a text frame, with its ``type``."""

from __future__ import annotations

from typing import Any

import msgspec

from skywatch.realtime.frames import Event, ping_frame
from skywatch.realtime.protocols.base import Action, BadMessage, Command, Connect, Protocol, decode_json

SUBPROTOCOL = "skywatch.v1"


def encode_event(event: Event) -> bytes:
    """An event with its topic, name, epoch and seq around the untouched data."""
    head = msgspec.json.encode({"type": "event", "topic": event.topic, "event": event.event, "epoch": event.epoch})
    return b'%b,"seq":%d,"data":%b}' % (head[:-1], event.seq, event.data)


class NativeProtocol(Protocol):
    """Stateless: every message says everything."""

    name = "native"
    ping = ping_frame()
    encode_event = staticmethod(encode_event)

    def read(self, payload: bytes) -> Action | None:
        message = decode_json(payload)
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            raise BadMessage('A message is a JSON object with a "type".')
        kind = message.pop("type")
        if kind != "connect":
            return Command(kind, message)
        auth = message.get("auth")
        if auth is not None and not isinstance(auth, dict):
            raise BadMessage("auth must be an object with a token.")
        return Connect(auth)

    def encode(self, kind: str, body: dict[str, Any], ack: int | None = None) -> list[bytes]:
        return [msgspec.json.encode({"type": kind, **body})]

    def refused(self, message: str) -> bytes:
        return self.encode("connect_error", {"message": message})[0]

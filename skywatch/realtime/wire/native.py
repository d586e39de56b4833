"""The native protocol ``skywatch.v1``: one JSON object a text frame, with its ``type``.

As ``skywatch.v1+msgpack`` the same objects are MessagePack in binary frames, both ways.
"""

from __future__ import annotations

from typing import Any

import msgspec

from skywatch.realtime.wire.answers import ConnectError, ServerMessage
from skywatch.realtime.wire.frames import Event, ping_frame
from skywatch.realtime.wire.messages import Action, BadMessage, Command, Connect, Protocol, decode_json
from skywatch.sentences import sentence

SUBPROTOCOL = "skywatch.v1"
PACKED_SUBPROTOCOL = "skywatch.v1+msgpack"


def encode_event(event: Event) -> bytes:
    """An event with its topic, name, epoch and seq around the untouched data."""
    head = msgspec.json.encode({"type": "event", "topic": event.topic, "event": event.event, "epoch": event.epoch})
    return b'%b,"seq":%d,"data":%b}' % (head[:-1], event.seq, event.data)


class NativeProtocol(Protocol):
    """Stateless: every message says everything, and one object serves all connections."""

    __slots__ = ()
    name = "native"
    _form = "a JSON object"
    ping = ping_frame()
    encode_event = staticmethod(encode_event)

    def read(self, payload: bytes) -> Action | None:
        message = self._decode(payload)
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            raise BadMessage(sentence("realtime.message_form", 'A message is {form} with a "type".', form=self._form))
        kind = message.pop("type")
        if kind != "connect":
            return Command(kind, message)
        auth = message.get("auth")
        if auth is not None and not isinstance(auth, dict):
            raise BadMessage(sentence("realtime.auth_object", "auth must be an object with a token."))
        return Connect(auth)

    def _decode(self, payload: bytes) -> Any:
        return decode_json(payload)

    def encode(self, message: ServerMessage, ack: int | None = None) -> list[bytes]:
        return [msgspec.json.encode(message)]

    def refused(self, refusal: ConnectError) -> bytes:
        return self.encode(refusal)[0]


def packed_head(topic: str, event: str, epoch: str, seq: int) -> bytes:
    """An event as MessagePack up to its data, which must be packed and follow."""
    head = {"type": "event", "topic": topic, "event": event, "epoch": epoch, "seq": seq}
    # A map of six: these five, and the data.
    return b"\x86" + msgspec.msgpack.encode(head)[1:] + b"\xa4data"


class PackedEncoder:
    """Events as MessagePack, around data that is packed already."""

    is_binary = True

    def __call__(self, event: Event, /) -> bytes:
        """The event with its data."""
        return packed_head(event.topic, event.event, event.epoch, event.seq) + event.packed


class PackedProtocol(NativeProtocol):
    """The native protocol as MessagePack."""

    __slots__ = ()
    is_binary = True
    encode_event = PackedEncoder()
    _form = "a MessagePack map"

    def _decode(self, payload: bytes) -> Any:
        try:
            return msgspec.msgpack.decode(payload)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError, ValueError):
            raise BadMessage(sentence("realtime.not_msgpack", "The message is not valid MessagePack.")) from None

    def encode(self, message: ServerMessage, ack: int | None = None) -> list[bytes]:
        return [msgspec.msgpack.encode(message)]


NATIVE, PACKED = NativeProtocol(), PackedProtocol()

"""Socket.IO protocol 5 on the main namespace: ``emit(type, {...})`` both ways.

Source: github.com/socketio/socket.io-protocol, revision 5. Events with binary data are answered with an error, their
attachments passed over; other namespaces are answered with the error that Socket.IO itself gives.
"""

from __future__ import annotations

import re
import secrets
from typing import Any

import msgspec

from skywatch.realtime.wire import engineio
from skywatch.realtime.wire.answers import ConnectError, ServerMessage, type_of
from skywatch.realtime.wire.frames import Encoder, Event
from skywatch.realtime.wire.messages import (
    Action,
    BadMessage,
    BadPacket,
    Command,
    Connect,
    Leave,
    Protocol,
    decode_json,
)
from skywatch.sentences import sentence

CONNECT, DISCONNECT, EVENT, ACK, CONNECT_ERROR, BINARY_EVENT, BINARY_ACK = (bytes([c]) for c in b"0123456")
# Type, of a binary packet how many attachments follow, an optional namespace up to its comma, an optional
# acknowledgement number, the JSON.
_PACKET = re.compile(rb"(?:([0-4])|([56])([0-9]{1,2})-)(?:(/[^,]{0,255})(?:,|$))?([0-9]{0,15})(.*)", re.DOTALL)


def encode_event(event: Event) -> bytes:
    """An event with topic, epoch and seq put into its data."""
    head = msgspec.json.encode({"topic": event.topic, "epoch": event.epoch})
    data = event.data
    rest = b"," + data[1:] if data[:1] == b"{" and data[:2] != b"{}" else b"}" if data[:1] == b"{" else None
    if rest is None:  # Not an object: it cannot take members.
        rest = b',"data":%b}' % data
    name = msgspec.json.encode(event.event)
    return b'42[%b,%b,"seq":%d%b]' % (name, head[:-1], event.seq, rest)


class SocketIOProtocol(Protocol):
    """One Socket.IO connection by WebSocket; its state is how many binary attachments are still to come."""

    __slots__ = ("_attachments", "_open")
    name = "socketio"
    ping = engineio.PING_FRAME
    encode_event: Encoder = staticmethod(encode_event)
    pings_regularly = True

    def __init__(self, open_packet: bytes, attachments: int = 0) -> None:
        self._open = open_packet
        self._attachments = attachments

    def opened(self) -> list[bytes]:
        # Sent once.
        opened, self._open = self._open, b""
        return [opened]

    def read(self, payload: bytes) -> Action | None:
        kind, content = engineio.read_packet(payload)
        if kind == engineio.CLOSE:
            return Leave()
        if kind != engineio.MESSAGE:
            return None
        match = _PACKET.fullmatch(content)
        if match is None:
            raise BadPacket("not a Socket.IO packet")
        plain, binary, attachments, namespace, number, text = match.groups()
        packet = plain or binary
        if binary:
            self._attachments += int(attachments)
        if namespace not in (None, b"/"):
            raise OtherNamespace(namespace)
        if packet == CONNECT:
            return Connect(_auth(text))
        if packet == DISCONNECT:
            return Leave()
        if packet == EVENT:
            return _event(text, int(number) if number else None)
        if packet == BINARY_EVENT:
            raise BadMessage(
                sentence("realtime.binary", "Binary data is not understood."),
                _event(text, int(number) if number else None),
            )
        if packet in (ACK, BINARY_ACK):
            return None  # Nothing that is sent asks for one.
        raise BadPacket("a packet that only a server sends")

    def expects_binary(self) -> bool:
        expected = self._attachments > 0
        self._attachments -= expected
        return expected

    def encode(self, message: ServerMessage, ack: int | None = None) -> list[bytes]:
        encoded, name = msgspec.json.encode(message), msgspec.json.encode(type_of(message))
        # The type comes first, and is the name of the event.
        payloads = [b"42[%b,{%b]" % (name, encoded.removeprefix(b'{"type":%b,' % name))]
        if ack is not None:
            payloads.append(b"43%d[%b]" % (ack, encoded))
        return payloads

    def welcomed(self) -> list[bytes]:
        return [b"40" + msgspec.json.encode({"sid": secrets.token_urlsafe(15)})]

    def refused(self, refusal: ConnectError) -> bytes:
        return b"44" + msgspec.json.encode({"message": refusal.message, "data": refusal.data})


class PacketEncoder:
    """Events as packets of a poll, each with the separator behind it."""

    is_packet = True

    def __call__(self, event: Event, /) -> bytes:
        """The packet of an event."""
        return encode_event(event) + engineio.SEPARATOR


class PollingProtocol(SocketIOProtocol):
    """The same by HTTP long polling: packets with separators in the place of frames."""

    __slots__ = ()
    name = "polling"
    ping = engineio.PING + engineio.SEPARATOR
    encode_event = PacketEncoder()

    def frame(self, payload: bytes) -> bytes:
        return payload + engineio.SEPARATOR

    def upgraded(self) -> SocketIOProtocol:
        """The protocol of the WebSocket that takes over."""
        return SocketIOProtocol(b"", self._attachments)


class OtherNamespace(BadMessage):
    """A packet for a namespace that is not served; ``answer`` is what Socket.IO says to that."""

    def __init__(self, namespace: bytes) -> None:
        super().__init__("There is only the main namespace.")
        self.answer = b"44" + namespace + b',{"message":"Invalid namespace"}'


def _auth(text: bytes) -> dict[str, Any] | None:
    if not text:
        return None
    try:
        auth = decode_json(text)
    except BadMessage:
        raise BadPacket("not JSON") from None
    if auth is not None and not isinstance(auth, dict):
        raise BadPacket("auth is not an object")
    return auth


def _event(text: bytes, ack: int | None) -> Command:
    try:
        content = decode_json(text)
    except BadMessage:
        raise BadPacket("not JSON") from None
    if not isinstance(content, list) or not content or not isinstance(content[0], str):
        raise BadPacket("an event is an array that begins with its name")
    body = content[1] if len(content) > 1 and content[1] is not None else {}
    if not isinstance(body, dict):
        raise BadMessage(
            sentence("realtime.data_object", "The data of a message is an object."), Command(content[0], {}, ack)
        )
    return Command(content[0], body, ack)

"""What every protocol of the channel offers: decoding a client's messages, and encoding those for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from skywatch.realtime.wire.answers import ConnectError, ServerMessage
from skywatch.realtime.wire.frames import Encoder, text_frame
from skywatch.sentences import sentence


@dataclass(frozen=True)
class Connect:
    """The client's connection request; ``auth`` is what it sent (None: nothing)."""

    auth: Mapping[str, Any] | None


@dataclass(frozen=True)
class Command:
    """One message of the client; ``ack`` is the number by which Socket.IO expects an acknowledgement."""

    type: str
    body: dict[str, Any]
    ack: int | None = None


@dataclass(frozen=True)
class Leave:
    """The client says goodbye."""


Action = Connect | Command | Leave


class BadMessage(Exception):
    """A message that cannot be read; the connection stays. ``command`` is as much of it as could be read, if any."""

    def __init__(self, detail: str, command: Command | None = None) -> None:
        super().__init__(detail)
        self.command = command


class BadPacket(Exception):
    """Something that this protocol never sends; the connection ends."""


class Protocol(ABC):
    """One connection's protocol. Payloads are the text of WebSocket messages, ping is a whole frame."""

    __slots__ = ()
    name: str
    ping: bytes
    encode_event: Encoder
    # Whether its messages are binary, both ways.
    is_binary = False
    # Whether clients expect a ping at every interval, not only when they are silent.
    pings_regularly = False

    def frame(self, payload: bytes) -> bytes:
        """A payload as it is written to the connection."""
        return text_frame(payload, binary=self.is_binary)

    def opened(self) -> list[bytes]:
        """What is sent as soon as the WebSocket is open."""
        return []

    @abstractmethod
    def read(self, payload: bytes) -> Action | None:
        """The client's request; None for mere signs of life. Raises BadMessage or BadPacket."""

    def expects_binary(self) -> bool:
        """Whether a binary message that has come was announced; it is passed over."""
        return False

    @abstractmethod
    def encode(self, message: ServerMessage, ack: int | None = None) -> list[bytes]:
        """A message to this client alone (and its acknowledgement, where one is expected)."""

    @abstractmethod
    def refused(self, refusal: ConnectError) -> bytes:
        """The refusal of a client, with its reason."""

    def welcomed(self) -> list[bytes]:
        """The protocol's own message on admission of the client."""
        return []


def decode_json(payload: bytes) -> Any:
    """Any JSON value; raises BadMessage, also for nesting beyond all reason."""
    try:
        return msgspec.json.decode(payload)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise BadMessage(sentence("realtime.not_json", "The message is not valid JSON.")) from None

"""The judgement of the sky: which route each aircraft is shown with, and what refuses the others.

A tracker makes it once a minute; other processes read the columns of the picture, and the reasons from the bus.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import UTC, datetime

import msgspec

from skywatch.core.bus import Bus, Message
from skywatch.routes.candidates import Leg

TOPIC, EVENT = "routes_judged", "routes:judged"


class Judgement(msgspec.Struct, array_like=True):
    """``refused``: address (lower case) -> the legs that its aircraft contradicts, and why; ``at`` in unix seconds."""

    at: float
    refused: dict[str, list[tuple[str, str, str]]]

    def reasons(self, address: str) -> Mapping[Leg, str]:
        """Why legs are refused of an aircraft."""
        return {(origin, destination): reason for origin, destination, reason in self.refused.get(address, ())}

    @property
    def checked_at(self) -> datetime:
        """When the aircraft were judged."""
        return datetime.fromtimestamp(self.at, UTC)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Judgement).decode


def publish(bus: Bus, judgement: Judgement) -> None:
    """Publish a judgement to the processes that answer."""
    data = b"" if bus.carries_objects else zlib.compress(_encode(judgement), 1)
    bus.publish(Message(TOPIC, EVENT, data, snapshot=True, local=judgement))


def last(bus: Bus) -> Judgement | None:
    """The last judgement; None before the first."""
    message = bus.last(TOPIC)
    if message is None:
        return None
    if message.local is not None:
        judgement: Judgement = message.local
        return judgement
    return _decode(zlib.decompress(message.data))

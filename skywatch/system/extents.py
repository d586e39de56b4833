"""The amount of each kind of data, as measured in the last round of retention.

Counting millions of rows takes seconds, and retention does it anyway: it publishes the counts for the console.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from skywatch.core.bus import Bus, BusError, Message, topics
from skywatch.core.clock import utcnow
from skywatch.core.storage.retention import Extent

_encoder = msgspec.json.Encoder()


class Extents(msgspec.Struct, frozen=True):
    """Rows, estimated bytes and age of each kind by name, and when they were measured."""

    at: datetime
    kinds: dict[str, Extent]


_decoder = msgspec.json.Decoder(Extents)


def publish_extents(bus: Bus, extents: Mapping[str, Extent]) -> None:
    """Publish the counts of a round of retention."""
    document = Extents(utcnow(), dict(extents))
    bus.publish(Message(topics.RETENTION, "extents", _encoder.encode(document), snapshot=True))


def last_extents(bus: Bus) -> Extents | None:
    """The last counts published; None before the first round and while the bus is unreachable."""
    try:
        message = bus.last(topics.RETENTION)
        return None if message is None else _decoder.decode(message.data)
    except (BusError, msgspec.MsgspecError):
        return None

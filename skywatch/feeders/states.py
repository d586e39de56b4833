"""``FeederState``: what is going on at one feeder, as the tracker publishes it once a second and the API reads it."""

from __future__ import annotations

import msgspec

from skywatch.core.bus import Bus
from skywatch.feeders.topics import STATES
from skywatch.receivers.feeder_streams.feeder import Clock

VERSION = 1


class FeederState(msgspec.Struct, frozen=True, array_like=True):
    """The state of a connected feeder; rates are a second over the last ten, times unix seconds.

    ``is_silent``: it is connected and sent no frame for 30 s. ``address`` is IP and port as text.
    """

    is_silent: bool
    connected_since: float
    last_seen_at: float | None
    address: str
    messages_s: float
    positions_s: float
    aircraft: int
    bytes_s: float
    disputes_share: float
    clock: Clock | None
    duplicates_share: float = 0.0


class FeederStates(msgspec.Struct, frozen=True, array_like=True):
    """The states of all connected feeders by id, as a message of the bus: a version, then what it holds."""

    version: int
    by_id: dict[int, FeederState]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(FeederStates)


def encode(by_id: dict[int, FeederState]) -> bytes:
    """The message of these states."""
    return _encoder.encode(FeederStates(VERSION, by_id))


def published(bus: Bus) -> dict[int, FeederState]:
    """The states that the tracker published last, by feeder; none where it runs another version."""
    message = bus.last(STATES)
    if message is None:
        return {}
    try:
        states = _decoder.decode(message.data)
    except msgspec.MsgspecError:
        return {}
    return states.by_id if states.version == VERSION else {}

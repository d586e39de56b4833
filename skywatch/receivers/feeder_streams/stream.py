"""``FeederStream``: the protocol of a connection whose feeder is known: bytes go to the gatherer, pings back."""

from __future__ import annotations

import asyncio
import time
from typing import cast

from skywatch.receivers.feeder_streams.connection import FeederConnection
from skywatch.receivers.feeder_streams.wire import PING_EVERY_S, PingRequest, ping

# One buffer for all: what was received is copied out before the next connection is read.
_BUFFER = memoryview(bytearray(1 << 16))
# Who sends so much within 50 ms is read no further until it is decoded.
MAX_WAITING = 1 << 18
# Bytes passed on at once: garbage is counted so exactly.
PIECE = 1 << 14
# Listeners look once a second whether a ping is due: it is early rather than late.
EARLY_S = 1.0
# Pings that a client has not read: more than an hour of them.
MAX_UNREAD = 4096


class FeederStream(asyncio.BufferedProtocol):
    """Takes the place of the streams' protocol; ``ended`` is done when the connection is lost."""

    def __init__(self, connection: FeederConnection, transport: asyncio.WriteTransport, pings: PingRequest) -> None:
        self.connection = connection
        self.received_at = time.monotonic()
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._reading, self._writing = cast(asyncio.ReadTransport, transport), transport
        self._pings = pings
        self._next_ping_at = 0.0
        self.ping(self.received_at)

    def take(self, received: bytes) -> None:
        """Pass bytes on."""
        self.received_at = time.monotonic()
        if not self._pings.is_made:
            self._pings.look_in(received)
            self.ping(self.received_at)
        if self.connection.mirror is not None:
            self.connection.mirror(received)
        for start in range(0, len(received), PIECE):
            self.connection.receive(received[start : start + PIECE])
        if self.connection.waiting_bytes > MAX_WAITING:
            self._reading.pause_reading()
            self.connection.when_taken(self._reading.resume_reading)

    def ping(self, now: float) -> bool:
        """Send a ping where it is due; False where too many were not read."""
        if self._pings.is_made and now >= self._next_ping_at:
            self._next_ping_at = now + PING_EVERY_S - EARLY_S
            self._writing.write(ping(now))
        return self._writing.get_write_buffer_size() <= MAX_UNREAD

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the transport writes what it receives."""
        return _BUFFER

    def buffer_updated(self, nbytes: int) -> None:
        """So many bytes were received."""
        self.take(bytes(_BUFFER[:nbytes]))

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        if not self.ended.done():
            self.ended.set_result(None)

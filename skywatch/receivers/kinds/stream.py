"""``StreamReceiver``: reads a TCP stream and reconnects; subclasses decode its bytes.

A lost peer is detected by TCP keep-alive and by an idle timeout: every program of these kinds sends at least a
heartbeat within two minutes.
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod

from skywatch.inputs.options import Options, Words, join_address, parse_address
from skywatch.inputs.retrying import InputError
from skywatch.inputs.transports.tcp import open_stream
from skywatch.receivers.documents import ReportBatch
from skywatch.receivers.receiver import RetryingReceiver

# readsb and dump1090 send a heartbeat every 60 s on every port; two may be missed.
IDLE_TIMEOUT_S = 130.0


class Decoder:
    """Decodes the bytes of one connection; each connection has its own."""

    def feed(self, received: bytes, received_at: float) -> ReportBatch:
        """The reports that these bytes complete; ``received_at`` in unix seconds. Never raises for any bytes."""
        raise NotImplementedError


class StreamReceiver(RetryingReceiver):
    """A receiver behind ``host:port``."""

    idle_timeout_s = IDLE_TIMEOUT_S
    # Time for which bytes are collected before they are decoded, if that is cheaper (s).
    gather_s = 0.0

    def __init__(self, name: str, host: str, port: int) -> None:
        super().__init__(name, join_address(host, port))
        self._host = host
        self._port = port

    @abstractmethod
    def decoder(self) -> Decoder:
        """A decoder for a new connection."""

    async def session(self) -> None:
        """Connect and read until the connection breaks."""
        async with open_stream(self._host, self._port, self.idle_timeout_s) as stream:
            self.set_connected()
            decoder = self.decoder()
            while received := await stream.read():
                self.deliver(*decoder.feed(received, time.time()))
                if self.gather_s:
                    await asyncio.sleep(self.gather_s)
            raise InputError("the connection was closed by the other side")


def parse_source(words: Words) -> tuple[str, int, bool]:
    """``HOST:PORT [mlat]``: where to connect, and whether all that comes was computed by multilateration."""
    if not words:
        raise ValueError("expected host:port")
    host, port = parse_address(words[0])
    options = Options(words[1:])
    is_mlat = options.flag("mlat")
    options.finish()
    return host, port, is_mlat

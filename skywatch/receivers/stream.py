"""``StreamReceiver``: reads a TCP stream for ever; a kind says what its bytes mean.

A peer that is gone without a word is noticed twice over: by TCP keep-alive, and because every program of these
kinds says something within two minutes, if only a heartbeat.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from abc import abstractmethod

from skywatch.receivers.documents import Heard
from skywatch.receivers.receiver import InputError, RetryingReceiver, one_line

CONNECT_TIMEOUT_S = 10.0
# readsb and dump1090 send a heartbeat every 60 s on every port; two may be missed.
IDLE_TIMEOUT_S = 130.0
READ_BYTES = 1 << 16
# Seconds until the first probe, between probes, and probes until the connection is given up.
KEEPALIVE = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))


class Decoder:
    """The meaning of one connection's bytes; a new one is made for every connection."""

    def feed(self, received: bytes, received_at: float) -> Heard:
        """What is complete with these bytes; ``received_at`` in unix seconds. Never raises on any bytes."""
        raise NotImplementedError


class StreamReceiver(RetryingReceiver):
    """A receiver behind ``host:port``."""

    idle_timeout_s = IDLE_TIMEOUT_S
    # How long bytes are gathered before they are decoded, where decoding them together is cheaper.
    gather_s = 0.0

    def __init__(self, name: str, host: str, port: int) -> None:
        super().__init__(name, f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
        self._host = host
        self._port = port

    @abstractmethod
    def decoder(self) -> Decoder:
        """A decoder for a new connection."""

    async def session(self) -> None:
        """Connect and read until the connection breaks."""
        reader, writer = await self._connect()
        try:
            self.connected()
            decoder = self.decoder()
            while received := await self._read(reader):
                self.deliver(*decoder.feed(received, time.time()))
                if self.gather_s:
                    await asyncio.sleep(self.gather_s)
            raise InputError("the connection was closed by the other side")
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                reader, writer = await asyncio.open_connection(self._host, self._port, limit=READ_BYTES)
        except TimeoutError:
            raise InputError(f"no connection within {CONNECT_TIMEOUT_S:g} s") from None
        except OSError as error:
            raise InputError(f"cannot connect: {one_line(error)}") from None
        _keep_alive(writer.get_extra_info("socket"))
        return reader, writer

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        try:
            async with asyncio.timeout(self.idle_timeout_s):
                return await reader.read(READ_BYTES)
        except TimeoutError:
            raise InputError(f"nothing was heard for {self.idle_timeout_s:g} s") from None


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE:
        if hasattr(socket, name):  # not every system has them all
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

"""TCP streams that the program connects to.

A peer that is gone without a word is noticed by TCP keep-alive, and where its program is known to send something
every so often, by silence.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from asyncio import sleep
from collections.abc import AsyncIterator

from skywatch.core.limits import RateLimit
from skywatch.inputs.base import Consumer, DecoderFactory, InputStatus, Message
from skywatch.inputs.options import Options, Words, join_address, parse_address
from skywatch.inputs.retrying_input import InputError, MessageInput, one_line
from skywatch.sentences import sentence

CONNECT_TIMEOUT_S = 10.0
READ_BYTES = 1 << 16
# Of one connection, twice as many at once: more than all the receivers of a busy station send together.
MESSAGES_PER_S = 500
# Bytes that count as a message: most of those that programs send are longer.
BYTES_PER_MESSAGE = 1024
# What a packet counts at least, in messages.
MIN_WORK = 0.1
# Seconds until the first probe, between probes, and probes until the connection is given up.
KEEPALIVE = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))


class Pace:
    """Bounds what one connection has us do: beyond a rate it is read later, and its sender waits."""

    def __init__(self) -> None:
        self._limit = RateLimit(MESSAGES_PER_S)

    async def keep(self, messages: int, size: int) -> None:
        """Wait after so many messages in so many bytes; a packet without a message is work, too."""
        work = max(messages, size / BYTES_PER_MESSAGE, MIN_WORK)
        pause_s = self._limit.spend(work, time.monotonic())
        # One that sends without a pause gives the others their turn.
        await sleep(pause_s)


class ByteStream:
    """The bytes of one connection."""

    def __init__(self, reader: asyncio.StreamReader, idle_timeout_s: float | None) -> None:
        self._reader = reader
        self._idle_timeout_s = idle_timeout_s

    async def read(self) -> bytes:
        """The next bytes, none at the end of the stream; raises InputError after too long a silence."""
        try:
            async with asyncio.timeout(self._idle_timeout_s):
                return await self._reader.read(READ_BYTES)
        except TimeoutError:
            raise InputError(
                sentence("input.no_data_for", "no data for {seconds} s", seconds=f"{self._idle_timeout_s:g}")
            ) from None


@contextlib.asynccontextmanager
async def open_stream(host: str, port: int, idle_timeout_s: float | None = None) -> AsyncIterator[ByteStream]:
    """A connection that lasts for the block; raises InputError where it cannot be made."""
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(host, port, limit=READ_BYTES)
    except TimeoutError:
        raise InputError(
            sentence("input.no_connection_within", "no connection within {seconds} s", seconds=f"{CONNECT_TIMEOUT_S:g}")
        ) from None
    except OSError as error:
        raise InputError(sentence("input.cannot_connect", "cannot connect: {error}", error=one_line(error))) from None
    try:
        keep_alive(writer.get_extra_info("socket"))
        yield ByteStream(reader, idle_timeout_s)
    finally:
        await close(writer)


def keep_alive(connection: socket.socket) -> None:
    """Enable TCP keepalive on a connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE:
        if hasattr(socket, name):  # not every system has them all
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


async def close(writer: asyncio.StreamWriter) -> None:
    """Close a connection, whatever its state."""
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


class TcpInput(MessageInput[Message]):
    """``tcp HOST:PORT``: messages from a server."""

    def __init__(
        self, status: InputStatus, host: str, port: int, decoder: DecoderFactory[Message], consumer: Consumer[Message]
    ) -> None:
        super().__init__(status, consumer)
        self._host = host
        self._port = port
        self._decoder = decoder

    async def session(self) -> None:
        """Connect and read until the connection breaks."""
        async with open_stream(self._host, self._port) as stream:
            self.set_connected()
            decoder, pace = self._decoder(self.invalid), Pace()
            while received := await stream.read():
                messages = decoder.feed(received, time.time())
                self.deliver(messages, self._host)
                await self._consumer.ready()
                await pace.keep(len(messages), len(received))
            raise InputError(sentence("input.closed_by_other", "the connection was closed by the other side"))


def create(
    family: str, name: str, words: Words, decoder: DecoderFactory[Message], consumer: Consumer[Message]
) -> TcpInput[Message]:
    """Raises ValueError where the address or an option is wrong."""
    if not words:
        raise ValueError(sentence("input.expected_host_port", "expected host:port"))
    host, port = parse_address(words[0])
    Options(words[1:]).finish()
    status = InputStatus(name=name, kind="tcp", address=join_address(host, port), family=family)
    return TcpInput(status, host, port, decoder, consumer)

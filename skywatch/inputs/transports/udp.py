"""``udp HOST:PORT [allow=NETWORK,...]``: binds a UDP socket and takes datagrams, from allowed networks alone.

Datagrams are read a few at a time, so that a flood takes no more of the loop than its share; beyond a rate they are
dropped and counted, as are those that the system had no room for (Linux says how many). Each sender has a decoder of
its own, because a message may be split over several datagrams.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from skywatch.core.limits import RateLimit
from skywatch.core.network.addresses import Network, in_networks
from skywatch.core.network.addresses import parse_address as parse_ip
from skywatch.inputs.base import Consumer, Decoder, DecoderFactory, InputStatus, Message
from skywatch.inputs.options import Options, Words, join_address, parse_address
from skywatch.inputs.retrying_input import InputError, MessageInput, one_line
from skywatch.sentences import sentence

MAX_DATAGRAM = 1 << 16
# Datagrams that are read before the loop gets its turn again.
DATAGRAMS_A_TURN = 32
# More than all the receivers of a busy station send together.
DATAGRAMS_PER_S = 2000
# Bytes that the system keeps for us while the loop is busy.
SOCKET_BUFFER_BYTES = 1 << 20
# Linux's option that each datagram comes with the number of those that were lost before it (asm-generic/socket.h).
OVERFLOWS = 40 if sys.platform == "linux" else None
# Senders whose unfinished messages are kept.
MAX_SENDERS = 256


class UdpInput(MessageInput[Message]):
    """Messages in datagrams."""

    def __init__(
        self,
        status: InputStatus,
        address: tuple[str, int],
        allowed: Sequence[Network],
        decoder: DecoderFactory[Message],
        consumer: Consumer[Message],
    ) -> None:
        super().__init__(status, consumer)
        self._address = address
        self._allowed = tuple(allowed)
        self._make_decoder = decoder
        self._decoders: OrderedDict[tuple[Any, ...], Decoder[Message]] = OrderedDict()
        self._limit = RateLimit(DATAGRAMS_PER_S)
        self._overflows = 0
        self.port: int | None = None

    async def session(self) -> None:
        """Bind and read; ends only by an error of the socket."""
        loop = asyncio.get_running_loop()
        receiving = await self._bind(loop)
        self._overflows = 0
        failed: asyncio.Future[None] = loop.create_future()

        def read() -> None:
            try:
                self._read(receiving)
            except Exception as error:
                # Callbacks of the loop have no caller: the session raises it.
                loop.remove_reader(receiving)
                if not failed.done():
                    failed.set_exception(error)

        try:
            self.port = receiving.getsockname()[1]
            self.set_connected("listening")
            loop.add_reader(receiving, read)
            await failed
        finally:
            loop.remove_reader(receiving)
            receiving.close()
            self._decoders.clear()

    async def _bind(self, loop: asyncio.AbstractEventLoop) -> socket.socket:
        host, port = self._address
        try:
            addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        except OSError as error:
            raise InputError(sentence("input.cannot_bind", "cannot bind: {error}", error=one_line(error))) from None
        family, kind, protocol, _, address = addresses[0]
        receiving = socket.socket(family, kind, protocol)
        try:
            receiving.setblocking(False)
            receiving.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SOCKET_BUFFER_BYTES)
            if OVERFLOWS is not None:
                with contextlib.suppress(OSError):
                    receiving.setsockopt(socket.SOL_SOCKET, OVERFLOWS, 1)
            receiving.bind(address)
        except OSError as error:
            receiving.close()
            raise InputError(sentence("input.cannot_bind", "cannot bind: {error}", error=one_line(error))) from None
        return receiving

    def _read(self, receiving: socket.socket) -> None:
        for _ in range(DATAGRAMS_A_TURN):
            try:
                datagram, notes, _, sender = receiving.recvmsg(MAX_DATAGRAM, socket.CMSG_SPACE(4))
            except (BlockingIOError, InterruptedError):
                return
            except ConnectionError:
                continue  # An earlier answer of the system's to somebody; nothing of ours.
            for level, kind, note in notes:
                if level == socket.SOL_SOCKET and kind == OVERFLOWS:
                    self._count_overflows(int.from_bytes(note[:4], sys.byteorder))
            if not self._is_allowed(sender[0]):
                self.count_refused()
            elif not self._limit.take(time.monotonic()):
                self.count_dropped()
            else:
                self.deliver(self._decoder(sender).feed(datagram, time.time()), sender[0])

    def _count_overflows(self, total: int) -> None:
        """Count what the socket had no room for; ``total`` is a 32-bit counter since it was opened."""
        lost = (total - self._overflows) % 2**32
        self._overflows = total
        if lost:
            self.count_dropped(lost)

    def _is_allowed(self, host: str) -> bool:
        if not self._allowed:
            return True
        address = parse_ip(host)
        return address is not None and in_networks(address, self._allowed)

    def _decoder(self, sender: tuple[Any, ...]) -> Decoder[Message]:
        decoder = self._decoders.get(sender)
        if decoder is None:
            if len(self._decoders) >= MAX_SENDERS:
                self._decoders.popitem(last=False)
            decoder = self._decoders[sender] = self._make_decoder(self.invalid)
        else:
            self._decoders.move_to_end(sender)
        return decoder


def create(
    family: str, name: str, words: Words, decoder: DecoderFactory[Message], consumer: Consumer[Message]
) -> UdpInput[Message]:
    """Raises ValueError where the address or an option is wrong."""
    if not words:
        raise ValueError(sentence("input.expected_bind_5550", "expected the host:port to bind, such as 127.0.0.1:5550"))
    host, port = parse_address(words[0], lowest_port=0)
    options = Options(words[1:])
    allowed = options.networks("allow")
    options.finish()
    status = InputStatus(name=name, kind="udp", address=join_address(host, port), family=family)
    return UdpInput(status, (host, port), allowed, decoder, consumer)

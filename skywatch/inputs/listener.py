"""``listen HOST:PORT [allow=NETWORK,...] [connections=64]``: a TCP port that programs connect to.

Each connection has a decoder of its own. A client that sends nonsense, stalls or never ends its lines costs its own
connection and nobody else's; clients beyond the limit and from other networks are closed unread and counted.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Sequence

from skywatch.core.addresses import Network, in_networks
from skywatch.core.addresses import parse_address as parse_ip
from skywatch.inputs.base import Consumer, DecoderFactory, InputStatus, Message
from skywatch.inputs.options import Options, Words, join_address, parse_address
from skywatch.inputs.retrying import FAULTS_PER_LOG_LINE, InputError, MessageInput, one_line
from skywatch.inputs.tcp import READ_BYTES, keep_alive

logger = logging.getLogger(__name__)

DEFAULT_CONNECTIONS, MOST_CONNECTIONS = 64, 4096
# Of one address, a part of all: one sender that reconnects in a loop must not lock out the others.
SHARE_OF_ADDRESS = 0.5


class ListenInput(MessageInput[Message]):
    """Messages from programs that connect to us."""

    def __init__(
        self,
        status: InputStatus,
        address: tuple[str, int],
        allowed: Sequence[Network],
        connections: int,
        decoder: DecoderFactory[Message],
        consumer: Consumer[Message],
    ) -> None:
        super().__init__(status, consumer)
        self._address = address
        self._allowed = tuple(allowed)
        self._limit = connections
        self._limit_of_address = max(1, int(connections * SHARE_OF_ADDRESS))
        self._decoder = decoder
        self._clients: dict[asyncio.Task[None], str] = {}
        self._client_faults = 0
        self.port: int | None = None

    @property
    def status(self) -> InputStatus:
        """The state of this moment, a copy."""
        status = super().status
        status.connections = len(self._clients)
        return status

    async def session(self) -> None:
        """Listen until cancelled; raises InputError where the port cannot be opened."""
        await accept_for_ever(self._address, self._accept, self._set_open, self._clients)

    def _set_open(self, port: int) -> None:
        self.port = port
        self.set_connected("listening")

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        peer = writer.get_extra_info("peername")
        host = str(peer[0]) if peer else ""
        if task is None or not self._admits(host):
            self.count_refused()
            writer.transport.abort()
            return
        self._clients[task] = host
        try:
            keep_alive(writer.get_extra_info("socket"))
            await self._read(reader, host)
        except OSError:
            pass  # The client is gone.
        except asyncio.CancelledError:
            pass  # The input stops; asyncio's server would log what its callback raises.
        except Exception:
            # A fault of the program in one connection must not take the others along.
            if self._client_faults % FAULTS_PER_LOG_LINE == 0:
                logger.exception("%s %s: a connection failed", self._status.family, self.name)
            self._client_faults += 1
            self.set_problem("a connection failed by a fault of the program")
        finally:
            del self._clients[task]
            writer.transport.abort()

    async def _read(self, reader: asyncio.StreamReader, host: str) -> None:
        decoder = self._decoder(self.invalid)
        while received := await reader.read(READ_BYTES):
            self.deliver(decoder.feed(received, time.time()), host)
            await self._consumer.ready()
            # One that sends without a pause gives the others their turn.
            await asyncio.sleep(0)

    def _admits(self, host: str) -> bool:
        if self._allowed:
            address = parse_ip(host)
            if address is None or not in_networks(address, self._allowed):
                return False
        if len(self._clients) >= self._limit:
            return False
        return sum(other == host for other in self._clients.values()) < self._limit_of_address


async def accept_for_ever(
    address: tuple[str, int],
    accept: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    opened: Callable[[int], None],
    tasks: Collection[asyncio.Task[None]],
) -> None:
    """Accept connections until cancelled, which ends ``tasks`` too; ``opened`` gets the port.

    Raises InputError where the port cannot be opened.
    """
    host, port = address
    try:
        server = await asyncio.start_server(accept, host, port, limit=READ_BYTES)
    except OSError as error:
        raise InputError(f"cannot listen: {one_line(error)}") from None
    try:
        opened(server.sockets[0].getsockname()[1])
        await asyncio.get_running_loop().create_future()
    finally:
        server.close()
        ending = list(tasks)
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)


def create(
    family: str, name: str, words: Words, decoder: DecoderFactory[Message], consumer: Consumer[Message]
) -> ListenInput[Message]:
    """Raises ValueError where the address or an option is wrong."""
    if not words:
        raise ValueError("expected the host:port to listen on, such as 0.0.0.0:5555")
    host, port = parse_address(words[0], lowest_port=0)
    options = Options(words[1:])
    allowed = options.networks("allow")
    connections = options.whole("connections", DEFAULT_CONNECTIONS, 1, MOST_CONNECTIONS)
    options.finish()
    status = InputStatus(name=name, kind="listen", address=join_address(host, port), family=family)
    return ListenInput(status, (host, port), allowed, connections, decoder, consumer)

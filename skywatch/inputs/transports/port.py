"""``Port``: a TCP port that programs connect to, for inputs that read from them and outputs that send to them.

A client that misbehaves costs its own connection and nobody else's; clients beyond the limit and from other networks
are closed unread and counted.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from skywatch.core.limits import CountLimit
from skywatch.core.network.addresses import Network, in_networks, parse_address
from skywatch.inputs.retrying_input import FAULTS_PER_LOG_LINE, InputError, RetryingInput, one_line
from skywatch.inputs.transports.tcp import READ_BYTES, keep_alive
from skywatch.sentences import sentence

logger = logging.getLogger(__name__)

DEFAULT_CONNECTIONS, MAX_CONNECTIONS = 64, 4096
# Called with the streams of a connection and the address of its client; the connection ends with it.
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter, str], Awaitable[None]]


class Port:
    """The port of ``owner``, whose status it keeps. ``share`` is the part of all connections one address may have."""

    def __init__(
        self,
        owner: RetryingInput[Any],
        address: tuple[str, int],
        allowed: Sequence[Network],
        connections: int,
        serve: Serve,
        share: float = 1.0,
    ) -> None:
        self._owner = owner
        self._address = address
        self._allowed = tuple(allowed)
        self._counts = CountLimit(max(1, int(connections * share)), connections)
        self._serve = serve
        self._clients: set[asyncio.Task[None]] = set()
        self._faults = 0
        # The port's number, once it is open.
        self.number: int | None = None

    def __len__(self) -> int:
        return len(self._clients)

    async def serve_forever(self) -> None:
        """Accept connections until cancelled, which ends them too.

        Raises InputError where the port cannot be opened.
        """
        host, port = self._address
        try:
            server = await asyncio.start_server(self._accept, host, port, limit=READ_BYTES)
        except OSError as error:
            raise InputError(sentence("input.cannot_listen", "cannot listen: {error}", error=one_line(error))) from None
        try:
            self.number = server.sockets[0].getsockname()[1]
            self._owner.set_connected("listening")
            await asyncio.get_running_loop().create_future()
        finally:
            server.close()
            ending = list(self._clients)
            for task in ending:
                task.cancel()
            await asyncio.gather(*ending, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task, peer = asyncio.current_task(), writer.get_extra_info("peername")
        host = str(peer[0]) if peer else ""
        if task is None or not self._admits(host):
            self._owner.count_refused()
            writer.transport.abort()
            return
        self._clients.add(task)
        try:
            keep_alive(writer.get_extra_info("socket"))
            # The client is gone, or the port is closed; asyncio's server would log what its callback raises.
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await self._serve(reader, writer, host)
        except Exception:
            # A fault of the program in one connection must not take the others along.
            if self._faults % FAULTS_PER_LOG_LINE == 0:
                logger.exception("%s %s: a connection failed", self._owner.status.family, self._owner.name)
            self._faults += 1
            self._owner.set_problem("a connection failed by a fault of the program")
        finally:
            self._clients.discard(task)
            self._counts.release(host)
            writer.transport.abort()

    def _admits(self, host: str) -> bool:
        if self._allowed:
            address = parse_address(host)
            if address is None or not in_networks(address, self._allowed):
                return False
        return self._counts.take(host)

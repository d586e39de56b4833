"""``ClientFilter``: which clients a port for feeders accepts, by their networks and the header of a proxy in front."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import NamedTuple

from skywatch.core.limits import CountLimit
from skywatch.core.network.addresses import Network, client_network, in_networks, parse_address
from skywatch.inputs.transports.tcp import READ_BYTES
from skywatch.receivers.feeder_streams.proxy_protocol import MAX_BINARY, begins_header, read_header

MAX_OF_NETWORK = 20


class Refused(Exception):
    """A refused connection."""


class Ended(Refused):
    """A connection that the other side closed before it was admitted."""


class Client(NamedTuple):
    """The host and port a connection comes from, its network, and the bytes it has sent."""

    peer: tuple[str, int]
    network: str
    received: bytes


class ClientFilter:
    """The clients of one port, ``limit`` in all: those of ``allowed`` networks (empty: all), at most 20 of one network.

    From the networks ``proxies`` the PROXY protocol is demanded, and the client is the one that its header names.
    """

    def __init__(self, allowed: tuple[Network, ...], proxies: tuple[Network, ...], limit: int) -> None:
        self.allowed = allowed
        self._proxies = proxies
        self._counts = CountLimit(MAX_OF_NETWORK, limit, of_sites=True)

    def __len__(self) -> int:
        return self._counts.in_use

    def is_proxy(self, host: str) -> bool:
        """Whether a peer has to send the header of a proxy."""
        address = parse_address(host)
        return address is not None and in_networks(address, self._proxies)

    @contextlib.asynccontextmanager
    async def enter(
        self, reader: asyncio.StreamReader, peer: tuple[str, int], deadline: float
    ) -> AsyncIterator[Client]:
        """Count a connection while it lasts, from its first bytes or its proxy's header on.

        ``deadline`` for them is a time of the loop. Raises Refused, TimeoutError and ProxyHeaderError.
        """
        if self.is_proxy(peer[0]):
            async with asyncio.timeout_at(deadline):
                peer, received = await _read_header(reader, peer)
            with self._counted(peer[0]) as network:
                yield Client(peer, network, received)
            return
        with self._counted(peer[0]) as network:
            async with asyncio.timeout_at(deadline):
                received = await read_more(reader, b"")
            if begins_header(received):
                raise Refused
            yield Client(peer, network, received)

    @contextlib.contextmanager
    def _counted(self, host: str) -> Iterator[str]:
        address, network = parse_address(host), client_network(host)
        is_allowed = not self.allowed or (address is not None and in_networks(address, self.allowed))
        if not is_allowed or not self._counts.take(network):
            raise Refused
        try:
            yield network
        finally:
            self._counts.release(network)


async def read_more(reader: asyncio.StreamReader, received: bytes) -> bytes:
    """These bytes and the ones that come next; raises Ended."""
    # Everything that has come: the reader may be replaced afterwards.
    more = await reader.read(4 * READ_BYTES)
    if not more:
        raise Ended
    return received + more


async def _read_header(reader: asyncio.StreamReader, proxy: tuple[str, int]) -> tuple[tuple[str, int], bytes]:
    """The client that a proxy's header names, or the proxy itself, and the bytes behind the header."""
    received = await read_more(reader, b"")
    while (header := read_header(received)) is None:
        if len(received) > MAX_BINARY:
            raise Refused
        received = await read_more(reader, received)
    return header.client or proxy, received[header.length :]

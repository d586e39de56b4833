"""``listen HOST:PORT [allow=NETWORKS] [proxy=NETWORKS] [limit=N]``: a port that feeders connect to with Beast.

A feeder says who it is with readsb's UUID frame. One that is not known, sends nonsense, stalls or does not read costs
its own connection and nobody else's. Its frames have a decoder of their own, and the picture compares it with others.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter

from skywatch.core.network.addresses import Network, client_network, in_networks, parse_address
from skywatch.inputs.options import Options, Station, Words, join_address
from skywatch.inputs.options import parse_address as parse_listen
from skywatch.inputs.transports.port import Port
from skywatch.inputs.transports.tcp import READ_BYTES
from skywatch.receivers.listening.connection import FeederConnection
from skywatch.receivers.listening.hub import FeederHub, KnownFeeder
from skywatch.receivers.listening.proxy_protocol import (
    MAX_BINARY,
    ProxyHeaderError,
    begins_header,
    read_header,
)
from skywatch.receivers.listening.wire import ASKS_FOR_PINGS, MAX_AHEAD, PING_EVERY_S, UUID_LENGTH, ping, split_uuid
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.settings import ReceiverSettings

GATHER_S = 0.05
# Time for the header of a proxy and the UUID together.
ADMISSION_S = 10.0
# A feeder sends a heartbeat every 60 s; two may be missed.
IDLE_S = 130.0
CHECK_EVERY_S = 1.0
DEFAULT_LIMIT, MAX_LIMIT, MAX_OF_NETWORK = 2_000, 10_000, 20
# Pings that a client has not read: more than an hour of them.
MAX_UNREAD = 4096
DEFAULT_MESSAGES_S = 3_000


class Refused(Exception):
    """A connection that is not let in."""


class ListenReceiver(RetryingReceiver):
    """Feeders that connect to one port."""

    kind = "listen"

    def __init__(
        self,
        name: str,
        address: tuple[str, int],
        allowed: tuple[Network, ...],
        proxies: tuple[Network, ...],
        limit: int,
        station: Station,
    ) -> None:
        super().__init__(name, join_address(*address))
        self.feeders = FeederHub()
        self.messages_s = DEFAULT_MESSAGES_S
        self._allowed = allowed
        self._proxies = proxies
        self._station = station
        self._of_network: Counter[str] = Counter()
        self.port = Port(self, address, (), limit, self._serve)

    def join(self, feeders: FeederHub, settings: ReceiverSettings) -> None:
        """Let in whom the hub of this process knows."""
        self.feeders = feeders
        self.messages_s = settings.feeder_messages_s

    async def session(self) -> None:
        """Listen until cancelled; raises InputError where the port cannot be opened."""
        await self.port.serve_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        peer = host, int(writer.get_extra_info("peername")[1])
        network = ""
        try:
            async with asyncio.timeout(ADMISSION_S):
                peer, ahead = await self._client(reader, peer)
                network = self._enter_network(peer[0])
                feeder, rest, wants_pings = await self._identify(reader, ahead)
            await self._read(reader, writer, feeder, peer, network, rest, wants_pings)
        except (Refused, TimeoutError, ProxyHeaderError):
            self.count_refused()
        finally:
            self._of_network[network] -= 1
            if self._of_network[network] <= 0:
                del self._of_network[network]

    async def _client(self, reader: asyncio.StreamReader, peer: tuple[str, int]) -> tuple[tuple[str, int], bytes]:
        """Whose connection it is, and the bytes behind the header of a proxy."""
        address = parse_address(peer[0])
        received = await self._more(reader, b"")
        if address is None or not in_networks(address, self._proxies):
            if begins_header(received):
                raise Refused
            return peer, received
        while (header := read_header(received)) is None:
            if len(received) > MAX_BINARY:
                raise Refused
            received = await self._more(reader, received)
        return header.client or peer, received[header.length :]

    def _enter_network(self, host: str) -> str:
        address, network = parse_address(host), client_network(host)
        self._of_network[network] += 1
        if self._of_network[network] > MAX_OF_NETWORK:
            self._of_network[network] -= 1
            raise Refused
        if self._allowed and (address is None or not in_networks(address, self._allowed)):
            self._of_network[network] -= 1
            raise Refused
        return network

    async def _identify(self, reader: asyncio.StreamReader, received: bytes) -> tuple[KnownFeeder, bytes, bool]:
        """The feeder, the bytes behind its UUID, and whether it asks for pings."""
        while (split := split_uuid(received)) is None:
            if len(received) > MAX_AHEAD + UUID_LENGTH:
                raise Refused
            received = await self._more(reader, received)
        digits, rest = split
        feeder = self.feeders.by_uuid(digits)
        if feeder is None:
            raise Refused
        return feeder, rest, ASKS_FOR_PINGS.search(received) is not None

    async def _more(self, reader: asyncio.StreamReader, received: bytes) -> bytes:
        more = await reader.read(READ_BYTES)
        if not more:
            raise Refused
        return received + more

    async def _read(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        feeder: KnownFeeder,
        peer: tuple[str, int],
        network: str,
        received: bytes,
        wants_pings: bool,
    ) -> None:
        connection = FeederConnection(
            feeder,
            peer,
            network,
            self.messages_s,
            self._station,
            self.invalid,
            self.cpr,
            self.tap,
            writer.transport.abort,
        )
        if not self.feeders.claim(connection):
            raise Refused
        connection.refused_before = self.feeders.refused(feeder.receiver)
        try:
            heard_at, next_ping_at = time.monotonic(), 0.0
            while self.feeders.is_admitted(feeder) and not connection.is_garbage:
                if received:
                    wants_pings = wants_pings or ASKS_FOR_PINGS.search(received) is not None
                    self._take(connection, received)
                    heard_at = time.monotonic()
                    await asyncio.sleep(GATHER_S)
                elif time.monotonic() - heard_at > IDLE_S:
                    break
                if wants_pings and time.monotonic() >= next_ping_at:
                    next_ping_at = time.monotonic() + PING_EVERY_S
                    writer.write(ping(time.monotonic()))
                    if writer.transport.get_write_buffer_size() > MAX_UNREAD:
                        break
                received = b""
                try:
                    async with asyncio.timeout(CHECK_EVERY_S):
                        received = await reader.read(READ_BYTES)
                except TimeoutError:
                    continue
                if not received:
                    break
        finally:
            self.feeders.release(connection)

    def _take(self, connection: FeederConnection, received: bytes) -> None:
        batch = connection.feed(received, time.time())
        self.deliver_as(connection.feeder.receiver, batch.reports, batch.messages, batch.positions)


def create(name: str, words: Words, station: Station) -> ListenReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    if not words:
        raise ValueError("expected the host:port to listen on, such as 0.0.0.0:30004")
    address = parse_listen(words[0], lowest_port=0)
    options = Options(words[1:])
    form = options.text("format")
    if form not in (None, "beast"):
        raise ValueError(f"format {form} is not known; there is beast")
    allowed, proxies = options.networks("allow"), options.networks("proxy")
    limit = options.whole("limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    options.finish()
    return ListenReceiver(name, address, allowed, proxies, limit, station)

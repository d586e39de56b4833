"""``listen HOST:PORT [format=beast|avr|sbs|json] [options]``: a port that feeders connect to.

In Beast a feeder says who it is with readsb's UUID frame; for the other formats the setting names it. One that is not
registered, sends nonsense, stalls or does not read costs its own connection and nobody else's. What it sends is decoded
with that of all others (``feeder_streams.shared_decoder.gatherer``).
"""

from __future__ import annotations

import asyncio
import time
from typing import cast

from skywatch.core.process import tasks
from skywatch.inputs.options import Options, Station, Words, join_address
from skywatch.inputs.options import parse_address as parse_listen
from skywatch.inputs.retrying_input import InputError
from skywatch.inputs.transports.port import Port
from skywatch.receivers.base import AnonymousFeeder, ReceiverStatus
from skywatch.receivers.context import ALONE, ReceiverContext
from skywatch.receivers.feeder_streams.clients import Client, ClientFilter, Ended, Refused, read_more
from skywatch.receivers.feeder_streams.connection import FeederConnection
from skywatch.receivers.feeder_streams.feeder import KnownFeeder, hash_of
from skywatch.receivers.feeder_streams.formats import BEAST, FORMATS
from skywatch.receivers.feeder_streams.hub import FeederHub
from skywatch.receivers.feeder_streams.proxy_protocol import ProxyHeaderError
from skywatch.receivers.feeder_streams.reduction import Reduction
from skywatch.receivers.feeder_streams.shared_decoder.feeder_counts import REFUSED
from skywatch.receivers.feeder_streams.stream import FeederStream
from skywatch.receivers.feeder_streams.wire import MAX_AHEAD, UUID_LENGTH, PingRequest, split_uuid
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.settings import NEEDS_FEEDER, ReceiverSettings
from skywatch.sentences import sentence

# Time for the header of a proxy and the UUID together.
ADMISSION_S = 10.0
# A feeder sends a heartbeat every 60 s; two may be missed.
IDLE_S = 130.0
CHECK_EVERY_S = 1.0
DEFAULT_LIMIT, MAX_LIMIT = 2_000, 10_000


class ListenReceiver(RetryingReceiver):
    """Feeders that connect to one port. ``feeder_name`` is what the setting names, for formats without a UUID."""

    kind = "listen"

    def __init__(
        self,
        name: str,
        address: tuple[str, int],
        clients: ClientFilter,
        limit: int,
        station: Station,
        form: str = BEAST,
        feeder_name: str = "",
        context: ReceiverContext = ALONE,
    ) -> None:
        super().__init__(name, join_address(*address))
        self.feeders = context.feeders or FeederHub()
        self._context = context
        self.clients = clients
        self._station = station
        self._form = form
        self._feeder_name = feeder_name
        self._anonymous: dict[str, FeederConnection] = {}
        self._streams: set[FeederStream] = set()
        self.port = Port(self, address, (), limit, self._serve)
        self.use(context.settings)

    @property
    def status(self) -> ReceiverStatus:
        """A copy of the present state, with the feeders that have no record."""
        status = super().status
        status.connections = len(self.port)
        status.anonymous = [described(connection) for connection in list(self._anonymous.values())]
        return status

    def use(self, settings: ReceiverSettings) -> None:
        """Use other settings from now on, for connections that there are, too."""
        self.settings = settings
        self.feeders.limit.limit = settings.feeder_new_aircraft_minute
        for stream in self._streams:
            stream.connection.limit_to(settings.feeder_messages_s)

    async def session(self) -> None:
        """Listen until cancelled; raises InputError where the port cannot be opened or nobody can be let in."""
        has_identity = self._form == BEAST or (self._feeder_name and self.clients.allowed)
        if not has_identity and not self._accepts_anybody:
            raise InputError(
                sentence("receiver.format_needs_feeder", "format={form} {rule}", form=self._form, rule=NEEDS_FEEDER)
            )
        self.cpr = self.feeders.cpr
        consume = self._context.consume or self._put
        async with self.feeders.delivering(consume, self._station, self._context.tap):
            checking = asyncio.create_task(self._check_forever(), name=f"connections of {self.name}")
            try:
                await self.port.serve_forever()
            finally:
                await tasks.end(checking)

    def _put(self, reduction: Reduction) -> None:
        assert self._sink is not None, "a receiver listens only while it runs"
        for delivered in reduction.deliveries():
            self._sink.put(delivered.receiver, delivered.reports, delivered.messages)

    @property
    def _accepts_anybody(self) -> bool:
        return self.settings.feeders_admission == "anybody"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        peer = host, int(writer.get_extra_info("peername")[1])
        # Who has no UUID to send may be silent until its first heartbeat; a proxy may not.
        is_prompt = self._form == BEAST or self.clients.is_proxy(host)
        deadline = asyncio.get_running_loop().time() + (ADMISSION_S if is_prompt else IDLE_S)
        try:
            async with self.clients.enter(reader, peer, deadline) as client:
                pings = PingRequest()
                feeder, received = await self._identify(reader, client.received, deadline, pings)
                connection = self._connection(feeder, client, writer)
                await self._read(reader, writer, connection, received, pings)
        except (Refused, TimeoutError, ProxyHeaderError):
            self.count_refused()

    async def _identify(
        self, reader: asyncio.StreamReader, received: bytes, deadline: float, pings: PingRequest
    ) -> tuple[KnownFeeder, bytes]:
        """The feeder, and the bytes behind its UUID; raises Refused and TimeoutError."""
        if self._form != BEAST:
            return await self._named_feeder(), received
        digits = ""
        try:
            async with asyncio.timeout_at(deadline):
                while (split := split_uuid(received)) is None:
                    if len(received) > MAX_AHEAD + UUID_LENGTH:
                        raise Refused
                    received = await read_more(reader, received)
            digits, received = split
        except Ended:
            raise
        except (Refused, TimeoutError):
            if not self._accepts_anybody:
                raise
            # What came ahead is old by now.
            received = b""
        pings.look_in(received)
        feeder = await self.feeders.find_by_uuid(digits)
        if feeder is None:
            return self._anonymous_feeder(hash_of(digits) if digits else ""), received
        if feeder.is_shut_out:
            raise Refused
        return feeder, received

    async def _named_feeder(self) -> KnownFeeder:
        """The feeder that the setting names."""
        if not self._feeder_name:
            return self._anonymous_feeder("")
        feeder = await self.feeders.find_by_name(self._feeder_name)
        if feeder is None:
            self.set_problem(
                f"there is no feeder called {self._feeder_name}: register it, or change feeder= of the setting"
            )
            raise Refused
        if feeder.is_shut_out:
            self.set_problem(f"the feeder called {self._feeder_name} is disabled, or its owner is deactivated")
            raise Refused
        return feeder

    def _anonymous_feeder(self, uuid_hash: str) -> KnownFeeder:
        if not self._accepts_anybody:
            raise Refused
        return self.feeders.anonymous(uuid_hash)

    def _connection(self, feeder: KnownFeeder, client: Client, writer: asyncio.StreamWriter) -> FeederConnection:
        return FORMATS[self._form](
            feeder,
            client.peer,
            client.network,
            self.settings.feeder_messages_s,
            self.invalid,
            self.feeders,
            writer.transport.abort,
        )

    async def _read(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        connection: FeederConnection,
        received: bytes,
        pings: PingRequest,
    ) -> None:
        feeder = connection.feeder
        if self._context.may_enter is not None:
            # What comes meanwhile waits in the socket: the reader is replaced, and must be empty then.
            reading = cast(asyncio.Transport, writer.transport)
            reading.pause_reading()
            may_enter = await asyncio.to_thread(self._context.may_enter, connection)
            reading.resume_reading()
            if not may_enter:
                raise Refused
        if not self.feeders.claim(connection):
            raise Refused
        stream = FeederStream(connection, writer.transport, pings)
        self._streams.add(stream)
        if not feeder.is_registered:
            self._anonymous[feeder.receiver] = connection
        try:
            stream.take(received)
            if not reader.at_eof():
                # Everything that has come was read: ``read_more`` takes more than a reader buffers.
                writer.transport.set_protocol(stream)
                await stream.ended
        finally:
            self._streams.discard(stream)
            self._anonymous.pop(feeder.receiver, None)
            self.feeders.release(connection)
            self._count(connection)

    async def _check_forever(self) -> None:
        """End connections that are admitted no more, silent, garbage or not read; ping those that ask for it."""
        while True:
            await asyncio.sleep(CHECK_EVERY_S)
            now = time.monotonic()
            for stream in list(self._streams):
                connection = stream.connection
                self._count(connection)
                is_lost = connection.is_garbage or now - stream.received_at > IDLE_S
                if is_lost or not self._is_admitted(connection) or not stream.ping(now):
                    connection.close()

    def _count(self, connection: FeederConnection) -> None:
        """Add what a connection has sent since to the counters of this port."""
        grown = connection.take_grown()
        self.count_messages(grown["messages"])
        self._status.positions += grown["positions"]
        self._position_meter.add(grown["positions"], time.monotonic())
        for name in (*REFUSED, "broken", "too_many"):
            if grown[name]:
                self.invalid[name] += grown[name]

    def _is_admitted(self, connection: FeederConnection) -> bool:
        feeder = connection.feeder
        if not connection.has_uuid and feeder.is_registered and self.feeders.by_name(self._feeder_name) != feeder:
            return False
        return self.feeders.is_admitted(feeder)


def described(connection: FeederConnection) -> AnonymousFeeder:
    """A feeder without a record, as the receiver's state names it."""
    messages_s, positions_s, aircraft, _ = connection.rates()
    return AnonymousFeeder(connection.feeder.receiver, connection.since, messages_s, positions_s, aircraft)


def create(name: str, words: Words, station: Station, context: ReceiverContext) -> ListenReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    if not words:
        raise ValueError(
            sentence("receiver.expected_listen", "expected the host:port to listen on, such as 0.0.0.0:30004")
        )
    address = parse_listen(words[0], lowest_port=0)
    options = Options(words[1:])
    form = options.text("format") or BEAST
    if form not in FORMATS:
        raise ValueError(
            sentence(
                "receiver.unknown_format",
                "format {name} is not known; there are {names}",
                name=form,
                names=", ".join(FORMATS),
            )
        )
    feeder_name = options.text("feeder")
    if feeder_name is not None and (form == BEAST or not feeder_name):
        raise ValueError(
            sentence(
                "receiver.feeder_formats",
                "feeder names the feeder of the formats avr, sbs and json; in Beast a feeder sends its UUID",
            )
        )
    limit = options.whole("limit", DEFAULT_LIMIT, 1, MAX_LIMIT)
    clients = ClientFilter(options.networks("allow"), options.networks("proxy"), limit)
    options.finish()
    return ListenReceiver(name, address, clients, limit, station, form, feeder_name or "", context)

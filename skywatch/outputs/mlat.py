"""``mlat HOST:FIRST_PORT [allow=NETWORK,...]``: the frames of single feeders with their clocks, for mlat-client.

Each feeder that consents and whose place is known has a port of its own, the first one plus its id, which is open while
the feeder is connected. Frames are passed on as Beast, as they come and whatever is thought of them; those without a
counter, and those that were made from results of multilateration, are left out.
"""

from __future__ import annotations

import asyncio

from skywatch.core.network.addresses import Network
from skywatch.core.process import tasks
from skywatch.inputs.base import InputStatus
from skywatch.inputs.options import Options, Words, join_address, parse_address
from skywatch.inputs.retrying_input import RetryingInput
from skywatch.outputs import forms
from skywatch.outputs.feeder import ListeningFeeder
from skywatch.receivers.feeder_streams.connection import FeederConnection
from skywatch.receivers.feeder_streams.feeder import KnownFeeder
from skywatch.receivers.feeder_streams.hub import FeederHub

MLAT = "mlat"
LOOK_EVERY_S = 1.0
# One mlat-client, and room for one that has just lost its connection.
CONNECTIONS = 4
HIGHEST_PORT = 65_535


class FeederPort:
    """The port of one feeder, which follows its newest connection."""

    def __init__(self, name: str, address: tuple[str, int], allowed: tuple[Network, ...]) -> None:
        status = InputStatus(name=name, kind=MLAT, address=join_address(*address), family="output")
        self.output = ListeningFeeder(
            status, forms.HEARTBEATS["beast"], address=address, allowed=allowed, connections=CONNECTIONS
        )
        # What of the sent messages has been counted.
        self.counted = 0
        self._connection: FeederConnection | None = None
        self._task = asyncio.create_task(self.output.run(), name=f"output {name}")

    def follow(self, connection: FeederConnection) -> None:
        """Pass on what this connection brings."""
        if connection is not self._connection:
            self._leave()
            self._connection = connection
            connection.mirror = _Mirror(connection, self.output).take

    async def close(self) -> None:
        """Close the port."""
        self._leave()
        await tasks.end(self._task)

    def _leave(self) -> None:
        if self._connection is not None:
            self._connection.mirror = None


class _Mirror:
    """Passes the frames of one connection on; without readers nothing is looked at."""

    def __init__(self, connection: FeederConnection, output: ListeningFeeder) -> None:
        assert connection.framer is not None
        self._framer_type = connection.framer
        self._framer = self._framer_type()
        self._output = output

    def take(self, received: bytes) -> None:
        """Take bytes in the order in which they came."""
        if not self._output.readers:
            self._framer = self._framer_type()
            return
        frames = self._framer.feed(received)
        frames = frames[(frames.ticks > 0) & ~frames.mlat]
        if len(frames):
            self._output.send(forms.beast(frames), len(frames))


class MlatOutput(RetryingInput[InputStatus]):
    """The ports of all feeders that consent; ``has_bus``: it is the tracker's, and the role ingest opens them."""

    def __init__(
        self,
        name: str,
        address: tuple[str, int],
        allowed: tuple[Network, ...],
        feeders: FeederHub,
        has_bus: bool = False,
    ) -> None:
        super().__init__(InputStatus(name=name, kind=MLAT, address=join_address(*address), family="output"))
        self._host, self._first_port = address
        self._allowed = allowed
        self._feeders = feeders
        self._has_bus = has_bus
        self.ports: dict[int, FeederPort] = {}

    @property
    def status(self) -> InputStatus:
        """The state of this moment: ``connections`` are the readers of all ports."""
        status = super().status
        status.connections = sum(len(port.output.readers) for port in self.ports.values())
        return status

    async def run(self) -> None:
        """Offer frames until cancelled."""
        await self.read_forever()

    async def session(self) -> None:
        """Open and close the ports of feeders as they come and go, and as they consent."""
        self.set_connected("listening")
        if self._has_bus:
            # The processes of the role ingest open the ports (``ingest``), this very one, too, where it has that role.
            await asyncio.Event().wait()
        try:
            while True:
                await self._look()
                await asyncio.sleep(LOOK_EVERY_S)
        finally:
            for number in list(self.ports):
                await self._close(number)

    async def _look(self) -> None:
        connected = {c.feeder.id: c for c in self._feeders.connections() if self._is_offered(c)}
        for number in self.ports.keys() - connected.keys():
            await self._close(number)
        for number, connection in connected.items():
            port = self.ports.get(number) or self._open(connection.feeder)
            if port is not None:
                port.follow(connection)
                self._note(port)

    def _is_offered(self, connection: FeederConnection) -> bool:
        feeder = self._feeders.by_hash(connection.feeder.uuid_hash)
        return feeder is not None and feeder.mlat and connection.framer is not None

    def _open(self, feeder: KnownFeeder) -> FeederPort | None:
        number = self._first_port + feeder.id
        if number > HIGHEST_PORT:
            self.set_problem(f"{feeder.receiver} would have the port {number}: begin with a lower one")
            return None
        port = FeederPort(f"{self.name} {feeder.receiver}", (self._host, number), self._allowed)
        self.ports[feeder.id] = port
        return port

    def _note(self, port: FeederPort) -> None:
        """Count what was passed on since the last look, and take over what is wrong with a port."""
        port.output.send_heartbeats()
        status = port.output.status
        self.count_messages(status.messages - port.counted)
        port.counted = status.messages
        if not status.is_active and status.last_error is not None:
            self.set_problem(f"{status.name}: {status.last_error}")

    async def _close(self, number: int) -> None:
        await self.ports.pop(number).close()


def open_mlat_output(name: str, words: Words, feeders: FeederHub, *, has_bus: bool = False) -> MlatOutput:
    """The output that a setting describes; raises ValueError."""
    if not words:
        raise ValueError("expected host:port, the port being the one before that of the first feeder")
    address = parse_address(words[0])
    options = Options(words[1:])
    allowed = options.networks("allow")
    options.finish()
    return MlatOutput(name, address, allowed, feeders, has_bus)

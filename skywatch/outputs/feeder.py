"""``Feeder``: sends bytes to readers over TCP, to those that connect or to one that it connects to.

A reader has room for PENDING_BYTES in memory beyond what the system takes; one that leaves more unread, or something
unread for STALLED_S, is closed, and nobody waits for it. What readers send is read and dropped.
"""

from __future__ import annotations

import asyncio
import logging
import time
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Protocol

from skywatch.core.network.addresses import Network
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.inputs.base import InputStatus
from skywatch.inputs.retrying_input import InputError, RetryingInput, one_line
from skywatch.inputs.transports.port import Port
from skywatch.inputs.transports.tcp import CONNECT_TIMEOUT_S, READ_BYTES, close, keep_alive
from skywatch.outputs.selection import Selection

log = logging.getLogger(__name__)

ALL = Selection()

# A tick of 20,000 aircraft is 12 MB; what is pending of one when the next comes is too much of it.
PENDING_BYTES = 4 * 1024 * 1024
STALLED_S = 30.0
# Readers close a connection that sends nothing for longer.
HEARTBEAT_S = 30.0
# Readers count as keeping up again once none was closed for so long.
KEEPING_UP_S = 60.0


class Reader:
    """One connected program; ``is_new`` until it has been sent something."""

    def __init__(self, writer: asyncio.StreamWriter, host: str) -> None:
        self._writer = writer
        self.host = host
        self.is_new = True
        self._sent_at = self._empty_at = time.monotonic()

    def send(self, data: bytes, now: float) -> bool:
        """Hand bytes on; False for a reader that does not keep up. ``now`` is monotonic seconds."""
        transport = self._writer.transport
        pending = transport.get_write_buffer_size()
        if not pending:
            self._empty_at = now
        if pending > PENDING_BYTES or now - self._empty_at > STALLED_S:
            return False
        self.is_new = False
        self._sent_at = now
        if not transport.is_closing():
            transport.write(data)
        return True

    def is_silent(self, now: float) -> bool:
        """Whether it is time for a heartbeat."""
        return now - self._sent_at >= HEARTBEAT_S

    def abort(self) -> None:
        """Close the connection at once."""
        self._writer.transport.abort()


class RunningOutputs(Protocol):
    """Sends frames and the picture to the outputs that run."""

    def add(self, output: Feeder) -> None:
        """Send to this output from now on."""

    def remove(self, output: Feeder) -> None:
        """Send nothing more."""


class Feeder(RetryingInput[InputStatus]):
    """An output; a kind implements ``session``. ``heartbeat`` is sent to readers while there is nothing else.

    Its readers get what ``selection`` selects, in the form that its status names as its kind, from ``running``, to
    which it belongs while it runs. One without it is sent to by its owner.
    In its status ``messages`` counts what was sent, to however many readers, ``dropped`` the readers that did not keep
    up and ``refused`` connections that are not allowed.
    """

    def __init__(
        self,
        status: InputStatus,
        heartbeat: bytes,
        selection: Selection = ALL,
        running: RunningOutputs | None = None,
    ) -> None:
        super().__init__(status)
        self.form = status.kind
        self.selection = selection
        self.readers: set[Reader] = set()
        self._running = running
        self._heartbeat = heartbeat
        self._slow = FaultLog(
            log, f"output {self.name}: readers do not keep up", f"output {self.name}: readers keep up"
        )

    @property
    def status(self) -> InputStatus:
        """The state of this moment, a copy."""
        status = super().status
        status.connections = len(self.readers)
        return status

    async def run(self) -> None:
        """Send until cancelled."""
        if self._running is not None:
            self._running.add(self)
        try:
            await self.read_forever()
        finally:
            if self._running is not None:
                self._running.remove(self)

    @abstractmethod
    async def session(self) -> None:
        """Have readers until the connection or the port breaks."""

    def send(self, data: bytes, count: int, to: Iterable[Reader] | None = None) -> None:
        """Send bytes, which are so many messages, to some readers or to all."""
        now = time.monotonic()
        for reader in list(self.readers if to is None else to):
            self._send_to(reader, data, now)
        self.count_messages(count)

    def send_heartbeats(self) -> None:
        """Send a heartbeat to each reader that was sent nothing for a while; called once a tick."""
        self._slow.end_after(KEEPING_UP_S)
        now = time.monotonic()
        for reader in list(self.readers):
            if reader.is_silent(now):
                self._send_to(reader, self._heartbeat, now)

    def _send_to(self, reader: Reader, data: bytes, now: float) -> None:
        if reader.send(data, now):
            return
        self.readers.discard(reader)
        reader.abort()
        self.count_dropped()
        self.set_problem(f"the reader {reader.host} was closed: it does not keep up")
        self._slow.failed(f"the reader {reader.host} was closed")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        """Send to a connection until the other side closes it."""
        # Virtual Radar Server drops what comes before the first line end or Beast message, in case it is half of one.
        writer.write(self._heartbeat)
        client = Reader(writer, host)
        self.readers.add(client)
        try:
            while await reader.read(READ_BYTES):
                pass
        finally:
            self.readers.discard(client)


class ListeningFeeder(Feeder):
    """Readers connect to us."""

    def __init__(
        self,
        status: InputStatus,
        heartbeat: bytes,
        selection: Selection = ALL,
        running: RunningOutputs | None = None,
        *,
        address: tuple[str, int],
        allowed: Sequence[Network],
        connections: int,
    ) -> None:
        super().__init__(status, heartbeat, selection, running)
        self._port = Port(self, address, allowed, connections, self.serve)

    @property
    def port(self) -> int | None:
        """The number of the port, once it is open."""
        return self._port.number

    async def session(self) -> None:
        """Listen until cancelled; raises InputError where the port cannot be opened."""
        await self._port.serve_forever()


class ConnectingFeeder(Feeder):
    """We connect to the reader, again and again after growing pauses."""

    def __init__(
        self,
        status: InputStatus,
        heartbeat: bytes,
        selection: Selection = ALL,
        running: RunningOutputs | None = None,
        *,
        address: tuple[str, int],
    ) -> None:
        super().__init__(status, heartbeat, selection, running)
        self._address = address

    async def session(self) -> None:
        """Connect and send until the connection breaks."""
        host, port = self._address
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                reader, writer = await asyncio.open_connection(host, port)
        except TimeoutError:
            raise InputError(f"no connection within {CONNECT_TIMEOUT_S:g} s") from None
        except OSError as error:
            raise InputError(f"cannot connect: {one_line(error)}") from None
        try:
            keep_alive(writer.get_extra_info("socket"))
            self.set_connected()
            await self.serve(reader, writer, host)
        finally:
            await close(writer)
        raise InputError("the connection was closed")

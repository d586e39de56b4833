"""``ConnectedFeeders``: which process a feeder is connected to, on the bus, so that one UUID has one connection.

The rules are those of ``FeederHub.claim``, between processes: from the same network the newer connection replaces the
older, from another one it is refused until the older has been silent for ten seconds. Without the bus everybody is let
in: a feeder that is counted twice costs less than one that is not heard.
"""

from __future__ import annotations

import logging
import time

import msgspec

from skywatch.core.bus import Bus, BusError, Message, Subscription
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.feeders.topics import CLAIMED
from skywatch.receivers.feeder_streams.feeder import Connection
from skywatch.receivers.feeder_streams.hub import YIELDS_AFTER_S, FeederHub

log = logging.getLogger(__name__)
PREFIX = "feeder-claim:"
# A claim that is not renewed ends after so long (s).
LIFETIME_S = 15.0


class ConnectedFeeder(msgspec.Struct, array_like=True):
    """A connection of a feeder: its process, its network, when it was made, when it last sent (unix s)."""

    process: str
    network: str
    since: float
    heard_at: float


_encoder, _decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(ConnectedFeeder)


class ConnectedFeeders:
    """``may_enter``, ``renew`` and ``withdraw`` wait for the bus: they are called in threads."""

    def __init__(self, bus: Bus, hub: FeederHub, process: str) -> None:
        self._bus, self._hub, self._process = bus, hub, process
        self._subscription: Subscription | None = None
        self._held: set[int] = set()
        self._faults = FaultLog(log, "feeders are let in without asking other processes", "claims of feeders are read")

    def start(self) -> None:
        """Close older connections that others replace from now on."""
        self._subscription = self._bus.subscribe((CLAIMED,), self._replaced)

    def close(self) -> None:
        """Withdraw all claims."""
        if self._subscription is not None:
            self._subscription.close()
        for number in list(self._held):
            self._withdraw(number)

    def may_enter(self, connection: Connection) -> bool:
        """Whether a feeder is not connected elsewhere, or is replaced there; claims it."""
        number = connection.feeder.id
        if number < 0:
            return True
        try:
            claim = self._read(number)
            if claim is not None and self._holds(claim, connection.network):
                if connection.has_uuid:
                    self._hub.note_copied(number)
                return False
            self._write(number, ConnectedFeeder(self._process, connection.network, time.time(), time.time()))
            self._faults.succeeded()
        except BusError as error:
            self._faults.failed(str(error))
            return True
        self._bus.publish(Message(CLAIMED, "claimed", _encoder.encode([number, self._process])))
        return True

    def renew(self) -> None:
        """Renew the claims of all connections, and withdraw those of others."""
        connections = {connection.feeder.id: connection for connection in self._hub.connections()}
        try:
            for number, connection in connections.items():
                if number > 0:
                    heard_at = time.time() - connection.silent_s()
                    self._write(number, ConnectedFeeder(self._process, connection.network, connection.since, heard_at))
            for number in self._held - set(connections):
                self._withdraw(number)
            self._faults.succeeded()
        except BusError as error:
            self._faults.failed(str(error))

    def _replaced(self, message: Message) -> None:
        """In a thread of the bus: a feeder has connected to another process."""
        try:
            number, process = msgspec.msgpack.decode(message.data, type=tuple[int, str])
        except msgspec.MsgspecError:
            return
        if process != self._process:
            self._held.discard(number)
            self._hub.close_soon(number)

    def _holds(self, claim: ConnectedFeeder, network: str) -> bool:
        """Whether a connection to another process keeps one from this network out."""
        return (
            claim.process != self._process
            and claim.network != network
            and time.time() - claim.heard_at < YIELDS_AFTER_S
        )

    def _read(self, number: int) -> ConnectedFeeder | None:
        data = self._bus.get(f"{PREFIX}{number}")
        try:
            return _decoder.decode(data) if data is not None else None
        except msgspec.MsgspecError:
            return None

    def _write(self, number: int, claim: ConnectedFeeder) -> None:
        self._held.add(number)
        self._bus.put(f"{PREFIX}{number}", _encoder.encode(claim), LIFETIME_S)

    def _withdraw(self, number: int) -> None:
        self._held.discard(number)
        claim = self._read(number)
        if claim is not None and claim.process == self._process:
            self._bus.delete(f"{PREFIX}{number}")

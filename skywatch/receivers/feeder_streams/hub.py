"""``FeederHub``: the feeders that are known to a process, and the connections that they have. One per process.

The feature of feeders replaces what is known and reads what is connected; the listeners ask who is let in. What
connections bring is gathered here, and once a second reduced to reports.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from skywatch.core.bus.base import call_on_loop
from skywatch.core.process import tasks
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.receivers.feeder_streams.feeder import Connection, KnownFeeder, hash_of
from skywatch.receivers.feeder_streams.hooks import FeederRecords

if TYPE_CHECKING:
    from skywatch.core.runtime import Runtime
    from skywatch.inputs.options import Station
    from skywatch.receivers.feeder_streams.heard_log import HeardLog
    from skywatch.receivers.feeder_streams.new_addresses import AddressLimit
    from skywatch.receivers.feeder_streams.reduction import Delivered, Reduction

    # An installation without feeders loads no decoder.
    from skywatch.receivers.feeder_streams.shared_decoder.gatherer import Gatherer
    from skywatch.receivers.frame_tap import FrameTap
    from skywatch.receivers.reports.documents import ReportBatch

log = logging.getLogger(__name__)
# A feeder that comes back from another network is let in once its older connection has been silent for so long (s).
YIELDS_AFTER_S = 10.0
# Reports leave at this part of each second: the bus and the tracker have the rest until the tick of the picture.
LEAVE_AT = 0.8
# Reducing begins earlier by the time that it took before, at most so long (s).
MAX_AHEAD_S = 0.5
# No reduction is later than so long (s) after the last one began: half a second, and up to one until ``LEAVE_AT``.
MAX_PAUSE_S = 1.5
# Records of feeders that are not known yet are read at most once in so long (s), for all who ask meanwhile together;
# who has waited for them so long goes on with what is known.
READ_EVERY_S, READ_WITHIN_S = 0.1, 2.0
# Records that are read at once for feeders that are not known yet; databases limit the values of a statement.
MAX_KEYS = 1000
# Each process calls feeders without a record by numbers of its own: of so many ranges it draws one of so many numbers.
RANGES, RANGE = 100_000, 10_000


class FeederHub:
    """All but ``read``, ``replace``, ``connections`` and ``take_copied`` is called on the loop of the listeners alone.

    ``read_records(keys)`` returns the feeders with these hashes or names (``name_key``), or all for None; it is called
    in a thread. Feeders without a record have numbers from ``first_anonymous`` on: of several processes each has
    numbers of its own. ``station`` and ``loop`` are those of the listeners once one runs.
    """

    def __init__(
        self,
        read_records: Callable[[Collection[str] | None], Iterable[KnownFeeder]] | None = None,
        *,
        first_anonymous: int = 1,
        station: Station = None,
        loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._by_hash: dict[str, KnownFeeder] = {}
        self._by_name: dict[str, KnownFeeder] = {}
        self._connected: dict[int, Any] = {}
        self._copied: set[int] = set()
        self._lock = threading.Lock()
        self._gatherer: Gatherer | None = None
        self._heard: HeardLog | None = None
        self._limit: AddressLimit | None = None
        self._reducing: asyncio.Task[None] | None = None
        self._listeners = 0
        self._faults = FaultLog(log, "what feeders sent is lost", "what feeders send is decoded again")
        self.cpr: Counter[str] = Counter()
        self._station = station
        self._tap: FrameTap | None = None
        self._loop = loop
        self._reports: list[Delivered] = []
        self._first_anonymous = first_anonymous
        self._read_records = read_records
        # One reading follows the other, so that none brings back what was before.
        self._records_lock = threading.Lock()
        self._wanted: set[str] = set()
        self._reading: asyncio.Task[None] | None = None
        self._is_reading = asyncio.Lock()
        self._read_at = float("-inf")
        self._read_faults = FaultLog(log, "records of new feeders are not read", "records of new feeders are read")

    @property
    def heard(self) -> HeardLog:
        """Who of this process heard which aircraft within a minute."""
        if self._heard is None:
            from skywatch.receivers.feeder_streams.heard_log import HeardLog

            self._heard = HeardLog()
        return self._heard

    @property
    def limit(self) -> AddressLimit:
        """How many addresses that nobody else hears the connections of this process may bring."""
        if self._limit is None:
            from skywatch.receivers.feeder_streams.new_addresses import AddressLimit

            self._limit = AddressLimit()
        return self._limit

    @property
    def gatherer(self) -> Gatherer:
        """Where the frames of all connections are decoded."""
        if self._gatherer is None:
            from skywatch.receivers.feeder_streams.shared_decoder.gatherer import Gatherer

            self._gatherer = Gatherer(self._station, self._tap, self.limit)
        return self._gatherer

    def by_hash(self, digest: str) -> KnownFeeder | None:
        """The feeder whose UUID has this hash."""
        return self._by_hash.get(digest)

    def by_name(self, name: str) -> KnownFeeder | None:
        """The feeder of this name, whatever the case of its letters."""
        return self._by_name.get(name.casefold())

    async def find_by_uuid(self, digits: str) -> KnownFeeder | None:
        """The feeder with this UUID (32 digits); the records are read once more before it is unknown or shut out."""
        if not digits:
            return None
        digest = hash_of(digits)
        await self._read_unless_admitted(digest, self.by_hash(digest))
        return self.by_hash(digest)

    async def find_by_name(self, name: str) -> KnownFeeder | None:
        """The feeder of this name; the records are read once more before it is unknown or shut out."""
        await self._read_unless_admitted(name.casefold(), self.by_name(name))
        return self.by_name(name)

    async def _read_unless_admitted(self, key: str, feeder: KnownFeeder | None) -> None:
        if self._read_records is None or (feeder is not None and not feeder.is_shut_out):
            return
        self._wanted.add(key)
        if self._reading is None:
            self._reading = asyncio.create_task(self._read_wanted(), name="records of new feeders")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(READ_WITHIN_S):
                await asyncio.shield(self._reading)

    async def _read_wanted(self) -> None:
        async with self._is_reading:
            await asyncio.sleep(self._read_at + READ_EVERY_S - time.monotonic())
            wanted, self._wanted, self._reading = self._wanted, set(), None
            self._read_at = time.monotonic()
            try:
                await asyncio.to_thread(self._read_some, wanted)
                self._read_faults.succeeded()
            except Exception as error:
                # Who asked is as unknown as before.
                self._read_faults.failed(str(error), error)

    def _read_some(self, keys: set[str]) -> None:
        if self._read_records is not None:
            with self._records_lock:
                # Of very many the rest is read with all.
                self.add(self._read_records(sorted(keys)[:MAX_KEYS]))

    def read(self) -> None:
        """Read the records of all feeders; in a thread."""
        if self._read_records is not None:
            with self._records_lock:
                self.replace(self._read_records(None))

    def anonymous(self, uuid_hash: str = "") -> KnownFeeder:
        """A feeder without a record, with the lowest number that no connection has; ``claim`` takes the number."""
        numbers = (number for number in itertools.count(self._first_anonymous) if -number not in self._connected)
        return KnownFeeder(-next(numbers), uuid_hash, True)

    def replace(self, feeders: Iterable[KnownFeeder]) -> None:
        """Set the feeders that are known now; listeners look at them once a second."""
        feeders = list(feeders)
        self._by_hash = {feeder.uuid_hash: feeder for feeder in feeders}
        self._by_name = {feeder.name_key: feeder for feeder in feeders}

    def add(self, feeders: Iterable[KnownFeeder]) -> None:
        """Set some of the feeders that are known, as they are now."""
        feeders = list(feeders)
        self._by_hash = self._by_hash | {feeder.uuid_hash: feeder for feeder in feeders}
        self._by_name = self._by_name | {feeder.name_key: feeder for feeder in feeders}

    def is_admitted(self, feeder: KnownFeeder) -> bool:
        """Whether a connection of a feeder may go on; one without a record ends once its UUID has been registered."""
        registered = self.by_hash(feeder.uuid_hash)
        return registered == feeder if feeder.is_registered else registered is None

    def claim(self, connection: Connection) -> bool:
        """Admit a connection in place of the feeder's older one; False where that stays."""
        older = self._connected.get(connection.feeder.id)
        if older is not None:
            if older.network != connection.network and older.silent_s() < YIELDS_AFTER_S:
                if connection.has_uuid and older.has_uuid:
                    self.note_copied(connection.feeder.id)
                return False
            self.release(older)
            older.close()
        feeder, gatherer = connection.feeder, self.gatherer
        connection.slot = gatherer.enter(
            connection, feeder.receiver, feeder.voice(connection.network), feeder.shows_signal
        )
        self._connected[feeder.id] = connection
        return True

    def release(self, connection: Connection) -> None:
        """A connection has ended."""
        if self._connected.get(connection.feeder.id) is connection:
            del self._connected[connection.feeder.id]
            connection.count(self.gatherer.counts.of(connection.slot))
            self.gatherer.leave(connection.slot)
            connection.slot = -1

    def connections(self) -> list[Any]:
        """The connections of this moment."""
        return list(self._connected.values())

    def note_copied(self, number: int) -> None:
        """Two networks use the UUID of a feeder."""
        with self._lock:
            self._copied.add(number)

    def close_soon(self, number: int) -> None:
        """End the connection of a feeder, which has another one now; from any thread."""
        connection = self._connected.get(number)
        if connection is not None and self._loop is not None:
            call_on_loop(self._loop, connection.close)

    def take_copied(self) -> set[int]:
        """The feeders whose UUID two networks have used at the same time, since this was asked last."""
        with self._lock:
            copied, self._copied = self._copied, set()
        return copied

    def put(self, connection: Connection, batch: ReportBatch) -> None:
        """Take what a feeder decoded itself; it leaves with the next reduction."""
        from skywatch.receivers.feeder_streams.reduction import Delivered

        if batch.messages or batch.reports:
            feeder = connection.feeder
            voice = feeder.voice(connection.network)
            batch = self.gatherer.take_reports(connection.slot, batch)
            self._reports.append(Delivered(feeder.receiver, voice, batch.reports, batch.messages))
            if not feeder.shows_signal:
                for report in batch.reports:
                    report.rssi = UNSET

    @contextlib.asynccontextmanager
    async def delivering(self, consume: Callable[[Reduction], None], station: Station, tap: FrameTap | None) -> Any:
        """Reduce what connections bring, and have it consumed once a second, while a listener runs."""
        self._station, self._tap, self._loop = station, tap, asyncio.get_running_loop()
        self._listeners += 1
        if self._reducing is None:
            self._reducing = asyncio.create_task(self._reduce_forever(consume), name="reduction of feeders")
        try:
            yield
        finally:
            self._listeners -= 1
            if not self._listeners and self._reducing is not None:
                reducing, self._reducing = self._reducing, None
                await tasks.end(reducing)
                self.gatherer.close()

    def reduce(self, at: float | None = None) -> Reduction:
        """What has come since the last reduction, until ``at`` (unix s; now unless given)."""
        from skywatch.receivers.feeder_streams.reduction import reduce

        reports, self._reports = self._reports, []
        reduction = reduce(self.gatherer, self.heard, self.connections(), reports, at)
        for name, count in self.gatherer.position_counts().items():
            self.cpr[name] = count
        return reduction

    async def _reduce_forever(self, consume: Callable[[Reduction], None]) -> None:
        began_at, ahead_s = time.time(), 0.0
        while True:
            await asyncio.sleep(pause_until(next_reduction(began_at, ahead_s), time.time()))
            began_at, began = time.time(), time.monotonic()
            try:
                consume(self.reduce())
                self._faults.succeeded()
            except Exception as error:
                # A second is lost; the connections and the next second are not.
                self._faults.failed(str(error), error)
            ahead_s = min(time.monotonic() - began, MAX_AHEAD_S)


def feeder_hub(runtime: Runtime) -> FeederHub:
    """Create the hub of a process (``runtime.shared``)."""
    records = runtime.features.only(FeederRecords)
    first_anonymous = 1 if runtime.bus.carries_objects else 1 + RANGE * secrets.randbelow(RANGES)
    if records is None:
        return FeederHub(first_anonymous=first_anonymous)
    read = records.read

    def read_records(keys: Collection[str] | None) -> list[KnownFeeder]:
        with runtime.sessions() as session:
            return read(session, keys)

    return FeederHub(read_records, first_anonymous=first_anonymous)


def next_reduction(began_at: float, ahead_s: float) -> float:
    """When reducing begins that takes ``ahead_s``; the last one began at ``began_at``, at least half a second before.

    Times are unix seconds.
    """
    earliest = began_at + 0.5
    return earliest + (LEAVE_AT - ahead_s - earliest) % 1.0


def pause_until(at: float, now: float) -> float:
    """Seconds to sleep until ``at``, at most those to the next reduction: the clock may be set back meanwhile."""
    return min(max(at - now, 0.0), MAX_PAUSE_S)

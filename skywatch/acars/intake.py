"""ACARS in the tracker: inputs bring bursts, the assembler makes messages of them, a background writer stores them."""

from __future__ import annotations

import asyncio
import functools
import threading
import time
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.acars.decoder import decoder_for
from skywatch.acars.decoding import Position
from skywatch.acars.envelopes import Burst, FramePosition
from skywatch.acars.messages import storage
from skywatch.acars.messages.assembler import Assembler, Step
from skywatch.acars.messages.draft import Draft
from skywatch.acars.messages.links import FlightAddresses, Linker, Registered, link_registered, registered_in
from skywatch.acars.metrics import ACARS_FAULTS, ACARS_MERGED, ACARS_MESSAGES
from skywatch.acars.models import AcarsFile
from skywatch.acars.settings import AcarsSettings
from skywatch.core import events
from skywatch.core.clock import utcnow
from skywatch.core.hooks import stored_flights
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.core.storage.queue import WriteQueue
from skywatch.core.storage.writer import BackgroundWriter
from skywatch.core.telemetry.metrics import boolean_label
from skywatch.inputs.base import FilePosition, Input, Origin
from skywatch.inputs.factory import open_input as open_bytes
from skywatch.inputs.retrying_input import RetryingInput
from skywatch.picture.distribution.feed import SkyFeed
from skywatch.picture.state.sky import Sky
from skywatch.receivers.reports.further_reports import FurtherReports
from skywatch.receivers.reports.report import Report

NAME = "acars"
# Messages that may wait for the database: a minute of the busiest station network.
QUEUE_LIMIT = 60_000
# Messages are stored together with those of so long: a transaction for each takes half as much time again.
GATHER_S = 0.1
# A file or stream is read on once no more than this waits.
ROOM = 2_000
# Military addresses that are remembered: more than fly at a time; beyond it all are linked again.
MAX_LINKED = 20_000
# Older positions say nothing of where the aircraft is now.
OLDEST_POSITION_S = 60.0
DUE_EVERY_S = 1.0
START_S = 2.0
Content = Burst | FramePosition


Entry = Draft | Registered | tuple[str, FilePosition]


class AcarsIntake:
    """Takes what all inputs receive. One for a process; ``put`` runs on the tracker's loop and returns at once."""

    def __init__(self, runtime: Runtime) -> None:
        self._sessions = runtime.sessions
        uses_positions = runtime.settings.of(AcarsSettings).acars_positions
        self._positions = runtime.shared(FurtherReports) if uses_positions else None
        self._lock = threading.Lock()
        self._live = Assembler()
        self._files = Assembler(is_live=False)
        self._file_inputs: set[str] = set()
        self._inputs: dict[str, Input] = {}
        self._linker = Linker(stored_flights(runtime.features))
        self._addresses = FlightAddresses()
        # Military aircraft whose stored messages are linked, or will be.
        self._linked: set[str] = set()
        self._queue: WriteQueue[Entry] = WriteQueue(QUEUE_LIMIT, delay_s=GATHER_S, replace_delay_s=GATHER_S)
        self._writer: BackgroundWriter[Entry, list[storage.Stored]] = BackgroundWriter(
            NAME, self._sessions, self._queue, self._write, committed=self._committed, refused=self._refused
        )
        self._due = PeriodicTask("acars_incomplete", DUE_EVERY_S, self._show_incomplete)

    def start(self) -> None:
        """Begin to store."""
        self._writer.start(START_S)
        self._due.start()

    def close(self) -> None:
        """Store what was accepted and end."""
        self._due.close()
        with self._lock:
            self._enqueue([*self._live.finish(), *self._files.finish()])
        self._writer.close()

    @property
    def waiting(self) -> int:
        """How much is not stored yet."""
        return self._queue.depth

    def register(self, name: str, source: Input, is_file: bool) -> None:
        """Register an input for its counters."""
        self._inputs[name] = source
        if is_file:
            self._file_inputs.add(name)

    def put(self, messages: Sequence[Content], origin: Origin) -> None:
        """See ``skywatch.inputs.base.Consumer``."""
        with self._lock:
            assembler = self._files if origin.input in self._file_inputs else self._live
            merged, repeated = assembler.merged, assembler.repeated
            for content in messages:
                self._addresses.learn(content, content.at or origin.received_at)
                if isinstance(content, Burst):
                    self._enqueue(assembler.add(content, origin.received_at, origin.input))
                elif self._positions is not None:
                    self._show_frame(content, content.at or origin.received_at)
            if assembler.merged != merged:
                ACARS_MERGED.labels("station").inc(assembler.merged - merged)
            if assembler.repeated != repeated:
                ACARS_MERGED.labels("repeat").inc(assembler.repeated - repeated)
            if origin.position is not None:
                self._queue.replace(("position", origin.input), (origin.input, origin.position))

    def follow(self, sky: Sky) -> None:
        """Take the picture of a tick, and link messages that name its military aircraft by registration alone."""
        self._linker.sky = sky
        if len(self._linked) > MAX_LINKED:
            self._linked.clear()
        registered = registered_in(sky, self._linked)
        # Where the queue is full, the next tick tries again.
        if registered.aircraft and not self._queue.append([registered]):
            self._linked.update(address for address, _ in registered.aircraft)

    async def ready(self) -> None:
        """Return when there is room: files and streams wait."""
        while self._queue.depth > ROOM:
            await asyncio.sleep(0.05)

    def _enqueue(self, steps: list[Step]) -> None:
        for step in steps:
            if step.is_new:
                if self._queue.append([step.draft]):
                    self._count_dropped(step.draft)
            else:
                self._queue.replace(step.draft, step.draft)

    def _show_frame(self, frame: FramePosition, at: float) -> None:
        icao_hex = frame.icao_hex or self._addresses.find(frame.flight, at)
        if icao_hex is not None:
            self._show(icao_hex, at, frame)

    def _show(self, icao_hex: str, at: float, position: FramePosition | Position) -> None:
        """Pass a position on to the picture, which trusts it less than one that was multilaterated."""
        if self._positions is None or time.time() - at > OLDEST_POSITION_S:
            return
        report = Report(icao_hex.lower(), at=at, position_at=at, type="other", lat=position.lat, lon=position.lon)
        if position.altitude_ft is not None:
            report.alt_baro = position.altitude_ft
        self._positions.put(NAME, [report])

    def _refused(self, entry: Entry, error: Exception) -> None:
        if isinstance(entry, Draft) and entry.id is None:
            self._count_dropped(entry)
        elif isinstance(entry, Registered):
            self._linked.difference_update(address for address, _ in entry.aircraft)

    def _count_faults(self, draft: Draft, faults: Sequence[str]) -> None:
        source = self._inputs.get(draft.input)
        for name in faults:
            ACARS_FAULTS.labels(name).inc()
            if isinstance(source, RetryingInput):
                source.count_invalid("decoding")

    def _count_dropped(self, draft: Draft) -> None:
        source = self._inputs.get(draft.input)
        if isinstance(source, RetryingInput):
            source.count_dropped()

    def _show_incomplete(self) -> None:
        with self._lock:
            self._enqueue(self._live.due(time.time()))
            self._enqueue(self._files.due(time.time()))

    def _write(self, session: Session, entries: list[Entry]) -> list[storage.Stored]:
        drafts: list[Draft] = []
        for entry in entries:
            if isinstance(entry, Draft):
                drafts.append(entry)
            elif isinstance(entry, Registered):
                link_registered(session, entry)
            else:
                _store_position(session, *entry)
        stored = storage.store(session, list(dict.fromkeys(drafts)), self._linker)
        for _, row, is_new, _ in stored:
            # A text that goes on may name earlier positions first.
            is_recent = is_new and row.direction == "downlink" and not row.incomplete
            if is_recent and row.icao_hex is not None and row.lat is not None:
                position = Position(row.lat, row.lon or 0.0, row.altitude_ft)
                self._show(row.icao_hex, row.at.timestamp(), position)
            events.publish(session, storage.message_event(row))
            if is_new:
                events.publish(session, storage.for_rules(row), stored=False)
        return stored

    def _committed(self, entries: list[Entry], stored: list[storage.Stored]) -> None:
        for draft, row, is_new, faults in stored:
            self._count_faults(draft, faults)
            if is_new:
                draft.settle(row.id)
                ACARS_MESSAGES.labels(draft.burst.source, boolean_label(row.military)).inc()
                source = self._inputs.get(draft.input)
                if isinstance(source, RetryingInput):
                    source.count_stored(1)


def _store_position(session: Session, name: str, position: FilePosition) -> None:
    row = session.get(AcarsFile, name)
    fields = msgspec.to_builtins(position)
    if row is None:
        session.add(AcarsFile(input=name, position=fields, updated_at=utcnow()))
    else:
        row.position, row.updated_at = fields, utcnow()


class AcarsService:
    """The intake as a service: messages come from inputs, and the picture says whose are military."""

    def __init__(self, intake: AcarsIntake, feed: SkyFeed) -> None:
        self._intake = intake
        self._feed = feed

    async def start(self) -> None:
        """Begin to store, and to follow the picture."""
        await asyncio.to_thread(self._intake.start)
        self._feed.subscribe(NAME, self._intake.follow)

    async def stop(self) -> None:
        """Store what was accepted and end."""
        self._feed.unsubscribe(NAME)
        await asyncio.to_thread(self._intake.close)


def create(runtime: Runtime) -> AcarsService:
    """The service of this installation."""
    return AcarsService(runtime.shared(AcarsIntake), runtime.shared(SkyFeed))


def open_input(runtime: Runtime, name: str, text: str) -> Input:
    """The input that the setting ``acars.<name>`` describes; raises SettingsError."""
    intake = runtime.shared(AcarsIntake)
    is_file = text.strip().startswith("file ")
    position = functools.partial(_stored_position, runtime, name)
    source = open_bytes("acars", name, text, decoder_for(text), intake, position)
    intake.register(name, source, is_file)
    return source


def _stored_position(runtime: Runtime, name: str) -> FilePosition | None:
    """Where a followed file goes on; None where it was never read. Raises where the database does not answer."""
    with runtime.sessions() as session:
        fields: Any = session.scalar(sa.select(AcarsFile.position).where(AcarsFile.input == name))
    return msgspec.convert(fields, FilePosition) if fields is not None else None

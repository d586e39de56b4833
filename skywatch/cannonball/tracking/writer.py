"""The monitor's own thread: writes to the database, publishes what was committed, and does the regular chores.

Its queue is bounded. Numbers of a running session replace the ones still waiting; everything else is kept in order
and written even when the database was away for a while, or at the latest when the tracker stops.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable

from sqlalchemy.exc import OperationalError

from skywatch.cannonball.tracking.changes import SessionChange
from skywatch.cannonball.tracking.records import Change, Written, mark_notified, write
from skywatch.cannonball.tracking.session import LiveSession
from skywatch.core.db import writing
from skywatch.core.runtime import Runtime

log = logging.getLogger(__name__)

# At one alert a second this is hours of a database that is away.
QUEUE_LIMIT = 20_000
BATCH_LIMIT = 1000
RETRY_FIRST_S, RETRY_LAST_S = 0.5, 10.0
# How long a stop waits for what is left to be written (s).
STOP_S = 15.0
# The number of a session whose row cannot be: its user was deleted meanwhile.
NO_ROW = -1


class Chore:
    """Something to be done every so many seconds in the writer's thread."""

    def __init__(self, every_s: float, work: Callable[[], None]) -> None:
        self.every_s = every_s
        self.work = work
        self.due_at = time.monotonic() + every_s


class Writer:
    """Takes changes from the tracker's thread and never makes it wait."""

    def __init__(
        self, runtime: Runtime, flush_s: float, chores: Iterable[Chore], on_ended_elsewhere: Callable[[int], None]
    ) -> None:
        self._runtime = runtime
        self._flush_s = flush_s
        self._chores = list(chores)
        self._on_ended_elsewhere = on_ended_elsewhere
        self._wake = threading.Condition()
        self._events: deque[Change] = deque()
        self._numbers: dict[LiveSession, SessionChange] = {}
        self._stopping = False
        self._stop_by = float("inf")
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="cannonball-writer", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def put(self, changes: Iterable[Change]) -> None:
        """Take changes; returns at once."""
        urgent = False
        with self._wake:
            for change in changes:
                if isinstance(change, SessionChange) and change.kind == "updated":
                    self._numbers[change.session] = change
                    continue
                if isinstance(change, SessionChange) and change.kind == "ended":
                    self._numbers.pop(change.session, None)
                if len(self._events) >= QUEUE_LIMIT:
                    self._drop()
                    continue
                self._events.append(change)
                urgent = True
            if urgent:
                self._wake.notify()

    def run_chores_soon(self) -> None:
        """Do every chore with the next round."""
        for chore in self._chores:
            chore.due_at = 0.0
        with self._wake:
            self._wake.notify()

    def close(self) -> None:
        """Write what was taken and end; gives up after STOP_S."""
        with self._wake:
            self._stopping = True
            self._stop_by = time.monotonic() + STOP_S
            self._wake.notify()
        self._thread.join(STOP_S + 5.0)
        if self._events:
            log.error("%d Cannonball records could not be written", len(self._events))

    def _drop(self) -> None:
        self.dropped += 1
        if self.dropped == 1 or self.dropped % 1000 == 0:
            log.error("the database is away for too long: %d Cannonball records were dropped", self.dropped)

    def _run(self) -> None:
        flush_at = time.monotonic() + self._flush_s
        while True:
            with self._wake:
                if not self._events and not self._stopping:
                    self._wake.wait(max(0.0, flush_at - time.monotonic()))
                stopping = self._stopping
                batch = [self._events.popleft() for _ in range(min(BATCH_LIMIT, len(self._events)))]
                if stopping or time.monotonic() >= flush_at:
                    batch += self._numbers.values()
                    self._numbers.clear()
                    flush_at = time.monotonic() + self._flush_s
            if batch and not self._write_surely(batch):
                return
            if stopping and not self._events:
                return
            if not stopping:
                self._do_chores()

    def _do_chores(self) -> None:
        for chore in self._chores:
            if time.monotonic() >= chore.due_at:
                chore.due_at = time.monotonic() + chore.every_s
                try:
                    chore.work()
                except Exception as error:
                    log.warning("a Cannonball chore failed: %s", error)

    def _write_surely(self, batch: list[Change]) -> bool:
        """Write a batch, trying again while the database is away; False where a stop could not wait for it."""
        pause_s = RETRY_FIRST_S
        while True:
            try:
                self._write(batch)
                return True
            except OperationalError as error:
                log.warning("Cannonball records cannot be written, trying again: %s", str(error).splitlines()[0])
            except Exception as error:
                if len(batch) > 1:
                    log.warning("Cannonball records are written one by one: %s", str(error).splitlines()[0])
                self._write_singly(batch)
                return True
            if time.monotonic() + pause_s >= self._stop_by:
                with self._wake:
                    self._events.extendleft(reversed(batch))
                return False
            with self._wake:
                self._wake.wait(pause_s)
            pause_s = min(2 * pause_s, RETRY_LAST_S)

    def _write_singly(self, batch: list[Change]) -> None:
        """One record a transaction: a record of a user who was deleted meanwhile must not hold up the others."""
        for change in batch:
            try:
                self._write([change])
            except Exception as error:
                self.dropped += 1
                log.error("a Cannonball record was dropped: %s", str(error).splitlines()[0])
                if isinstance(change, SessionChange) and change.kind == "started":
                    change.session.id = NO_ROW

    def _write(self, batch: list[Change]) -> None:
        unnumbered = [c.session for c in batch if isinstance(c, SessionChange) and c.session.id is None]
        try:
            with writing(self._runtime.sessions) as db:
                written = write(db, batch)
        except Exception:
            for session in unnumbered:
                session.id = None
            raise
        self._publish(written)

    def _publish(self, written: Written) -> None:
        bus = self._runtime.bus
        for message in written.messages:
            bus.publish(message)
        for session_id in written.ended_elsewhere:
            self._on_ended_elsewhere(session_id)
        if written.alert_ids and bus.healthy():
            with writing(self._runtime.sessions) as db:
                mark_notified(db, written.alert_ids)

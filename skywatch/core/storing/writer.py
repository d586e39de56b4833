"""Writes to the database in the background: one thread, batches, and nothing accepted is lost while it is away.

While the database takes nothing (away, locked, read-only, full), a batch is tried again with growing pauses and what
comes meanwhile waits in the bounded queue. Where the database refuses a batch because of a row in it, its entries are
written one by one and the bad one is dropped. On SQLite, where all writers share one lock, batches are short and there
are pauses between them (``core.pacing``). Each transaction carries its number: a commit whose answer was lost is
recognised and not made twice. Callers never wait, and the thread starts whatever state the database is in. A writer
whose place another process has taken (``core.fencing``) drops what it has and ends.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import (
    SessionFactory,
    has_one_writer,
    insert_into,
    is_outage,
    outage_of,
    reason,
    writing,
)
from skywatch.core.database.fencing import FencedError
from skywatch.core.database.models import WriterBatch
from skywatch.core.reporting import health, metrics
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.core.reporting.health import State
from skywatch.core.storing.pacing import Pacer
from skywatch.core.storing.queue import Source, WriteQueue

log = logging.getLogger(__name__)
E = TypeVar("E")
R = TypeVar("R")

RETRY_FIRST_S, RETRY_LAST_S = 0.5, 5.0
# The longest sleep of a writer that has nothing to do.
IDLE_S = 3600.0
# A transaction that takes longer is shown in health: the database is locked or does not answer.
SLOW_S = 5.0
# How long a stop waits for what is left; two in a row end within the 20 s that a process has.
CLOSE_S = 8.0
# Numbers of writers that have not written for so long are removed: their processes are gone.
NUMBERS_KEPT = timedelta(days=1)

_batches: Any = WriterBatch.__table__


class GaveUpError(Exception):
    """A stop could not wait any longer for the database."""


class BackgroundWriter(Generic[E, R]):
    """Writes what ``source`` gives with ``write(session, entries)``, which may raise and runs again then.

    ``committed(entries, result)`` is called after the commit with what ``write`` returned, ``refused(entry, error)``
    for an entry that is dropped. ``prepare`` runs once before anything is written, again until it does not raise.
    ``divisible`` is False where a batch is one thing: then it is tried again for ever, whatever the fault is.
    All four run in the writer's thread. The state is ``NAME_writer`` in health.
    """

    def __init__(
        self,
        name: str,
        sessions: SessionFactory,
        source: Source[E],
        write: Callable[[Session, list[E]], R],
        *,
        committed: Callable[[list[E], R], None] | None = None,
        refused: Callable[[E, Exception], None] | None = None,
        prepare: Callable[[], None] | None = None,
        divisible: bool = True,
    ) -> None:
        self.name = name
        self.component = f"{name}_writer"
        self._sessions = sessions
        self._source = source
        self._write = write
        self._committed = committed
        self._refused = refused
        self._prepare = prepare
        self._divisible = divisible
        self._pacer = Pacer(is_shared=has_one_writer(sessions))
        self._id = f"{name}@{secrets.token_hex(8)}"
        self._number = 0
        self._wake = threading.Event()
        self._prepared = threading.Event()
        self._stopping = threading.Event()
        self._stop_by = float("inf")
        self._attempt_since: float | None = None
        self._why = ""
        self._faults = FaultLog(log, f"{name}: cannot be written and waits in memory", f"{name}: is written again")
        self._refusals = FaultLog(log, f"{name}: an entry was refused and dropped", f"{name}: entries are accepted")
        self._overflow = FaultLog(log, f"{name}: the queue is full, entries are dropped", f"{name}: the queue has room")
        self._overflowed = 0
        self._refused_entries = 0
        self._is_fenced = False
        self._thread = threading.Thread(target=self._run, name=f"{name}-writer", daemon=True)
        if isinstance(source, WriteQueue):
            source.on_put = self._wake.set
        # A counter that appears with its first fault has not grown by it in Prometheus' eyes, and no alert comes.
        metrics.DATABASE_WRITE_ERRORS.labels(name)
        for why in ("fenced", "full", "refused", "stopped"):
            metrics.DATABASE_WRITE_DROPPED.labels(name, why)

    def start(self, wait_s: float = 0.0) -> None:
        """Begin to write; waits up to ``wait_s`` until ``prepare`` has been done."""
        self._thread.start()
        health.watch(self.component, self.state)
        if wait_s and self._prepare is not None:
            self._prepared.wait(wait_s)

    def close(self, wait_s: float = CLOSE_S) -> None:
        """Write what was accepted and end; gives up after ``wait_s`` and logs what is lost."""
        self._stop_by = time.monotonic() + wait_s
        self._stopping.set()
        self._wake.set()
        if self._thread.ident is not None:
            # A little longer than the thread itself gives: an attempt may be under way.
            self._thread.join(wait_s + 1.0)
        lost = self._source.depth
        if lost and self._thread.ident is not None and not self._is_fenced:
            metrics.DATABASE_WRITE_DROPPED.labels(self.name, "stopped").inc(lost)
            log.error("%s: %d entries were not written before the stop: %s", self.name, lost, self._why or "too slow")
        health.withdraw(self.component, self.state)

    def state(self) -> State:
        """For health: asked from any thread."""
        now = time.monotonic()
        since = self._attempt_since
        figures = {
            "waiting": float(self._source.depth),
            "behind_s": round(self._source.behind_s(), 1),
            "failures": float(self._faults.count),
            "dropped": float(self._source.dropped + self._refused_entries),
        }
        detail = ""
        if self._is_fenced:
            detail = "another process has taken over"
        elif not self._stopping.is_set() and not self._thread.is_alive():
            detail = "its thread has ended"
        elif self._faults.count:
            detail = f"cannot be written: {self._why}"
        elif since is not None and now - since > SLOW_S:
            detail = f"the database has not answered for {now - since:.0f} s"
        return State(not detail, detail, figures)

    def _run(self) -> None:
        try:
            if self._prepare is not None:
                self._repeat(self._prepare, lambda error: True)
                self._prepared.set()
            while True:
                stopping = self._stopping.is_set()
                delay_s = self._source.delay_s()
                if delay_s > 0 and not stopping:
                    self._wake.wait(min(delay_s, IDLE_S))
                    self._wake.clear()
                    continue
                entries = self._repeat(lambda: self._source.take(self._pacer.limit), lambda error: True)
                if stopping and (not entries or time.monotonic() > self._stop_by):
                    return
                if entries:
                    self._write_batch(entries)
                self._measure()
                self._leave_lock()
        except GaveUpError:
            return
        except FencedError as error:
            self._give_way(str(error))

    def _give_way(self, why: str) -> None:
        """Leave everything to the process that has taken over."""
        self._is_fenced = True
        dropped = self._source.depth
        metrics.DATABASE_WRITE_DROPPED.labels(self.name, "fenced").inc(dropped)
        log.error("%s: %s; what waits here is dropped (%d entries)", self.name, why, dropped)

    def _write_batch(self, entries: list[E]) -> None:
        """Commit a batch, entry by entry where the database is there and refuses it."""
        error = self._commit(entries)
        if error is None:
            self._refusals.succeeded()
        elif len(entries) == 1:
            self._drop(entries[0], error)
        else:
            for entry in entries:
                self._leave_lock()
                error = self._commit([entry])
                if error is not None:
                    self._drop(entry, error)

    def _commit(self, entries: list[E]) -> Exception | None:
        """Commit entries, trying again while the database is away; returns what is wrong with the entries."""
        self._number += 1
        results: list[R] = []
        try:
            self._repeat(lambda: self._transact(entries, results), lambda e: not self._divisible or is_outage(e))
        except (GaveUpError, FencedError):
            raise
        except Exception as error:
            # Whatever it is that is wrong with one entry, the others must be written.
            return error
        try:
            if self._committed is not None:
                self._committed(entries, results[-1])
        except Exception:
            # The batch is committed: a fault in what follows must not have it written again.
            log.exception("%s: the work after a commit failed", self.name)
        self._source.done(entries)
        return None

    def _drop(self, entry: E, error: Exception) -> None:
        """Give up an entry that the database refuses, such as one of a user who was deleted meanwhile."""
        self._refused_entries += 1
        metrics.DATABASE_WRITE_DROPPED.labels(self.name, "refused").inc()
        self._refusals.failed(reason(error), _ours(error))
        try:
            if self._refused is not None:
                self._refused(entry, error)
        except Exception:
            log.exception("%s: the work after a refused entry failed", self.name)  # The next ones must be written.
        self._source.done([entry])

    def _transact(self, entries: list[E], results: list[R]) -> None:
        began = time.perf_counter()
        with writing(self._sessions) as session:
            locked = time.perf_counter()
            if not self._claim(session):
                log.warning("%s: the last batch was committed although the answer was lost", self.name)
                return
            results.append(self._write(session, entries))
        self._pacer.measure(len(entries), time.perf_counter() - locked)
        metrics.DATABASE_WRITES.labels(self.name).inc()
        metrics.DATABASE_WRITE_SECONDS.labels(self.name).observe(time.perf_counter() - began)

    def _claim(self, session: Session) -> bool:
        """Write down the number of this batch; False where it is there already: the batch was committed.

        Where an attempt before is still under way on the server, the row's lock makes this one wait for its end.
        """
        row = {"writer": self._id, "batch": self._number, "at": utcnow()}
        statement = insert_into(session, _batches).values(row)
        changed = statement.on_conflict_do_update(
            index_elements=["writer"], set_=row, where=_batches.c.batch != self._number
        )
        claimed = session.execute(changed.returning(_batches.c.batch)).first()
        if self._number == 1:
            session.execute(sa.delete(_batches).where(_batches.c.at < utcnow() - NUMBERS_KEPT))
        return claimed is not None

    def _repeat(self, work: Callable[[], Any], again_after: Callable[[Exception], bool]) -> Any:
        """Do something, again with growing pauses after errors of which ``again_after`` is true; raises the others.

        Raises GaveUpError where a stop cannot wait, and FencedError.
        """
        pause_s = RETRY_FIRST_S
        while True:
            self._attempt_since = time.monotonic()
            try:
                result = work()
            except FencedError:
                raise
            except Exception as error:
                # Whatever it is, the thread must go on and health must show it.
                self._attempt_since = None
                if not again_after(error):
                    raise
                self._failed(error)
            else:
                self._attempt_since = None
                self._faults.succeeded()
                return result
            self._pause(pause_s)
            pause_s = min(2 * pause_s, RETRY_LAST_S)

    def _failed(self, error: Exception) -> None:
        self._why = reason(error)
        metrics.DATABASE_WRITE_ERRORS.labels(self.name).inc()
        self._faults.failed(self._why, _ours(error), outage_of(error))
        self._measure()

    def _leave_lock(self) -> None:
        """Let other writers have the lock for a moment after a while with it; a stop does not wait."""
        pause_s = self._pacer.pause_s()
        if pause_s:
            self._stopping.wait(pause_s)

    def _pause(self, pause_s: float) -> None:
        if not self._stopping.wait(pause_s):
            return
        remaining_s = self._stop_by - time.monotonic()
        if remaining_s <= 0:
            raise GaveUpError
        time.sleep(min(pause_s, remaining_s))

    def _measure(self) -> None:
        depth, dropped = self._source.depth, self._source.dropped
        metrics.QUEUE_DEPTH.labels(self.name).set(depth)
        if dropped > self._overflowed:
            metrics.DATABASE_WRITE_DROPPED.labels(self.name, "full").inc(dropped - self._overflowed)
            self._overflowed = dropped
            self._overflow.failed(f"{dropped} since the start")
        else:
            self._overflow.succeeded()


def _ours(error: Exception) -> Exception | None:
    """The error where its traceback is worth a look: it comes neither from the database nor from the system."""
    return None if isinstance(error, SQLAlchemyError | OSError) else error

"""Commits batches of entries, each once: a commit whose answer was lost is recognised by the number of its batch.

Where writers share one lock, batches are short and there are pauses between them (``Pacer``). What is not written is
counted and logged (``Losses``).
"""

from __future__ import annotations

import functools
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, has_one_writer, insert_of, is_outage, reason, writing
from skywatch.core.database.fencing import FencedError
from skywatch.core.database.models import WriterBatch
from skywatch.core.storage.queue import Source
from skywatch.core.storage.retries import GaveUpError, RetryLoop, internal_fault
from skywatch.core.telemetry import metrics
from skywatch.core.telemetry.fault_log import FaultLog

log = logging.getLogger(__name__)
E = TypeVar("E")
R = TypeVar("R")

# Numbers of writers that have not written for so long are removed: their processes are gone.
NUMBERS_KEPT = timedelta(days=1)
# A transaction with the lock is to take so long.
MAX_LOCK_S = 0.15
# The pause after so long with the lock: a little longer than SQLite's longest sleep between two attempts.
LOCK_PAUSE_S = 0.12
# Entries of a transaction, at the beginning, at least and at most.
FIRST_ENTRIES, MIN_ENTRIES, MAX_ENTRIES = 100, 10, 1000

_batches: Any = WriterBatch.__table__


@functools.cache
def _claim(dialect: str) -> Any:
    # Built once: every batch of every writer runs it.
    insert = insert_of(dialect, _batches)
    changed = {name: insert.excluded[name] for name in ("batch", "at")}
    is_new = _batches.c.batch != sa.bindparam("this_batch")
    return insert.on_conflict_do_update(index_elements=["writer"], set_=changed, where=is_new).returning(
        _batches.c.batch
    )


class BatchNumbers:
    """The numbers of one writer's batches, stored in their transactions."""

    def __init__(self, name: str) -> None:
        self._writer = f"{name}@{secrets.token_hex(8)}"
        self._number = 0

    def advance(self) -> None:
        """Begin a new batch."""
        self._number += 1

    def claim(self, session: Session) -> bool:
        """Store the number of this batch; False where it is there already: the batch was committed.

        Where an attempt before is still under way on the server, the row's lock makes this one wait for its end.
        """
        row = {"writer": self._writer, "batch": self._number, "at": utcnow()}
        connection = session.connection()
        claimed = connection.execute(_claim(connection.dialect.name), row | {"this_batch": self._number}).first()
        if self._number == 1:
            session.execute(sa.delete(_batches).where(_batches.c.at < utcnow() - NUMBERS_KEPT))
        return claimed is not None


@dataclass(frozen=True)
class Work(Generic[E, R]):
    """What is done with a batch: see ``BackgroundWriter``."""

    write: Callable[[Session, list[E]], R]
    committed: Callable[[list[E], R], None] | None = None
    refused: Callable[[E, Exception], None] | None = None
    divisible: bool = True


class Pacer:
    """Measures a writer's transactions, and limits their entries so that each takes about ``MAX_LOCK_S``.

    SQLite has one write lock and no queue for it: who waits asks again after up to 0.1 s. A writer with much to do
    would have the lock nearly all the time, and others would find it free only by chance. Where the lock is not shared
    with others, the pacer only bounds the entries.
    """

    def __init__(self, is_shared: bool) -> None:
        self.limit = FIRST_ENTRIES if is_shared else MAX_ENTRIES
        self._held_s = 0.0
        self._is_shared = is_shared

    def measure(self, entries: int, held_s: float) -> None:
        """A transaction with so many entries has ended; it had the lock for so long."""
        if not self._is_shared:
            return
        self._held_s += held_s
        if held_s > MAX_LOCK_S:
            self.limit = max(MIN_ENTRIES, min(self.limit, int(entries * MAX_LOCK_S / held_s)))
        elif entries >= self.limit and held_s < MAX_LOCK_S / 2:
            self.limit = min(MAX_ENTRIES, 2 * self.limit)

    def pause_s(self) -> float:
        """How long to leave the lock to others now."""
        if self._held_s < MAX_LOCK_S / 2:
            return 0.0
        self._held_s = 0.0
        return LOCK_PAUSE_S


class Losses:
    """The losses of one writer, by cause."""

    def __init__(self, name: str) -> None:
        self.refused = 0
        self._name = name
        self._overflowed = 0
        self._refusals = FaultLog(log, f"{name}: an entry was refused and dropped", f"{name}: entries are accepted")
        self._overflow = FaultLog(log, f"{name}: the queue is full, entries are dropped", f"{name}: the queue has room")
        for cause in ("fenced", "full", "refused", "stopped"):
            metrics.DATABASE_WRITE_DROPPED.labels(name, cause)

    def accept(self) -> None:
        """The database has taken a whole batch."""
        self._refusals.succeeded()

    def refuse(self, error: Exception) -> None:
        """The database refuses one entry."""
        self.refused += 1
        metrics.DATABASE_WRITE_DROPPED.labels(self._name, "refused").inc()
        self._refusals.failed(reason(error), internal_fault(error))

    def fence(self, entries: int, cause: str) -> None:
        """Another process has taken over while entries waited."""
        metrics.DATABASE_WRITE_DROPPED.labels(self._name, "fenced").inc(entries)
        # The process has said so, as it ends.
        log.debug("%s: %s; what waits here is dropped (%d entries)", self._name, cause, entries)

    def stop(self, entries: int, cause: str) -> None:
        """A stop has left entries unwritten."""
        metrics.DATABASE_WRITE_DROPPED.labels(self._name, "stopped").inc(entries)
        log.error("%s: %d entries were not written before the stop: %s", self._name, entries, cause)

    def measure(self, depth: int, dropped: int) -> None:
        """Note how many entries wait, and how many were not accepted since the start."""
        metrics.QUEUE_DEPTH.labels(self._name).set(depth)
        if dropped > self._overflowed:
            metrics.DATABASE_WRITE_DROPPED.labels(self._name, "full").inc(dropped - self._overflowed)
            self._overflowed = dropped
            self._overflow.failed(f"{dropped} since the start")
        else:
            self._overflow.succeeded()


class BatchWriter(Generic[E, R]):
    """Writes batches of one source in transactions of their own; for one thread."""

    def __init__(
        self, name: str, sessions: SessionFactory, source: Source[E], work: Work[E, R], retries: RetryLoop
    ) -> None:
        self.losses = Losses(name)
        self._name = name
        self._sessions = sessions
        self._source = source
        self._work = work
        self._retries = retries
        self._pacer = Pacer(is_shared=has_one_writer(sessions))
        self._numbers = BatchNumbers(name)

    def take(self) -> list[E]:
        """The next batch."""
        return self._source.take(self._pacer.limit)

    def write(self, entries: list[E]) -> None:
        """Commit a batch, entry by entry where the database is there and refuses it.

        Raises GaveUpError and FencedError.
        """
        error = self._commit(entries)
        if error is None:
            self.losses.accept()
        elif len(entries) == 1:
            self._drop(entries[0], error)
        else:
            for entry in entries:
                self.leave_lock()
                error = self._commit([entry])
                if error is not None:
                    self._drop(entry, error)

    def leave_lock(self) -> None:
        """Let other writers have the lock for a moment after a while with it; a stop does not wait."""
        self._retries.rest(self._pacer.pause_s())

    def _commit(self, entries: list[E]) -> Exception | None:
        """Commit entries, trying again while the database is away; returns what is wrong with the entries."""
        self._numbers.advance()
        results: list[R] = []
        try:
            self._retries.run(
                lambda: self._transact(entries, results), lambda error: not self._work.divisible or is_outage(error)
            )
        except (GaveUpError, FencedError):
            raise
        except Exception as error:
            # Whatever it is that is wrong with one entry, the others must be written.
            return error
        try:
            if self._work.committed is not None:
                self._work.committed(entries, results[-1])
        except Exception:
            # The batch is committed: a fault in what follows must not have it written again.
            log.exception("%s: the work after a commit failed", self._name)
        self._source.done(entries)
        return None

    def _drop(self, entry: E, error: Exception) -> None:
        """Give up an entry that the database refuses, such as one of a user who was deleted meanwhile."""
        self.losses.refuse(error)
        try:
            if self._work.refused is not None:
                self._work.refused(entry, error)
        except Exception:
            log.exception("%s: the work after a refused entry failed", self._name)  # The next ones must be written.
        self._source.done([entry])

    def _transact(self, entries: list[E], results: list[R]) -> None:
        began = time.perf_counter()
        with writing(self._sessions) as session:
            locked = time.perf_counter()
            if not self._numbers.claim(session):
                log.warning("%s: the last batch was committed although the answer was lost", self._name)
                return
            results.append(self._work.write(session, entries))
        self._pacer.measure(len(entries), time.perf_counter() - locked)
        metrics.DATABASE_WRITES.labels(self._name).inc()
        metrics.DATABASE_WRITE_SECONDS.labels(self._name).observe(time.perf_counter() - began)

"""Commits batches of entries, each once: a commit whose answer was lost is recognised by the number of its batch."""

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
from skywatch.core.database.engine import SessionFactory, has_one_writer, insert_of, is_outage, writing
from skywatch.core.database.fencing import FencedError
from skywatch.core.database.models import WriterBatch
from skywatch.core.reporting import metrics
from skywatch.core.storing.losses import Losses
from skywatch.core.storing.pacing import Pacer
from skywatch.core.storing.queue import Source
from skywatch.core.storing.retrying import GaveUpError, RetryLoop

log = logging.getLogger(__name__)
E = TypeVar("E")
R = TypeVar("R")

# Numbers of writers that have not written for so long are removed: their processes are gone.
NUMBERS_KEPT = timedelta(days=1)

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

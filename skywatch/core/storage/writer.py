"""Writes to the database in the background: one thread, batches, and nothing accepted is lost while it is away.

While the database takes nothing (away, locked, read-only, full), a batch is tried again with growing pauses and what
comes meanwhile waits in the bounded queue (``retries``). Where the database refuses a batch because of a row in it,
its entries are written one by one and the bad one is dropped (``batches``). On SQLite, where all writers share one
lock, batches are short and there are pauses between them (``batches.Pacer``). Callers never wait, and the thread starts
whatever state the database is in. A writer whose place another process has taken (``core.database.fencing``) drops
what it has and ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from sqlalchemy.orm import Session

from skywatch.core.database.engine import SessionFactory
from skywatch.core.database.fencing import FencedError
from skywatch.core.storage.batches import BatchWriter, Work
from skywatch.core.storage.queue import Source, WriteQueue
from skywatch.core.storage.retries import GaveUpError, RetryLoop
from skywatch.core.telemetry import health
from skywatch.core.telemetry.health import State
from skywatch.sentences import sentence

E = TypeVar("E")
R = TypeVar("R")

# The longest sleep of a writer that has nothing to do.
IDLE_S = 3600.0
# How long a stop waits for what is left; two in a row end within the 20 s that a process has.
CLOSE_S = 8.0


class BackgroundWriter(Generic[E, R]):
    """Writes what ``source`` gives with ``write(session, entries)``, which may raise and runs again then.

    ``committed(entries, result)`` is called after the commit with what ``write`` returned, ``refused(entry, error)``
    for an entry that is dropped. ``prepare`` runs once before anything is written, again until it does not raise.
    ``divisible`` is False where a batch is one thing: then it is retried without limit, whatever the fault is.
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
        self._source = source
        self._prepare = prepare
        self._retries = RetryLoop(name, self._measure)
        self._batches = BatchWriter(name, sessions, source, Work(write, committed, refused, divisible), self._retries)
        self._wake = source.arrived if isinstance(source, WriteQueue) else threading.Event()
        self._prepared = threading.Event()
        self._is_fenced = False
        self._thread = threading.Thread(target=self._run, name=f"{name}-writer", daemon=True)

    def start(self, wait_s: float = 0.0) -> None:
        """Begin to write; waits up to ``wait_s`` until ``prepare`` has been done."""
        self._thread.start()
        health.watch(self.component, self.state)
        if wait_s and self._prepare is not None:
            self._prepared.wait(wait_s)

    def close(self, wait_s: float = CLOSE_S) -> None:
        """Write what was accepted and end; gives up after ``wait_s`` and logs what is lost."""
        self._retries.stop(wait_s)
        self._wake.set()
        if self._thread.ident is not None:
            # A little longer than the thread itself gives: an attempt may be under way.
            self._thread.join(wait_s + 1.0)
        lost = self._source.depth
        if lost and self._thread.ident is not None and not self._is_fenced:
            self._batches.losses.stop(lost, self._retries.cause or "too slow")
        health.withdraw(self.component, self.state)

    def state(self) -> State:
        """For health: asked from any thread."""
        figures = {
            "waiting": float(self._source.depth),
            "behind_s": round(self._source.behind_s(), 1),
            "failures": float(self._retries.failures),
            "dropped": float(self._source.dropped + self._batches.losses.refused),
        }
        detail = self._retries.fault()
        if self._is_fenced:
            detail = sentence("health.taken_over", "another process has taken over")
        elif not self._retries.is_stopping and not self._thread.is_alive():
            detail = sentence("health.thread_ended", "its thread has ended")
        return State(not detail, detail, figures)

    def _run(self) -> None:
        try:
            if self._prepare is not None:
                self._retries.run(self._prepare)
                self._prepared.set()
            while self._write_next():
                pass
        except GaveUpError:
            return
        except FencedError as error:
            # Everything is left to the process that has taken over.
            self._is_fenced = True
            self._batches.losses.fence(self._source.depth, str(error))

    def _write_next(self) -> bool:
        """Wait for the next batch and write it; False at the end."""
        is_stopping = self._retries.is_stopping
        delay_s = self._source.delay_s()
        if delay_s > 0 and not is_stopping:
            self._wake.wait(min(delay_s, IDLE_S))
            self._wake.clear()
            return True
        entries = self._retries.run(self._batches.take)
        if is_stopping and (not entries or self._retries.is_overdue):
            return False
        if entries:
            self._batches.write(entries)
        self._measure()
        self._batches.leave_lock()
        return True

    def _measure(self) -> None:
        self._batches.losses.measure(self._source.depth, self._source.dropped)

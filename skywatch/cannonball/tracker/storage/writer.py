"""Writes the changes of the monitor in the background: events at once, numbers of active sessions at intervals."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from sqlalchemy.orm import Session

from skywatch.cannonball.tracker.storage.changes import SessionChange, SessionUpdate
from skywatch.cannonball.tracker.storage.records import NO_ROW, Change, Written, write
from skywatch.core.database.engine import SessionFactory
from skywatch.core.storage.queue import WriteQueue
from skywatch.core.storage.writer import BackgroundWriter

# At one alert a second this covers hours without the database.
QUEUE_LIMIT = 20_000


class CannonballWriter:
    """Queues changes of the tracker's thread without blocking it.

    ``prepare`` runs before anything is written; ``on_ended_elsewhere`` is called with the id of a session that another
    process has ended.
    """

    def __init__(
        self,
        sessions: SessionFactory,
        flush_s: float,
        *,
        prepare: Callable[[], None],
        on_ended_elsewhere: Callable[[int], None],
    ) -> None:
        self._queue: WriteQueue[Change] = WriteQueue(QUEUE_LIMIT, replace_delay_s=flush_s)
        self._on_ended_elsewhere = on_ended_elsewhere
        self._writer = BackgroundWriter(
            "cannonball",
            sessions,
            self._queue,
            _write,
            committed=self._committed,
            refused=_refused,
            prepare=prepare,
        )

    def start(self, wait_s: float) -> None:
        """Start writing; waits up to ``wait_s`` for ``prepare``."""
        self._writer.start(wait_s)

    def put(self, changes: Iterable[Change]) -> None:
        """Queue changes; returns at once."""
        updates: dict[Hashable, Change] = {}
        events: list[Change] = []
        for change in changes:
            if isinstance(change, SessionUpdate):
                updates[change.session] = change
                continue
            if isinstance(change, SessionChange):
                if change.kind == "updated":
                    updates[change.session] = change
                    continue
                if change.kind == "ended":
                    updates.pop(change.session, None)
                    self._queue.discard(change.session)
            events.append(change)
        if updates:
            self._queue.replace_all(updates)
        if events:
            self._queue.append(events)

    def close(self) -> None:
        """Write queued changes and stop."""
        self._writer.close()

    def _committed(self, changes: list[Change], written: Written) -> None:
        for session, row_id in written.ids.items():
            session.id = row_id
        for row_id in written.ended_elsewhere:
            self._on_ended_elsewhere(row_id)


def _write(session: Session, changes: list[Change]) -> Written:
    return write(session, changes)


def _refused(change: Change, error: Exception) -> None:
    if isinstance(change, SessionChange) and change.kind == "started":
        change.session.id = NO_ROW

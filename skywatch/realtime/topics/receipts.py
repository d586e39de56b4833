"""Records that events were written to connections of their users, for the features that ask for it.

The loop only queues; a background writer calls the features' ``written`` hooks in batches. An event that goes to
several connections is recorded once.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from skywatch.core.bus import Message
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory
from skywatch.core.feature import FeatureSet, WrittenEvent
from skywatch.core.storage.queue import WriteQueue
from skywatch.core.storage.writer import BackgroundWriter

QUEUE_LIMIT = 10_000
# Connections of one user take an event within moments of each other (s).
DELAY_S = 0.2
MAX_REMEMBERED = 1000


@dataclass(frozen=True)
class _Entry:
    event: str
    written: WrittenEvent


class Receipts:
    """The receipts of one server; ``note`` is called on its loop."""

    def __init__(self, sessions: SessionFactory, features: FeatureSet) -> None:
        self._hooks = {name: kind.written for name, kind in features.events.items() if kind.written is not None}
        self._recorded: dict[int, None] = {}
        self._queue: WriteQueue[_Entry] = WriteQueue(QUEUE_LIMIT, delay_s=DELAY_S)
        self._writer: BackgroundWriter[_Entry, None] = BackgroundWriter("receipts", sessions, self._queue, self._write)

    def start(self) -> None:
        """Start writing."""
        self._writer.start()

    def close(self) -> None:
        """Write what was noted and stop; blocks."""
        self._writer.close()

    def note(self, message: Message) -> None:
        """A message was written to a connection of a user in its audience."""
        if message.id:
            if message.id in self._recorded:
                return
            self._recorded[message.id] = None
            if len(self._recorded) > MAX_REMEMBERED:
                del self._recorded[next(iter(self._recorded))]
        self._queue.append([_Entry(message.event, WrittenEvent(message.data, utcnow()))])

    def _write(self, session: Session, entries: list[_Entry]) -> None:
        by_event: dict[str, list[WrittenEvent]] = {}
        for entry in entries:
            by_event.setdefault(entry.event, []).append(entry.written)
        for event, written in by_event.items():
            self._hooks[event](session, written)

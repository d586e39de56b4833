"""Reads stored events that did not arrive over the bus: after a break, a start, or the death of a publisher.

Readers go by identifier. Transactions on PostgreSQL may commit in another order than they got their identifiers, so
that a reader always looks again at what is younger than ``OVERLAP_S`` by its own clock and knows by identifier what it
has had. (An identifier is taken immediately before the commit; only one that takes longer could be passed over.)
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.bus import Message
from skywatch.core.bus.packing import unpack
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory
from skywatch.core.database.models import StoredEvent

log = logging.getLogger(__name__)
OVERLAP_S = 30.0
# Identifiers of delivered events: those of the overlap, and of a bus that delivers late.
IDENTIFIERS_KEPT = 50_000
# Messages read in one go; the rest follows with the next.
READ_LIMIT = 1000

_events: Any = StoredEvent.__table__


class Recent(NamedTuple):
    """The latest events, oldest first, and the identifier up to which nothing has to be read any more."""

    messages: list[Message]
    position: int


class EventReader:
    """Events of some topics. ``is_known`` may be called from any thread, ``missed`` from one at a time."""

    def __init__(self, sessions: SessionFactory, topics: Iterable[str]) -> None:
        self._sessions = sessions
        self._of_topics = _events.c.topic.in_(sorted(topics))
        self._lock = threading.Lock()
        self._delivered: set[int] = set()
        self._delivered_in_order: deque[int] = deque()
        self._since = utcnow() - timedelta(seconds=OVERLAP_S)
        self._position: int | None = None
        # (monotonic time, the highest identifier there was then): where to read from in ``OVERLAP_S``.
        self._seen: deque[tuple[float, int]] = deque()

    def is_known(self, message: Message) -> bool:
        """Whether this message was delivered before; it counts as delivered from now on."""
        if not message.id:
            return False
        with self._lock:
            is_repeated = message.id in self._delivered
            if not is_repeated:
                self._note(message.id)
        return is_repeated

    def _note(self, row_id: int) -> None:
        self._delivered.add(row_id)
        self._delivered_in_order.append(row_id)
        if len(self._delivered) > IDENTIFIERS_KEPT:
            self._delivered.discard(self._delivered_in_order.popleft())

    def recent(self, within_s: float, limit: int) -> Recent:
        """The events of the last seconds, for the memory of a process that starts; see ``start_at``."""
        with self._sessions() as session:
            position = _before(session, utcnow() - timedelta(seconds=OVERLAP_S))
            young = self._of_topics & (_events.c.at > utcnow() - timedelta(seconds=within_s))
            newest = sa.select(_events.c.id).where(young).order_by(_events.c.id.desc()).limit(limit)
            messages = _read(session, sorted(session.scalars(newest)))
        return Recent(messages, position)

    def start_at(self, position: int) -> None:
        """Look for missed events behind this position; otherwise for those since the reader was made."""
        self._position = position

    def missed(self) -> list[Message]:
        """Events that were not delivered, oldest first, at most READ_LIMIT; waits for the database."""
        now = time.monotonic()
        with self._sessions() as session:
            highest = session.scalar(sa.select(sa.func.max(_events.c.id)))
            if self._position is None:
                self._position = _before(session, self._since)
            if highest is not None and highest < self._position:
                log.warning("identifiers of events start over: the database was replaced")
                self._position = highest
                self._seen.clear()
            behind = self._of_topics & (_events.c.id > self._position)
            ids = list(session.scalars(sa.select(_events.c.id).where(behind).order_by(_events.c.id)))
            with self._lock:
                unknown = [row_id for row_id in ids if row_id not in self._delivered]
            messages = _read(session, unknown[:READ_LIMIT])
        readable = {message.id for message in messages}
        with self._lock:
            for row_id in unknown[:READ_LIMIT]:
                if row_id not in readable and row_id not in self._delivered:
                    self._note(row_id)
        if len(unknown) <= READ_LIMIT:
            self._advance(now, highest or self._position)
        return messages

    def _advance(self, now: float, highest: int) -> None:
        self._seen.append((now, highest))
        while self._seen and now - self._seen[0][0] >= OVERLAP_S:
            self._position = max(self._position or 0, self._seen.popleft()[1])


def _before(session: Session, at: datetime) -> int:
    return session.scalar(sa.select(sa.func.max(_events.c.id)).where(_events.c.at < at)) or 0


def _read(session: Session, ids: list[int]) -> list[Message]:
    messages = []
    for first in range(0, len(ids), 500):
        rows = sa.select(_events.c.id, _events.c.topic, _events.c.message)
        chosen = rows.where(_events.c.id.in_(ids[first : first + 500])).order_by(_events.c.id)
        for row_id, topic, packed in session.execute(chosen):
            try:
                messages.append(replace(unpack(topic, packed), id=row_id))
            except (msgspec.MsgspecError, ValueError) as error:
                log.warning("event %d cannot be read: %s", row_id, error)  # of another version
    return messages

"""Events: published with what was committed, and read by whoever missed them.

``publish`` is the only way to publish a change to subscribers, in requests and threads alike. It is called within the
transaction of the change. Immediately before the commit the messages become rows of
``events`` in that transaction, and after the commit they go to the bus. The bus may lose them: whoever missed some
reads them from the table (``EventReader``). A transaction that is rolled back publishes nothing.

Readers go by identifier. Transactions on PostgreSQL may commit in another order than they got their identifiers, so
that a reader always looks again at what is younger than ``OVERLAP_S`` by its own clock and knows by identifier what it
has had. (An identifier is taken immediately before the commit; only one that takes longer could be passed over.)
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.orm import Session, SessionTransaction, sessionmaker

from skywatch.core.bus import Bus, Message
from skywatch.core.bus.message_codec import pack, unpack
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, insert_many
from skywatch.core.database.models import StoredEvent

log = logging.getLogger(__name__)
OVERLAP_S = 30.0
# Identifiers of delivered events: those of the overlap, and of a bus that delivers late.
IDENTIFIERS_KEPT = 50_000
# Messages read in one go; the rest follows with the next.
READ_LIMIT = 1000
# Of the latest events at the start no more are looked at, and no longer (s): somebody's may be very many.
MAX_RECENT, RECENT_WITHIN_S = 20_000, 1.0

_PENDING, _BUS = "skywatch.events.pending", "skywatch.events.bus"
_events: Any = StoredEvent.__table__


@dataclass
class _Pending:
    """A message that waits for the commit; ``savepoint`` is the nested transaction it was published in."""

    message: Message
    stored: bool
    savepoint: SessionTransaction | None


def publishing(sessions: SessionFactory, bus: Bus) -> SessionFactory:
    """A factory like this one whose sessions publish to a bus; those of another one only store their events."""
    factory = sessionmaker(**sessions.kw)
    factory.configure(info={_BUS: bus})
    return factory


def publish(session: Session, *messages: Message, stored: bool = True) -> None:
    """Publish messages once the present transaction is committed.

    ``stored`` False is for what the next such message makes good (figures that change every second) and for hints to
    processes that look at the database by themselves: where the bus loses it, it is lost.
    """
    savepoint = session.get_nested_transaction()
    pending = session.info.setdefault(_PENDING, [])
    pending += [_Pending(message, stored, savepoint) for message in messages]


@event.listens_for(Session, "before_commit")
def _store(session: Session) -> None:
    pending: list[_Pending] = session.info.get(_PENDING, [])
    stored = [entry for entry in pending if entry.stored]
    if not stored or session.in_nested_transaction():
        return
    # As late as possible: between the moment a row gets its identifier and the moment it is visible to others lies
    # nothing but the commit, so that readers need look back only a little.
    now = utcnow()
    rows = [
        {"at": now, "topic": m.topic, "event": m.event, "message": pack(m)} for m in (entry.message for entry in stored)
    ]
    ids = insert_many(session.connection(), _events, rows)
    for entry, row_id in zip(stored, ids, strict=True):
        entry.message = replace(entry.message, id=row_id)


@event.listens_for(Session, "after_commit")
def _send(session: Session) -> None:
    if session.in_nested_transaction():
        return
    bus: Bus | None = session.info.get(_BUS)
    pending: list[_Pending] = session.info.pop(_PENDING, [])
    if bus is None or not pending:
        return
    for entry in pending:
        bus.publish(entry.message)


@event.listens_for(Session, "after_soft_rollback")
def _withdraw(session: Session, transaction: SessionTransaction) -> None:
    if _PENDING in session.info:
        pending: list[_Pending] = session.info[_PENDING]
        session.info[_PENDING] = [entry for entry in pending if not _within(entry.savepoint, transaction)]


@event.listens_for(Session, "after_transaction_end")
def _forget(session: Session, transaction: SessionTransaction) -> None:
    if transaction.parent is None:
        session.info.pop(_PENDING, None)


def _within(savepoint: SessionTransaction | None, transaction: SessionTransaction) -> bool:
    """Whether a savepoint is that transaction or lies in it; everything lies in the outermost one."""
    if transaction.parent is None:
        return True
    while savepoint is not None and savepoint is not transaction:
        savepoint = savepoint.parent
    return savepoint is not None


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
        """The events of the last seconds, for the memory of a process that starts; see ``start_at``.

        Of each topic they are at most ``limit`` for the same users, besides what lies behind the position.
        """
        began_at = time.monotonic()
        with self._sessions() as session:
            position = _before(session, utcnow() - timedelta(seconds=OVERLAP_S))
            young = self._of_topics & (_events.c.at > utcnow() - timedelta(seconds=within_s))
            newest = sa.select(_events.c.id).where(young).order_by(_events.c.id.desc()).limit(MAX_RECENT)
            ids = list(session.scalars(newest))
            messages: list[Message] = []
            has: Counter[tuple[str, frozenset[int]]] = Counter()
            for first in range(0, len(ids), READ_LIMIT):
                if first and time.monotonic() - began_at > RECENT_WITHIN_S:
                    break
                for message in reversed(_read(session, sorted(ids[first : first + READ_LIMIT]))):
                    audience = message.topic, message.audience.users
                    has[audience] += 1
                    if has[audience] <= limit or message.id > position:
                        messages.append(message)
        return Recent(messages[::-1], position)

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

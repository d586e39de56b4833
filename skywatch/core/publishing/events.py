"""Publishes what was committed: the only way to publish a change to subscribers, in requests and threads alike.

``publish`` is called within the transaction of the change. Immediately before the commit the messages become rows of
``events`` in that transaction, and after the commit they go to the bus. The bus may lose them: whoever missed some
reads them from the table (``core.event_reader``). A transaction that is rolled back publishes nothing.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from sqlalchemy import event
from sqlalchemy.orm import Session, SessionTransaction, sessionmaker

from skywatch.core.bus import Bus, Message
from skywatch.core.bus.packing import pack
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory
from skywatch.core.database.inserting import insert_many
from skywatch.core.database.models import StoredEvent

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
        entry.message = dataclasses.replace(entry.message, id=row_id)


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

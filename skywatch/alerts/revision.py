"""The revision of all rules: incremented in the transaction of every change, so that the tracker reloads them."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.models import AlertRevision
from skywatch.alerts.topics import CHANGED
from skywatch.core import events
from skywatch.core.bus.base import Message

ROW = 1


def raise_revision(session: Session) -> None:
    """Increment the revision, and publish the change after the commit."""
    session.flush()
    raised = session.execute(
        sa.update(AlertRevision).where(AlertRevision.id == ROW).values(revision=AlertRevision.revision + 1)
    )
    if not raised.rowcount:  # type: ignore[attr-defined]
        session.add(AlertRevision(id=ROW, revision=1))
        session.flush()
    events.publish(session, Message(CHANGED, "changed", b""), stored=False)


def current(session: Session) -> int:
    """The present revision."""
    return session.scalar(sa.select(AlertRevision.revision).where(AlertRevision.id == ROW)) or 0

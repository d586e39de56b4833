"""The revision of the list of known aircraft, by which processes that cache the list detect changes."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.models import KnownRevision

ROW = 1


def current_revision(db: Session | sa.Connection) -> int:
    """The revision of the list in this session's or connection's transaction."""
    return db.scalar(sa.select(KnownRevision.revision).where(KnownRevision.id == ROW)) or 0


def lock_list(db: Session) -> None:
    """Lock the list against other changes until the commit; on SQLite the write lock does so already."""
    db.execute(sa.select(KnownRevision.revision).where(KnownRevision.id == ROW).with_for_update())


def next_revision(db: Session | sa.Connection) -> int:
    """Increment the revision; until the commit, other changes of the list wait."""
    row = sa.update(KnownRevision).where(KnownRevision.id == ROW).values(revision=KnownRevision.revision + 1)
    db.execute(row)
    return current_revision(db)

"""The revision of the list of known aircraft: by it everybody who keeps the list in memory sees that it changed."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.models import KnownRevision

ROW = 1


def current_revision(db: Session | sa.Connection) -> int:
    """The revision of the list as this session or connection sees it."""
    return db.scalar(sa.select(KnownRevision.revision).where(KnownRevision.id == ROW)) or 0


def next_revision(db: Session | sa.Connection) -> int:
    """Begin a change of the list; until it is committed, others who change the list wait."""
    row = sa.update(KnownRevision).where(KnownRevision.id == ROW).values(revision=KnownRevision.revision + 1)
    db.execute(row)
    return current_revision(db)

"""Removes transmissions, and recordings with the last transmission that uses them."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.audio.models import Recording, Transmission
from skywatch.audio.recordings.store import RecordingStore

STEP = 200


def remove_unused(session: Session, store: RecordingStore, hashes: Iterable[str]) -> int:
    """Remove those of some recordings that no transmission uses any more; gives their number.

    The file goes within the transaction, while its row is locked: who stores the same bytes again waits for it.
    """
    chosen = sorted(set(hashes))
    # First the lock, then the question: a transmission that came meanwhile must be seen.
    rows = session.scalars(
        sa.select(Recording).where(Recording.sha256.in_(chosen)).order_by(Recording.sha256).with_for_update()
    ).all()
    used = set(session.scalars(sa.select(Transmission.sha256).where(Transmission.sha256.in_(chosen)).distinct()))
    unused = [row for row in rows if row.sha256 not in used]
    if unused:
        session.execute(sa.delete(Recording).where(Recording.sha256.in_([row.sha256 for row in unused])))
    for row in unused:
        store.remove(row.path)
    return len(unused)


def remove_all_unused(session: Session, store: RecordingStore) -> int:
    """Remove a few recordings that no transmission uses; gives their number."""
    used = sa.exists().where(Transmission.sha256 == Recording.sha256)
    hashes = session.scalars(sa.select(Recording.sha256).where(~used).limit(STEP)).all()
    return remove_unused(session, store, hashes) if hashes else 0

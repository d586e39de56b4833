"""After a restore: logins and links of the time of the backup work no more."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.changes import begin_change
from skywatch.accounts.models import HandoverCode, Login, PasswordReset
from skywatch.core.backups import Restoration
from skywatch.core.clock import utcnow

REASON = "restored from a backup"


def end_all(session: Session, restoration: Restoration) -> None:
    """End every login unless they are kept: one that was ended since the backup would be alive again."""
    begin_change(session)
    session.execute(sa.delete(HandoverCode))
    session.execute(sa.delete(PasswordReset))
    if not restoration.keep_logins:
        ended = {"ended_at": utcnow(), "ended_reason": REASON}
        session.execute(sa.update(Login).where(Login.ended_at.is_(None)).values(ended))

"""What ends every restore, in one transaction: logins, pending notifications, the fencing token, the audit log."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.backup.contents.manifest import Manifest
from skywatch.core.backups import Restoration
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.database.fencing import next_token
from skywatch.core.database.models import FencingToken
from skywatch.core.hooks import AfterRestore
from skywatch.core.storage import audit
from skywatch.settings import Settings


@dataclass(frozen=True)
class Completion:
    """A restore as a database takes part in it."""

    target: Path
    manifest: Manifest
    settings: Settings
    restoration: Restoration
    is_authentic: bool

    def complete(self, session: Session) -> None:
        """Mend what must not go on as it was when the backup was made."""
        # Whoever wrote to the database before, and stood still meanwhile, is refused.
        for row in session.scalars(sa.select(FencingToken)):
            row.token, row.taken_at = next_token(row.token), utcnow()
        for hook in self.settings.features.provided(AfterRestore):
            hook.complete(session, self.restoration)
        after = {
            "release": self.manifest.release,
            "made_at": to_iso(self.manifest.began_at),
            "authenticated": self.is_authentic,
            "keep_logins": self.restoration.keep_logins,
            "send": self.restoration.send,
        }
        audit.record(session, audit.COMMAND_LINE, "backup.restored", audit.Target("backup"), after=after)

"""What accounts store without end, for retention: the audit log, and logins long after they can no longer go on.

The other tables of this package grow with people and what they own, and shrink by their hand. What single sign-on
knows of a login goes with it; a sign-on under way and a used logout token go with the next ones after their time.
"""

from __future__ import annotations

from typing import Any

from skywatch.accounts.models import Login
from skywatch.accounts.settings import AccountSettings
from skywatch.core.database.models import AuditEntry
from skywatch.core.storage.retention import Kind

_entries: Any = AuditEntry.__table__
_logins: Any = Login.__table__

KINDS: tuple[Kind, ...] = (
    Kind(
        name="audit",
        table=_entries,
        column="at",
        days=lambda settings: settings.of(AccountSettings).retention_audit_days,
        megabytes=lambda settings: settings.of(AccountSettings).retention_audit_mb,
    ),
    Kind(
        name="logins",
        table=_logins,
        column="expires_at",
        begin_column="created_at",
        days=lambda settings: settings.of(AccountSettings).retention_logins_days,
    ),
)

"""What of alerts is archived, where ``archive_kinds`` names it: those of shared rules, without what belongs to a user.

Left out are the owner, the message and the matched values, and who acknowledged an alert.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from skywatch.alerts.models import Alert, AlertRule
from skywatch.archive.contents.rows import row_file
from skywatch.archive.kinds import ArchivedKind

_alerts: Any = Alert.__table__
_rules: Any = AlertRule.__table__
_is_shared = _alerts.c.rule_id.in_(sa.select(_rules.c.id).where(_rules.c.visibility == "shared"))

KINDS: tuple[ArchivedKind, ...] = (
    ArchivedKind(
        name="alerts",
        table=_alerts,
        column="triggered_at",
        files=row_file(
            "alerts",
            "triggered_at",
            _alerts,
            without=("user_id", "message", "matched", "acknowledged_by"),
            where=_is_shared,
        ),
        retention="alerts",
    ),
)

"""Retention of alerts, and of matches that have ended."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from skywatch.alerts.models import Alert, AlertMatch, AlertRule
from skywatch.alerts.settings import AlertSettings
from skywatch.archive.contents.row_file import row_file
from skywatch.archive.kinds import ArchivedKind
from skywatch.core.storage.retention import Kind

_alerts: Any = Alert.__table__
_matches: Any = AlertMatch.__table__
# The longest cooldown is a day; after it an ended match has no effect.
MATCHES_DAYS = 2.0

KINDS: tuple[Kind, ...] = (
    Kind(
        name="alerts",
        table=_alerts,
        column="triggered_at",
        days=lambda settings: settings.of(AlertSettings).retention_alerts_days,
        megabytes=lambda settings: settings.of(AlertSettings).retention_alerts_mb,
    ),
    Kind(
        name="alert_matches",
        table=_matches,
        column="updated_at",
        days=lambda settings: MATCHES_DAYS,
        only=_matches.c.matching.is_(False),
    ),
)

_rules: Any = AlertRule.__table__
_is_shared = _alerts.c.rule_id.in_(sa.select(_rules.c.id).where(_rules.c.visibility == "shared"))
# What of alerts is archived, where ``archive_kinds`` names it: those of shared rules, without what belongs to a user.
# Left out are the owner, the message and the matched values, who acknowledged an alert, and its size here.
ARCHIVED: tuple[ArchivedKind, ...] = (
    ArchivedKind(
        name="alerts",
        table=_alerts,
        column="triggered_at",
        files=row_file(
            "alerts",
            "triggered_at",
            _alerts,
            without=("user_id", "message", "matched", "acknowledged_by", "size_bytes", "of_strangers"),
            where=_is_shared,
        ),
        retention="alerts",
    ),
)

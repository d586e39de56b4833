"""Retention of alerts, and of matches that have ended."""

from __future__ import annotations

from typing import Any

from skywatch.alerts.models import Alert, AlertMatch
from skywatch.alerts.settings import AlertSettings
from skywatch.core.storing.retention import Kind

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

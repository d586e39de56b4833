"""Retention of published events: processes read those that they missed from the table."""

from __future__ import annotations

from typing import Any

from skywatch.core.database.models import StoredEvent
from skywatch.core.storage.retention import Kind
from skywatch.realtime.settings import RealtimeSettings

_events: Any = StoredEvent.__table__

KINDS: tuple[Kind, ...] = (
    Kind(
        name="events",
        table=_events,
        column="at",
        days=lambda settings: settings.of(RealtimeSettings).retention_events_hours / 24,
    ),
)

"""The retention of safety: ended events and past regions."""

from __future__ import annotations

from typing import Any

from skywatch.archive.contents.row_file import row_file
from skywatch.archive.kinds import ArchivedKind
from skywatch.core.storage.retention import Kind
from skywatch.safety.models import SafetyEvent, SafetyRegion
from skywatch.safety.settings import SafetySettings
from skywatch.settings import Settings

_events: Any = SafetyEvent.__table__
_regions: Any = SafetyRegion.__table__


def _days(settings: Settings) -> float:
    return settings.of(SafetySettings).retention_safety_days


def _megabytes(settings: Settings) -> float:
    return settings.of(SafetySettings).retention_safety_mb


KINDS: tuple[Kind, ...] = (
    Kind(
        name="safety_events",
        table=_events,
        column="began_at",
        days=_days,
        megabytes=_megabytes,
        only=_events.c.ended_at.is_not(None),
    ),
    Kind(name="safety_regions", table=_regions, column="from_at", days=_days, megabytes=_megabytes),
)

# What of safety is archived: every event that has ended.
ARCHIVED: tuple[ArchivedKind, ...] = (
    ArchivedKind(
        name="safety",
        table=_events,
        column="began_at",
        files=row_file("safety", "began_at", _events),
        retention="safety_events",
        unfinished=_events.c.ended_at.is_(None),
    ),
)

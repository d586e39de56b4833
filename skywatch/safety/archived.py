"""What of safety is archived: every event that has ended."""

from __future__ import annotations

from typing import Any

from skywatch.archive.contents.rows import row_file
from skywatch.archive.kinds import ArchivedKind
from skywatch.safety.models import SafetyEvent

_events: Any = SafetyEvent.__table__

KINDS: tuple[ArchivedKind, ...] = (
    ArchivedKind(
        name="safety",
        table=_events,
        column="began_at",
        files=row_file("safety", "began_at", _events),
        retention="safety_events",
        unfinished=_events.c.ended_at.is_(None),
    ),
)

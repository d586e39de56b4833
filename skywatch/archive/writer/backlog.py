"""Which days are to be archived: complete ones that the archive does not have as they are, the oldest first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from sqlalchemy.orm import Session

from skywatch.archive.kinds import DAY, ArchivedKind
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.state import changed_days, current_days


def last_complete_day(now: datetime, after_hours: float) -> date:
    """The newest day whose end is ``after_hours`` ago."""
    return (now - timedelta(hours=after_hours) - DAY).date()


def first_kept_day(now: datetime, keep_days: float) -> date:
    """The oldest day that an archive keeps; ``keep_days`` of 0 is for ever."""
    if not keep_days:
        return date.min
    try:
        return (now - timedelta(days=keep_days)).date()
    except OverflowError:
        return date.min


def waiting_days(
    session: Session, kinds: Sequence[ArchivedKind], now: datetime, settings: ArchiveSettings
) -> list[date]:
    """The complete days that are to be archived."""
    last = last_complete_day(now, settings.archive_after_hours)
    waiting: set[date] = set()
    for kind in kinds:
        current = current_days(session, kind.name)
        first = first_kept_day(now, settings.keep_days(kind.name))
        waiting.update(day for day in kind.days(session, first, last) if day not in current)
    changed = {day for day in changed_days(session, [kind.name for kind in kinds]) if day <= last}
    return sorted(waiting | changed)

"""Quiet hours: windows of local time in which deliveries wait.

A window belongs to the day on which it begins, also where it passes midnight. Its ends are local times of its zone:
in the night in which clocks go back or forward it is an hour longer or shorter. A local time that is skipped counts as
the same time an hour later, one that comes twice as the first of the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

DAYS: tuple[str, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# Longest time of adjoining windows (days).
MAX_DAYS = 8


@dataclass(frozen=True)
class QuietWindow:
    """One window: days on which it begins (none: all), local begin and end, and the zone's IANA name."""

    begin: time
    end: time
    timezone: str
    days: frozenset[str] = frozenset()


def end_of_quiet(windows: Sequence[QuietWindow], at: datetime) -> datetime | None:
    """The end of the quiet hours that cover ``at`` (aware UTC), or None outside of quiet hours.

    Windows that overlap or touch are merged. Quiet hours without an end are cut after eight days.
    """
    limit = at + timedelta(days=MAX_DAYS)
    end = at
    while end < limit:
        later = max((e for window in windows if (e := _end_of(window, end)) is not None), default=None)
        if later is None or later <= end:
            break
        end = later
    return min(end, limit) if end > at else None


def _end_of(window: QuietWindow, at: datetime) -> datetime | None:
    zone = ZoneInfo(window.timezone)
    today = at.astimezone(zone).date()
    ends: list[datetime] = []
    # A window of the day before may still run; one that begins where clocks change may belong to the day after.
    for day in (today - timedelta(days=1), today, today + timedelta(days=1)):
        if window.days and DAYS[day.weekday()] not in window.days:
            continue
        begin = _moment(datetime.combine(day, window.begin), zone)
        last = day if window.end > window.begin else day + timedelta(days=1)
        end = _moment(datetime.combine(last, window.end), zone)
        if begin <= at < end:
            ends.append(end)
    return max(ends, default=None)


def _moment(local: datetime, zone: ZoneInfo) -> datetime:
    return local.replace(tzinfo=zone).astimezone(UTC)

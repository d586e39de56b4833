"""When the disk will be full, from how fast each kind of data grew and from the limits of retention."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from skywatch.core.storage.retention import MEGABYTE, Extent, Kind
from skywatch.settings import Settings

DAY_S = 86_400.0
# What was stored for less than this says nothing of the days to come.
MIN_DAYS = 0.25
# Beyond this nobody plans, and a date would pretend to know more than there is.
MAX_DAYS = 3650.0


@dataclass(frozen=True)
class Growth:
    """How fast a kind of data grows (bytes a day), and how much more there may be before it is limited (bytes)."""

    daily: float
    remaining: float


@dataclass(frozen=True)
class Outlook:
    """What becomes of the free room: ``days`` until it is full, infinite where the limits come first.

    ``final`` is how much the data then takes (bytes), where it is limited.
    """

    days: float
    daily: float
    final: float | None

    @property
    def is_endless(self) -> bool:
        """Whether the room will do for as long as anybody plans."""
        return self.days > MAX_DAYS


def growth_of(extent: Extent, days: float, megabytes: float, now: datetime) -> Growth | None:
    """The growth of a kind with its limits (0: none); None where there is too little to know it."""
    if extent.oldest_at is None:
        return None
    age = (now - extent.oldest_at).total_seconds() / DAY_S
    if age < MIN_DAYS:
        return None
    daily = extent.bytes / age
    most = min(daily * days if days else math.inf, megabytes * MEGABYTE if megabytes else math.inf)
    return Growth(daily, max(0.0, most - extent.bytes))


def look_ahead(used: int, free: int, growths: Iterable[Growth], limit: float = 0.0) -> Outlook:
    """Follow the growth of all kinds until the room is full or nothing grows any more.

    ``limit`` is how large the whole database may become (bytes; 0: no limit).
    """
    left = [growth for growth in growths if growth.daily > 0 and growth.remaining > 0]
    daily = sum(growth.daily for growth in left)
    to_come = sum(growth.remaining for growth in left)
    if limit:
        to_come = min(to_come, max(0.0, limit - used))
    if to_come <= free:
        return Outlook(math.inf, daily, used + to_come)
    ordered = sorted(left, key=lambda growth: growth.remaining / growth.daily)
    days, grown, rate = 0.0, 0.0, daily
    for growth in ordered[:-1]:
        until = growth.remaining / growth.daily
        if grown + rate * (until - days) >= free:
            break
        grown, days, rate = grown + rate * (until - days), until, rate - growth.daily
    return Outlook(days + (free - grown) / rate, daily, None)


def outlook_of(
    kinds: Iterable[Kind], extents: dict[str, Extent], settings: Settings, used: int, free: int, now: datetime
) -> Outlook | None:
    """What becomes of the room; None where nothing has been stored for long enough to know."""
    growths = [
        growth_of(extents[kind.name], kind.days(settings), kind.megabytes(settings), now)
        for kind in kinds
        # Files of their own are not in the database, but on the same disk as a rule.
        if kind.name in extents
    ]
    present = [growth for growth in growths if growth is not None]
    if not present:
        return None
    return look_ahead(used, free, present, settings.retention_database_mb * MEGABYTE)

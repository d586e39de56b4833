"""The time of day, in the two forms Skywatch uses: aware UTC datetimes and unix seconds."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import msgspec

EARLIEST = datetime.min.replace(tzinfo=UTC)


def utcnow() -> datetime:
    """The present moment as an aware UTC datetime."""
    return datetime.now(UTC)


def unix_now() -> float:
    """The present moment in unix seconds."""
    return time.time()


def earlier(at: datetime, by: timedelta) -> datetime:
    """``at`` less ``by``; the earliest time that there is where that would be before it."""
    return at - by if at - EARLIEST > by else EARLIEST


def to_datetime(unix: float) -> datetime:
    """Unix seconds as an aware UTC datetime to the millisecond, as the database stores times."""
    return datetime.fromtimestamp(round(unix, 3), UTC)


def to_iso(at: datetime) -> str:
    """ISO 8601 in UTC with ``Z`` and no more digits than are needed, as every Skywatch timestamp is written."""
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    # Many times faster than ``isoformat``. It writes microseconds where there are any.
    text = msgspec.json.encode(at)[1:-1].decode()
    return text[: -len("000Z")] + "Z" if at.microsecond else text


def unix_to_iso(seconds: float) -> str:
    """Unix seconds as ISO 8601 in UTC with ``Z`` and milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

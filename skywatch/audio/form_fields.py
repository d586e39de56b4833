"""Reads the texts of upload forms; raises ValueError with a reason for people."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from skywatch.core.clock import utcnow
from skywatch.core.text.names import all_shown
from skywatch.sentences import sentence

MAX_CHANNEL = 120
LOWEST_HZ, HIGHEST_HZ = 1_000, 100_000_000_000
EARLIEST, LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
MAX_AHEAD = timedelta(days=1)


def parse_channel(text: str) -> str:
    """A channel's name of at most 120 characters."""
    name = " ".join(text.split())
    if not name:
        raise ValueError(sentence("field.needed", "is required"))
    if len(name) > MAX_CHANNEL or not all_shown(name):
        raise ValueError(sentence("audio.printable", "must be at most {most} printable characters", most=MAX_CHANNEL))
    return name


def parse_frequency(text: str, unit_hz: float) -> int | None:
    """A frequency in Hz; None where no text or 0 is given."""
    if not text:
        return None
    try:
        hertz = float(text) * unit_hz if len(text) <= 32 else math.nan
    except ValueError:
        hertz = math.nan
    if hertz == 0:
        return None
    if not LOWEST_HZ <= hertz <= HIGHEST_HZ:
        raise ValueError(
            sentence("audio.frequency_mhz", "must be a frequency, such as 118.1 (MHz)")
            if unit_hz > 1
            else sentence("audio.frequency_hz", "must be a frequency in Hz")
        )
    return round(hertz)


def parse_time(text: str) -> datetime | None:
    """Unix seconds or ISO 8601 (without a zone: UTC); None where no text is given."""
    if not text:
        return None
    try:
        at = datetime.fromtimestamp(float(text), UTC) if _is_number(text) else datetime.fromisoformat(text[:40])
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        at = None
    if at is None or not EARLIEST <= at < LATEST:
        raise ValueError(
            sentence("audio.time", "must be unix seconds or an ISO 8601 timestamp such as 2026-01-31T12:00:00Z")
        )
    if is_too_far_ahead(at):
        raise ValueError(sentence("audio.time_ahead", "must be at most a day ahead; is the sender's clock right?"))
    return at


def is_too_far_ahead(at: datetime) -> bool:
    """Whether a transmission of that time would be the newest for a long while; clocks are wrong by hours."""
    return at > utcnow() + MAX_AHEAD


def _is_number(text: str) -> bool:
    return len(text) <= 20 and text.isascii() and text.replace(".", "", 1).isdigit()

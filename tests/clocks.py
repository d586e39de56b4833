"""A clock of retention that was set while nobody looked."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from skywatch.core.storage.retention_clock import RetentionClock, Stored, read_clock


def run(sessions, days=0, stored=()):
    """The clock of retention after a run by a clock that is ahead by so many days."""
    reading, leap = read_clock(), timedelta(days=days)
    ahead = replace(reading, now=reading.now + leap, offset_s=reading.offset_s + leap.total_seconds())
    clock = RetentionClock(sessions, read=lambda: ahead)
    clock.begin(stored)
    return clock


def doubted(sessions, days, stored=()):
    """The clock of retention after a run, and another one after it was set ahead by so many days."""
    run(sessions, 0, stored)
    return run(sessions, days, stored)


def kept(name, days, since_days):
    """A kind of data that is kept for some days, and whose oldest row is older."""
    now = read_clock().now
    return Stored(name, timedelta(days=days), now - timedelta(days=since_days), now)

"""When a delivery that failed is tried again, and when it is given up."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

# Pauses before the retries (s); after the last of them a retry comes every hour.
PAUSES_S: tuple[float, ...] = (5.0, 30.0, 300.0, 1800.0)
HOURLY_S = 3600.0
JITTER = 0.2
# How long failures are retried, from when the delivery was due.
PATIENCE = timedelta(hours=6)
PATIENCE_CRITICAL = timedelta(days=3)
# A receiver may ask for a longer pause than ours, but for no longer than this.
LONGEST_RETRY_AFTER_S = 6 * 3600.0
# A channel that failed so often in a row is disabled.
FAILURES_UNTIL_DISABLED = 20


def expiry(priority: str, due: datetime) -> datetime:
    """When a delivery that was due then is given up, if it still fails."""
    return due + (PATIENCE_CRITICAL if priority == "critical" else PATIENCE)


def pause_s(attempts: int) -> float:
    """Seconds to wait after so many attempts have failed: 5 s, 30 s, 5 min, 30 min, then hourly, up to 20 % more."""
    plain = PAUSES_S[attempts - 1] if attempts <= len(PAUSES_S) else HOURLY_S
    return plain * (1 + JITTER * random.random())


def next_attempt(attempts: int, now: datetime, expires_at: datetime, retry_after_s: float | None) -> datetime | None:
    """When to try again after ``attempts`` failures, or None where the delivery is given up.

    The last attempt is made when the time is up, rather than an hour before.
    """
    if now >= expires_at:
        return None
    pause = pause_s(attempts)
    if retry_after_s is not None:
        pause = max(pause, min(retry_after_s, LONGEST_RETRY_AFTER_S))
    return min(now + timedelta(seconds=pause), expires_at)

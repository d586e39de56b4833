"""The retry schedule of failed deliveries."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

# Pauses before the first retries (s); later ones are hourly.
PAUSES_S: tuple[float, ...] = (5.0, 30.0, 300.0, 1800.0)
HOURLY_S = 3600.0
JITTER = 0.2
# Time during which failures are retried, from when the delivery was due.
RETRY_FOR = timedelta(hours=6)
RETRY_CRITICAL_FOR = timedelta(days=3)
# Longest Retry-After of a receiver that is followed (s).
MAX_RETRY_AFTER_S = 6 * 3600.0
# Consecutive failures after which a channel is disabled.
FAILURES_UNTIL_DISABLED = 20


def expiry(priority: str, due: datetime) -> datetime:
    """The time after which a delivery due at ``due`` is no longer retried."""
    return due + (RETRY_CRITICAL_FOR if priority == "critical" else RETRY_FOR)


def pause_s(attempts: int) -> float:
    """The pause after ``attempts`` failures (s): 5 s, 30 s, 5 min, 30 min, then hourly, up to 20 % more."""
    base_s = PAUSES_S[attempts - 1] if attempts <= len(PAUSES_S) else HOURLY_S
    return base_s * (1 + JITTER * random.random())


def next_attempt(attempts: int, now: datetime, expires_at: datetime, retry_after_s: float | None) -> datetime | None:
    """The time of the next attempt after ``attempts`` failures, or None after ``expires_at``.

    The last attempt is made at ``expires_at`` itself.
    """
    if now >= expires_at:
        return None
    pause = pause_s(attempts)
    if retry_after_s is not None:
        pause = max(pause, min(retry_after_s, MAX_RETRY_AFTER_S))
    return min(now + timedelta(seconds=pause), expires_at)

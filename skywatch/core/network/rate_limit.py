"""``RateLimit``: a token bucket."""

from __future__ import annotations


class RateLimit:
    """Allows ``rate`` events a second on average and twice as many at once. Times are monotonic seconds."""

    __slots__ = ("_at", "_rate", "_tokens")

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._tokens = 2 * rate
        self._at: float | None = None

    @property
    def rate(self) -> float:
        """Events a second."""
        return self._rate

    @rate.setter
    def rate(self, rate: float) -> None:
        self._rate = rate
        self._tokens = min(2 * rate, self._tokens)

    def take(self, now: float) -> bool:
        """Count one event; False where it exceeds the rate."""
        self._refill(now)
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def take_up_to(self, count: int, now: float) -> int:
        """Count as many of these events as keep the rate; how many."""
        self._refill(now)
        taken = min(count, max(0, int(self._tokens)))
        self._tokens -= taken
        return taken

    def spend(self, count: float, now: float) -> float:
        """Count events that have happened already; the seconds to wait until the rate is kept."""
        self._refill(now)
        self._tokens -= count
        return max(0.0, -self._tokens / self._rate)

    def _refill(self, now: float) -> None:
        if self._at is not None:
            self._tokens = min(2 * self._rate, self._tokens + (now - self._at) * self._rate)
        self._at = now

"""How many a second, over the last ten seconds: the rates that a receiver's status shows."""

from __future__ import annotations

WINDOW_S = 10


class RateMeter:
    """Counts in buckets of one second; what is older than the window is forgotten.

    Times are monotonic seconds. In the first seconds the rate is over the time that has passed, so that it is not
    shown too low.
    """

    def __init__(self, started_at: float) -> None:
        self._started_at = started_at
        self._buckets = [0] * (WINDOW_S + 1)
        self._second = int(started_at)

    def add(self, count: int, at: float) -> None:
        """Count so many at this time."""
        self._forget(at)
        self._buckets[self._second % len(self._buckets)] += count

    def rate(self, at: float) -> float:
        """Counts a second until this time."""
        self._forget(at)
        covered = WINDOW_S + at - int(at)
        return sum(self._buckets) / max(1.0, min(covered, at - self._started_at))

    def _forget(self, at: float) -> None:
        second = max(int(at), self._second)
        for passed in range(self._second + 1, min(second, self._second + len(self._buckets)) + 1):
            self._buckets[passed % len(self._buckets)] = 0
        if second > self._second + len(self._buckets):
            self._buckets = [0] * len(self._buckets)
        self._second = second

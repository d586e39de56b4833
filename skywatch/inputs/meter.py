"""How many a second, over the last ten seconds: the rates that a receiver's status shows."""

from __future__ import annotations

WINDOW_S = 10
_BUCKETS = WINDOW_S + 1


class RateMeter:
    """Counts in buckets of one second; what is older than the window is forgotten.

    Times are monotonic seconds. In the first seconds the rate is over the time that has passed, so that it is not
    shown too low.
    """

    __slots__ = ("_buckets", "_second", "_started_at", "_total")

    def __init__(self, started_at: float) -> None:
        self._started_at = started_at
        self._buckets = [0] * _BUCKETS
        self._total = 0
        self._second = int(started_at)

    def add(self, count: int, at: float) -> None:
        """Count so many at this time."""
        if at >= self._second + 1:
            self._forget(int(at))
        self._buckets[self._second % _BUCKETS] += count
        self._total += count

    def rate(self, at: float) -> float:
        """Counts a second until this time."""
        if at >= self._second + 1:
            self._forget(int(at))
        covered = min(WINDOW_S + at - int(at), at - self._started_at)
        return self._total / covered if covered > 1.0 else float(self._total)

    def _forget(self, second: int) -> None:
        """Go on to a later second."""
        for passed in range(max(self._second, second - _BUCKETS) + 1, second + 1):
            self._total -= self._buckets[passed % _BUCKETS]
            self._buckets[passed % _BUCKETS] = 0
        self._second = second

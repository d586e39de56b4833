"""``SourceClock``: what a sender's clock reads, told in our time.

Senders' clocks are off by hours (time zones), by years (a computer without a battery) or drift; networks delay. The
smallest difference between arrival and stamp seen lately is taken as the offset of the two clocks; what a stamp
arrives later than that is delay, and is kept as age.
"""

from __future__ import annotations

# A difference that changed by more than this is a clock that was set, not a delay.
CLOCK_SET_S = 30.0
# How fast the offset follows a sender's clock that loses time (s a second).
DRIFT = 0.05


class SourceClock:
    """The offset of one sender's clock. Times are unix seconds; nothing is ever told to lie in our future."""

    def __init__(self) -> None:
        self._offset_s: float | None = None
        self._arrived_at = 0.0

    def agrees(self, stamp: float, arrived_at: float) -> bool:
        """Whether the stamp fits what is known of the offset; False while nothing is known."""
        return self._offset_s is not None and abs(arrived_at - stamp - self._offset_s) <= CLOCK_SET_S

    def ours(self, stamp: float, arrived_at: float) -> float:
        """Our time of what the sender stamped; ``arrived_at`` is when it reached us (our clock)."""
        sample = arrived_at - stamp
        if self._offset_s is None or abs(sample - self._offset_s) > CLOCK_SET_S or sample < self._offset_s:
            self._offset_s = sample
        else:
            elapsed_s = max(arrived_at - self._arrived_at, 0.0)
            self._offset_s += min(sample - self._offset_s, DRIFT * elapsed_s)
        self._arrived_at = arrived_at
        return stamp + self._offset_s

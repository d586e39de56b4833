"""``SourceClock``: converts a sender's time stamps to our time.

Senders' clocks are wrong by hours (time zones), by years (a computer without a battery) or drift; networks delay. The
smallest recent difference between arrival and stamp is the offset of the two clocks; any later arrival is delay, and
counts as age.
"""

from __future__ import annotations

# Change of the difference above which the sender's clock was set (s); below it is a delay.
CLOCK_SET_S = 30.0
# Rate at which the offset follows a sender's clock that loses time (s per s).
DRIFT = 0.05


class SourceClock:
    """The offset of one sender's clock. Times are unix seconds; no result is in our future."""

    def __init__(self) -> None:
        self._offset_s: float | None = None
        self._arrived_at = 0.0

    def agrees(self, stamp: float, arrived_at: float) -> bool:
        """Whether the stamp agrees with the offset; False while the offset is unknown."""
        return self._offset_s is not None and abs(arrived_at - stamp - self._offset_s) <= CLOCK_SET_S

    def ours(self, stamp: float, arrived_at: float) -> float:
        """The sender's stamp in our time; ``arrived_at`` is when it arrived (our clock)."""
        sample = arrived_at - stamp
        if self._offset_s is None or abs(sample - self._offset_s) > CLOCK_SET_S or sample < self._offset_s:
            self._offset_s = sample
        else:
            elapsed_s = max(arrived_at - self._arrived_at, 0.0)
            self._offset_s += min(sample - self._offset_s, DRIFT * elapsed_s)
        self._arrived_at = arrived_at
        return stamp + self._offset_s

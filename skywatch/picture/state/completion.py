"""When the picture of a start is complete: from then on an aircraft that is not in it is surely gone.

A receiver that connects late, or a transponder that is heard once a minute, shows an aircraft that was there all the
time. A monitor that continues what an earlier process announced must not take its absence for an end before that.
"""

from __future__ import annotations

# An aircraft is unseen, not gone, for this long (s): alerts hold one for a minute, and receivers that are down are
# connected again within 30 s of their return. With a longer ``picture_timeout_s`` that counts.
UNSEEN_S = 60.0
# Ticks come once a second: after a gap of this length (s) the process stood still, and aircraft have expired meanwhile.
STANDSTILL_S = 10.0


class Completion:
    """Follows the ticks of a picture; times are seconds of a clock that nobody sets."""

    def __init__(self, timeout_s: float) -> None:
        self._needed_s = max(UNSEEN_S, timeout_s)
        self._began_at: float | None = None
        self._ticked_at = 0.0

    def begin(self) -> None:
        """The picture starts over with the next tick."""
        self._began_at = None

    def tick(self, now: float) -> bool:
        """Whether the picture of this tick is complete."""
        if self._began_at is None or now - self._ticked_at > STANDSTILL_S:
            self._began_at = now
        self._ticked_at = now
        return now - self._began_at >= self._needed_s

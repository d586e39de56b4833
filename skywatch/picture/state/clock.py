"""The times of a picture: wall time, whether somebody set it, and when the picture of a start is complete."""

from __future__ import annotations

from collections.abc import Callable

# The wall clock was set, not merely disciplined, when it departs from the monotonic one by this much (s).
CLOCK_STEP_S = 0.5
# An aircraft is unseen, not gone, for this long (s): alerts hold one for a minute, and receivers that are down are
# connected again within 30 s of their return. With a longer ``picture_timeout_s`` that counts.
UNSEEN_S = 60.0
# Ticks come once a second: after a gap of this length (s) the process stood still, and aircraft have expired meanwhile.
STANDSTILL_S = 10.0


class PictureClock:
    """Unix time (s), compared with a clock that nobody sets."""

    def __init__(self, clock: Callable[[], float], monotonic: Callable[[], float]) -> None:
        self.now, self.monotonic = clock, monotonic
        self._offset = clock() - monotonic()

    def read(self) -> tuple[float, float]:
        """The present time (unix s), and by how many seconds the clock was set since the last call; mostly 0."""
        now = self.now()
        offset = now - self.monotonic()
        step = offset - self._offset
        self._offset = offset
        return now, step if abs(step) > CLOCK_STEP_S else 0.0


class Completion:
    """Follows the ticks of a picture from its start; times are seconds of a clock that nobody sets.

    From completion on an aircraft that is not in the picture is surely gone. A receiver that connects late, or a
    transponder that is heard once a minute, shows an aircraft that was there all the time: a monitor that continues
    what an earlier process announced must not take its absence for an end before that.
    """

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

"""The clock of a picture: wall time, and whether somebody set it."""

from __future__ import annotations

from collections.abc import Callable

# The wall clock was set, not merely disciplined, when it departs from the monotonic one by this much (s).
CLOCK_STEP_S = 0.5


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

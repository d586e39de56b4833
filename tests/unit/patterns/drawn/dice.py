"""Chance for drawn flights: one generator, whose ranges can be stretched for a corpus that nobody has looked at."""

from __future__ import annotations

import random


class Dice(random.Random):
    """A generator whose `between` draws from a range that is `stretch` times as wide to both sides."""

    stretch = 1.0
    wind_share = 0.25
    """Wind over true airspeed, at most."""

    def between(self, low: float, high: float) -> float:
        """Return a number from `low / stretch` to `high * stretch`, evenly."""
        return self.uniform(low / self.stretch, high * self.stretch)

    def side(self) -> float:
        """Return -1 (left) or 1 (right)."""
        return self.choice((-1.0, 1.0))

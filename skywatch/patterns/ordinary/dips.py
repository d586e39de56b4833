"""Dips: how often a flight comes down by a little to its lowest level, as who sprays a field does on each pass."""

from __future__ import annotations

from collections import deque

from skywatch.patterns.settings import PatternSettings

_KEPT = 64
"""Dips remembered: an hour of short passes."""


class Dips:
    """Finds the low turning points of the altitude, ups and downs of less than `low_pass_ft` ignored."""

    __slots__ = ("_dips", "_extreme_ft", "_falling", "_high_ft", "_low_t", "_lowest_ft", "_s")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self._dips: deque[tuple[float, float, float]] = deque(maxlen=_KEPT)
        self._falling = True
        self._extreme_ft: float | None = None
        self._high_ft = 0.0
        self._low_t = 0.0
        self._lowest_ft = float("inf")

    def add(self, t: float, alt_ft: float) -> None:
        """Take the next height (ft) and its time (unix s)."""
        s = self._s
        self._lowest_ft = min(self._lowest_ft, alt_ft)
        if self._extreme_ft is None:
            self._extreme_ft, self._low_t = alt_ft, t
        elif self._falling:
            if alt_ft <= self._extreme_ft:
                self._extreme_ft, self._low_t = alt_ft, t
            elif alt_ft >= self._extreme_ft + s.low_pass_ft:
                self._dips.append((self._low_t, self._extreme_ft, self._high_ft - self._extreme_ft))
                self._falling, self._extreme_ft = False, alt_ft
        elif alt_ft >= self._extreme_ft:
            self._extreme_ft = alt_ft
        elif alt_ft <= self._extreme_ft - s.low_pass_ft:
            self._high_ft = self._extreme_ft
            self._falling, self._extreme_ft, self._low_t = True, alt_ft, t

    def explain(self, t0: float, t1: float) -> bool:
        """Return whether the flight between two times (unix s) was a row of low passes."""
        s = self._s
        downs = [
            down_ft
            for t, alt_ft, down_ft in self._dips
            if t0 <= t <= t1 and alt_ft <= self._lowest_ft + s.low_pass_level_ft
        ]
        least = max(s.low_passes, (t1 - t0) / s.low_pass_every_s)
        return len(downs) >= least and sum(downs[1:]) >= s.low_pass_mean_ft * (len(downs) - 1)

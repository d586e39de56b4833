"""How an aircraft came: whether it was seen to fly, and how low it has flown level.

Who hovers came flying, which a parked aircraft, a car and a balloon did not. And who hovers no lower than he has flown
level before does not stand on the ground, however low the trail has ever been.
"""

from __future__ import annotations

from math import hypot

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.window import Sample


class Arrival:
    """Looks at the samples of one aircraft, in order."""

    __slots__ = ("_before", "_flying", "_level_ft", "_level_t", "_s", "came_flying", "lowest_cruise_ft")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self.clear()

    def clear(self) -> None:
        """Forget the trail."""
        self._before: Sample | None = None
        self._flying: Sample | None = None
        self._level_ft: float | None = None
        self._level_t = 0.0
        self.came_flying = False
        """Whether it has flown, by its way as well as by the speed it reports."""
        self.lowest_cruise_ft = float("inf")
        """Lowest level at which it flew on for a while."""

    def add(self, p: Sample) -> None:
        """Take the next sample."""
        before, s = self._before, self._s
        self._before = p
        if before is None or not self._flew(before, p):
            self._flying = self._level_ft = None
            return
        begin = self._flying = self._flying or before
        if p.t - begin.t >= s.stakeout_came_s:
            # What noise adds to each step does not add up to a way.
            way_kt = hypot(p.x - begin.x, p.y - begin.y) * 3600.0 / (p.t - begin.t)
            self.came_flying = self.came_flying or way_kt >= s.stakeout_came_share * s.stakeout_came_kt
        if p.alt_ft is None:
            return
        if self._level_ft is None or abs(p.alt_ft - self._level_ft) > 0.5 * s.hover_cruise_ft:
            self._level_ft, self._level_t = p.alt_ft, before.t
        elif p.t - self._level_t >= s.hover_cruise_s:
            self.lowest_cruise_ft = min(self.lowest_cruise_ft, self._level_ft)

    def _flew(self, a: Sample, b: Sample) -> bool:
        """Return whether it flew from one sample to the next, as fast as whoever comes flying."""
        s = self._s
        if not 0.0 < b.t - a.t <= s.station_gap_s or (b.speed_kt is not None and b.speed_kt < s.stakeout_came_kt):
            return False
        # A turn takes a little from the way; noise would have to add all of it.
        way_kt = hypot(b.x - a.x, b.y - a.y) * 3600.0 / (b.t - a.t)
        return way_kt >= s.stakeout_came_share * s.stakeout_came_kt

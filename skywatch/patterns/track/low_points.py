"""Low points of a flight: where it came down, and climbed away again; and small dips to its lowest level.

An aerodrome circuit differs from an orbit in its height: lap after lap it comes down to the same place at the same
level in the same direction, the runway's, and climbs away, while who watches something keeps the height. No database
of aerodromes is needed, and the runway need not be seen: reception often ends above it.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from math import hypot
from typing import NamedTuple

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import wrap_deg

_KEPT = 64
"""Dips remembered: an hour of short passes."""


class Dip(NamedTuple):
    """A small low turning point of the altitude."""

    t: float
    alt_ft: float
    down_ft: float
    """How far the flight came down to it."""
    turn_deg: float


class Dips:
    """Finds the low turning points of the altitude, ups and downs of less than `climb_ft` ignored."""

    __slots__ = ("_climb_ft", "_dips", "_extreme_ft", "_falling", "_high_ft", "_low", "_lowest_ft", "_s")

    def __init__(self, settings: PatternSettings, climb_ft: float) -> None:
        self._s = settings
        self._climb_ft = climb_ft
        self._dips: deque[Dip] = deque(maxlen=_KEPT)
        self._falling = True
        self._extreme_ft: float | None = None
        self._high_ft = 0.0
        self._low = (0.0, 0.0)
        """Time and heading of the lowest height so far..."""
        self._lowest_ft = float("inf")
        """... and the lowest of all."""

    def add(self, t: float, alt_ft: float, turn_deg: float) -> None:
        """Take the next height (ft) with its time (unix s) and heading (deg, unwound)."""
        if alt_ft < self._lowest_ft:
            self._lowest_ft = alt_ft
        if self._extreme_ft is None:
            self._extreme_ft, self._low = alt_ft, (t, turn_deg)
        elif self._falling:
            if alt_ft <= self._extreme_ft:
                self._extreme_ft, self._low = alt_ft, (t, turn_deg)
            elif alt_ft >= self._extreme_ft + self._climb_ft:
                self._dips.append(Dip(self._low[0], self._extreme_ft, self._high_ft - self._extreme_ft, self._low[1]))
                self._falling, self._extreme_ft = False, alt_ft
        elif alt_ft >= self._extreme_ft:
            self._extreme_ft = alt_ft
        elif alt_ft <= self._extreme_ft - self._climb_ft:
            self._high_ft = self._extreme_ft
            self._falling, self._extreme_ft, self._low = True, alt_ft, (t, turn_deg)

    def between(self, t0: float, t1: float) -> list[Dip]:
        """Return the dips between two times (unix s) down to the lowest level of the flight."""
        level_ft = self._lowest_ft + self._s.low_passes.level_ft
        return [dip for dip in self._dips if t0 <= dip.t <= t1 and dip.alt_ft <= level_ft]


class LowPoint(NamedTuple):
    """One low point; `height_ft` is how far the flight came down to it, `climb_s` how long it took to climb away."""

    t: float
    x: float
    y: float
    alt_ft: float
    turn_deg: float
    height_ft: float
    climb_s: float = 0.0


class LowPoints:
    """Finds low points as the turning points of the altitude, smaller ups and downs ignored (a zigzag filter)."""

    __slots__ = ("_begun_ft", "_climbing", "_deep", "_high_ft", "_low", "_s", "_shallow", "lowest_ft", "points")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self.clear()

    def clear(self) -> None:
        """Forget the flight."""
        self.points: deque[LowPoint] = deque(maxlen=self._s.low_point_depth.max_points)
        self.lowest_ft = float("inf")
        """Lowest level of the trail."""
        self._deep = Dips(self._s, self._s.low_passes.climb_ft)
        self._shallow = Dips(self._s, self._s.pull_ups.climb_ft)
        self._climbing = False
        self._high_ft = float("-inf")
        self._low: LowPoint | None = None
        self._begun_ft = float("-inf")

    def add(self, t: float, x: float, y: float, alt_ft: float, turn_deg: float) -> None:
        """Take the next height (ft) with time, place (nm) and heading (deg, unwound)."""
        self.lowest_ft = min(self.lowest_ft, alt_ft)
        self._deep.add(t, alt_ft, turn_deg)
        self._shallow.add(t, alt_ft, turn_deg)
        low = self._low
        if self._climbing:
            self._high_ft = max(self._high_ft, alt_ft)
            if alt_ft <= self._high_ft - self._s.low_point_depth.height_ft:
                self._climbing = False
                self._low = LowPoint(t, x, y, alt_ft, turn_deg, 0.0)
        elif low is None or alt_ft <= low.alt_ft:
            if low is None:
                self._begun_ft = alt_ft
            self._low = LowPoint(t, x, y, alt_ft, turn_deg, 0.0)
        elif alt_ft >= low.alt_ft + self._s.low_point_depth.height_ft:
            # The first low point of a trail that begins with it is a take-off as far as anybody can tell.
            height_ft = max(alt_ft, self._begun_ft) if self._high_ft == float("-inf") else self._high_ft
            self.points.append(low._replace(height_ft=height_ft - low.alt_ft, climb_s=t - low.t))
            self._climbing = True
            self._high_ft = alt_ft

    def are_low_passes(self, t0: float, t1: float) -> bool:
        """Return whether the flight between two times (unix s) was a row of low passes.

        Who sprays a field comes down by a little to the lowest level on each pass.
        """
        s = self._s
        downs = [dip.down_ft for dip in self._deep.between(t0, t1)]
        least = max(s.low_passes.passes, (t1 - t0) / s.low_passes.every_s)
        if len(downs) >= least and sum(downs[1:]) >= s.low_passes.mean_climb_ft * (len(downs) - 1):
            return True
        return self._dips_each_way(t0, t1)

    def _dips_each_way(self, t0: float, t1: float) -> bool:
        """Return whether dips follow each other in opposite directions: one on each line, and none in the turns.

        Who sprayed in the minutes before still does: the next laps need no proof of their own.
        """
        limits = self._s.pull_ups
        dips = self._shallow.between(min(t0, t1 - limits.before_s), t1)
        pairs = len(dips) - 1
        if pairs < limits.pairs or pairs * limits.every_s < t1 - min(t0, dips[0].t):
            return False
        opposite = sum(
            abs(abs(wrap_deg(b.turn_deg - a.turn_deg)) - 180.0) <= limits.heading_deg for a, b in pairwise(dips)
        )
        return opposite >= limits.share * pairs

    def circuits_since(self, t: float) -> int:
        """Count how often since `t` the flight came back down to where it had come down before."""
        points = list(self.points)
        if not self._climbing and self._low is not None and self._high_ft > float("-inf"):
            # It has come down as far as before; whether it climbs away again need not be waited for.
            points.append(self._low._replace(height_ft=self._high_ft - self._low.alt_ft))
        return sum(b.t >= t and any(self._same_place(a, b) for a in points[:index]) for index, b in enumerate(points))

    def _same_place(self, a: LowPoint, b: LowPoint) -> bool:
        s = self._s
        return (
            b.t - a.t <= s.circuit.max_s
            and b.alt_ft <= s.circuit.max_altitude_ft
            and hypot(b.x - a.x, b.y - a.y) <= s.circuit.place_nm
            and abs(b.alt_ft - a.alt_ft) <= s.circuit.level_share * min(a.height_ft, b.height_ft)
            and abs(wrap_deg(b.turn_deg - a.turn_deg)) <= s.circuit.heading_deg
            and (
                min(a.alt_ft, b.alt_ft) <= self.lowest_ft + s.circuit.above_lowest_ft
                or (
                    s.approaches.min_height_ft <= min(a.height_ft, b.height_ft) <= s.approaches.max_height_ft
                    and b.t - a.t >= s.approaches.min_s
                )
            )
        )

    def landed(self, before_ft: float | None, after_ft: float | None) -> bool:
        """Return whether both heights are so low that the aircraft may have stood on the ground in between."""
        if before_ft is None or after_ft is None:
            return False
        return max(before_ft, after_ft) <= self.lowest_ft + self._s.circuit.above_lowest_ft

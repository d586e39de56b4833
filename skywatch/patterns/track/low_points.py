"""Low points of a flight: where it came down, and climbed away again; and small dips to its lowest level.

An aerodrome circuit differs from an orbit in its height: lap after lap it comes down to the same place at the same
level in the same direction, the runway's, and climbs away, while who watches something keeps the height. No database
of aerodromes is needed, and the runway need not be seen: reception often ends above it.
"""

from __future__ import annotations

from collections import deque
from math import hypot
from typing import NamedTuple

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import wrap_deg

_KEPT = 64
"""Dips remembered: an hour of short passes."""


class Dips:
    """Finds the low turning points of the altitude, ups and downs of less than `low_pass_ft` ignored.

    Who sprays a field comes down by a little to the lowest level on each pass.
    """

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
            elif alt_ft >= self._extreme_ft + s.low_passes.climb_ft:
                self._dips.append((self._low_t, self._extreme_ft, self._high_ft - self._extreme_ft))
                self._falling, self._extreme_ft = False, alt_ft
        elif alt_ft >= self._extreme_ft:
            self._extreme_ft = alt_ft
        elif alt_ft <= self._extreme_ft - s.low_passes.climb_ft:
            self._high_ft = self._extreme_ft
            self._falling, self._extreme_ft, self._low_t = True, alt_ft, t

    def explain(self, t0: float, t1: float) -> bool:
        """Return whether the flight between two times (unix s) was a row of low passes."""
        s = self._s
        downs = [
            down_ft
            for t, alt_ft, down_ft in self._dips
            if t0 <= t <= t1 and alt_ft <= self._lowest_ft + s.low_passes.level_ft
        ]
        least = max(s.low_passes.passes, (t1 - t0) / s.low_passes.every_s)
        return len(downs) >= least and sum(downs[1:]) >= s.low_passes.mean_climb_ft * (len(downs) - 1)


class LowPoint(NamedTuple):
    """One low point; `height_ft` is how far the flight came down to it."""

    t: float
    x: float
    y: float
    alt_ft: float
    turn_deg: float
    height_ft: float


class LowPoints:
    """Finds low points as the turning points of the altitude, smaller ups and downs ignored (a zigzag filter)."""

    __slots__ = ("_begun_ft", "_climbing", "_high_ft", "_low", "_s", "dips", "lowest_ft", "points")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self.clear()

    def clear(self) -> None:
        """Forget the flight."""
        self.points: deque[LowPoint] = deque(maxlen=self._s.low_point_depth.max_points)
        self.lowest_ft = float("inf")
        """Lowest level of the trail."""
        self.dips = Dips(self._s)
        """Passes at the lowest level, between small ups."""
        self._climbing = False
        self._high_ft = float("-inf")
        self._low: LowPoint | None = None
        self._begun_ft = float("-inf")

    def add(self, t: float, x: float, y: float, alt_ft: float, turn_deg: float) -> None:
        """Take the next height (ft) with time, place (nm) and heading (deg, unwound)."""
        self.lowest_ft = min(self.lowest_ft, alt_ft)
        self.dips.add(t, alt_ft)
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
            self.points.append(low._replace(height_ft=height_ft - low.alt_ft))
            self._climbing = True
            self._high_ft = alt_ft

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

"""Exercises of turning: two or three full circles one way, and as many the other.

Turns are trained to either side, each entered from a heading and left on the same one (FAA *Airplane Flying Handbook*,
"steep turns"). Who watches something goes round until there is no more to see: what he turns is no whole number of
circles, and he does not turn the other way as often as he did before.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from skywatch.patterns.loops.bank import bank_deg
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.trail import Vertex

_KEPT = 4
"""Exercises remembered: each takes three minutes and more."""


class Series(NamedTuple):
    """Turning to one side, from straight flight or the other side to the same."""

    t0: float
    t1: float
    turn_deg: float
    """Clockwise positive."""
    way_nm: float

    @property
    def lap_s(self) -> float:
        """Time of a full circle."""
        return (self.t1 - self.t0) * 360.0 / abs(self.turn_deg)

    @property
    def bank_deg(self) -> float:
        """Bank that turns so quickly at such a speed."""
        return bank_deg(self.way_nm * 3600.0 / max(self.t1 - self.t0, 1.0), self.lap_s)


class Drills:
    """Finds exercises of turning in the headings of one aircraft."""

    __slots__ = ("_apex", "_before", "_begin", "_s", "_times")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self._times: deque[tuple[float, float]] = deque(maxlen=_KEPT)
        self.clear()

    def clear(self) -> None:
        """Forget the trail."""
        self._begin: Vertex | None = None
        self._apex: Vertex | None = None
        self._before: Series | None = None
        self._times.clear()

    def add(self, v: Vertex) -> tuple[float, float] | None:
        """Take the next vertex; return begin and end (unix s) of the exercise that has just ended, if one has."""
        s, begin, apex = self._s, self._begin, self._apex
        if begin is None or apex is None:
            self._begin = self._apex = v
            return None
        turned, back = apex.turn_deg - begin.turn_deg, apex.turn_deg - v.turn_deg
        sense = 1.0 if turned > 0.0 else -1.0
        if abs(turned) < s.drill.steady_deg:
            # Straight flight so far: what turns from here on is counted from its heading.
            if abs(v.turn_deg - begin.turn_deg) >= s.drill.steady_deg:
                self._apex = v
            elif v.t - begin.t > s.drill.pause_s:
                self._begin = self._apex = v
            return None
        if back * sense <= -s.trail_vertex.turn_deg:
            self._apex = v
            return None
        reversed_ = back * sense >= s.drill.steady_deg
        if not reversed_ and v.t - apex.t <= s.drill.pause_s:
            return None
        series = Series(begin.t, apex.t, turned, apex.path_nm - begin.path_nm)
        self._begin, self._apex = (apex if reversed_ else v), v
        before, self._before = self._before, series
        if before is None or not self._is_drill(before, series):
            return None
        self._times.append((before.t0, series.t1))
        return self._times[-1]

    def explain(self, t0: float, t1: float) -> bool:
        """Return whether most of the time between two times is an exercise."""
        shared_s = sum(max(0.0, min(b, t1) - max(a, t0)) for a, b in self._times)
        return shared_s >= self._s.drill.time_share * (t1 - t0)

    def _is_drill(self, a: Series, b: Series) -> bool:
        s = self._s
        if a.turn_deg * b.turn_deg > 0.0 or b.t0 - a.t1 > s.drill.between_s:
            return False
        circles = [round(abs(each.turn_deg) / 360.0) for each in (a, b)]
        if min(circles) < 1 or not s.drill.min_circles <= max(circles) <= s.drill.max_circles:
            return False
        if any(abs(abs(e.turn_deg) - 360.0 * n) > s.drill.even_deg for e, n in zip((a, b), circles, strict=True)):
            return False
        # A gap in reception may hide a whole circle, which the time does not.
        short_s, long_s = sorted((a.t1 - a.t0, b.t1 - b.t0))
        as_many = circles[0] == circles[1] or long_s <= s.drill.alike_ratio * short_s
        return as_many and max(a.bank_deg, b.bank_deg) >= s.drill.min_bank_deg

"""Legs: stretches of trail flown straight ahead.

The finder lengthens a line from where the last leg ended for as long as the trail stays near it and goes its way (the
opening-window form of line simplification); a bend ends the leg. Turns leave legs too short to keep.
"""

from __future__ import annotations

from collections import deque
from math import atan2, degrees, hypot
from typing import NamedTuple

from skywatch.patterns.plane import wrap_deg
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.trail import Vertex


class Leg(NamedTuple):
    """A straight stretch from a to b; nm on the plane, unix s, degrees clockwise from +y."""

    t0: float
    t1: float
    ax: float
    ay: float
    bx: float
    by: float
    length_nm: float
    course_deg: float
    turn_deg: float
    """Unwound heading at the end, by which turns to the left and right between legs are told."""


class LegFinder:
    """Cuts the trail into legs; `current` is the one being flown, however short."""

    __slots__ = ("_line", "_s", "current")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self._line: deque[Vertex] = deque()
        self.current: Leg | None = None

    def clear(self) -> None:
        """Forget the trail."""
        self._line.clear()
        self.current = None

    def add(self, v: Vertex) -> Leg | None:
        """Take the next vertex; return the leg that it ends, if that was long enough to be one."""
        line, s = self._line, self._s
        if not line:
            line.append(v)
            return None
        if len(line) == 1 or self._straight(v):
            if len(line) >= s.leg_vertices:
                del line[len(line) // 2]
            line.append(v)
            self.current = self._leg()
            return None
        ended = self._leg()
        last = line[-1]
        line.clear()
        line.append(last)
        line.append(v)
        self.current = self._leg()
        return ended if ended.length_nm >= s.leg_min_nm else None

    def _leg(self) -> Leg:
        a, b = self._line[0], self._line[-1]
        dx, dy = b.x - a.x, b.y - a.y
        return Leg(a.t, b.t, a.x, a.y, b.x, b.y, hypot(dx, dy), degrees(atan2(dx, dy)), b.turn_deg)

    def _straight(self, v: Vertex) -> bool:
        """Tell whether the line to `v` is still straight: no vertex far off it, and `v` straight ahead."""
        s, a, last = self._s, self._line[0], self._line[-1]
        dx, dy = v.x - a.x, v.y - a.y
        length = hypot(dx, dy)
        if length < 1e-6:
            return False
        step = degrees(atan2(v.x - last.x, v.y - last.y))
        if abs(wrap_deg(step - degrees(atan2(dx, dy)))) > s.leg_bend_deg:
            return False
        limit = max(s.leg_width_nm, s.leg_width_share * length) * length
        return all(abs((p.x - a.x) * dy - (p.y - a.y) * dx) <= limit for p in self._line)

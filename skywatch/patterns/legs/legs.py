"""Legs: stretches of trail flown straight ahead.

The finder lengthens a line from where the last leg ended for as long as the trail stays near it and goes its way (the
opening-window form of line simplification); a bend ends the leg. Turns leave legs too short to keep.
"""

from __future__ import annotations

from itertools import pairwise
from math import atan2, degrees, hypot
from typing import NamedTuple

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import wrap_deg
from skywatch.patterns.track.trail import Vertex

_MIDDLE = 2
"""A line needs this many vertices."""


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
    """Unwound heading at the end, which separates left from right turns between legs."""
    x: float
    """Mean place of the leg without the turns at its ends: what its distance from other legs is measured from."""
    y: float
    climb_ft: float | None = None
    """Height gained from a to b, None where unknown."""


class LegFinder:
    """Cuts the trail into legs; `current` is the one being flown, however short."""

    __slots__ = ("_line", "_s", "current")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self._line: list[Vertex] = []
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
            if len(line) >= s.straight_leg.max_vertices:
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
        return ended if ended.length_nm >= s.straight_leg.min_nm else None

    def _leg(self) -> Leg:
        line = self._line
        end_deg = line[-1].turn_deg
        if len(line) > _MIDDLE:
            line = self._without_turns()
        a, b = line[0], line[-1]
        dx, dy = b.x - a.x, b.y - a.y
        n = len(line)
        x, y = sum(v.x for v in line) / n, sum(v.y for v in line) / n
        climb_ft = None if a.alt_ft is None or b.alt_ft is None else b.alt_ft - a.alt_ft
        return Leg(a.t, b.t, a.x, a.y, b.x, b.y, hypot(dx, dy), degrees(atan2(dx, dy)), end_deg, x, y, climb_ft)

    def _without_turns(self) -> list[Vertex]:
        """Return the vertices of the leg without those of the turns at its ends.

        The longest stretch without a vertex is straight whatever comes before and after it; what has about the same
        heading belongs to it.
        """
        line, limit = self._line, self._s.straight_leg.end_turn_deg
        ways = [b.path_nm - a.path_nm for a, b in pairwise(line)]
        longest = ways.index(max(ways))
        usual = 0.5 * (line[longest].turn_deg + line[longest + 1].turn_deg)
        first, last = 0, len(line) - 1
        while first < longest and abs(line[first].turn_deg - usual) > limit:
            first += 1
        while last > longest + 1 and abs(line[last].turn_deg - usual) > limit:
            last -= 1
        return line[first : last + 1]

    def _straight(self, v: Vertex) -> bool:
        """Return whether the line to `v` is still straight: no vertex far off it, and `v` straight ahead."""
        s, a, last = self._s, self._line[0], self._line[-1]
        dx, dy = v.x - a.x, v.y - a.y
        length = hypot(dx, dy)
        if length < 1e-6:
            return False
        step = degrees(atan2(v.x - last.x, v.y - last.y))
        if abs(wrap_deg(step - degrees(atan2(dx, dy)))) > s.straight_leg.bend_deg:
            return False
        limit = max(s.straight_leg.width_nm, s.straight_leg.width_share * length) * length
        return all(abs((p.x - a.x) * dy - (p.y - a.y) * dx) <= limit for p in self._line)

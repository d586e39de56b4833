"""Lobes: stretches of trail that end where they cross the trail's own beginning, after more than half a circle of turn.

A closed line that comes back to its start under an angle has turned by half a circle and that angle (Hopf's theorem of
turning tangents, with a corner). Figures of eight with straight diagonals, and sector searches, are rows of lobes
about one crossing; neither has a full circle of turn to one side in it, or its circles are not where it is flown.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice, pairwise
from math import hypot

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.trail import Vertex


@dataclass(frozen=True, slots=True)
class Lobe:
    """One lobe; points in nm on the trail's plane, times in unix s."""

    t0: float
    t1: float
    x: float
    """Where the way crosses itself."""
    y: float
    axis_x: float
    """From there to the middle of the lobe's way."""
    axis_y: float
    turn_deg: float
    """Clockwise positive."""
    length_nm: float
    reach_nm: float
    """Distance of its farthest place from the crossing."""
    low_ft: float | None
    high_ft: float | None

    @property
    def duration_s(self) -> float:
        """Seconds from crossing to crossing."""
        return self.t1 - self.t0


class LobeFinder:
    """Cuts lobes out of the trail, which share no more than the way to and from their crossing."""

    __slots__ = ("_ended", "_line", "_max", "_min", "_s")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self._line: deque[Vertex] = deque(maxlen=settings.closed_lobe.max_vertices)
        self.clear()

    def clear(self) -> None:
        """Forget the trail."""
        self._line.clear()
        self._ended = (float("-inf"), 0.0)
        """When the last lobe ended, and its turn (deg)."""
        self._min, self._max = float("inf"), float("-inf")

    def add(self, v: Vertex) -> Lobe | None:
        """Take the next vertex; return the lobe that ends with the step to it, if any."""
        line, s = self._line, self._s
        if line and (len(line) == line.maxlen or v.t - line[0].t > 1.25 * s.closed_lobe.max_s):
            # Several at a time: what turned how far must be looked up again.
            oldest = v.t - s.closed_lobe.max_s
            for _ in range(len(line) // 4):
                line.popleft()
            while line and line[0].t < oldest:
                line.popleft()
            self._min = min((p.turn_deg for p in line), default=float("inf"))
            self._max = max((p.turn_deg for p in line), default=float("-inf"))
        line.append(v)
        self._min, self._max = min(self._min, v.turn_deg), max(self._max, v.turn_deg)
        # Most of the time nobody has turned that far.
        if (
            max(v.turn_deg - self._min, self._max - v.turn_deg) < s.closed_lobe.min_turn_deg
            or len(line) < s.closed_lobe.min_vertices
        ):
            return None
        return self._crossing(v)

    def _crossing(self, end: Vertex) -> Lobe | None:
        """Return the lobe that the last step closes: where it crosses an earlier one, the latest first."""
        s, line = self._s, self._line
        begin = line[-2]
        ax, ay, bx, by = begin.x, begin.y, end.x - begin.x, end.y - begin.y
        after = begin
        for back, before in enumerate(islice(reversed(line), 2, None), 2):
            turned = abs(begin.turn_deg - after.turn_deg)
            if turned >= s.closed_lobe.min_turn_deg - s.trail_vertex.turn_deg:
                dx, dy = after.x - before.x, after.y - before.y
                cross = bx * dy - by * dx
                if cross != 0.0:
                    ex, ey = before.x - ax, before.y - ay
                    along, across = (ex * dy - ey * dx) / cross, (ex * by - ey * bx) / cross
                    if 0.0 <= along <= 1.0 and 0.0 <= across <= 1.0:
                        return self._lobe(len(line) - 1 - back, along, across)
            after = before
        return None

    def _lobe(self, index: int, along: float, across: float) -> Lobe | None:
        """Return the lobe from the step at `index` to the last one, crossed at these shares of the two."""
        s, line = self._s, self._line
        part = list(islice(line, index, None))
        first, second, begin, end = part[0], part[1], part[-2], part[-1]
        turn = (begin.turn_deg + along * (end.turn_deg - begin.turn_deg)) - (
            first.turn_deg + across * (second.turn_deg - first.turn_deg)
        )
        if abs(turn) < s.closed_lobe.min_turn_deg:
            # It comes back almost on the way it went, as on a line flown to and fro.
            return None
        if first.t < self._ended[0] and turn * self._ended[1] > 0.0:
            # Round the same side again from before the crossing is a lap, and no lobe opposite the last.
            return None
        self._ended = begin.t, turn
        # The next lobe may close a little before the place where this one did, and must find its way there.
        end_t = end.t - s.closed_lobe.overlap_share * (end.t - first.t)
        while len(line) > 2 and line[1].t < end_t:
            line.popleft()
        self._min, self._max = min(p.turn_deg for p in line), max(p.turn_deg for p in line)
        if abs(turn) > s.closed_lobe.max_turn_deg:
            return None
        x, y = begin.x + along * (end.x - begin.x), begin.y + along * (end.y - begin.y)
        points = [(x, y), *((p.x, p.y) for p in part[1:-1]), (x, y)]
        length = mx = my = 0.0
        for (px, py), (qx, qy) in pairwise(points):
            step = hypot(qx - px, qy - py)
            length += step
            mx, my = mx + 0.5 * (px + qx) * step, my + 0.5 * (py + qy) * step
        reach = max(hypot(px - x, py - y) for px, py in points)
        if reach < s.closed_lobe.min_nm:
            return None
        heights = [p.alt_ft for p in part if p.alt_ft is not None]
        return Lobe(
            t0=first.t + across * (second.t - first.t),
            t1=begin.t + along * (end.t - begin.t),
            x=x,
            y=y,
            axis_x=mx / length - x,
            axis_y=my / length - y,
            turn_deg=turn,
            length_nm=length,
            reach_nm=reach,
            low_ft=min(heights, default=None),
            high_ft=max(heights, default=None),
        )

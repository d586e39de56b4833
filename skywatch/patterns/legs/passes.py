"""Passes: the stretches of a trail between one reversal and the next, and how closely each retraces the last."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import atan2, degrees, hypot
from typing import NamedTuple

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import segment_distance, wrap_deg
from skywatch.patterns.track.trail import Vertex


@dataclass(slots=True)
class Pass:
    """One pass, growing at its end; `back_nm` of its way retraces the pass before."""

    line: list[Vertex] = field(default_factory=list)
    way_nm: float = 0.0
    turn_nm: float = 0.0
    """The part of the way in the turns at its ends, as far as they are known."""
    back_nm: float = 0.0
    joined_nm: float = -1.0
    """Way flown when the line of the pass before was joined, -1 while it was not."""
    left_nm: float = 0.0
    """Way flown when it was last on that line."""
    joined_t: float = float("inf")
    """When that line was joined..."""
    left_t: float = float("-inf")
    """... and when it was last on it (unix s)."""
    bend_deg: float = 0.0
    """Spread of the courses along the retraced way: a straight line has little, a road more."""
    low_ft: float = float("inf")
    high_ft: float = float("-inf")

    @property
    def t0(self) -> float:
        """Time of the reversal that began it."""
        return self.line[0].t

    @property
    def t1(self) -> float:
        """Time of its newest vertex."""
        return self.line[-1].t

    @property
    def speed_kt(self) -> float:
        """Way over time."""
        return self.way_nm * 3600.0 / max(self.t1 - self.t0, 1.0)

    @property
    def line_nm(self) -> float:
        """Way along the line, without the turns at its ends."""
        return max(self.way_nm - self.turn_nm, 0.0)

    @property
    def off_nm(self) -> float:
        """Way since it was last on the line of the pass before, or since it began."""
        return self.way_nm - self.left_nm

    @property
    def back_share(self) -> float:
        """Share of the way from joining the line of the pass before to leaving it that retraces it."""
        return self.back_nm / max(self.left_nm - self.joined_nm, 1e-6)


class _Step(NamedTuple):
    """A vertex of the last miles, and how far the pass had come by then: a circle takes its way back out again."""

    vertex: Vertex
    way_nm: float
    back_nm: float
    left_nm: float


class PassFinder:
    """Cuts the trail where it reverses, and compares each pass with the one before as it is flown.

    Two pointers walk along both lines, one forward and one back, so that a vertex costs the same however long the
    passes are.
    """

    __slots__ = ("_at", "_courses", "_first", "_joined_nm", "_leftmost", "_rightmost", "_s", "_tail", "_turning",
                 "before", "now")  # fmt: skip

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self.clear()

    def clear(self) -> None:
        """Forget the trail."""
        self.before: Pass | None = None
        """The pass before, complete."""
        self.now = Pass()
        """The pass under way."""
        self._tail: list[_Step] = []
        self._turning: Vertex | None = None
        """Where a turn that may be a reversal began, until it is known whether it goes on to a full circle."""
        self._at = 0
        self._forget_courses()

    def _forget_courses(self) -> None:
        self._courses: deque[tuple[float, float]] = deque()
        self._first: float | None = None
        self._leftmost = self._rightmost = 0.0
        self._joined_nm = 0.0

    def add(self, v: Vertex) -> Pass | None:
        """Take the next vertex; return the pass that ended, if the trail has just reversed."""
        tail, s = self._tail, self._s
        self._extend(v)
        now = self.now
        tail.append(_Step(v, now.way_nm, now.back_nm, now.left_nm))
        while v.path_nm - tail[0].vertex.path_nm > s.reversal.way_nm or v.t - tail[0].vertex.t > s.reversal.max_s:
            tail.pop(0)
        if self._stopped(v):
            return None
        begin = self._turning or tail[0].vertex
        turned = v.turn_deg - begin.turn_deg
        if abs(turned) < s.reversal.turn_deg:
            self._turning = None
            return None
        self._turning = begin
        last = tail[-2].vertex if len(tail) > 1 else begin
        # While it turns on, at half the rate or more, it may be a full circle.
        if 2.0 * (v.turn_deg - last.turn_deg) * (v.t - begin.t) * (1.0 if turned > 0.0 else -1.0) > abs(turned) * (
            v.t - last.t
        ):
            return None
        # The pass ends where half the turn was made; what came after belongs to the next.
        half = begin.turn_deg + 0.5 * turned
        self._turning = None
        apex = min((p for p in self.now.line if p.t >= begin.t), key=lambda p: abs(p.turn_deg - half), default=v)
        ended = self.now
        level_deg = tail[0].vertex.turn_deg
        turning = next(
            (p.vertex for p in reversed(tail) if abs(p.vertex.turn_deg - level_deg) < s.trail_vertex.turn_deg), begin
        )
        half_nm = 0.5 * (v.path_nm - turning.path_nm)
        ended.turn_nm += half_nm
        ended.way_nm -= v.path_nm - apex.path_nm
        after = [p for p in ended.line if p.t >= apex.t]
        ended.line = [p for p in ended.line if p.t <= apex.t]
        self.before = ended
        self.now = Pass(turn_nm=half_nm)
        self._at = len(ended.line) - 1
        self._forget_courses()
        for p in after:
            self._extend(p)
        tail.clear()
        tail.append(_Step(v, self.now.way_nm, self.now.back_nm, self.now.left_nm))
        return ended

    def _stopped(self, v: Vertex) -> bool:
        """Return whether a full circle just ended where it began: a stop to look at something, which ends no pass.

        Its way is taken out of the pass.
        """
        s, tail, now = self._s, self._tail, self.now
        step = next((p for p in reversed(tail) if abs(v.turn_deg - p.vertex.turn_deg) >= s.reversal.circle_deg), None)
        if step is None:
            return False
        begin = step.vertex
        if hypot(v.x - begin.x, v.y - begin.y) > s.reversal.closure_share * (v.path_nm - begin.path_nm):
            return False
        now.way_nm, now.back_nm, now.left_nm = step.way_nm, step.back_nm, step.left_nm
        if now.joined_nm > now.way_nm:
            # The line was met in the circle only.
            now.joined_nm, now.joined_t = -1.0, float("inf")
        now.line = [p for p in now.line if p.t <= begin.t] + [v]
        tail.clear()
        tail.append(_Step(v, now.way_nm, now.back_nm, now.left_nm))
        self._turning = None
        return True

    def _extend(self, v: Vertex) -> None:
        now, s = self.now, self._s
        line = now.line
        if len(line) >= s.retraced_pass.max_vertices:
            # A pass this long is a journey; what matters of it is its end, which the next pass retraces first.
            del line[0]
            self._at = max(self._at, 0)
        line.append(v)
        if v.alt_ft is not None:
            now.low_ft = min(now.low_ft, v.alt_ft)
            now.high_ft = max(now.high_ft, v.alt_ft)
        if len(line) < 2:
            return
        a = line[-2]
        step = hypot(v.x - a.x, v.y - a.y)
        now.way_nm += step
        course = degrees(atan2(v.x - a.x, v.y - a.y))
        if self.before is not None and self._back(v, course, self.before.line):
            now.back_nm += step
            if now.joined_nm < 0.0:
                now.joined_nm, now.joined_t = now.way_nm - step, a.t
            now.left_nm, now.left_t = now.way_nm, v.t
            self._note_course(v.path_nm, course)
        else:
            self._courses.clear()
            self._joined_nm = v.path_nm

    def _note_course(self, path_nm: float, course: float) -> None:
        """Keep the spread of the courses along the line; where it is joined and left they belong to the turns."""
        courses, clear_nm = self._courses, self._s.traffic_watch.clear_nm
        if path_nm - self._joined_nm > clear_nm:
            courses.append((path_nm, course))
        while courses and path_nm - courses[0][0] > clear_nm:
            course = courses.popleft()[1]
            if self._first is None:
                self._first = course
            off = wrap_deg(course - self._first)
            self._leftmost = min(self._leftmost, off)
            self._rightmost = max(self._rightmost, off)
            self.now.bend_deg = self._rightmost - self._leftmost

    def _back(self, v: Vertex, course: float, line: list[Vertex]) -> bool:
        """Return whether `v` lies on `line`, looking on from where the last vertex did, and was reached against it.

        Who was off the line for some miles, in a turn or while nobody heard him, is as many miles on at most.
        """
        s = self._s
        off_nm = min(self.now.off_nm, s.reversal.way_nm)
        best, best_at = float("inf"), self._at
        # The line has no circles in it, of which the way flown has.
        looked_nm = -s.retraced_pass.look_nm
        for at in range(min(self._at + 2, len(line) - 1), 0, -1):
            a, b = line[at - 1], line[at]
            d = segment_distance(v.x, v.y, a.x, a.y, b.x, b.y)
            if d < best:
                best, best_at = d, at
            if at <= self._at:
                looked_nm += hypot(b.x - a.x, b.y - a.y)
            if looked_nm > 0.0 and (looked_nm > off_nm or best <= s.retraced_pass.width_nm):
                break
        if best > s.retraced_pass.width_nm:
            return False
        a, b = line[best_at - 1], line[best_at]
        against = degrees(atan2(a.x - b.x, a.y - b.y))
        if abs(wrap_deg(course - against)) > s.retraced_pass.angle_deg:
            return False
        self._at = best_at
        return True

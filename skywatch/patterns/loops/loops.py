"""Loops: stretches of trail whose heading went once round.

The finder watches the unwound heading (total turning, whose integral over a closed curve is 360 degrees by Hopf's
theorem of turning tangents), proposes a loop when it has advanced a full circle since any earlier vertex, and lets
the geometry confirm it: the line must also wind once about its own centre and come back near its start, which
neither noise nor one wrong heading can fake.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from itertools import islice
from math import hypot

from skywatch.patterns.loops.air import air_lap
from skywatch.patterns.loops.rounds import Loop, astray_nm, best_start, lead_onto, loop_from, part_start, round_nm
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.trail import Vertex


class LoopFinder:
    """Cuts the trail into loops, none sharing a stretch with another."""

    __slots__ = ("_lap_s", "_line", "_mark_deg", "_mark_t", "_max", "_min", "_past", "_s", "turning_t")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self._line: deque[Vertex] = deque(maxlen=settings.trail_vertex.max_vertices)
        self._past: deque[Vertex] = deque(maxlen=settings.lead_turn.max_vertices)
        self.clear()

    def clear(self) -> None:
        """Forget the trail."""
        self._line.clear()
        self._past.clear()
        self._min = float("inf")
        self._max = float("-inf")
        self._mark_deg = 0.0
        self._mark_t = 0.0
        self._lap_s = self._s.ongoing_turn.usual_lap_s
        """Duration of the last lap."""
        self.turning_t = float("-inf")
        """When the aircraft last turned on."""

    def _rebase(self) -> None:
        self._min = min(v.turn_deg for v in self._line)
        self._max = max(v.turn_deg for v in self._line)

    def _drop_before(self, index: int) -> None:
        for _ in range(index):
            self._past.append(self._line.popleft())
        self._rebase()

    def add(self, v: Vertex) -> Loop | None:
        """Take the next vertex; return the loop that it closes, if any."""
        line, s = self._line, self._s
        line.append(v)
        turn = v.turn_deg
        self._min = min(self._min, turn)
        self._max = max(self._max, turn)
        if v.t - line[0].t > s.closed_loop.max_s or len(line) == s.trail_vertex.max_vertices:
            oldest = v.t - s.closed_loop.max_s
            count = 1
            while line[count].t < oldest:
                count += 1
            self._drop_before(count)
        up, down = turn - self._min, self._max - turn
        done = max(up, down)
        turned = abs(turn - self._mark_deg)
        if turned >= s.ongoing_turn.step_deg:
            # Turning is what advances half as quickly as the last lap did; a wandering heading takes longer.
            if turned * self._lap_s >= 180.0 * (v.t - self._mark_t):
                self.turning_t = v.t
            self._mark_deg, self._mark_t = turn, v.t
        if done < s.closed_loop.turn_deg:
            return self._reversed()
        start = best_start(line, 1.0 if up > down else -1.0, s.closed_loop.turn_deg, s)
        loop = loop_from(line, start, s)
        if loop is None:
            self._drop_before(start + 1)
            return None
        lead = lead_onto(line, self._past, start, loop, s)
        air = air_lap(list(islice(line, start, None)))
        self._drop_before(len(line) - 1)
        self.turning_t = v.t
        self._lap_s = max(s.ongoing_turn.usual_lap_s, loop.shape.duration_s)
        return replace(loop, lead=lead, air=air)

    def _reversed(self) -> Loop | None:
        """Return the loop that ended where the turn went over to the other side, as in figures of eight.

        The heading at the very moment is seldom heard, so that such a loop turned by less than a circle as far as
        anybody knows; it must come back all the closer to its start.
        """
        s, line = self._s, self._line
        if self._max - self._min < s.reversed_loop.turn_deg:
            return None
        turn = line[-1].turn_deg
        back = s.trail_vertex.turn_deg
        if self._max - turn > back and turn - self._min > back:
            lowest = next(i for i, v in enumerate(line) if v.turn_deg == self._min)
            highest = next(i for i, v in enumerate(line) if v.turn_deg == self._max)
            start, end = min(lowest, highest), max(lowest, highest)
            after = list(islice(line, end, None))
            while len(line) > end + 1:
                line.pop()
            loop = loop_from(line, start, s)
            near = loop is not None and loop.shape.closure_nm <= s.reversed_loop.closure_share * loop.shape.length_nm
            if loop is not None and near:
                self._line.clear()
                self._line.extend(after)
                self._rebase()
                self.turning_t = loop.shape.t1
                return loop
            line.extend(after[1:])
        return None

    def part(self, turn_deg: float, before: Loop) -> Loop | None:
        """Return the unfinished loop that follows `before` at the end of the trail, turned by at least `turn_deg`."""
        if not self._line:
            return None
        line, s = self._line, self._s
        turn = line[-1].turn_deg
        up, down = turn - self._min, self._max - turn
        turned = max(up, down)
        if turned < turn_deg:
            return None
        sense = 1.0 if up > down else -1.0
        start = part_start(line, sense, turned, s)
        part = loop_from(line, start, s)
        if part is None:
            return None
        x, y = before.shape.x, before.shape.y
        stray_nm = max(hypot(v.x - x, v.y - y) for v in islice(line, start, None))
        return replace(part, last_round_nm=round_nm(line, sense, turn_deg), stray_nm=stray_nm)

    def astray_nm(self, sense: float) -> float:
        """Return how far from the round before the aircraft is, after turning to `sense` (1 right, -1 left)."""
        return astray_nm(self._line, self._past, sense)

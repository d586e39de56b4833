"""Loops: stretches of trail whose heading went once round.

The finder watches the unwound heading (total turning, whose integral over a closed curve is 360 degrees by Hopf's
theorem of turning tangents), proposes a loop when it has advanced a full circle since any earlier vertex, and lets
the geometry confirm it: the line must also wind once about its own centre and come back near its start, which
neither noise nor one wrong heading can fake.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import hypot

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.trail import Vertex
from skywatch.patterns.turning.shape import Shape, measure


@dataclass(frozen=True, slots=True)
class Loop:
    """One loop (`turns` about 1) or the part of one that is being flown (less)."""

    shape: Shape
    turns: float
    """Circles turned, clockwise positive."""
    last_round_nm: float = 0.0
    """Of a part: way that a full circle takes at the rate of its last turns."""
    stray_nm: float = 0.0
    """Of a part: distance of its farthest vertex from the centre of the lap before."""
    lead: Loop | None = None
    """The turn onto this loop, on the same circle: it stands before the loop, or ended the loop before."""


class LoopFinder:
    """Cuts the trail into loops, none sharing a stretch with another."""

    __slots__ = ("_lap_s", "_line", "_mark_deg", "_mark_t", "_max", "_min", "_past", "_s", "turning_t")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self._line: deque[Vertex] = deque(maxlen=settings.vertices_max)
        self._past: deque[Vertex] = deque(maxlen=settings.lead_vertices)
        self.clear()

    def clear(self) -> None:
        """Forget the trail."""
        self._line.clear()
        self._past.clear()
        self._min = float("inf")
        self._max = float("-inf")
        self._mark_deg = 0.0
        self._mark_t = 0.0
        self._lap_s = self._s.lap_usual_s
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
        if v.t - line[0].t > s.lap_max_s or len(line) == s.vertices_max:
            oldest = v.t - s.lap_max_s
            count = 1
            while line[count].t < oldest:
                count += 1
            self._drop_before(count)
        up, down = turn - self._min, self._max - turn
        done = max(up, down)
        turned = abs(turn - self._mark_deg)
        if turned >= s.turning_step_deg:
            # Turning is what advances half as quickly as the last lap did; a wandering heading takes longer.
            if turned * self._lap_s >= 180.0 * (v.t - self._mark_t):
                self.turning_t = v.t
            self._mark_deg, self._mark_t = turn, v.t
        if done < s.loop_turn_deg:
            return self._reversed()
        start = self._start(turn, 1.0 if up > down else -1.0, s.loop_turn_deg)
        loop = self._loop(start)
        if loop is None:
            self._drop_before(start + 1)
            return None
        lead = self._lead(start, loop)
        self._drop_before(len(line) - 1)
        self.turning_t = v.t
        self._lap_s = max(s.lap_usual_s, loop.shape.duration_s)
        return replace(loop, lead=lead)

    def _lead(self, start: int, loop: Loop) -> Loop | None:
        """Return the turn onto `loop`, which begins at index `start`, as far as it lies on the same circle.

        Where a loop begins depends on the turns before it: one made on the way there, to the same side, ends a long
        loop amid the first circle.
        """
        s, shape = self._s, loop.shape
        sense = 1.0 if loop.turns > 0.0 else -1.0
        first = self._line[start]
        reach_nm = s.lead_stray_share * shape.reach_nm
        turn = 0.0
        lead = [first]
        for v in chain(islice(reversed(self._line), len(self._line) - start, None), reversed(self._past)):
            turned = (first.turn_deg - v.turn_deg) * sense
            if turned < turn - s.vertex_turn_deg or turned > s.lead_most_deg:
                break
            if hypot(v.x - shape.x, v.y - shape.y) > reach_nm or shape.t0 - v.t > shape.duration_s:
                break
            turn = max(turn, turned)
            lead.append(v)
        lead.reverse()
        # What leads straight to the circle is no part of it.
        slow_deg_s = 120.0 * abs(loop.turns) / shape.duration_s
        while len(lead) > 1 and (lead[1].turn_deg - lead[0].turn_deg) * sense < slow_deg_s * (lead[1].t - lead[0].t):
            del lead[0]
        turned = first.turn_deg - lead[0].turn_deg
        if len(lead) < 2 or abs(turned) < s.lead_least_deg:
            return None
        return Loop(measure(lead), turned / 360.0)

    def _reversed(self) -> Loop | None:
        """Return the loop that ended where the turn went over to the other side, as in figures of eight.

        The heading at the very moment is seldom heard, so that such a loop turned by less than a circle as far as
        anybody knows; it must come back all the closer to its start.
        """
        s, line = self._s, self._line
        if self._max - self._min < s.reversed_loop_deg:
            return None
        turn = line[-1].turn_deg
        back = s.vertex_turn_deg
        if self._max - turn > back and turn - self._min > back:
            lowest = next(i for i, v in enumerate(line) if v.turn_deg == self._min)
            highest = next(i for i, v in enumerate(line) if v.turn_deg == self._max)
            start, end = min(lowest, highest), max(lowest, highest)
            after = list(islice(line, end, None))
            while len(line) > end + 1:
                line.pop()
            loop = self._loop(start)
            near = loop is not None and loop.shape.closure_nm <= s.reversed_closure_share * loop.shape.length_nm
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
        turn = self._line[-1].turn_deg
        up, down = turn - self._min, self._max - turn
        turned = max(up, down)
        if turned < turn_deg:
            return None
        sense = 1.0 if up > down else -1.0
        start = self._part_start(turn, sense, turned)
        part = self._loop(start)
        if part is None:
            return None
        x, y = before.shape.x, before.shape.y
        stray_nm = max(hypot(v.x - x, v.y - y) for v in islice(self._line, start, None))
        return replace(part, last_round_nm=self._round_nm(turn, sense, turn_deg), stray_nm=stray_nm)

    def astray_nm(self, sense: float) -> float:
        """Return how far from the round before the aircraft is, after turning to `sense` (1 right, -1 left).

        That is the distance between where it had a heading and where it had the same one a full circle of turn before,
        the largest of three in the last third of a circle; 0 where the round before is not remembered.
        """
        turn = self._line[-1].turn_deg
        astray = 0.0
        for back_deg in (0.0, 60.0, 120.0):
            here = self._where(turn - sense * back_deg, sense)
            before = self._where(turn - sense * (back_deg + 360.0), sense)
            if here is not None and before is not None:
                astray = max(astray, hypot(here[0] - before[0], here[1] - before[1]))
        return astray

    def _where(self, turn_deg: float, sense: float) -> tuple[float, float] | None:
        """Return the place (nm) where the heading last came through `turn_deg`, None where that is not remembered."""
        after: Vertex | None = None
        for v in chain(reversed(self._line), reversed(self._past)):
            ahead = (turn_deg - v.turn_deg) * sense
            if ahead >= 0.0:
                if after is None:
                    return v.x, v.y
                share = ahead / ((after.turn_deg - v.turn_deg) * sense)
                return v.x + share * (after.x - v.x), v.y + share * (after.y - v.y)
            after = v
        return None

    def _round_nm(self, turn: float, sense: float, turn_deg: float) -> float:
        """Return the way that a full circle takes by the last `turn_deg`; a straight lead-in has no share in it."""
        line = self._line
        since = next(v for v in reversed(line) if (turn - v.turn_deg) * sense >= turn_deg)
        return (line[-1].path_nm - since.path_nm) * 360.0 / abs(turn - since.turn_deg)

    def _part_start(self, turn: float, sense: float, turned: float) -> int:
        """Return the index of the vertex where the turning under way began, `turned` degrees ago.

        A part has no place to come back to, so that all of it counts, with the straight leg before it: without the
        leg the half of an oval would look like that of a circle.
        """
        least = turned - self._s.vertex_turn_deg
        return next(i for i, v in enumerate(self._line) if (turn - v.turn_deg) * sense >= least)

    def _start(self, turn: float, sense: float, wanted: float) -> int:
        """Return the index of the vertex where the loop at the end of the trail best begins.

        Of the vertices from which the heading advanced by `wanted` degrees and little more, that is the one the
        trail came back to most closely: on a straight leg before the turn there are many.
        """
        line = self._line
        end = line[-1]
        best, nearest = 0, float("inf")
        for index in range(len(line) - 1, -1, -1):
            v = line[index]
            turned = (turn - v.turn_deg) * sense
            if turned < wanted:
                continue
            if turned > wanted + self._s.loop_turn_slack_deg and nearest < float("inf"):
                break
            distance = hypot(v.x - end.x, v.y - end.y)
            if distance < nearest:
                best, nearest = index, distance
        return best

    def _loop(self, start: int) -> Loop | None:
        s = self._s
        line = list(islice(self._line, start, None))
        if len(line) < 3:
            return None
        turned = line[-1].turn_deg - line[0].turn_deg
        shape = measure(line)
        swept = shape.winding_deg * (1.0 if turned > 0 else -1.0)
        if swept < s.loop_winding_share * abs(turned) or shape.sway > s.loop_sway:
            return None
        if shape.closure_nm > s.loop_closure_share * shape.length_nm and abs(turned) >= s.loop_turn_deg:
            return None
        if shape.speed_kt < s.loop_min_speed_kt or shape.radius_nm < s.loop_min_radius_nm:
            return None
        return Loop(shape, turned / 360.0)

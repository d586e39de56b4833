"""Geometry of loops on the line of a trail: where one begins, whether it is one, what leads onto it.

A line is a trail's last vertices in their order, `past` those before them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import chain, islice
from math import hypot

from skywatch.patterns.loops.air import AirLap
from skywatch.patterns.loops.shape import Shape, measure
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.trail import Vertex


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
    air: AirLap | None = None
    """Of a whole loop: what it was in the moving air."""


def loop_from(vertices: deque[Vertex], start: int, s: PatternSettings) -> Loop | None:
    """Return the loop, or the part of one, from index `start` to the end; None where it is none."""
    line = list(islice(vertices, start, None))
    if len(line) < 3:
        return None
    turned = line[-1].turn_deg - line[0].turn_deg
    shape = measure(line)
    swept = shape.winding_deg * (1.0 if turned > 0 else -1.0)
    if swept < s.closed_loop.winding_share * abs(turned) or shape.sway > s.closed_loop.max_sway:
        return None
    if shape.closure_nm > s.closed_loop.closure_share * shape.length_nm and abs(turned) >= s.closed_loop.turn_deg:
        return None
    if shape.speed_kt < s.closed_loop.min_speed_kt or shape.radius_nm < s.closed_loop.min_radius_nm:
        return None
    return Loop(shape, turned / 360.0)


def best_start(line: deque[Vertex], sense: float, target_deg: float, s: PatternSettings) -> int:
    """Return the index of the vertex where the loop at the end of the trail best begins.

    Of the vertices from which the heading advanced by `target_deg` degrees and little more, that is the one the
    trail came back to most closely: on a straight leg before the turn there are many.
    """
    end = line[-1]
    turn = end.turn_deg
    best, nearest = 0, float("inf")
    for index in range(len(line) - 1, -1, -1):
        v = line[index]
        turned = (turn - v.turn_deg) * sense
        if turned < target_deg:
            continue
        if turned > target_deg + s.closed_loop.turn_slack_deg and nearest < float("inf"):
            break
        distance = hypot(v.x - end.x, v.y - end.y)
        if distance < nearest:
            best, nearest = index, distance
    return best


def part_start(line: deque[Vertex], sense: float, turned: float, s: PatternSettings) -> int:
    """Return the index of the vertex where the turning under way began, `turned` degrees ago.

    A part has no place to come back to, so that all of it counts, with the straight leg before it: without the
    leg the half of an oval would look like that of a circle.
    """
    turn = line[-1].turn_deg
    least = turned - s.trail_vertex.turn_deg
    return next(i for i, v in enumerate(line) if (turn - v.turn_deg) * sense >= least)


def lead_onto(line: deque[Vertex], past: deque[Vertex], start: int, loop: Loop, s: PatternSettings) -> Loop | None:
    """Return the turn onto `loop`, which begins at index `start` of the line, as far as it lies on the same circle.

    Where a loop begins depends on the turns before it: one made on the way there, to the same side, ends a long
    loop amid the first circle. `past` are the vertices before the line.
    """
    shape = loop.shape
    sense = 1.0 if loop.turns > 0.0 else -1.0
    first = line[start]
    reach_nm = s.lead_turn.stray_share * shape.reach_nm
    turn = 0.0
    lead = [first]
    for v in chain(islice(reversed(line), len(line) - start, None), reversed(past)):
        turned = (first.turn_deg - v.turn_deg) * sense
        if turned < turn - s.trail_vertex.turn_deg or turned > s.lead_turn.max_deg:
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
    if len(lead) < 2 or abs(turned) < s.lead_turn.min_deg:
        return None
    return Loop(measure(lead), turned / 360.0)


def round_nm(line: deque[Vertex], sense: float, turn_deg: float) -> float:
    """Return the way that a full circle takes by the last `turn_deg`; a straight lead-in has no share in it."""
    turn = line[-1].turn_deg
    since = next(v for v in reversed(line) if (turn - v.turn_deg) * sense >= turn_deg)
    return (line[-1].path_nm - since.path_nm) * 360.0 / abs(turn - since.turn_deg)


def astray_nm(line: deque[Vertex], past: deque[Vertex], sense: float) -> float:
    """Return how far from the round before the aircraft is, after turning to `sense` (1 right, -1 left).

    That is the distance between where it had a heading and where it had the same one a full circle of turn before,
    the largest of three in the last third of a circle; 0 where the round before is not remembered.
    """
    turn = line[-1].turn_deg
    astray = 0.0
    for back_deg in (0.0, 60.0, 120.0):
        here = _place_at(line, past, turn - sense * back_deg, sense)
        before = _place_at(line, past, turn - sense * (back_deg + 360.0), sense)
        if here is not None and before is not None:
            astray = max(astray, hypot(here[0] - before[0], here[1] - before[1]))
    return astray


def _place_at(line: deque[Vertex], past: deque[Vertex], turn_deg: float, sense: float) -> tuple[float, float] | None:
    """Return the place (nm) where the heading last came through `turn_deg`, None where that is not remembered."""
    after: Vertex | None = None
    for v in chain(reversed(line), reversed(past)):
        ahead = (turn_deg - v.turn_deg) * sense
        if ahead >= 0.0:
            if after is None:
                return v.x, v.y
            share = ahead / ((after.turn_deg - v.turn_deg) * sense)
            return v.x + share * (after.x - v.x), v.y + share * (after.y - v.y)
        after = v
    return None

"""Expanding squares and spirals: each round lies outside the one before, on every side.

The round under way is compared with the one before at equal headings. There the way from one place to the other, seen
at right angles to the heading, is how far the round has grown on that side. An orbit that follows something grows on
one side and shrinks on the other; a search grows by its spacing all round (IAMSAR Manual, volume III).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from math import atan2, cos, degrees, hypot, pi, radians, sin

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.trail import Vertex


@dataclass(frozen=True, slots=True)
class Growth:
    """How the last round lies outside the one before."""

    t0: float
    """When the round before began (unix s)."""
    t1: float
    lap_s: float
    spacing_nm: float
    """Mean distance of the two rounds."""
    growth: float
    """The same as a share of the radius of the round before."""
    evenness: float
    """Least over greatest distance."""


def growth_of(vertices: Iterable[Vertex], s: PatternSettings) -> Growth | None:
    """Return how the last round grew outward; None where fewer rounds than two were turned, or not to one side."""
    line = list(vertices)
    newest = line[-1]
    steps = s.growing_rounds.headings - 1
    for sense in (1.0, -1.0):
        span_deg = 360.0 + steps * s.growing_rounds.step_deg
        begin = _begin_of(line, newest.turn_deg, sense, span_deg, s)
        if begin is None:
            continue
        points = _places(
            line,
            begin,
            [newest.turn_deg - sense * number * s.growing_rounds.step_deg for number in range(steps + 1)],
            sense,
        )
        before = _places(
            line,
            begin,
            [newest.turn_deg - sense * (number * s.growing_rounds.step_deg + 360.0) for number in range(steps + 1)],
            sense,
        )
        north_deg = _north_deg(line, begin)
        outward = [
            _outward_nm(a, b, radians(north_deg + newest.turn_deg - sense * number * s.growing_rounds.step_deg), sense)
            for number, (a, b) in enumerate(zip(before, points, strict=True))
        ]
        spacing = sum(outward) / len(outward)
        # The round before went from where the last place of it lies to where the first one does.
        share = steps * s.growing_rounds.step_deg / 360.0
        way_nm = sum(hypot(b[1] - a[1], b[2] - a[2]) for a, b in pairwise(before))
        radius = way_nm / (2.0 * pi * share)
        greatest = max(outward)
        return Growth(
            t0=before[-1][0],
            t1=newest.t,
            lap_s=points[0][0] - before[0][0],
            spacing_nm=spacing,
            growth=spacing / max(radius, 1e-6),
            evenness=min(outward) / greatest if greatest > 0.0 else 0.0,
        )
    return None


TimedPoint = tuple[float, float, float]
"""Time (unix s) and place (nm) on a line."""


def _begin_of(line: Sequence[Vertex], turn_deg: float, sense: float, span_deg: float, s: PatternSettings) -> int | None:
    """Return the index from which the line turned by `span_deg` to one side; None where it did not."""
    most = 0.0
    for index in range(len(line) - 1, -1, -1):
        turned = (turn_deg - line[index].turn_deg) * sense
        if turned < most - s.growing_rounds.back_deg:
            return None
        most = max(most, turned)
        if turned >= span_deg:
            return index
    return None


def _places(line: Sequence[Vertex], begin: int, turns_deg: Iterable[float], sense: float) -> list[TimedPoint]:
    """Return when and where the heading last came through each of `turns_deg`, not before index `begin`.

    Each lies further back than the one before, and so does its place on the line.
    """
    places: list[TimedPoint] = []
    index = len(line) - 1
    for turn_deg in turns_deg:
        while index > begin and not (turn_deg - line[index - 1].turn_deg) * sense >= 0.0:
            index -= 1
        b = line[index]
        if index <= begin:
            places.append((b.t, b.x, b.y))
            continue
        a = line[index - 1]
        step = (b.turn_deg - a.turn_deg) * sense
        share = min(max((turn_deg - a.turn_deg) * sense / step, 0.0), 1.0) if step > 1e-9 else 1.0
        places.append((a.t + share * (b.t - a.t), a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)))
    return places


def _north_deg(line: Sequence[Vertex], begin: int) -> float:
    """Return what to add to an unwound heading to get a course: it counts from where the trail began."""
    east = north = 0.0
    for a, b in pairwise(islice(line, begin, None)):
        dx, dy = b.x - a.x, b.y - a.y
        usual = radians(0.5 * (a.turn_deg + b.turn_deg))
        # The step in a frame that turns with the heading: steps ahead add up.
        east += dx * cos(usual) - dy * sin(usual)
        north += dx * sin(usual) + dy * cos(usual)
    return degrees(atan2(east, north))


def _outward_nm(before: TimedPoint, after: TimedPoint, heading: float, sense: float) -> float:
    """Return how far `after` lies outside `before`: to the left of the heading where the turn goes right."""
    return ((before[1] - after[1]) * cos(heading) - (before[2] - after[2]) * sin(heading)) * sense


def grows(growth: Growth, s: PatternSettings) -> bool:
    """Return whether a round lies outside the one before on every side."""
    return (
        growth.growth >= s.growing_rounds.growth
        and growth.evenness >= s.growing_rounds.even_share
        and growth.evenness * growth.spacing_nm >= 0.5 * s.growing_rounds.min_nm
        and growth.spacing_nm >= s.growing_rounds.min_nm
    )

"""The shape of a stretch of trail: how large, how round, how closed, how level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, copysign, degrees, hypot, radians, sqrt

from skywatch.patterns.track.plane import wrap_deg
from skywatch.patterns.track.trail import Vertex

_STRAIGHT_DEG = 4.0
"""Headings wander this much (deg) in straight flight, and no turn gains so little from one vertex to the next."""


_ACROSS_RAD = radians(150.0)
"""A step that sweeps more than this about the centre leads across it: the heading tells on which side it passed..."""
_ACROSS_SHARE = 0.25
"""... where the step is more than this share of the line, as in laps that are heard in three places on one line."""
_CHORD_MIN_NM = 0.15
"""Over shorter chords noise drowns the course."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Measures of a polyline; lengths in nm, times in unix s, angles in degrees."""

    t0: float
    t1: float
    x: float
    """Centre of the line's own length."""
    y: float
    radius_nm: float
    """Root mean square distance of the line from its centre: a circle's radius."""
    reach_nm: float
    """Distance of the farthest vertex from the centre."""
    length_nm: float
    closure_nm: float
    """Distance from the first to the last vertex."""
    elongation: float
    """0 for a circle or a square, 1 for there and back on one line; see `measure`."""
    axis_deg: float
    """Direction of the long axis on the plane, 0 to 180."""
    winding_deg: float
    """Angle swept about the centre, clockwise positive."""
    sway: float
    """Angle swept about the centre to and fro over that swept in all: 1 round and round, more where the way wanders."""
    speed_kt: float
    """Way over time."""
    reported_kt: float
    """Mean of the speeds at the vertices; much more than `speed_kt` where the line cuts corners."""
    low_ft: float | None
    low_x: float
    low_y: float
    high_ft: float | None
    climb_ft: float | None
    """Height gained from the first to the last vertex that has one; None where fewer than two have."""
    straight_share: float
    """Share of the time on stretches that turn less than a third as quickly as the whole on average."""
    wiggle: float
    """All turns of the heading to either side over its turn in all: 1 for a smooth curve, more where it jitters."""
    meander: float
    """The same of the way itself, seen at an eighteenth of its length: jitter is lost, wandering is not."""

    spacing_s: float = 0.0
    """Usual time between vertices; long where positions are sparse."""

    @property
    def duration_s(self) -> float:
        """Seconds from the first to the last vertex."""
        return self.t1 - self.t0


def measure(line: Sequence[Vertex]) -> Shape:
    """Return the shape of at least two vertices.

    `elongation` is the length of the mean of exp(2i * direction) over the way flown, the nematic order parameter of
    directional statistics (Mardia and Jupp, *Directional Statistics*, 2000, on axial data): turns cancel, legs flown
    to and fro add up. A stadium of two legs L and two half circles of radius r has 2L / (2L + 2 pi r).
    """
    first, last = line[0], line[-1]
    length = sx = sy = c2 = s2 = straight = reported = wiggle = 0.0
    span = max(last.t - first.t, 1e-6)
    turned = abs(last.turn_deg - first.turn_deg)
    slow_turn = turned / span / 3.0
    parts = []
    for a, b in pairwise(line):
        reported += 0.5 * (a.speed_kt + b.speed_kt) * (b.t - a.t)
        dx, dy = b.x - a.x, b.y - a.y
        d = hypot(dx, dy)
        if d <= 0.0:
            continue
        parts.append((a, b, d))
        length += d
        sx += d * (a.x + b.x) * 0.5
        sy += d * (a.y + b.y) * 0.5
        c2 += (dy * dy - dx * dx) / d
        s2 += 2.0 * dx * dy / d
        bend = abs(b.turn_deg - a.turn_deg)
        wiggle += bend
        if bend < _STRAIGHT_DEG or bend < slow_turn * (b.t - a.t):
            straight += b.t - a.t
    length = max(length, 1e-9)
    cx, cy = (sx / length, sy / length) if parts else (first.x, first.y)

    second = winding = swept = 0.0
    # A part begins where the one before it ended.
    reach = hypot(first.x - cx, first.y - cy) if parts else 0.0
    sense = first.turn_deg - last.turn_deg
    for a, b, d in parts:
        ax, ay, bx, by = a.x - cx, a.y - cy, b.x - cx, b.y - cy
        # The integral of squared distance along a segment, exactly.
        second += d * (ax * ax + ay * ay + bx * bx + by * by + ax * bx + ay * by) / 3.0
        angle = atan2(ax * by - ay * bx, ax * bx + ay * by)
        if abs(angle) > _ACROSS_RAD and d > _ACROSS_SHARE * length:
            angle = copysign(angle, sense)
        winding -= angle
        swept += abs(angle)
        away = hypot(bx, by)
        if away > reach:
            reach = away

    low: Vertex | None = None
    high: float | None = None
    begun_ft: float | None = None
    ended_ft: float | None = None
    for v in line:
        if v.alt_ft is not None:
            begun_ft, ended_ft = v.alt_ft if begun_ft is None else begun_ft, v.alt_ft
            if low is None or v.alt_ft < (low.alt_ft or 0.0):
                low = v
            high = v.alt_ft if high is None else max(high, v.alt_ft)
    return Shape(
        t0=first.t,
        t1=last.t,
        x=cx,
        y=cy,
        radius_nm=sqrt(second / length),
        reach_nm=reach,
        length_nm=length,
        closure_nm=hypot(last.x - first.x, last.y - first.y),
        elongation=hypot(c2, s2) / length,
        axis_deg=degrees(0.5 * atan2(s2, c2)) % 180.0,
        winding_deg=degrees(winding),
        sway=swept / max(abs(winding), 1e-6),
        speed_kt=length * 3600.0 / span,
        reported_kt=reported / span,
        low_ft=None if low is None else low.alt_ft,
        low_x=cx if low is None else low.x,
        low_y=cy if low is None else low.y,
        high_ft=high,
        climb_ft=None if begun_ft is None or ended_ft is None else ended_ft - begun_ft,
        straight_share=straight / span,
        wiggle=wiggle / max(turned, 1.0),
        meander=_meander(line, length),
        spacing_s=span / max(len(line) - 1, 1),
    )


def _meander(line: Sequence[Vertex], length_nm: float) -> float:
    """Return the turns of chords of even length to either side, over what they turn in all."""
    chord_nm = max(_CHORD_MIN_NM, length_nm / 18.0)
    at, heading = line[0], None
    total = turned = 0.0
    for v in line:
        dx, dy = v.x - at.x, v.y - at.y
        if hypot(dx, dy) < chord_nm:
            continue
        course = degrees(atan2(dx, dy))
        if heading is not None:
            step = wrap_deg(course - heading)
            total += abs(step)
            turned += step
        at, heading = v, course
    return total / max(abs(turned), 90.0)

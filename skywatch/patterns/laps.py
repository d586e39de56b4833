"""What a series of laps is: circling, a racetrack or neither.

A stadium of two legs of length L and two half circles of radius r spends the share 2L / (2L + 2 pi r) of its way on the
legs. Where the legs are about as long as the stadium is wide, or longer, it is a racetrack, else it is circling. The
share is estimated twice, by how elongated the laps are and by how much of the time they do not turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import cos, hypot, radians, sin
from statistics import median

from skywatch.patterns.findings import PatternType
from skywatch.patterns.loops import Loop
from skywatch.patterns.settings import PatternSettings


def turns_of(laps: Sequence[Loop]) -> float:
    """Return the circles turned, to whichever side."""
    return sum(abs(lap.turns) for lap in laps)


def direction_of(laps: Sequence[Loop]) -> str:
    """Return `left`, `right` or `both`."""
    right = sum(lap.turns > 0 for lap in laps)
    return "right" if right == len(laps) else "left" if right == 0 else "both"


def mean_radius_nm(laps: Sequence[Loop]) -> float:
    """Return the mean of the laps' radii."""
    return sum(lap.shape.radius_nm for lap in laps) / len(laps)


def leg_shares(laps: Sequence[Loop], s: PatternSettings) -> tuple[float, float]:
    """Return the share of the way on legs by elongation and by straightness.

    The elongations are added as vectors along the laps' axes, so that chance shapes of single laps cancel.
    """
    weight = turns_of(laps)
    east = sum(p.shape.elongation * sin(radians(2.0 * p.shape.axis_deg)) * abs(p.turns) for p in laps)
    north = sum(p.shape.elongation * cos(radians(2.0 * p.shape.axis_deg)) * abs(p.turns) for p in laps)
    elongation = hypot(east, north) / weight
    steady = [lap for lap in laps if lap.shape.wiggle <= s.lap_wiggle]
    if not steady:
        return elongation, elongation
    straight = sum(p.shape.straight_share * abs(p.turns) for p in steady)
    return elongation, straight / turns_of(steady)


def leg_share(laps: Sequence[Loop], s: PatternSettings) -> float:
    """Return the share of the way on legs: the mean of both estimates."""
    return 0.5 * sum(leg_shares(laps, s))


def well_seen(lap: Loop, s: PatternSettings) -> bool:
    """Tell whether the lap was seen well enough for its shape to be told.

    Gaps straighten a line, which then is too short for the reported speed, or winds more often than it turns.
    """
    shape = lap.shape
    return (
        shape.speed_kt >= s.lap_seen_share * shape.reported_kt
        and abs(shape.winding_deg) <= s.lap_winding_ratio * abs(lap.turns) * 360.0
    )


def kind_of(laps: Sequence[Loop], s: PatternSettings) -> PatternType | None:
    """Return what the laps are, if anything; laps not seen well enough have no shape to tell of."""
    radius = mean_radius_nm(laps)
    seen = [lap for lap in laps if well_seen(lap, s)]
    if is_spiral(laps, s) or (seen and _are_polygons(seen, s)):
        return None
    enough = len(seen) == len(laps) or turns_of(seen) >= s.racetrack_turns
    if enough and _are_ovals(seen, s):
        return PatternType.RACETRACK if radius <= s.racetrack_max_radius_nm else None
    return PatternType.CIRCLING if radius <= s.circling_max_radius_nm else None


def _are_ovals(laps: Sequence[Loop], s: PatternSettings) -> bool:
    shares = leg_shares(laps, s)
    if 0.5 * sum(shares) < s.racetrack_leg_share or min(shares) < s.racetrack_least_share:
        return False
    # Two circles of which one was stretched by chance may look like ovals together.
    ovals = sum(leg_share([lap], s) >= s.racetrack_lap_share for lap in laps)
    return direction_of(laps) != "both" and ovals >= min(2, len(laps))


def _are_polygons(laps: Sequence[Loop], s: PatternSettings) -> bool:
    """Tell wide laps of long straight legs, not elongated as a whole: what a sector search flies."""
    elongation, straight = leg_shares(laps, s)
    return (
        straight >= s.polygon_leg_share
        and elongation < s.polygon_elongation
        and mean_radius_nm(laps) >= s.polygon_radius_nm
    )


def wander(laps: Sequence[Loop], s: PatternSettings) -> bool:
    """Tell laps that go to and fro so much that they are none."""
    return median(lap.shape.meander for lap in laps) > s.run_meander


def is_spiral(laps: Sequence[Loop], s: PatternSettings) -> bool:
    """Tell laps about one centre that grow from each to the next: an expanding square or spiral search."""
    growth = s.spiral_growth if len(laps) > 2 else s.spiral_growth_first
    shapes = [lap.shape for lap in laps]
    return len(shapes) > 1 and all(
        b.radius_nm > growth * a.radius_nm and hypot(b.x - a.x, b.y - a.y) < 0.5 * b.radius_nm
        for a, b in pairwise(shapes)
    )


def alike(before: Loop, after: Loop, s: PatternSettings) -> bool:
    """Tell whether two laps belong together by size and place."""
    a, b = before.shape, after.shape
    small, large = sorted((a.radius_nm, b.radius_nm))
    oval = max(leg_share([before], s), leg_share([after], s)) >= s.racetrack_leg_share
    ratio = s.oval_size_ratio if oval else s.lap_size_ratio
    if large > ratio * max(small, s.lap_size_floor_nm):
        return False
    return hypot(b.x - a.x, b.y - a.y) <= s.lap_shift_radii * large

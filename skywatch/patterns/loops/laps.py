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
from skywatch.patterns.loops.rounds import Loop
from skywatch.patterns.settings import PatternSettings


def turns_of(laps: Sequence[Loop]) -> float:
    """Return the circles turned, to whichever side."""
    return sum(abs(lap.turns) for lap in laps)


def lap_s_of(laps: Sequence[Loop]) -> float:
    """Return the time that a full circle takes."""
    return sum(lap.shape.duration_s for lap in laps) / turns_of(laps)


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
    steady = [
        lap
        for lap in laps
        if lap.shape.wiggle <= s.smooth_lap.max_wiggle
        and lap.shape.spacing_s <= s.smooth_lap.spacing_share * lap.shape.duration_s
    ]
    if not steady:
        return elongation, elongation
    straight = sum(p.shape.straight_share * abs(p.turns) for p in steady)
    return elongation, straight / turns_of(steady)


def leg_share(laps: Sequence[Loop], s: PatternSettings) -> float:
    """Return the share of the way on legs: the mean of both estimates."""
    return 0.5 * sum(leg_shares(laps, s))


def well_seen(lap: Loop, s: PatternSettings) -> bool:
    """Return whether the lap was seen well enough for its shape to count.

    Gaps straighten a line, which then is too short for the reported speed, or winds more often than it turns.
    """
    shape = lap.shape
    return (
        shape.speed_kt >= s.well_seen_lap.speed_share * shape.reported_kt
        and abs(shape.winding_deg) <= s.well_seen_lap.max_winding_ratio * abs(lap.turns) * 360.0
    )


def is_sparse(lap: Loop, s: PatternSettings) -> bool:
    """Return whether the lap was seen in so few places that its size is known roughly."""
    return lap.shape.spacing_s >= s.sparse_lap.spacing_share * lap.shape.duration_s


def kind_of(laps: Sequence[Loop], s: PatternSettings) -> PatternType | None:
    """Return what the laps are, if anything; laps not seen well enough have no shape."""
    radius = mean_radius_nm(laps)
    seen = [lap for lap in laps if well_seen(lap, s)]
    if is_spiral(laps, s) or (seen and _are_polygons(seen, s)):
        return None
    enough = len(seen) == len(laps) or turns_of(seen) >= s.enough_laps.racetrack_turns
    # Of two laps one well seen oval will do if the other looks like it.
    if seen and _are_ovals(seen, s) and (enough or _are_ovals(laps, s)):
        return PatternType.RACETRACK if radius <= s.oval.max_radius_nm else None
    # Wide laps take longer than those of a hold, and turn all the way, which vectors and tours do not.
    slow = lap_s_of(laps) > s.hold.max_lap_s
    tours = slow and leg_share(seen or laps, s) > s.circle.max_leg_share
    return PatternType.CIRCLING if radius <= s.oval.max_radius_nm and not tours else None


def _are_ovals(laps: Sequence[Loop], s: PatternSettings) -> bool:
    shares = leg_shares(laps, s)
    sparse = any(is_sparse(lap, s) for lap in laps)
    if 0.5 * sum(shares) < s.oval.leg_share + s.oval.sparse_share * sparse or min(shares) < s.oval.min_share:
        return False
    # Two circles of which one was stretched by chance may look like ovals together.
    ovals = sum(leg_share([lap], s) >= s.oval.lap_share for lap in laps)
    return direction_of(laps) != "both" and ovals >= min(2, len(laps))


def _are_polygons(laps: Sequence[Loop], s: PatternSettings) -> bool:
    """Return whether laps are wide, of long straight legs, not elongated as a whole, as in a sector search."""
    if mean_radius_nm(laps) < s.polygon.min_radius_nm:
        return False
    elongation, straight = leg_shares(laps, s)
    return straight >= s.polygon.leg_share and elongation < s.polygon.max_elongation


def wander(laps: Sequence[Loop], s: PatternSettings) -> bool:
    """Return whether laps go to and fro so much that they are none."""
    return median(lap.shape.meander for lap in laps) > s.chance_turns.max_meander


def is_spiral(laps: Sequence[Loop], s: PatternSettings) -> bool:
    """Return whether laps about one centre grow from each to the next: an expanding square or spiral search."""
    growth = s.growing_laps.growth if len(laps) > 2 else s.growing_laps.first_growth
    shapes = [lap.shape for lap in laps]
    return len(shapes) > 1 and all(
        b.radius_nm > growth * a.radius_nm and hypot(b.x - a.x, b.y - a.y) < 0.5 * b.radius_nm
        for a, b in pairwise(shapes)
    )


def round_nm(lap: Loop) -> float:
    """Return the way a full circle of turn takes; of an unfinished lap too."""
    return lap.shape.length_nm / abs(lap.turns)


def alike(before: Loop, after: Loop, s: PatternSettings, *, part: bool = False) -> bool:
    """Return whether a lap resembles the one before and overlies it; `part` where it is not finished.

    Resembling is to take about as much way for a full circle of turn, overlying to have its centre within the other.
    Figures of eight have two centres, side by side.
    """
    a, b = before.shape, after.shape
    # Of an unfinished lap the speed along its way tells nothing yet.
    gap = not well_seen(before, s) or not (part or well_seen(after, s))
    sparse = gap or (is_sparse(before, s) and is_sparse(after, s))
    slack = s.sparse_lap.slack if sparse else 1.0
    small, large = sorted((round_nm(before), round_nm(after)))
    if large > slack * s.alike_laps.size_ratio * max(small, s.alike_laps.size_floor_nm):
        return False
    if not sparse and not (_goes_on(before, after, s) if part else _bends_alike(before, after, s)):
        return False
    turned = before.turns * after.turns < 0.0
    limit = s.alike_eights.shift_radii if turned else _part_shift_radii(after, s) if part else s.alike_laps.shift_radii
    return hypot(b.x - a.x, b.y - a.y) <= slack * limit * max(a.radius_nm, b.radius_nm) + s.trusted_position.noise_nm


def _part_shift_radii(part: Loop, s: PatternSettings) -> float:
    """Return how many radii the centre of an unfinished lap may lie aside: the more of it is flown, the fewer."""
    missing = max(1.0 - abs(part.turns), 0.0)
    return min(
        s.unfinished_lap.shift_radii,
        s.alike_laps.shift_radii + 3.0 * missing * (s.unfinished_lap.shift_radii - s.alike_laps.shift_radii),
    )


def lead_of(lap: Loop, s: PatternSettings) -> Loop | None:
    """Return the turn onto a lap where it takes about as much way for a circle as the lap does, else None."""
    if lap.lead is None:
        return None
    small, large = sorted((round_nm(lap.lead), round_nm(lap)))
    return lap.lead if large <= s.alike_laps.size_ratio * max(small, s.alike_laps.size_floor_nm) else None


def _bends_alike(before: Loop, after: Loop, s: PatternSettings) -> bool:
    """Return whether two laps turn in about as much way: a small loop after a transit does not."""
    tight, wide = sorted((_bend_nm(before), _bend_nm(after)))
    return wide <= s.alike_laps.bend_ratio * max(tight, 0.5 * s.alike_laps.size_floor_nm)


def _goes_on(before: Loop, part: Loop, s: PatternSettings) -> bool:
    """Return whether an unfinished lap turns like the one before, with no more transit than that had."""
    # What leads out of the part makes its last round longer.
    bend_nm, part_nm = _bend_nm(before), min(part.last_round_nm, _bend_nm(part))
    tight_nm, wide_nm = bend_nm - 0.5 * s.alike_laps.size_floor_nm, max(bend_nm, 0.5 * s.alike_laps.size_floor_nm)
    if not tight_nm <= s.alike_laps.bend_ratio * part_nm <= s.alike_laps.bend_ratio**2 * wide_nm:
        return False
    return (
        part.shape.straight_share <= s.unfinished_lap.max_straight_share
        or before.shape.straight_share >= s.unfinished_lap.before_straight_share
    )


def stays_near(before: Loop, part: Loop, s: PatternSettings) -> bool:
    """Return whether an unfinished lap keeps to the place of the one before: a transit to another place does not."""
    slack = s.sparse_lap.slack if is_sparse(before, s) or not well_seen(before, s) else 1.0
    return part.stray_nm <= slack * s.unfinished_lap.stray_share * before.shape.reach_nm + s.trusted_position.noise_nm


def _bend_nm(lap: Loop) -> float:
    """Return the part of a full circle's way that turns; the rest is legs, or a transit between two loops."""
    return round_nm(lap) * (1.0 - lap.shape.elongation)

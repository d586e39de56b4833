"""Sweeps: the parallel lines of a search or a survey, put together from legs.

A search by parallel track (IAMSAR Manual, volume III, "parallel sweep" and "creeping line ahead") goes to and fro on
lines side by side. Seen across those lines each sweep has an offset; a search has many offsets, a racetrack two, and
whoever flies one line to and fro has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from math import cos, radians, sin

from skywatch.patterns.legs.legs import Leg
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import wrap_deg


@dataclass(slots=True)
class Sweep:
    """One line of a family of parallel lines; places in nm along and across the family's axis."""

    t0: float
    t1: float
    low_nm: float
    """Nearer end along the axis."""
    high_nm: float
    """Farther end along the axis."""
    along_nm: float
    """Mean place of its positions along the axis..."""
    across_nm: float
    """... and across it."""
    slope: float
    """Way across the axis for each mile along it: no line is flown exactly along the axis."""
    forward: bool
    turn_deg: float
    climb_ft: float | None
    """Height gained along it, None where unknown."""

    @property
    def length_nm(self) -> float:
        """Length along the axis."""
        return self.high_nm - self.low_nm

    def across_at(self, along_nm: float) -> float:
        """Return the place across the axis where the line is, or would be, at a place along it."""
        return self.across_nm + self.slope * (along_nm - self.along_nm)


def sweep_family(legs: Iterable[Leg], settings: PatternSettings) -> list[Sweep]:
    """Return the sweeps that end with the newest of `legs` (newest first), oldest first.

    Legs across the family are the turns between sweeps while they are short; a long one, a long pause, sweeps that
    do not lie side by side, or two on end in the same direction end the family.
    """
    s = settings
    legs = list(legs)
    newest = legs[0]
    axis = radians(_axis_leg(legs, s).course_deg)
    east, north = sin(axis), cos(axis)
    family = [_sweep(newest, east, north, forward=True)]
    longest = newest.length_nm
    aside_nm = 0.0
    for leg in islice(legs, 1, None):
        last = family[-1]
        longest = max(longest, last.length_nm)
        if last.t0 - leg.t1 > max(s.sweep_family.pause_s, s.sweep_family.pause_share * (last.t1 - last.t0)):
            break
        angle = abs(wrap_deg(leg.course_deg - newest.course_deg))
        angle_off = min(angle, 180.0 - angle)
        if angle_off > s.sweep_family.angle_deg or leg.length_nm < s.sweep_family.short_share * longest:
            aside_nm += leg.length_nm
            across = angle_off > s.sweep_family.cross_deg and leg.length_nm > s.sweep_family.cross_share * longest
            if across or aside_nm > s.sweep_family.aside_share * longest:
                break
            continue
        sweep = _sweep(leg, east, north, forward=angle < 90.0)
        shift = abs(sweep.across_nm - last.across_nm)
        if sweep.forward is last.forward:
            # A kink in a line leaves two legs end to end; anything else must be in line to be the same sweep.
            if shift > s.sweep_family.width_nm and last.t0 > leg.t1:
                break
            _lengthen(last, sweep)
            continue
        overlap = min(sweep.high_nm, last.high_nm) - max(sweep.low_nm, last.low_nm)
        shorter = min(sweep.length_nm, last.length_nm)
        if overlap < s.sweep_family.overlap_share * shorter or shift > s.sweep_family.shift_share * longest:
            break
        family.append(sweep)
        aside_nm = 0.0
    family.reverse()
    return family


def _axis_leg(legs: list[Leg], s: PatternSettings) -> Leg:
    """Return the leg that gives the family its axis: of the newest parallel ones the longest, whose course is best."""
    newest = legs[0]
    parallel = [newest]
    for leg in islice(legs, 1, s.sweep_family.axis_legs):
        angle = abs(wrap_deg(leg.course_deg - newest.course_deg))
        if min(angle, 180.0 - angle) <= s.sweep_family.angle_deg:
            parallel.append(leg)
    return max(parallel, key=lambda leg: leg.length_nm)


def _sweep(leg: Leg, east: float, north: float, *, forward: bool) -> Sweep:
    a, b = leg.ax * east + leg.ay * north, leg.bx * east + leg.by * north
    rise = (leg.bx - leg.ax) * north - (leg.by - leg.ay) * east
    slope = rise / (b - a) if abs(b - a) > 1e-6 else 0.0
    along, across = leg.x * east + leg.y * north, leg.x * north - leg.y * east
    return Sweep(leg.t0, leg.t1, min(a, b), max(a, b), along, across, slope, forward, leg.turn_deg, leg.climb_ft)


def _lengthen(sweep: Sweep, earlier: Sweep) -> None:
    """Join to `sweep` an earlier part of the same line."""
    share = sweep.length_nm / max(sweep.length_nm + earlier.length_nm, 1e-9)
    sweep.along_nm = share * sweep.along_nm + (1.0 - share) * earlier.along_nm
    sweep.across_nm = share * sweep.across_nm + (1.0 - share) * earlier.across_nm
    sweep.slope = share * sweep.slope + (1.0 - share) * earlier.slope
    sweep.climb_ft = None if sweep.climb_ft is None or earlier.climb_ft is None else sweep.climb_ft + earlier.climb_ft
    sweep.t0 = earlier.t0
    sweep.low_nm = min(sweep.low_nm, earlier.low_nm)
    sweep.high_nm = max(sweep.high_nm, earlier.high_nm)


def step_between(before: Sweep, after: Sweep) -> float:
    """Return how far (nm) a line lies to the side of another, in the middle of where they are side by side.

    Each is taken where it passes that place: the middles of lines of unlike length lie at different places, and there a
    line flown a few degrees off would seem to have shifted.
    """
    middle = 0.5 * (max(before.low_nm, after.low_nm) + min(before.high_nm, after.high_nm))
    return after.across_at(middle) - before.across_at(middle)


_ENOUGH = 5
"""Of so many distances the least and the greatest may be slips."""


@dataclass(frozen=True, slots=True)
class Shift:
    """How a family of sweeps moves across its lines."""

    lane_nm: float
    """Usual distance of a sweep from the one before in the same direction."""
    one_sided: float
    """Way to one side over all way to either side: 1 where every sweep lies beyond the one before, 0 on one line."""
    in_order: bool
    """Whether each sweep lies beyond the one before, whatever its direction: lines flown one after the other."""
    evenness: float
    """Smallest over largest distance between sweeps in the same direction, the most extreme left out where there are
    enough: 1 where the lanes are even."""


def shift_of(sweeps: Sequence[Sweep]) -> Shift:
    """Return how the sweeps shift; each direction is compared with itself, so that the order of lines is free.

    Laps over each other return to their lines: whatever their legs stray to one side they stray back, and
    the sum of the shifts stays small. Lanes keep shifting to one side.
    """
    steps = [
        [step_between(a, b) for a, b in pairwise([sweep for sweep in sweeps if sweep.forward is forward])]
        for forward in (True, False)
    ]
    sizes = sorted(abs(step) for side in steps for step in side)
    if not sizes or sizes[-1] < 1e-6:
        return Shift(0.0, 0.0, in_order=False, evenness=0.0)
    total = sum(map(sum, steps))
    # Both directions must shift, and to the same side.
    to_total = [sum(side) * (1.0 if total > 0.0 else -1.0) / max(sum(map(abs, side)), 1e-9) for side in steps if side]
    neighbours = [step_between(a, b) for a, b in pairwise(sweeps)]
    return Shift(
        lane_nm=sizes[len(sizes) // 2],
        one_sided=min(to_total),
        in_order=all(step > 0.0 for step in neighbours) or all(step < 0.0 for step in neighbours),
        evenness=sizes[1] / max(sizes[-2], 1e-9) if len(sizes) >= _ENOUGH else sizes[0] / sizes[-1],
    )


def is_grid(sweeps: Sequence[Sweep], settings: PatternSettings) -> bool:
    """Return whether the sweeps lie on ever new lines; fewer of them do where chance is less likely to look alike."""
    s = settings
    count = len(sweeps)
    if count < s.grid.sweeps:
        return False
    shift = shift_of(sweeps)
    if shift.one_sided < s.new_lines.one_sided or shift.lane_nm < s.new_lines.min_nm:
        return False
    if shift.lane_nm < s.new_lines.wide_nm and shift.evenness < s.new_lines.close_even_share:
        return False
    if shift.in_order:
        wide = shift.lane_nm >= s.new_lines.wide_nm and shift.evenness >= s.new_lines.even_share
        return count >= (s.grid.sweeps if wide and _is_field(sweeps, s) else s.grid.close_sweeps)
    return count >= (s.grid.close_sweeps if shift.lane_nm >= s.new_lines.wide_nm else s.grid.round_sweeps)


def _is_field(sweeps: Sequence[Sweep], s: PatternSettings) -> bool:
    """Return whether the lines flown from end to end, all but the first and the last, are alike and far longer than
    they are apart."""
    shortest, *_, longest = sorted(sweep.length_nm for sweep in sweeps[1:-1])
    apart_nm = max(abs(step_between(a, b)) for a, b in pairwise(sweeps))
    return shortest >= s.one_field.alike_share * longest and shortest >= s.one_field.length_ratio * apart_nm


def climb_alike(sweeps: Sequence[Sweep], settings: PatternSettings) -> bool:
    """Return whether most lines to either side climb, or most to either side descend.

    The ground below neighbouring lines is the same: who follows it climbs one way and descends the other.
    """
    s = settings
    rates = [
        (sweep.forward, sweep.climb_ft * 60.0 / max(sweep.t1 - sweep.t0, 1.0))
        for sweep in sweeps
        if sweep.climb_ft is not None
    ]
    for sense in (1.0, -1.0):
        alike = [forward for forward, rate in rates if sense * rate >= s.climbing_lines.rate_ft_min]
        if len(alike) >= s.climbing_lines.share * len(sweeps) and all(
            2 * alike.count(forward) >= sum(sweep.forward is forward for sweep in sweeps) for forward in (True, False)
        ):
            return True
    return False


def on_new_line(sweep: Sweep, earlier: Sequence[Sweep], settings: PatternSettings) -> bool:
    """Return whether a sweep lies off the last one in its direction, as the next of a grid does."""
    for before in reversed(earlier):
        if before.forward is sweep.forward:
            return abs(step_between(before, sweep)) >= settings.new_lines.min_nm
    return True

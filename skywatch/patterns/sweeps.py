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

from skywatch.patterns.legs import Leg
from skywatch.patterns.plane import wrap_deg
from skywatch.patterns.settings import PatternSettings


@dataclass(slots=True)
class Sweep:
    """One line of a family of parallel lines; places in nm along and across the family's axis."""

    t0: float
    t1: float
    low_nm: float
    """Nearer end along the axis."""
    high_nm: float
    """Farther end along the axis."""
    across_nm: float
    forward: bool
    turn_deg: float

    @property
    def length_nm(self) -> float:
        """Length along the axis."""
        return self.high_nm - self.low_nm


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
        if last.t0 - leg.t1 > max(s.sweep_pause_s, s.sweep_pause_share * (last.t1 - last.t0)):
            break
        angle = abs(wrap_deg(leg.course_deg - newest.course_deg))
        angle_off = min(angle, 180.0 - angle)
        if angle_off > s.sweep_angle_deg or leg.length_nm < s.sweep_short_share * longest:
            aside_nm += leg.length_nm
            across = angle_off > s.sweep_cross_deg and leg.length_nm > s.sweep_cross_share * longest
            if across or aside_nm > s.sweep_aside_share * longest:
                break
            continue
        sweep = _sweep(leg, east, north, forward=angle < 90.0)
        shift = abs(sweep.across_nm - last.across_nm)
        if sweep.forward is last.forward:
            # A kink in a line leaves two legs end to end; anything else must be in line to be the same sweep.
            if shift > s.sweep_width_nm and last.t0 > leg.t1:
                break
            _lengthen(last, sweep)
            continue
        overlap = min(sweep.high_nm, last.high_nm) - max(sweep.low_nm, last.low_nm)
        shorter = min(sweep.length_nm, last.length_nm)
        if overlap < s.sweep_overlap_share * shorter or shift > s.sweep_shift_share * longest:
            break
        family.append(sweep)
        aside_nm = 0.0
    family.reverse()
    return family


def _axis_leg(legs: list[Leg], s: PatternSettings) -> Leg:
    """Return the leg that gives the family its axis: of the newest parallel ones the longest, whose course is best."""
    newest = legs[0]
    parallel = [newest]
    for leg in islice(legs, 1, s.sweep_axis_legs):
        angle = abs(wrap_deg(leg.course_deg - newest.course_deg))
        if min(angle, 180.0 - angle) <= s.sweep_angle_deg:
            parallel.append(leg)
    return max(parallel, key=lambda leg: leg.length_nm)


def _sweep(leg: Leg, east: float, north: float, *, forward: bool) -> Sweep:
    along = (leg.ax * east + leg.ay * north, leg.bx * east + leg.by * north)
    across = 0.5 * ((leg.ax + leg.bx) * north - (leg.ay + leg.by) * east)
    return Sweep(leg.t0, leg.t1, min(along), max(along), across, forward, leg.turn_deg)


def _lengthen(sweep: Sweep, earlier: Sweep) -> None:
    """Join to `sweep` an earlier part of the same line."""
    total = sweep.length_nm + earlier.length_nm
    sweep.across_nm = (sweep.across_nm * sweep.length_nm + earlier.across_nm * earlier.length_nm) / max(total, 1e-9)
    sweep.t0 = earlier.t0
    sweep.low_nm = min(sweep.low_nm, earlier.low_nm)
    sweep.high_nm = max(sweep.high_nm, earlier.high_nm)


def distinct_lanes(sweeps: Sequence[Sweep], settings: PatternSettings) -> int:
    """Count the sweeps whose line no earlier one had flown."""
    shifts = sorted(abs(b.across_nm - a.across_nm) for a, b in pairwise(sweeps))
    median = shifts[len(shifts) // 2] if shifts else 0.0
    near = max(settings.lane_min_nm, settings.lane_min_share * median)
    lanes: list[float] = []
    for sweep in sweeps:
        if all(abs(sweep.across_nm - lane) >= near for lane in lanes):
            lanes.append(sweep.across_nm)
    return len(lanes)


def alternating_share(sweeps: Sequence[Sweep]) -> float:
    """Return the share of turns that go the other way than the turn before (1 to and fro, 0 round and round)."""
    turns = [b.turn_deg - a.turn_deg for a, b in pairwise(sweeps)]
    pairs = list(pairwise(turns))
    return sum(a * b < 0.0 for a, b in pairs) / len(pairs) if pairs else 0.0

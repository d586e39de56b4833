"""Whether laps are enough to report, and as what: not before chance, training and departures are ruled out."""

from __future__ import annotations

from skywatch.patterns.findings import PatternType
from skywatch.patterns.loops.laps import (
    direction_of,
    is_sparse,
    kind_of,
    leg_share,
    mean_radius_nm,
    turns_of,
    wander,
    well_seen,
)
from skywatch.patterns.loops.loops import LoopFinder
from skywatch.patterns.loops.rounds import Loop
from skywatch.patterns.settings import PatternSettings


def kind_at(
    t: float, laps: list[Loop], lead: Loop | None, finder: LoopFinder, s: PatternSettings
) -> PatternType | None:
    """Return what the laps are at time `t` (s) if they are enough to report, with the turn onto them, else None.

    `finder` has the trail up to then.
    """
    flown = laps if lead is None else [lead, *laps]
    turns = turns_of(flown)
    if not laps or (turns < s.enough_laps.circling_turns and not _retraces(laps, turns, finder, s)):
        return None
    since_s = t - flown[0].shape.t0
    flown_s = sum(lap.shape.duration_s for lap in flown)
    if flown_s < max(s.enough_laps.min_s, s.enough_laps.time_share * since_s):
        return None
    if _is_training(flown, turns, flown_s, s) or (direction_of(laps) == "both" and turns < s.enough_laps.eight_turns):
        return None
    kind = kind_of(laps, s)
    if kind is PatternType.CIRCLING and (wander(laps, s) or _is_angular(laps, turns, finder, s)):
        return None
    if kind is not None and turns < s.enough_laps.racetrack_turns and not _is_beyond_doubt(kind, laps, s):
        return None
    if kind is PatternType.CIRCLING and turns < s.turns_elsewhere.turns and _is_astray(laps, finder, s):
        return None
    return kind


def _is_astray(laps: list[Loop], finder: LoopFinder, s: PatternSettings) -> bool:
    """Return whether the second round leads elsewhere than the first, as when turns follow each other by chance."""
    if direction_of(laps) == "both":
        return False
    lap_s = sum(lap.shape.duration_s for lap in laps) / turns_of(laps)
    speed_kt = sum(lap.shape.length_nm for lap in laps) * 3600.0 / (lap_s * turns_of(laps))
    quick = lap_s <= s.steep_turn_training.wide_lap_s
    trains = quick and s.steep_turn_training.min_speed_kt <= speed_kt <= s.turns_elsewhere.training_speed_kt
    sparse = any(is_sparse(lap, s) or not well_seen(lap, s) for lap in laps)
    slack = s.sparse_lap.slack if sparse and not quick else 1.0
    radii = s.turns_elsewhere.training_radii if trains else s.turns_elsewhere.radii
    return _astray_nm(laps, finder) > slack * radii * mean_radius_nm(laps) + s.trusted_position.noise_nm


def _retraces(laps: list[Loop], turns: float, finder: LoopFinder, s: PatternSettings) -> bool:
    """Return whether the round under way lies on the one before, where whoever departs leaves it."""
    if turns < s.retraced_round.turns or direction_of(laps) == "both":
        return False
    return 0.0 < _astray_nm(laps, finder) <= s.retraced_round.radii * mean_radius_nm(laps)


def _is_angular(laps: list[Loop], turns: float, finder: LoopFinder, s: PatternSettings) -> bool:
    """Return whether the laps are lines and turns this way and that, which add up to circles by chance.

    Circles turn all the way, in the air even more evenly than over the ground; whoever flies about in one place is
    straight for half of the time, and at the same heading somewhere else.
    """
    both = direction_of(laps) == "both"
    if turns >= (s.chance_turns.turns_both if both else s.chance_turns.turns):
        return False
    airs = [lap.air for lap in laps if lap.air is not None and lap.air.is_clear(s)]
    if not airs:
        return False
    if both:
        return sum(air.straight_s for air in airs) >= s.chance_turns.straight_share_both * sum(
            air.duration_s for air in airs
        )
    # The first lap may have the way to the circle in it; the one under way has none.
    turns_on = laps[-1].air is None and laps[-1].shape.straight_share <= s.chance_turns.part_straight_share
    if turns_on or any(air.straight_share < s.chance_turns.straight_share for air in airs):
        return False
    astray_nm = _astray_nm(laps, finder)
    # Where the round before is no longer remembered, nothing says that this one lies over it.
    return (
        astray_nm == 0.0 or astray_nm > s.chance_turns.astray_radii * mean_radius_nm(laps) + s.trusted_position.noise_nm
    )


def _astray_nm(laps: list[Loop], finder: LoopFinder) -> float:
    """Return how far (nm) the last lap leads from the one before, which went to the same side."""
    return finder.astray_nm(1.0 if laps[-1].turns > 0.0 else -1.0)


def _is_training(laps: list[Loop], turns: float, flown_s: float, s: PatternSettings) -> bool:
    """Return whether the laps may be steep turns, or turns on a height, as light aircraft train them."""
    speed_kt = sum(lap.shape.length_nm for lap in laps) * 3600.0 / flown_s
    if not s.steep_turn_training.min_speed_kt <= speed_kt <= s.steep_turn_training.max_speed_kt:
        return False
    if flown_s <= s.steep_turn_training.lap_s * turns and flown_s < s.steep_turn_training.min_s:
        return True
    return flown_s <= s.steep_turn_training.wide_lap_s * turns and turns < s.enough_laps.racetrack_turns


def _is_beyond_doubt(kind: PatternType, laps: list[Loop], s: PatternSettings) -> bool:
    """Return whether the second lap need not be waited for: round, and seen well or seen to come back."""
    seen = [lap for lap in laps if well_seen(lap, s)]
    return (
        kind is PatternType.CIRCLING
        and bool(seen)
        and all(well_seen(lap, s) or _is_back(lap, s) for lap in laps)
        and leg_share(seen, s) <= s.circle.max_leg_share
        and (len(laps) > 1 or not wander(laps, s))
    )


def _is_back(lap: Loop, s: PatternSettings) -> bool:
    """Return whether a lap of unknown shape came back to its start: of such only the turn counts."""
    return lap.shape.closure_nm <= s.reversed_loop.closure_share * lap.shape.length_nm

"""What a finding of circling or a racetrack says of its laps: kind, reason, place, size, score and details."""

from __future__ import annotations

from itertools import pairwise
from math import hypot

from skywatch.patterns.findings import AERODROME, Finding, PatternType
from skywatch.patterns.loops.laps import (
    direction_of,
    is_sparse,
    kind_of,
    leg_share,
    mean_radius_nm,
    turns_of,
    well_seen,
)
from skywatch.patterns.loops.reasons import Heights, ordinary_reason
from skywatch.patterns.loops.rounds import Loop
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.low_points import LowPoints


def describe(
    f: Finding,
    laps: list[Loop],
    past_turns: float,
    past: Heights,
    lows: LowPoints,
    s: PatternSettings,
    *,
    soared: bool = False,
) -> None:
    """Write place, size, score and details of the finding from its last laps.

    `past_turns` and `past` are turns and heights of the laps before these; `soared` says whether the flight circled in
    thermals before.
    """
    heights = past.add(laps, s)
    if f.kind is PatternType.RACETRACK and past_turns <= 0.0 and _is_round_after_all(laps, s):
        f.kind = PatternType.CIRCLING
    f.reason = ordinary_reason(f.kind, laps, heights, lows, s, soared=soared)
    if f.reason == AERODROME:
        f.kind = PatternType.RACETRACK
    shapes = [lap.shape for lap in laps]
    f.x = sum(p.x for p in shapes) / len(shapes)
    f.y = sum(p.y for p in shapes) / len(shapes)
    circling = f.kind is PatternType.CIRCLING
    f.radius_nm = mean_radius_nm(laps) if circling else max(p.reach_nm for p in shapes)
    turns = past_turns + turns_of(laps)
    f.score = _score(f, laps, turns, heights, s)
    f.details = _details(laps, turns, s)


def _is_round_after_all(laps: list[Loop], s: PatternSettings) -> bool:
    """Return whether the first laps are circles together: where seen in few places some may look like ovals."""
    few_places = any(is_sparse(lap, s) for lap in laps)
    if turns_of(laps) >= s.change_of_kind.laps and not few_places:
        return False
    return leg_share(laps, s) <= s.oval.leg_share - s.change_of_kind.margin and kind_of(laps, s) is PatternType.CIRCLING


def _score(f: Finding, laps: list[Loop], turns: float, heights: Heights, s: PatternSettings) -> float:
    """Return how sure the pattern is, from 0 to 1: by its turns, and by how little its centre moves."""
    shapes = [lap.shape for lap in laps]
    shift = sum(hypot(b.x - a.x, b.y - a.y) for a, b in pairwise(shapes)) / max(len(shapes) - 1, 1)
    regularity = 1.0 / (1.0 + (shift / max(mean_radius_nm(laps), 0.1)) ** 2)
    score: float = (1.0 - 0.5 ** (turns - 0.7)) * (0.5 + 0.5 * regularity)
    if any(is_sparse(lap, s) or not well_seen(lap, s) for lap in laps):
        score *= s.certainty.sparse_share
    if f.reason is not None:
        return min(score, s.certainty.ordinary_max)
    return min(score, s.certainty.unknown_height_max) if heights.turns == 0.0 else score


def _details(laps: list[Loop], turns: float, s: PatternSettings) -> dict[str, object]:
    shapes = [lap.shape for lap in laps]
    lows = [p.low_ft for p in shapes if p.low_ft is not None]
    highs = [p.high_ft for p in shapes if p.high_ft is not None]
    flown_s = sum(p.duration_s for p in shapes)
    return {
        "turns": round(turns, 1),
        "direction": direction_of(laps),
        "lap_s": round(flown_s / turns_of(laps)),
        "leg_share": round(leg_share(laps, s), 2),
        "speed_kt": round(sum(p.length_nm for p in shapes) * 3600.0 / flown_s),
        "altitude_ft": [min(lows), max(highs)] if lows else None,
    }

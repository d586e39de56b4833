"""``LapRun``: the laps that follow each other in one place, and what is known of those before them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise, takewhile
from math import hypot

from skywatch.patterns.findings import PatternType
from skywatch.patterns.loops.laps import alike, direction_of, is_sparse, kind_of, lead_of, round_nm, turns_of
from skywatch.patterns.loops.reasons import Heights
from skywatch.patterns.loops.rounds import Loop
from skywatch.patterns.settings import PatternSettings


class LapRun:
    """The last laps of a run.

    ``past_turns`` and ``heights`` are of laps that are no longer remembered, ``lead`` is the turn onto the first lap,
    ``odd`` a lap that does not belong to the run and may yet be forgiven, ``turning_t`` the end of the last lap.
    """

    __slots__ = ("_pause_s", "_s", "heights", "laps", "lead", "odd", "past_turns", "turning_t")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self.laps: deque[Loop] = deque(maxlen=settings.lap_run_limits.max_laps)
        self._pause_s: float | None = None
        self.turning_t = 0.0
        self.clear()

    def clear(self) -> None:
        """Forget all laps."""
        self.laps.clear()
        self._pause_s = None
        self.lead: Loop | None = None
        self.odd: Loop | None = None
        self.past_turns = 0.0
        self.heights = Heights()

    def append(self, loop: Loop) -> None:
        """Add a lap that follows the last one."""
        laps = self.laps
        self.odd = None
        self.turning_t = loop.shape.t1
        if not laps:
            self.lead = lead_of(loop, self._s)
        if len(laps) == laps.maxlen:
            self.past_turns += abs(laps[0].turns)
            self.lead = None
            self.heights = self.heights.add((laps[0],), self._s)
        laps.append(loop)
        self._pause_s = None

    def begin_with(self, odd: Loop) -> None:
        """Begin another run with the lap that did not belong to this one."""
        self.clear()
        self.laps.append(odd)
        self.lead = lead_of(odd, self._s)
        self.turning_t = max(self.turning_t, odd.shape.t1)

    def keep(self, laps: list[Loop]) -> None:
        """Forget all but the last laps, which begin another run."""
        self.clear()
        self.laps.extend(laps)

    def report_from(self, first: Loop, past_turns: float, heights: Heights) -> None:
        """Drop the laps before `first`, the first that is reported: they are no part of the pattern."""
        self.past_turns, self.heights = past_turns, heights
        self._pause_s = self.lead = None
        while self.laps[0] is not first:
            self.laps.popleft()

    def follows(self, before: Loop, after: Loop, *, part: bool = False) -> bool:
        """Return whether two laps belong together by time, size and place."""
        return not self.is_late(after) and alike(before, after, self._s, part=part)

    def is_late(self, loop: Loop) -> bool:
        """Return whether a lap begins too long after the one before to belong to the same run."""
        before = self.laps[-1] if self.odd is None else self.odd
        return loop.shape.t0 - before.shape.t1 > self.pause_s()

    def pause_s(self) -> float:
        """Return how long the turning may pause before the run is over; a racetrack pauses on each leg."""
        # It is asked at every vertex, and the laps change once a lap.
        if self._pause_s is None:
            self._pause_s = self._pause_of(list(self.laps))
        return self._pause_s

    def _pause_of(self, laps: list[Loop]) -> float:
        s = self._s
        if not laps:
            return s.lap_run_limits.pause_s
        durations = [lap.shape.duration_s for lap in laps]
        if kind_of(laps[-2:], s) is PatternType.CIRCLING:
            return max(s.lap_run_limits.pause_s, sum(durations) / len(durations))
        return max(s.lap_run_limits.pause_s, s.lap_run_limits.pause_laps * max(durations))

    def steady_laps(self) -> list[Loop]:
        """Return the laps of the run, or only the last ones to one side where the laps are no figures of eight.

        In those the sides alternate, and laps to the same side overlie each other. Quick turns to both sides are
        training; a lap to the other side before those of a hold is the entry to it.
        """
        laps, s = list(self.laps), self._s
        if direction_of(laps) != "both":
            return laps
        mean_s = sum(lap.shape.duration_s for lap in laps) / len(laps)
        steady = mean_s >= s.quick_eights.lap_s or turns_of(laps) >= s.quick_eights.turns
        return laps if steady and alternate(laps) and _overlie_by_side(laps, s) else last_side(laps)


def alternate(laps: Sequence[Loop]) -> bool:
    """Return whether most laps go to the other side than the one before."""
    return 2 * sum(a.turns * b.turns < 0.0 for a, b in pairwise(laps)) > len(laps) - 1


def last_side(laps: Sequence[Loop]) -> list[Loop]:
    """Return the last laps that go to the same side as the very last."""
    return list(takewhile(lambda lap: lap.turns * laps[-1].turns > 0.0, reversed(laps)))[::-1]


def _overlie_by_side(laps: list[Loop], s: PatternSettings) -> bool:
    """Return whether each lap overlies the last one before it to the same side, and is about as large."""
    before: dict[bool, Loop] = {}
    for lap in laps:
        last = before.get(lap.turns > 0.0)
        if last is not None:
            radius_nm = max(last.shape.radius_nm, lap.shape.radius_nm)
            apart_nm = hypot(lap.shape.x - last.shape.x, lap.shape.y - last.shape.y)
            slack = s.sparse_lap.slack if is_sparse(lap, s) or is_sparse(last, s) else 1.0
            small_nm, large_nm = sorted((round_nm(last), round_nm(lap)))
            if apart_nm > slack * s.alike_eights.side_radii * radius_nm + s.trusted_position.noise_nm:
                return False
            if large_nm > slack * s.alike_eights.side_ratio * max(small_nm, s.alike_laps.size_floor_nm):
                return False
        before[lap.turns > 0.0] = lap
    return True

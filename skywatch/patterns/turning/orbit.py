"""Circling and racetracks: at least two loops one after the other in one place.

Loops in either direction count, so that figures of eight are circling too. `laps` says what a series of loops is and
`reasons` whether it has an ordinary reason; here they are collected, reported in time, followed and ended.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from math import hypot

from skywatch.patterns.findings import Finding, FindingLog, PatternType
from skywatch.patterns.ordinary.reasons import AERODROME, Heights, ordinary_reason
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.trail import Vertex
from skywatch.patterns.turning.laps import (
    alike,
    direction_of,
    is_sparse,
    kind_of,
    lead_of,
    leg_share,
    mean_radius_nm,
    stays_near,
    turns_of,
    wander,
    well_seen,
)
from skywatch.patterns.turning.loops import Loop, LoopFinder
from skywatch.patterns.turning.low_points import LowPoints


class OrbitDetector:
    """Collects loops into runs and reports a run as circling or racetrack."""

    __slots__ = ("_before", "_finder", "_finding", "_heights", "_lead", "_log", "_lows", "_odd", "_past_turns",
                 "_run", "_s", "_turning_t")  # fmt: skip

    def __init__(self, settings: PatternSettings, log: FindingLog, lows: LowPoints) -> None:
        self._s = settings
        self._log = log
        self._lows = lows
        self._finder = LoopFinder(settings)
        self._run: deque[Loop] = deque(maxlen=settings.laps_remembered)
        self._past_turns = 0.0
        self._lead: Loop | None = None
        self._odd: Loop | None = None
        self._finding: Finding | None = None
        self._heights = Heights()
        self._turning_t = 0.0
        self._before: Vertex | None = None

    def clear(self) -> None:
        """Forget the trail; an open finding ends."""
        self._end()
        self._finder.clear()
        self._forget_run()
        self._before = None

    def _forget_run(self) -> None:
        self._run.clear()
        self._lead = None
        self._odd = None
        self._past_turns = 0.0
        self._heights = Heights()

    def _end(self) -> None:
        if self._finding is not None:
            self._log.end(self._finding)
            self._finding = None

    def add(self, v: Vertex) -> None:
        """Take the next vertex of the trail."""
        run = self._run
        if self._landed(v):
            self.clear()
        self._before = v
        loop = self._finder.add(v)
        if loop is not None:
            self._join(loop)
        if not run:
            return
        if v.t > max(self._turning_t, self._finder.turning_t) + self._pause_s():
            self._end()
            self._forget_run()
            return
        if self._finding is not None and self._finding not in self._log.open:
            self._finding = None
        if self._odd is not None and self._odd_goes_on(self._odd):
            self._begin_again(self._odd)
        if self._finding is None:
            self._try(v)
        else:
            self._extend(self._finding, v, joined=loop is not None and self._odd is None)

    def _landed(self, v: Vertex) -> bool:
        """Return whether the aircraft stood on the ground since the vertex before: long, slow, low at both ends."""
        before, s = self._before, self._s
        if before is None or v.t - before.t < s.landing_s:
            return False
        speed_kt = hypot(v.x - before.x, v.y - before.y) * 3600.0 / (v.t - before.t)
        return speed_kt < s.landing_speed_kt and self._lows.landed(before.alt_ft, v.alt_ft)

    def _join(self, loop: Loop) -> None:
        """Add a lap to the run, or begin another run with it; one odd lap in between is forgiven."""
        run, odd = self._run, self._odd
        if run and not self._follows(run[-1], loop):
            if odd is None and self._finding is not None and not self._is_late(loop):
                self._odd = loop
                return
            if odd is not None and self._follows(odd, loop):
                self._begin_again(odd)
            else:
                self._end_before(loop if odd is None else odd)
                self._forget_run()
        self._odd = None
        self._turning_t = loop.shape.t1
        if not run:
            self._lead = lead_of(loop, self._s)
        if len(run) == run.maxlen:
            self._past_turns += abs(run[0].turns)
            self._lead = None
            self._heights = self._heights.add((run[0],), self._s)
        run.append(loop)
        self._split_by_kind()

    def _end_before(self, strange: Loop) -> None:
        """End the finding with its own last lap, before one that does not belong to it."""
        f, laps = self._finding, list(self._run)
        if f is not None and strange.shape.t0 < f.t1 and self._is_late(strange):
            # The part counted last was the beginning of the strange lap.
            f.t1 = laps[-1].shape.t1
            self._describe(f, laps)
        elif f is not None:
            f.t1 = min(f.t1, max(laps[-1].shape.t1, strange.shape.t0))
        self._end()

    def _begin_again(self, odd: Loop) -> None:
        """End the finding; the lap that did not belong to it is the first of another run."""
        self._end_before(odd)
        self._forget_run()
        self._run.append(odd)
        self._lead = lead_of(odd, self._s)
        self._turning_t = max(self._turning_t, odd.shape.t1)

    def _odd_goes_on(self, odd: Loop) -> bool:
        """Return whether the odd lap is being flown once more, and not the pattern that it interrupts."""
        if self._finder.turning_t <= odd.shape.t1:
            return False
        s = self._s
        part = self._finder.part(s.part_turn_deg if lead_of(odd, s) is None else s.extend_turn_deg, odd)
        return (
            part is not None
            and part.turns * odd.turns > 0.0
            and self._follows(odd, part, part=True)
            and stays_near(odd, part, s)
            and not alike(self._run[-1], part, s, part=True)
        )

    def _follows(self, before: Loop, after: Loop, *, part: bool = False) -> bool:
        """Return whether two laps belong together by time, size and place."""
        return not self._is_late(after) and alike(before, after, self._s, part=part)

    def _is_late(self, loop: Loop) -> bool:
        """Return whether a lap begins too long after the one before to belong to the same run."""
        before = self._run[-1] if self._odd is None else self._odd
        return loop.shape.t0 - before.shape.t1 > self._pause_s()

    def _pause_s(self) -> float:
        """Return how long the turning may pause before the run is over; a racetrack pauses on each leg."""
        s, laps = self._s, list(self._run)
        if not laps:
            return s.orbit_pause_s
        durations = [lap.shape.duration_s for lap in laps]
        if kind_of(laps[-2:], s) is PatternType.CIRCLING:
            return max(s.orbit_pause_s, sum(durations) / len(durations))
        return max(s.orbit_pause_s, s.orbit_pause_laps * max(durations))

    def _split_by_kind(self) -> None:
        """End a finding whose last laps are all of another kind; they begin the next."""
        f, s = self._finding, self._s
        if f is None or f.reason == AERODROME or len(self._run) < s.laps_to_change:
            return
        recent = list(self._run)[-s.laps_to_change :]
        if kind_of(recent, s) is f.kind:
            return
        if abs(leg_share(recent, s) - s.racetrack_leg_share) < s.kind_margin:
            return
        if any(not well_seen(lap, s) or kind_of([lap], s) is f.kind for lap in recent):
            return
        f.t1 = max(min(f.t1, recent[0].shape.t0), f.t0)
        if f.t1 - f.t0 < s.orbit_min_s:
            f.details["superseded_by"] = kind_of(recent, s)
        self._end()
        self._forget_run()
        self._run.extend(recent)

    def _try(self, v: Vertex) -> None:
        """Report the run, with the lap under way, once it has turned enough to be no single lap."""
        whole = self._steady_laps()
        laps = self._with_part(whole, self._s.part_turn_deg)
        kind = self._kind_now(laps, v)
        lead = self._lead
        if kind is None and lead is not None and len(whole) == len(self._run):
            laps = self._with_part(whole, self._s.extend_turn_deg)
            # Two full laps are wanted of ovals.
            kind = self._kind_now(laps, v, lead)
            if kind is not PatternType.CIRCLING:
                return
        else:
            lead = None
        if kind is None:
            return
        began = laps[0] if lead is None else lead
        finding = Finding(kind, began.shape.t0, laps[-1].shape.t1, 0.0, 0.0, 0.0, 0.0)
        past = (0.0, Heights()) if lead is None else (abs(lead.turns), Heights().add((lead,), self._s))
        before, (self._past_turns, self._heights) = (self._past_turns, self._heights), past
        self._describe(finding, laps)
        if self._log.report(finding, v.t):
            self._finding = finding
            self._lead = None
            # What came before is no part of it.
            while self._run[0] is not laps[0]:
                self._run.popleft()
        else:
            self._past_turns, self._heights = before

    def _with_part(self, laps: list[Loop], turn_deg: float) -> list[Loop]:
        """Return the laps with the one under way where that has turned by `turn_deg`; none where it leads away."""
        part = self._part(laps[-1], turn_deg)
        if part is None:
            return laps
        leaves = kind_of(laps, self._s) is PatternType.CIRCLING and not stays_near(laps[-1], part, self._s)
        return [] if leaves else [*laps, part]

    def _kind_now(self, laps: list[Loop], v: Vertex, lead: Loop | None = None) -> PatternType | None:
        """Return what the laps are at vertex `v` if they are enough to report, with the turn onto them, else None."""
        s = self._s
        flown = laps if lead is None else [lead, *laps]
        turns = turns_of(flown)
        if not laps or turns < s.circling_turns:
            return None
        since_s = v.t - flown[0].shape.t0
        flown_s = sum(lap.shape.duration_s for lap in flown)
        if flown_s < max(s.orbit_min_s, s.laps_time_share * since_s):
            return None
        if self._is_training(flown, turns, flown_s) or (direction_of(laps) == "both" and turns < s.figure_eight_turns):
            return None
        kind = kind_of(laps, s)
        if kind is PatternType.CIRCLING and wander(laps, s):
            return None
        if kind is not None and turns < s.racetrack_turns and not self._beyond_doubt(kind, laps):
            return None
        if kind is PatternType.CIRCLING and turns < s.astray_turns and self._is_astray(laps):
            return None
        return kind

    def _is_astray(self, laps: list[Loop]) -> bool:
        """Return whether the second round leads elsewhere than the first, as when turns follow each other by chance."""
        if direction_of(laps) == "both":
            return False
        s = self._s
        lap_s = sum(lap.shape.duration_s for lap in laps) / turns_of(laps)
        speed_kt = sum(lap.shape.length_nm for lap in laps) * 3600.0 / (lap_s * turns_of(laps))
        quick = lap_s <= s.training_wide_lap_s
        trains = quick and s.training_slowest_kt <= speed_kt <= s.training_windy_kt
        sparse = any(is_sparse(lap, s) or not well_seen(lap, s) for lap in laps)
        slack = s.lap_sparse_slack if sparse and not quick else 1.0
        radii = s.training_astray_radii if trains else s.astray_radii
        astray_nm = self._finder.astray_nm(1.0 if laps[-1].turns > 0.0 else -1.0)
        return astray_nm > slack * radii * mean_radius_nm(laps) + s.position_noise_nm

    def _is_training(self, laps: list[Loop], turns: float, flown_s: float) -> bool:
        """Return whether the laps may be steep turns, or turns on a height, as light aircraft train them."""
        s = self._s
        speed_kt = sum(lap.shape.length_nm for lap in laps) * 3600.0 / flown_s
        if not s.training_slowest_kt <= speed_kt <= s.training_fastest_kt:
            return False
        if flown_s <= s.training_lap_s * turns and flown_s < s.training_turns_s:
            return True
        return flown_s <= s.training_wide_lap_s * turns and turns < s.racetrack_turns

    def _part(self, last: Loop, turn_deg: float) -> Loop | None:
        """Return the lap under way where it has turned by `turn_deg` and is seen to follow the last one."""
        part = self._finder.part(turn_deg, last)
        if part is None or not self._follows(last, part, part=True):
            return None
        # Turning to the other side is a departure, unless the laps before went to both sides.
        same_side = part.turns * last.turns > 0.0
        return part if same_side or direction_of(self._run) == "both" else None

    def _steady_laps(self) -> list[Loop]:
        """Return the laps of the run, or only the last ones to one side where quick turns to both sides are mixed."""
        laps = list(self._run)
        mean_s = sum(lap.shape.duration_s for lap in laps) / len(laps)
        steady = mean_s >= self._s.figure_eight_lap_s or turns_of(laps) >= self._s.figure_eight_quick_turns
        if direction_of(laps) != "both" or steady:
            return laps
        count = 1
        while laps[-count - 1].turns * laps[-1].turns > 0.0:
            count += 1
        return laps[-count:]

    def _beyond_doubt(self, kind: PatternType, laps: list[Loop]) -> bool:
        """Return whether the second lap need not be waited for: round, and seen well or seen to come back."""
        s = self._s
        seen = [lap for lap in laps if well_seen(lap, s)]
        return (
            kind is PatternType.CIRCLING
            and bool(seen)
            and all(well_seen(lap, s) or _is_back(lap, s) for lap in laps)
            and leg_share(seen, s) <= s.circling_leg_share
            and (len(laps) > 1 or not wander(laps, s))
        )

    def _extend(self, f: Finding, v: Vertex, *, joined: bool) -> None:
        s = self._s
        laps = list(self._run)
        if joined:
            f.t1 = max(f.t1, laps[-1].shape.t1)
            self._describe(f, laps)
        elif self._finder.turning_t == v.t and self._odd is None:
            part = self._part(laps[-1], s.extend_turn_deg)
            if part is not None:
                f.t1 = max(f.t1, part.shape.t1)
                self._describe(f, [*laps, part])
        self._log.update(f)

    def _is_round_after_all(self, laps: list[Loop]) -> bool:
        """Return whether the first laps are circles together: where seen in few places some may look like ovals."""
        s = self._s
        few_places = any(is_sparse(lap, s) for lap in laps)
        if self._past_turns > 0.0 or (turns_of(laps) >= s.laps_to_change and not few_places):
            return False
        return leg_share(laps, s) <= s.racetrack_leg_share - s.kind_margin and kind_of(laps, s) is PatternType.CIRCLING

    def _describe(self, f: Finding, laps: list[Loop]) -> None:
        """Write place, size, score and details of the finding from its last laps."""
        s = self._s
        heights = self._heights.add(laps, s)
        if f.kind is PatternType.RACETRACK and self._is_round_after_all(laps):
            f.kind = PatternType.CIRCLING
        f.reason = ordinary_reason(f.kind, laps, heights, self._lows, s)
        if f.reason == AERODROME:
            f.kind = PatternType.RACETRACK
        shapes = [lap.shape for lap in laps]
        n = len(shapes)
        f.x = sum(p.x for p in shapes) / n
        f.y = sum(p.y for p in shapes) / n
        radius = mean_radius_nm(laps)
        f.radius_nm = radius if f.kind is PatternType.CIRCLING else max(p.reach_nm for p in shapes)
        shift = sum(hypot(b.x - a.x, b.y - a.y) for a, b in pairwise(shapes)) / max(n - 1, 1)
        turns = self._past_turns + turns_of(laps)
        regularity = 1.0 / (1.0 + (shift / max(radius, 0.1)) ** 2)
        f.score = (1.0 - 0.5 ** (turns - 0.7)) * (0.5 + 0.5 * regularity)
        if any(is_sparse(lap, s) or not well_seen(lap, s) for lap in laps):
            f.score *= s.sparse_score_share
        if f.reason is not None:
            f.score = min(f.score, s.ordinary_score)
        elif heights.turns == 0.0:
            f.score = min(f.score, s.unknown_height_score)
        lows = [p.low_ft for p in shapes if p.low_ft is not None]
        highs = [p.high_ft for p in shapes if p.high_ft is not None]
        flown_s = sum(p.duration_s for p in shapes)
        f.details = {
            "turns": round(turns, 1),
            "direction": direction_of(laps),
            "lap_s": round(flown_s / turns_of(laps)),
            "leg_share": round(leg_share(laps, s), 2),
            "speed_kt": round(sum(p.length_nm for p in shapes) * 3600.0 / flown_s),
            "altitude_ft": [min(lows), max(highs)] if lows else None,
        }


def _is_back(lap: Loop, s: PatternSettings) -> bool:
    """Return whether a lap of unknown shape came back to its start: of such only the turn counts."""
    return lap.shape.closure_nm <= s.reversed_closure_share * lap.shape.length_nm

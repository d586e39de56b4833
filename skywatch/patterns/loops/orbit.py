"""Circling and racetracks: at least two loops one after the other in one place.

Loops in either direction count, so that figures of eight are circling too. `laps` says what a series of loops is,
`judgement` whether it is enough to report and `reasons` whether it has an ordinary reason; here loops are collected,
and patterns reported in time, followed and ended.
"""

from __future__ import annotations

from math import hypot

from skywatch.patterns.findings import AERODROME, THERMAL, TOO_FEW_TURNS, TRAINING, Finding, FindingLog, PatternType
from skywatch.patterns.loops.description import describe
from skywatch.patterns.loops.drills import Drills
from skywatch.patterns.loops.judgement import kind_at
from skywatch.patterns.loops.lap_run import LapRun, alternate, last_side
from skywatch.patterns.loops.laps import alike, direction_of, kind_of, lead_of, leg_share, stays_near, well_seen
from skywatch.patterns.loops.loops import LoopFinder
from skywatch.patterns.loops.reasons import Heights
from skywatch.patterns.loops.rounds import Loop
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.low_points import LowPoints
from skywatch.patterns.track.trail import Vertex


class OrbitDetector:
    """Collects loops into runs and reports a run as circling or racetrack."""

    __slots__ = ("_before", "_doubtful", "_drills", "_finder", "_finding", "_log", "_lows", "_run", "_s", "_soared")

    def __init__(self, settings: PatternSettings, log: FindingLog, lows: LowPoints) -> None:
        self._s = settings
        self._log = log
        self._lows = lows
        self._finder = LoopFinder(settings)
        self._run = LapRun(settings)
        self._drills = Drills(settings)
        self._finding: Finding | None = None
        self._before: Vertex | None = None
        self._soared = False
        self._doubtful: Finding | None = None
        """A finding of which too few turns are left, before it is known whether the circling goes on."""

    def clear(self) -> None:
        """Forget the trail; an open finding ends."""
        self._end()
        self._finder.clear()
        self._drills.clear()
        self._run.clear()
        self._before = None
        self._soared = False

    def _end(self) -> None:
        """End the finding, and one that is in doubt; what had too few turns is withdrawn."""
        for f in (self._doubtful, self._finding):
            if f is None:
                continue
            self._soared |= f.reason == THERMAL and f.details["turns"] >= self._s.weak_lift.turns_before
            if f.details["turns"] < self._s.enough_laps.min_turns:
                f.details["withdrawn"] = "turns"
                f.reason, f.score = TOO_FEW_TURNS, min(f.score, self._s.certainty.ordinary_max)
            self._log.end(f)
        self._finding = self._doubtful = None

    def _doubt(self) -> None:
        """End the finding unless too few of its turns are left: of these the next laps decide."""
        f = self._finding
        if f is None or f.details["turns"] >= self._s.enough_laps.min_turns or self._doubtful is not None:
            self._end()
        else:
            self._doubtful, self._finding = f, None

    def add(self, v: Vertex) -> None:
        """Take the next vertex of the trail."""
        run = self._run
        if self._landed(v):
            self.clear()
        self._before = v
        drill = self._drills.add(v)
        if drill is not None:
            self._log.excuse(TRAINING, *drill, self._s.drill.time_share)
        loop = self._finder.add(v)
        if loop is not None:
            self._join(loop)
        if not run.laps:
            return
        if v.t > max(run.turning_t, self._finder.turning_t) + run.pause_s():
            self._end()
            run.clear()
            return
        if self._finding is not None and self._finding not in self._log.open:
            self._finding = None
        if run.odd is not None and self._odd_goes_on(run.odd):
            self._begin_again(run.odd)
        if self._finding is None:
            self._try(v)
        else:
            self._extend(self._finding, v, joined=loop is not None and run.odd is None)

    def _landed(self, v: Vertex) -> bool:
        """Return whether the aircraft stood on the ground since the vertex before: long, slow, low at both ends."""
        before, s = self._before, self._s
        if before is None or v.t - before.t < s.landing.min_s:
            return False
        speed_kt = hypot(v.x - before.x, v.y - before.y) * 3600.0 / (v.t - before.t)
        return speed_kt < s.landing.max_speed_kt and self._lows.landed(before.alt_ft, v.alt_ft)

    def _join(self, loop: Loop) -> None:
        """Add a lap to the run, or begin another run with it; one odd lap in between is forgiven."""
        run, odd = self._run, self._run.odd
        if run.laps and not run.follows(run.laps[-1], loop):
            if odd is None and self._finding is not None and not run.is_late(loop):
                run.odd = loop
                return
            if odd is not None and run.follows(odd, loop):
                self._begin_again(odd)
            else:
                self._end_before(loop if odd is None else odd)
                run.clear()
        run.append(loop)
        self._split_by_kind()

    def _end_before(self, strange: Loop) -> None:
        """End the finding with its own last lap, before one that does not belong to it."""
        f, laps = self._finding, list(self._run.laps)
        if f is not None and strange.shape.t0 < f.t1 and self._run.is_late(strange):
            # The part counted last was the beginning of the strange lap.
            f.t1 = laps[-1].shape.t1
            self._describe(f, laps)
        elif f is not None:
            end_t = max(laps[-1].shape.t1, strange.shape.t0)
            if end_t < f.t1:
                # The turns of the part that is cut off are those of its time.
                left = f.details["turns"] - (f.t1 - end_t) / max(f.details["lap_s"], 1.0)
                f.t1, f.details["turns"] = end_t, round(max(left, 0.0), 1)
        self._doubt()

    def _begin_again(self, odd: Loop) -> None:
        """End the finding; the lap that did not belong to it is the first of another run."""
        self._end_before(odd)
        self._run.begin_with(odd)

    def _odd_goes_on(self, odd: Loop) -> bool:
        """Return whether the odd lap is being flown once more, and not the pattern that it interrupts."""
        if self._finder.turning_t <= odd.shape.t1:
            return False
        s = self._s
        part = self._finder.part(
            s.unfinished_lap.turn_deg if lead_of(odd, s) is None else s.unfinished_lap.extend_turn_deg, odd
        )
        return (
            part is not None
            and part.turns * odd.turns > 0.0
            and self._run.follows(odd, part, part=True)
            and stays_near(odd, part, s)
            and not alike(self._run.laps[-1], part, s, part=True)
        )

    def _split_by_kind(self) -> None:
        """End a finding whose last laps are all of another kind; they begin the next."""
        f, s = self._finding, self._s
        if f is None or f.reason == AERODROME or len(self._run.laps) < s.change_of_kind.laps:
            return
        recent = list(self._run.laps)[-s.change_of_kind.laps :]
        if kind_of(recent, s) is f.kind:
            return
        if abs(leg_share(recent, s) - s.oval.leg_share) < s.change_of_kind.margin:
            return
        if any(not well_seen(lap, s) or kind_of([lap], s) is f.kind for lap in recent):
            return
        f.t1 = max(min(f.t1, recent[0].shape.t0), f.t0)
        if f.t1 - f.t0 < s.enough_laps.min_s:
            f.details["superseded_by"] = kind_of(recent, s)
        self._end()
        self._run.keep(recent)

    def _try(self, v: Vertex) -> None:
        """Report the run, with the lap under way, once it has turned enough to be no single lap."""
        s, run = self._s, self._run
        whole = run.steady_laps()
        laps = self._with_part(whole, s.unfinished_lap.turn_deg)
        kind = kind_at(v.t, laps, None, self._finder, s)
        lead = run.lead
        if kind is None and lead is not None and len(whole) == len(run.laps):
            laps = self._with_part(whole, s.unfinished_lap.extend_turn_deg)
            # Two full laps are wanted of ovals.
            kind = kind_at(v.t, laps, lead, self._finder, s)
            if kind is not PatternType.CIRCLING:
                return
        else:
            lead = None
        if kind is None:
            return
        began = laps[0] if lead is None else lead
        finding = Finding(kind, began.shape.t0, laps[-1].shape.t1, 0.0, 0.0, 0.0, 0.0)
        past_turns, heights = (0.0, Heights()) if lead is None else (abs(lead.turns), Heights().add((lead,), s))
        describe(finding, laps, past_turns, heights, self._lows, s, soared=self._soared)
        self._excuse(finding)
        if self._goes_on(finding):
            past_turns += self._go_on(finding)
            run.report_from(laps[0], past_turns, heights)
            return
        self._end()
        if self._log.report(finding, v.t):
            self._finding = finding
            run.report_from(laps[0], past_turns, heights)

    def _goes_on(self, new: Finding) -> bool:
        """Return whether what is found is the finding in doubt, whose laps were only cut elsewhere.

        The lap that was cut off may lie between them.
        """
        f = self._doubtful
        return (
            f is not None
            and f in self._log.open
            and f.kind is new.kind
            and f.details["direction"] == new.details["direction"]
            and new.t0 - f.t1 <= self._s.lap_run_limits.pause_s + f.details["lap_s"]
            and hypot(new.x - f.x, new.y - f.y) <= f.radius_nm + new.radius_nm
        )

    def _go_on(self, new: Finding) -> float:
        """Continue the finding in doubt as `new`; return the turns that were left of it."""
        f = self._doubtful
        assert f is not None
        left: float = f.details["turns"]
        f.t1, f.x, f.y, f.radius_nm, f.score, f.reason = new.t1, new.x, new.y, new.radius_nm, new.score, new.reason
        f.details = {**new.details, "turns": round(new.details["turns"] + left, 1)}
        self._finding, self._doubtful = f, None
        self._log.update(f)
        return left

    def _with_part(self, laps: list[Loop], turn_deg: float) -> list[Loop]:
        """Return the laps with the one under way where that has turned by `turn_deg`; none where it leads away."""
        part = self._part(laps[-1], turn_deg)
        if part is None:
            return laps
        leaves = kind_of(laps, self._s) is PatternType.CIRCLING and not stays_near(laps[-1], part, self._s)
        if leaves:
            return []
        flown = [*laps, part]
        # A lap to the other side before those of a hold is the entry to it, and no half of a figure of eight.
        return last_side(flown) if direction_of(flown) == "both" and not alternate(flown) else flown

    def _part(self, last: Loop, turn_deg: float) -> Loop | None:
        """Return the lap under way where it has turned by `turn_deg` and is seen to follow the last one."""
        part = self._finder.part(turn_deg, last)
        if part is None or not self._run.follows(last, part, part=True):
            return None
        # Turning to the other side is a departure, unless the laps before went to both sides.
        same_side = part.turns * last.turns > 0.0
        return part if same_side or direction_of(self._run.laps) == "both" else None

    def _extend(self, f: Finding, v: Vertex, *, joined: bool) -> None:
        laps = list(self._run.laps)
        if joined:
            f.t1 = max(f.t1, laps[-1].shape.t1)
            self._describe(f, laps)
        elif self._finder.turning_t == v.t and self._run.odd is None:
            part = self._part(laps[-1], self._s.unfinished_lap.extend_turn_deg)
            if part is not None:
                f.t1 = max(f.t1, part.shape.t1)
                self._describe(f, [*laps, part])
        self._log.update(f)

    def _describe(self, f: Finding, laps: list[Loop]) -> None:
        run = self._run
        describe(f, laps, run.past_turns, run.heights, self._lows, self._s, soared=self._soared)
        self._excuse(f)

    def _excuse(self, f: Finding) -> None:
        """Name an exercise of turning as the reason, where it is one."""
        if f.reason is None and self._drills.explain(f.t0, f.t1):
            f.reason, f.score = TRAINING, min(f.score, self._s.certainty.ordinary_max)

"""Grid search: four and more parallel sweeps side by side, flown to and fro."""

from __future__ import annotations

from collections import deque
from itertools import chain, pairwise
from math import hypot
from statistics import median

from skywatch.patterns.findings import Finding, FindingLog, PatternType
from skywatch.patterns.legs import Leg
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.sweeps import Sweep, alternating_share, distinct_lanes, sweep_family
from skywatch.patterns.trail import Vertex


class GridDetector:
    """Watches the legs for a family of sweeps on ever new lines."""

    __slots__ = ("_ended_t", "_finding", "_legs", "_log", "_looked_at", "_s")

    def __init__(self, settings: PatternSettings, log: FindingLog) -> None:
        self._s = settings
        self._log = log
        self._legs: deque[Leg] = deque(maxlen=settings.grid_legs_remembered)
        self._finding: Finding | None = None
        self._looked_at = 0.0
        self._ended_t = float("-inf")

    def clear(self) -> None:
        """Forget the trail; an open finding ends."""
        self._end()
        self._legs.clear()

    def _end(self) -> None:
        if self._finding is not None:
            self._ended_t = self._finding.t1
            self._log.end(self._finding)
            self._finding = None

    def add(self, v: Vertex, ended: Leg | None, current: Leg | None) -> None:
        """Take the leg that ended with this vertex, if any, and the one under way."""
        s = self._s
        if ended is not None:
            self._legs.appendleft(ended)
        if current is None:
            return
        if current.length_nm < self._looked_at:
            self._looked_at = 0.0
        if current.length_nm >= s.grid_leg_min_nm and current.length_nm >= s.grid_look_growth * self._looked_at:
            self._looked_at = current.length_nm
            self._look(v, current)
        f = self._finding
        if f is not None and v.t - f.t1 > max(s.grid_pause_s, f.details["sweep_s"]):
            self._end()

    def _look(self, v: Vertex, current: Leg) -> None:
        s = self._s
        sweeps = sweep_family(chain((current,), self._legs), s)
        while sweeps and sweeps[-1].length_nm < s.grid_last_share * median(p.length_nm for p in sweeps):
            sweeps.pop()
        if len(sweeps) < s.grid_sweeps:
            return
        recent = sweeps[-s.grid_sweeps_round :]
        lanes = distinct_lanes(recent, s)
        enough = s.grid_sweeps if alternating_share(recent) >= s.grid_alternating_share else s.grid_sweeps_round
        if lanes < enough or lanes < s.grid_new_share * len(recent):
            return
        t0, t1 = sweeps[0].t0, sweeps[-1].t1
        if t1 - t0 < s.grid_min_s or v.t - t1 > s.grid_pause_s:
            return
        f = self._finding
        if f is not None and t0 > f.t1:
            self._end()
            f = None
        if f is None:
            t0 = max(t0, self._ended_t)
            f = Finding(PatternType.GRID_SEARCH, t0, t1, 0.0, 0.0, 0.0, 0.0)
            self._describe(f, sweeps, current)
            if self._log.report(f, v.t):
                self._finding = f
        else:
            f.t0 = min(f.t0, max(t0, self._ended_t))
            f.t1 = max(f.t1, t1)
            self._describe(f, sweeps, current)
            self._log.update(f)

    def _describe(self, f: Finding, sweeps: list[Sweep], current: Leg) -> None:
        places = [(leg.ax, leg.ay) for leg in self._legs if leg.t0 >= f.t0]
        places += [(leg.bx, leg.by) for leg in self._legs if leg.t0 >= f.t0]
        places += [(current.ax, current.ay), (current.bx, current.by)]
        west, east = min(x for x, _ in places), max(x for x, _ in places)
        south, north = min(y for _, y in places), max(y for _, y in places)
        f.x, f.y = 0.5 * (west + east), 0.5 * (south + north)
        f.radius_nm = max(hypot(x - f.x, y - f.y) for x, y in places)
        f.score = 1.0 - 0.5 ** (len(sweeps) - 2.5)
        f.details = {
            "sweeps": len(sweeps),
            "sweep_nm": round(median(p.length_nm for p in sweeps), 1),
            "sweep_s": round(max(p.t1 - p.t0 for p in sweeps)),
            "spacing_nm": round(median(abs(b.across_nm - a.across_nm) for a, b in pairwise(sweeps)), 2),
            "course_deg": round(current.course_deg % 180.0),
        }

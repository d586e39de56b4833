"""Grid search: four and more parallel sweeps side by side, flown to and fro."""

from __future__ import annotations

from collections import deque
from itertools import chain, pairwise
from math import hypot
from statistics import median

from skywatch.patterns.findings import AERODROME, LOW_PASSES, SOARING, TRAINING, Finding, FindingLog, PatternType
from skywatch.patterns.legs.legs import Leg
from skywatch.patterns.legs.sweeps import Sweep, climb_alike, is_grid, on_new_line, shift_of, step_between, sweep_family
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.low_points import LowPoints
from skywatch.patterns.track.plane import wrap_deg
from skywatch.patterns.track.trail import Vertex


class GridDetector:
    """Watches the legs for a family of sweeps on ever new lines."""

    __slots__ = ("_current_nm", "_ended_t", "_finding", "_legs", "_log", "_looked_at", "_lows", "_s", "shifting")

    def __init__(self, settings: PatternSettings, log: FindingLog, lows: LowPoints) -> None:
        self._s = settings
        self._log = log
        self._lows = lows
        self._legs: deque[Leg] = deque(maxlen=settings.look_at_sweeps.max_legs)
        self._finding: Finding | None = None
        self._looked_at = 0.0
        self._current_nm = 0.0
        self._ended_t = float("-inf")
        self.shifting = False
        """Whether the last legs lie side by side and shift to one side, though they may be too few for a grid."""

    def clear(self) -> None:
        """Forget the trail; an open finding ends."""
        self._end()
        self._legs.clear()
        self.shifting = False

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
        self._current_nm = 0.0 if current is None else current.length_nm
        if current is None:
            return
        if current.length_nm < self._looked_at:
            self._looked_at = 0.0
        if (
            current.length_nm >= s.look_at_sweeps.min_nm
            and current.length_nm >= s.look_at_sweeps.growth * self._looked_at
        ):
            self._looked_at = current.length_nm
            self._look(v, current)
        f = self._finding
        if f is not None and v.t - f.t1 > max(s.grid.pause_s, f.details["sweep_s"]):
            self._end()

    def longest_leg_nm(self, since_t: float) -> float:
        """Return the length of the longest leg that began since a time, the one under way included."""
        legs = [leg.length_nm for leg in self._legs if leg.t0 >= since_t]
        return max((self._current_nm, *legs))

    def bends_deg(self, t0: float, t1: float) -> float:
        """Return the sum of the bends from leg to leg, to either side, of the legs flown between two times."""
        courses = [leg.course_deg for leg in self._legs if leg.t1 > t0 and leg.t0 < t1]
        return sum(abs(wrap_deg(b - a)) for a, b in pairwise(courses))

    def _look(self, v: Vertex, current: Leg) -> None:
        s = self._s
        sweeps = sweep_family(chain((current,), self._legs), s)
        while sweeps and sweeps[-1].length_nm < s.look_at_sweeps.last_share * median(p.length_nm for p in sweeps):
            sweeps.pop()
        self.shifting = len(sweeps) >= s.grid.shifting_sweeps and _shifts(sweeps[-s.grid.close_sweeps :], s)
        f = self._finding
        if len(sweeps) < s.grid.shifting_sweeps:
            return
        t0, t1 = sweeps[0].t0, sweeps[-1].t1
        if v.t - t1 > s.grid.pause_s:
            return
        if f is not None and t0 <= f.t1:
            if t1 > f.t1 and on_new_line(sweeps[-1], sweeps[:-1], s):
                f.t0 = min(f.t0, max(t0, self._ended_t))
                f.t1 = t1
                self._describe(f, sweeps, current)
                self._log.update(f)
            return
        if any(_is_orbit(other, s) for other in self._log.open):
            return
        first = self._first(sweeps)
        if first is None or t1 - sweeps[first].t0 < s.grid.min_s:
            return
        # Lanes on another course are another grid.
        self._end()
        f = Finding(PatternType.GRID_SEARCH, max(sweeps[first].t0, self._ended_t), t1, 0.0, 0.0, 0.0, 0.0)
        self._describe(f, sweeps[first:], current)
        if self._log.report(f, v.t):
            self._finding = f

    def _first(self, sweeps: list[Sweep]) -> int | None:
        """Return the index of the first sweep of the grid that ends with the last one, None where there is none."""
        s = self._s
        for count in (s.grid.sweeps, s.grid.close_sweeps, s.grid.round_sweeps):
            if len(sweeps) >= count and is_grid(sweeps[-count:], s):
                first = len(sweeps) - count
                while first > 0 and on_new_line(sweeps[first - 1], sweeps[: first - 1 : -1], s):
                    first -= 1
                return first
        return None

    def _describe(self, f: Finding, sweeps: list[Sweep], current: Leg) -> None:
        places = [(leg.ax, leg.ay) for leg in self._legs if leg.t0 >= f.t0]
        places += [(leg.bx, leg.by) for leg in self._legs if leg.t0 >= f.t0]
        places += [(current.ax, current.ay), (current.bx, current.by)]
        west, east = min(x for x, _ in places), max(x for x, _ in places)
        south, north = min(y for _, y in places), max(y for _, y in places)
        f.x, f.y = 0.5 * (west + east), 0.5 * (south + north)
        f.radius_nm = max(hypot(x - f.x, y - f.y) for x, y in places)
        f.score = 1.0 - 0.5 ** (len(sweeps) - 2.5)
        f.reason = self._reason(f, sweeps)
        if f.reason is not None:
            f.score = min(f.score, self._s.certainty.ordinary_max)
        f.details = {
            "sweeps": len(sweeps),
            "sweep_nm": round(median(p.length_nm for p in sweeps), 1),
            "sweep_s": round(max(p.t1 - p.t0 for p in sweeps)),
            "spacing_nm": round(_spacing_nm(sweeps), 2),
            "course_deg": round(current.course_deg % 180.0),
        }

    def _reason(self, f: Finding, sweeps: list[Sweep]) -> str | None:
        """Return why this is no search, or None."""
        s = self._s
        # Two lines of each circuit, and of each approach, lie side by side lap after lap.
        if self._lows.circuits_since(f.t0) >= max(1.0, s.circuit.laps_share * (0.5 * len(sweeps) - 1.0)):
            return AERODROME
        if self._lows.are_low_passes(f.t0, f.t1):
            return LOW_PASSES
        if climb_alike(sweeps, s):
            return SOARING if _speed_kt(sweeps) <= s.climbing_lines.glider_kt else TRAINING
        return None


def _shifts(sweeps: list[Sweep], s: PatternSettings) -> bool:
    """Return whether each of these sweeps lies beyond the one before."""
    shift = shift_of(sweeps)
    steps = [abs(step_between(a, b)) for a, b in pairwise(sweeps)]
    return shift.one_sided >= s.new_lines.one_sided and shift.in_order and min(steps) >= s.new_lines.min_nm


def _speed_kt(sweeps: list[Sweep]) -> float:
    """Return the usual speed along the lines."""
    return median(sweep.length_nm * 3600.0 / max(sweep.t1 - sweep.t0, 1.0) for sweep in sweeps)


def _spacing_nm(sweeps: list[Sweep]) -> float:
    """Return the usual distance from a line to the next parallel one, in whatever order they were flown."""
    lines = sorted(sweep.across_nm for sweep in sweeps)
    return median(b - a for a, b in pairwise(lines))


def _is_orbit(f: Finding, s: PatternSettings) -> bool:
    """Return whether laps are round beyond doubt; positions far apart make chords of them that look like legs."""
    return f.kind is PatternType.CIRCLING and f.details["leg_share"] <= s.circle.max_leg_share

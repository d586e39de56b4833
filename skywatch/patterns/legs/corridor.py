"""Highway tracking and speed traps: to and fro along one line on the ground.

Traffic is watched from the air by flying along the road and back. *Highway tracking* retraces miles of a line that
bends as roads do, or a straight one three times. *Speed trap* is to pass over the same short straight stretch again
and again, as when vehicles are timed between marks on the road: the passes lie on one line, where the legs of a
racetrack lie side by side. Neither comes down to a runway at the end of a pass.
"""

from __future__ import annotations

from collections import deque
from math import hypot, sqrt

from skywatch.patterns.findings import LOW_PASSES, PROCEDURE_TURN, SOARING, Finding, FindingLog, PatternType
from skywatch.patterns.legs.grid import GridDetector
from skywatch.patterns.legs.passes import Pass, PassFinder
from skywatch.patterns.legs.procedure_turns import ProcedureTurns
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.low_points import LowPoints
from skywatch.patterns.track.trail import Vertex


class CorridorDetector:
    """Counts the passes that retrace one another."""

    __slots__ = ("_finder", "_finding", "_grid", "_log", "_lows", "_passes", "_procedures", "_s")

    def __init__(
        self,
        settings: PatternSettings,
        log: FindingLog,
        lows: LowPoints,
        grid: GridDetector,
        procedures: ProcedureTurns,
    ) -> None:
        self._s = settings
        self._grid = grid
        self._log = log
        self._lows = lows
        self._procedures = procedures
        self._finder = PassFinder(settings)
        self._passes: deque[Pass] = deque(maxlen=settings.retraced_pass.max_passes)
        self._finding: Finding | None = None

    def clear(self) -> None:
        """Forget the trail; an open finding ends."""
        self._end()
        self._finder.clear()
        self._passes.clear()

    def _end(self) -> None:
        if self._finding is not None:
            self._log.end(self._finding)
            self._finding = None

    def add(self, v: Vertex) -> None:
        """Take the next vertex of the trail."""
        ended = self._finder.add(v)
        if self._finding is not None and self._finding not in self._log.open:
            self._finding = None
        if ended is not None:
            if not self._retraces(ended):
                self._end()
                self._passes.clear()
            self._passes.append(ended)
        if self._passes:
            self._look(v)

    def _retraces(self, p: Pass) -> bool:
        """Return whether a pass went back over the one before it: most of the shorter of the two."""
        if not self._passes:
            return False
        s = self._s
        shorter = min(p.line_nm, self._passes[-1].line_nm)
        return (
            p.back_nm >= s.retraced_pass.least_share * shorter > 0.0
            and p.back_share >= s.retraced_pass.share
            and p.speed_kt <= s.traffic_watch.max_speed_kt
            and p.high_ft - p.low_ft <= s.traffic_watch.level_ft
        )

    def _look(self, v: Vertex) -> None:
        s, now, f = self._s, self._finder.now, self._finding
        if f is not None:
            # The next turn back may be as wide as the last.
            if now.off_nm > s.traffic_watch.leave_nm + max(0.25 * now.back_nm, 2.0 * now.turn_nm):
                self._end()
                self._passes.clear()
            elif now.back_nm > 0.0:
                f.t1 = v.t
                if len(self._passes) == 1:
                    # The more is retraced, the more of the first pass belongs to it.
                    f.t0 = min(f.t0, self._begin([*self._passes, now]))
                f.details["passes"] = len(self._passes) + 1
                self._judge(f)
                self._log.update(f)
            return
        if not self._retraces(now) or self._grid.shifting:
            return
        passes = [*self._passes, now]
        kind = self._kind(passes)
        if kind is None or self._lands(passes):
            return
        f = Finding(kind, passes[0].t0 if kind is PatternType.SPEED_TRAP else self._begin(passes), v.t, 0, 0, 0, 0)
        self._describe(f, passes)
        if self._log.report(f, v.t):
            self._finding = f

    def _kind(self, passes: list[Pass]) -> PatternType | None:
        s, now = self._s, passes[-1]
        if len(passes) >= s.speed_trap.passes and all(
            p.line_nm <= s.speed_trap.max_nm for p in passes[-s.speed_trap.passes + 1 :]
        ):
            long_enough = min(p.way_nm for p in passes[-s.speed_trap.passes + 1 : -1]) >= s.speed_trap.min_nm
            if (
                long_enough
                and now.back_nm >= s.speed_trap.min_nm
                and _slenderness(passes[1:]) >= s.speed_trap.slenderness
            ):
                return PatternType.SPEED_TRAP
        if now.back_nm < s.highway.way_nm or now.back_share < s.retraced_pass.share:
            return None
        if len(passes) >= s.highway.straight_passes or self._bends(now):
            return PatternType.HIGHWAY_TRACKING
        return None

    def _bends(self, p: Pass) -> bool:
        """Return whether the line that the pass under way retraces bends as roads, rivers and power lines do.

        Where most of a pass is one straight leg, it bends in the turns at its ends only.
        """
        s = self._s
        if self._grid.longest_leg_nm(p.t0) >= s.highway.leg_share * p.back_nm:
            return False
        return (
            p.bend_deg >= s.highway.bend_deg or self._grid.bends_deg(p.joined_t, p.left_t) >= s.highway.sum_of_bends_deg
        )

    def _begin(self, passes: list[Pass]) -> float:
        """Return when the aircraft first came onto the stretch that it retraces."""
        first = passes[0]
        end = first.line[-1]
        for p in reversed(first.line):
            if end.path_nm - p.path_nm > passes[1].way_nm:
                return p.t
        return first.t0

    def _lands(self, passes: list[Pass]) -> bool:
        """Return whether a pass came down to a low point, as approaches do, or began with a take-off.

        A valley rises more slowly than whoever climbs away from a runway.
        """
        since = passes[0].t0
        return any(p.t >= since and p.climb_s <= self._s.traffic_watch.climb_s for p in self._lows.points)

    def _describe(self, f: Finding, passes: list[Pass]) -> None:
        points = [p for each in passes[1:] for p in each.line]
        west, east = min(p.x for p in points), max(p.x for p in points)
        south, north = min(p.y for p in points), max(p.y for p in points)
        f.x, f.y = 0.5 * (west + east), 0.5 * (south + north)
        f.radius_nm = max(hypot(p.x - f.x, p.y - f.y) for p in points)
        now = passes[-1]
        f.score = min(0.9, 0.35 + 0.1 * len(passes) + 0.15 * min(now.bend_deg / 90.0, 1.0))
        f.details = {
            "passes": len(passes),
            "pass_nm": round(max(p.back_nm for p in passes[1:]), 1),
            "bend_deg": round(now.bend_deg),
            "speed_kt": round(now.speed_kt),
        }
        self._judge(f)

    def _judge(self, f: Finding) -> None:
        """Name the ordinary reason of a line flown to and fro, where there is one; roads bend, approaches do not."""
        s, heights = self._s, [p for p in (*self._passes, self._finder.now) if p.high_ft >= p.low_ft]
        straight = f.details["bend_deg"] < s.highway.bend_deg
        range_ft = max((p.high_ft for p in heights), default=0.0) - min((p.low_ft for p in heights), default=0.0)
        if straight and self._procedures.explain(f.t0, f.t1):
            f.reason = PROCEDURE_TURN
        elif self._lows.are_low_passes(f.t0, f.t1):
            f.reason = LOW_PASSES
        elif f.details["speed_kt"] <= s.slope_soaring.max_speed_kt and range_ft >= s.slope_soaring.range_ft:
            f.reason = SOARING
        if f.reason is not None:
            f.score = min(f.score, s.certainty.ordinary_max)


def _slenderness(passes: list[Pass]) -> float:
    """Return how many times longer than wide the ground gone over is, by its principal axes."""
    points = [(p.x, p.y) for each in passes for p in each.line]
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    xx = sum((x - mx) ** 2 for x, _ in points)
    yy = sum((y - my) ** 2 for _, y in points)
    xy = sum((x - mx) * (y - my) for x, y in points)
    spread = sqrt((xx - yy) ** 2 + 4.0 * xy * xy)
    return sqrt((xx + yy + spread) / max(xx + yy - spread, 1e-9))

"""Keeping to a place: loitering, stakeout and area search, recognised by how far an aircraft strayed in how long.

*Loitering* is to stay for twenty minutes within a few miles, going over the same ground. *Area search* stays in
bounds too but goes over ever new ground, as the expanding square and the sector search do (IAMSAR Manual, volume III).
*Stakeout* is to keep nearly still in the air over one spot, hovering or in orbits too slow to be reported as such.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import hypot, inf, sqrt

from skywatch.patterns.findings import LOW_PASSES, PROCEDURE_TURN, SOARING, Finding, FindingLog, PatternType
from skywatch.patterns.legs.procedure_turns import ProcedureTurns
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.low_points import LowPoints
from skywatch.patterns.track.trail import PositionNoise
from skywatch.patterns.track.window import Sample, Window

_LEVELS = 8
"""Levels remembered, each lower than the last."""


class Arrival:
    """Records how an aircraft came: whether it was seen to fly, and how low it has flown level.

    Who hovers came flying, which a parked aircraft, a car and a balloon did not. And who hovers no lower than he has
    flown level before does not stand on the ground, however low the trail has ever been.
    """

    __slots__ = ("_before", "_flying", "_level_ft", "_level_t", "_levels", "_s", "came_flying")

    def __init__(self, settings: PatternSettings) -> None:
        self._s = settings
        self.clear()

    def clear(self) -> None:
        """Forget the trail."""
        self._before: Sample | None = None
        self._flying: Sample | None = None
        self._level_ft: float | None = None
        self._level_t = 0.0
        self.came_flying = False
        """Whether it has flown, by its way as well as by the speed it reports."""
        self._levels: deque[tuple[float, float]] = deque(maxlen=_LEVELS)

    def add(self, p: Sample) -> None:
        """Take the next sample."""
        before, s = self._before, self._s
        self._before = p
        if before is None or not self._flew(before, p):
            self._flying = self._level_ft = None
            return
        begin = self._flying = self._flying or before
        if p.t - begin.t >= s.came_flying.min_s:
            # What noise adds to each step does not add up to a way.
            way_kt = hypot(p.x - begin.x, p.y - begin.y) * 3600.0 / (p.t - begin.t)
            self.came_flying = self.came_flying or way_kt >= s.came_flying.way_share * s.came_flying.speed_kt
        if p.alt_ft is None:
            return
        if self._level_ft is None or abs(p.alt_ft - self._level_ft) > 0.5 * s.off_the_ground.below_cruise_ft:
            self._level_ft, self._level_t = p.alt_ft, before.t
        elif p.t - self._level_t >= s.off_the_ground.cruise_s and self._level_ft < self._lowest_level_ft():
            self._levels.append((p.t, self._level_ft))

    def _lowest_level_ft(self) -> float:
        return self._levels[-1][1] if self._levels else float("inf")

    def lowest_cruise_ft(self, until_t: float) -> float:
        """Return the lowest level at which it flew on for a while before a time (unix s), infinite where at none.

        Who taxies quickly after he stood has not flown before.
        """
        return next((level_ft for t, level_ft in reversed(self._levels) if t <= until_t), float("inf"))

    def _flew(self, a: Sample, b: Sample) -> bool:
        """Return whether it flew from one sample to the next, as fast as whoever comes flying."""
        s = self._s
        if not 0.0 < b.t - a.t <= s.station_window.gap_s or (
            b.speed_kt is not None and b.speed_kt < s.came_flying.speed_kt
        ):
            return False
        # A turn takes a little from the way; noise would have to add all of it.
        way_kt = hypot(b.x - a.x, b.y - a.y) * 3600.0 / (b.t - a.t)
        return way_kt >= s.came_flying.way_share * s.came_flying.speed_kt


@dataclass(slots=True)
class _Watch:
    """One kind of pattern with its window and its open finding."""

    kind: PatternType
    window: Window
    finding: Finding | None = None
    held_t: float = 0.0


class StationDetector:
    """Feeds the windows and reports what they show."""

    __slots__ = ("_arrival", "_at", "_least_noise_nm", "_log", "_loiter", "_lows", "_noise_nm", "_procedures", "_s",
                 "_sampled_t", "_search", "_stake", "_steps", "_steps_nm")  # fmt: skip

    def __init__(self, settings: PatternSettings, log: FindingLog, lows: LowPoints, procedures: ProcedureTurns) -> None:
        s = self._s = settings
        self._log = log
        self._procedures = procedures
        self._lows = lows
        self._stake = _Watch(
            PatternType.STAKEOUT, Window(s.stakeout.window_s, s.station_window.cell_nm, s.station_window.gap_s)
        )
        self._loiter = _Watch(
            PatternType.LOITERING, Window(s.loitering.window_s, s.station_window.cell_nm, s.station_window.gap_s)
        )
        self._search = _Watch(
            PatternType.AREA_SEARCH, Window(s.window_search.window_s, s.station_window.cell_nm, s.station_window.gap_s)
        )
        self._sampled_t = float("-inf")
        self._noise_nm = 0.0
        """How noisy positions are now..."""
        self._least_noise_nm = 0.0
        """... and the least since it last flew on."""
        self._at: tuple[float, float] | None = None
        self._steps_nm = 0.0
        """Sum of the distances from position to position, where no speed is sent..."""
        self._steps = 0
        """... and how many there were."""
        self._arrival = Arrival(s)

    def clear(self) -> None:
        """Forget the trail; open findings end."""
        for watch in (self._stake, self._loiter, self._search):
            self._end(watch)
            watch.window.clear()
        self._at = None
        self._arrival.clear()

    def _end(self, watch: _Watch) -> None:
        if watch.finding is not None:
            self._log.end(watch.finding)
            watch.finding = None

    def add(self, t: float, x: float, y: float, alt_ft: float | None, speed_kt: float | None, path_nm: float,
            noise: PositionNoise) -> None:  # fmt: skip
        """Take an accepted position of the trail, whose noise is measured by `noise`; most are passed over."""
        if speed_kt is None:
            at = self._at
            if at is not None:
                self._steps_nm += hypot(x - at[0], y - at[1])
                self._steps += 1
            self._at = x, y
        else:
            # The next step begins where the next position without a speed is.
            self._at = None
        if t - self._sampled_t < self._s.station_window.sample_s:
            return
        self._sampled_t = t
        window = self._stake.window
        flies_on = not window or window.radius_nm > self._s.came_flying.noise_radius_nm
        self._noise_nm = noise.sigma_nm
        self._least_noise_nm = self._noise_nm if flies_on else min(self._least_noise_nm, self._noise_nm)
        sample = Sample(t, x, y, alt_ft, speed_kt, path_nm, self._steps_nm, self._steps)
        self._arrival.add(sample)
        for watch, holds in (
            (self._stake, self._stakes_out),
            (self._search, self._searches),
            (self._loiter, self._loiters),
        ):
            watch.window.add(sample)
            full = watch.window.duration_s >= self._s.station_window.full_share * watch.window.span_s
            self._step(
                watch,
                t,
                full and holds(watch.window, 1.0 if watch.finding is None else self._s.station_window.open_slack),
            )

    def _step(self, watch: _Watch, t: float, holds: bool) -> None:
        f = watch.finding
        w = watch.window
        if f is not None and f not in self._log.open:
            # Something more telling took its place; what is left of it needs evidence of its own.
            watch.finding = None
            w.clear()
            return
        if f is None:
            if holds:
                f = Finding(watch.kind, w.start_t, t, 0.0, 0.0, 0.0, 0.0)
                self._describe(f, w)
                if self._log.report(f, t):
                    watch.finding = f
                    watch.held_t = t
        elif holds:
            f.t1 = watch.held_t = t
            self._describe(f, w)
            self._log.update(f)
        elif t - watch.held_t > self._s.station_window.pause_s:
            self._end(watch)
            w.clear()

    def _describe(self, f: Finding, w: Window) -> None:
        f.x, f.y = w.centre
        # A disc's root mean square radius is its radius over the square root of two.
        f.radius_nm = max(1.414 * w.radius_nm, 0.05)
        altitude = w.altitude_range_ft()
        way_nm = w.way_nm
        folds = way_nm / max(w.radius_nm, 0.05)
        f.score = min(0.9, 0.4 + 0.2 * (f.t1 - f.t0) / w.span_s)
        if f.kind is not PatternType.STAKEOUT:
            f.score *= min(1.0, folds / (2.0 * self._s.station_keeping.folds))
        f.reason = self._reason(f, w)
        if f.reason is not None:
            f.score = min(f.score, self._s.certainty.ordinary_max)
        f.details = {
            "speed_kt": round(w.speed_kt()),
            "way_nm": round(way_nm, 1),
            "new_ground_share": round(w.new_ground_share, 2),
            "altitude_ft": list(altitude) if altitude else None,
        }

    def _reason(self, f: Finding, w: Window) -> str | None:
        """Return why this is no surveillance, or None."""
        if self._procedures.explain(f.t0, f.t1):
            return PROCEDURE_TURN
        # The height of whoever hovers wanders too.
        sprays = f.kind is not PatternType.STAKEOUT and self._lows.are_low_passes(f.t0, f.t1)
        if sprays:
            return LOW_PASSES
        soars = f.kind is PatternType.LOITERING and w.speed_kt() <= self._s.slope_soaring.max_speed_kt
        low_ft, high_ft = (soars and w.altitude_range_ft()) or (0.0, 0.0)
        return SOARING if high_ft - low_ft >= self._s.slope_soaring.loiter_range_ft else self._log.reason_within(f)

    def _stakes_out(self, w: Window, slack: float) -> bool:
        s = self._s
        if w.radius_nm > s.stakeout.max_radius_nm * slack or not self._arrival.came_flying:
            return False
        altitude = None if w.has_gap() else w.altitude_range_ft()
        if altitude is None:
            return False
        low_ft, high_ft = altitude
        known = w.knows_speed()
        speed_kt = w.speed_kt() if known else self._speed_unsent_kt(w, high_ft - low_ft <= s.stakeout.still_ft * slack)
        if speed_kt > s.stakeout.max_speed_kt * slack or high_ft - low_ft > s.stakeout.level_ft * slack:
            return False
        cruise_ft = self._arrival.lowest_cruise_ft(w.start_t) - s.off_the_ground.below_cruise_ft
        if not known or w.still_share() > s.off_the_ground.still_share:
            # Nothing but the height tells who stands in the air from who stands on a hill.
            return low_ft >= cruise_ft
        if low_ft < min(self._lows.lowest_ft + s.off_the_ground.above_lowest_ft, cruise_ft):
            # It was never lower: it may have come down to the ground, where the altimeter does not move.
            settled = w.share_below_ft(low_ft + s.off_the_ground.settled_ft)
            return settled <= s.off_the_ground.settled_share and high_ft - low_ft >= s.off_the_ground.wander_ft
        return high_ft - low_ft >= s.off_the_ground.wander_ft or speed_kt >= s.off_the_ground.drift_kt

    def _speed_unsent_kt(self, w: Window, still: bool) -> float:
        """Return the speed from position to position less what noise adds; infinite where that tells nothing.

        What noise makes of a step lies at right angles to it as often as along it. Small circles of a glider look like
        noise: unless the height is `still`, how noisy positions were on the way there counts, and they must be close.
        """
        s = self._s
        noise_kt = w.noise_step_kt(self._noise_nm if still else self._least_noise_nm)
        if not still and (noise_kt > s.stakeout.max_noise_kt or w.step_s() > s.stakeout.max_step_s):
            return inf
        return sqrt(max(w.step_kt() ** 2 - noise_kt**2, 0.0))

    def _keeps_station(self, w: Window, slack: float, level_ft: float) -> bool:
        """Return whether what loitering and searching have in common is there; the cheap questions come first."""
        s = self._s
        radius = w.radius_nm
        if radius < s.station_keeping.min_radius_nm or w.way_nm < s.station_keeping.folds * radius / slack:
            return False
        # Positions that jitter make a way of their own: the reported speed must bear it out.
        speed_kt = min(w.way_nm * 3600.0 / w.duration_s, w.speed_kt())
        if not s.station_keeping.min_speed_kt <= speed_kt <= s.station_keeping.max_speed_kt:
            return False
        altitude = None if w.has_gap() else w.altitude_range_ft()
        if altitude is None or altitude[1] - altitude[0] > level_ft * slack:
            return False
        # Who came down to the lowest level meanwhile was at an aerodrome.
        low_ft = self._lows.lowest_ft + s.circuit.above_lowest_ft
        return not any(p.t >= w.start_t and p.alt_ft <= low_ft for p in self._lows.points)

    def _loiters(self, w: Window, slack: float) -> bool:
        s = self._s
        return (
            w.radius_nm <= s.loitering.max_radius_nm * slack
            and w.new_ground_share < s.window_search.new_share * slack
            and self._keeps_station(w, slack, self._loiter_level_ft(w))
        )

    def _loiter_level_ft(self, w: Window) -> float:
        """Return within which height loitering keeps: the more often the ground is gone over, the less it matters.

        A way that just folds enough may be that of training, and must be level.
        """
        s = self._s
        folds = w.way_nm / max(w.radius_nm, s.station_keeping.min_radius_nm)
        return min(s.station_keeping.level_ft, s.loitering.level_ft * folds / s.station_keeping.folds)

    def _searches(self, w: Window, slack: float) -> bool:
        s = self._s
        return (
            s.window_search.min_radius_nm <= w.radius_nm <= s.window_search.max_radius_nm * slack
            and w.new_ground_share >= s.window_search.new_share / slack
            and self._keeps_station(w, slack, s.window_search.level_ft)
            and w.order() >= s.window_search.order / slack
            and w.one_sided() >= s.window_search.one_sided / slack
        )

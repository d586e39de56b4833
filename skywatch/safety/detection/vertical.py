"""Vertical rates: extreme ones, and reversals from climb to descent or back, both confirmed by the altitude itself.

A vertical rate alone is not trusted: decoding errors and sensors of light aircraft produce any number. The altitude
must change accordingly.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right

import numpy as np

from skywatch.core import geo
from skywatch.safety.detection.finding import Finding, Quantity
from skywatch.safety.detection.frame import Array, Frame
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import sentence

# The altitude must show at least this share of the change that the rate implies.
CONFIRMED_SHARE = 0.5
# An altitude may be this much older than the tick (s); older ones do not confirm the last seconds.
ALTITUDE_AGE_S = 5.0
# An altitude that changes faster than this between two ticks is a decoding error (ft/min).
IMPOSSIBLE_FPM = 40_000.0
MEMORY_S, MEMORY_SAMPLES = 90.0, 120
# For so many reversals of a tick traffic is looked for, each time among all aircraft; more at once are no real ones.
SOUGHT = 100


class _Profile:
    """The recent altitudes and rates of one aircraft with a steep climb or descent.

    As columns: of 15,000 aircraft 5,000 climb or descend, and 90 tuples for each would take 70 MB.
    """

    __slots__ = ("altitudes", "extreme_since", "highest_fpm", "lowest_fpm", "rates", "times")

    def __init__(self) -> None:
        # The times are those of the altitudes, and rise.
        self.times, self.altitudes, self.rates = array("d"), array("d"), array("d")
        self.extreme_since: float | None = None
        # Of all samples, also of those that are too old: there is no steeper one.
        self.highest_fpm, self.lowest_fpm = -math.inf, math.inf

    def add(self, at: float, altitude: float, rate: float) -> None:
        times = self.times
        if times and at <= times[-1]:
            return
        if times and abs(altitude - self.altitudes[-1]) / max(at - times[-1], 0.5) * 60 > IMPOSSIBLE_FPM:
            self._drop(len(times))
            self.highest_fpm, self.lowest_fpm = -math.inf, math.inf
        if rate > self.highest_fpm:
            self.highest_fpm = rate
        if rate < self.lowest_fpm:
            self.lowest_fpm = rate
        times.append(at)
        self.altitudes.append(altitude)
        self.rates.append(rate)
        old = max(len(times) - MEMORY_SAMPLES, 0)
        while at - times[old] > MEMORY_S:
            old += 1
        self._drop(old)

    def _drop(self, count: int) -> None:
        """Forget the oldest samples."""
        if count:
            del self.times[:count], self.altitudes[:count], self.rates[:count]

    def change(self, start: float, end: float) -> float:
        """How far the altitude moved (ft) between two times, by the samples within; 0 where there are too few."""
        first, last = bisect_left(self.times, start), bisect_right(self.times, end) - 1
        return self.altitudes[last] - self.altitudes[first] if last > first else 0.0

    def latest(self, least_fpm: float, sign: float, window_s: float) -> tuple[float, float] | None:
        """Time and rate of the latest sample with at least such a rate in one direction, within the last seconds."""
        # Most have never moved the other way as fast.
        if (self.highest_fpm < least_fpm) if sign > 0 else (self.lowest_fpm > -least_fpm):
            return None
        for index in range(len(self.times) - 1, -1, -1):
            if self.times[-1] - self.times[index] > window_s:
                return None
            if self.rates[index] * sign >= least_fpm:
                return self.times[index], self.rates[index]
        return None

    def is_steep(self, least_fpm: float, since: float) -> bool:
        """Whether a sample after a time has such a rate; the latest ones first: they have, for the most part."""
        for index in range(len(self.times) - 1, -1, -1):
            if self.times[index] <= since:
                return False
            if abs(self.rates[index]) >= least_fpm:
                return True
        return False


class VerticalDetector:
    """Extreme vertical rates and vertical rate reversals."""

    def __init__(self) -> None:
        self._profiles: dict[str, _Profile] = {}
        self._traffic = _Traffic()

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may change what is found: an extreme rate may hold for long enough, or its altitude may
        become too old. A reversal is judged by what was received."""
        return any(profile.extreme_since is not None for profile in self._profiles.values())

    def update(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """What holds at this tick."""
        findings: list[Finding] = []
        self._traffic = _Traffic()
        least = min(thresholds.reversal_rate_fpm, thresholds.extreme_rate_fpm)
        rate = frame.rate_fpm
        steep = np.abs(rate) >= least * 0.8
        steep &= ~frame.column("on_ground") & ~np.isnan(frame.column("alt_baro_ft"))
        # Aircraft that were steep a moment ago are followed while they may reverse.
        steep[[row for address in self._profiles if (row := frame.sky.index.get(address)) is not None]] = True
        rows = np.flatnonzero(steep)
        judged = rows[~frame.gliders(rows) & ~frame.fast_military(rows)] if len(rows) else rows
        columns = (frame.column(name)[judged].tolist() for name in ("alt_baro_ft", "altitude_at"))
        for row, its_rate, altitude, at in zip(judged.tolist(), rate[judged].tolist(), *columns, strict=True):
            profile = self._profiles.get(frame.hexes[row])
            if profile is None:
                profile = self._profiles[frame.hexes[row]] = _Profile()
            if its_rate != its_rate or altitude != altitude or frame.now - at > ALTITUDE_AGE_S:
                profile.extreme_since = None
                continue
            profile.add(at, altitude, its_rate)
            found = (
                self._extreme(frame, row, its_rate, profile, thresholds),
                self._reversal(frame, row, profile, thresholds),
            )
            findings += [finding for finding in found if finding is not None]
        self._forget(frame, thresholds)
        return findings

    def _extreme(
        self, frame: Frame, row: int, rate: float, profile: _Profile, thresholds: Thresholds
    ) -> Finding | None:
        if abs(rate) <= thresholds.extreme_rate_fpm:
            profile.extreme_since = None
            return None
        if profile.extreme_since is None:
            profile.extreme_since = frame.now
        lasted_s = frame.now - profile.extreme_since
        if lasted_s < thresholds.extreme_rate_hold_s:
            return None
        start = profile.extreme_since
        change_ft = profile.change(start, frame.now)
        if (
            change_ft * np.sign(rate)
            < CONFIRMED_SHARE * thresholds.extreme_rate_fpm / 60 * thresholds.extreme_rate_hold_s
        ):
            return None
        numbers = {
            "vertical_rate": Quantity(round(rate), "ft/min"),
            "altitude_change": Quantity(round(change_ft), "ft"),
            "duration": Quantity(round(lasted_s), "s"),
        }
        name, feet = frame.name(row), round(abs(rate))
        message = (
            sentence("safety.climbs", "{name} climbs at {rate:,} ft/min", name=name, rate=feet)
            if rate > 0
            else sentence("safety.descends", "{name} descends at {rate:,} ft/min", name=name, rate=feet)
        )
        return _finding(frame, row, "extreme_vertical_rate", message, numbers, ())

    def _reversal(self, frame: Frame, row: int, profile: _Profile, thresholds: Thresholds) -> Finding | None:
        limit, window_s = thresholds.reversal_rate_fpm, thresholds.reversal_window_s
        if not profile.times or profile.rates[-1] == 0:
            return None
        end, rate = profile.times[-1], profile.rates[-1]
        sign = 1.0 if rate > 0 else -1.0
        if rate * sign < limit:
            return None
        # The latest sample that moved the other way as fast, within the window.
        opposite = profile.latest(limit, -sign, window_s)
        if opposite is None:
            return None
        turn, rate_before = opposite
        before = -sign * profile.change(turn - window_s, turn)
        after = sign * profile.change(turn, end + 0.01)
        # Each leg must show in the altitude: a third of ten seconds at the rate.
        least_ft = limit / 60 * 10 / 3
        if before < least_ft or after < least_ft:
            return None
        traffic = self._traffic.nearest(frame, row, thresholds)
        numbers = {
            "rate_before": Quantity(round(rate_before), "ft/min"),
            "rate_after": Quantity(round(rate), "ft/min"),
            "within": Quantity(round(end - turn, 1), "s"),
        }
        if traffic is not None:
            numbers["traffic"] = Quantity(frame.hexes[traffic].upper())
        held_back = () if traffic is not None else ("no_traffic",)
        name = frame.name(row)
        message = (
            sentence("safety.reversed_down", "{name} reversed from climb to descent", name=name)
            if sign < 0
            else sentence("safety.reversed_up", "{name} reversed from descent to climb", name=name)
        )
        return _finding(frame, row, "vertical_rate_reversal", message, numbers, held_back)

    def _forget(self, frame: Frame, thresholds: Thresholds) -> None:
        index = frame.sky.index
        keep = max(thresholds.reversal_window_s, thresholds.extreme_rate_hold_s) * 2
        least, since = thresholds.reversal_rate_fpm * 0.8, frame.now - keep
        for address in list(self._profiles):
            if address not in index or not self._profiles[address].is_steep(least, since):
                del self._profiles[address]


class _Traffic:
    """The traffic near aircraft at one tick, for the first of them."""

    def __init__(self) -> None:
        self._sought = 0
        self._own: Array | None = None

    def nearest(self, frame: Frame, row: int, thresholds: Thresholds) -> int | None:
        """The nearest airborne aircraft within the distance that makes a reversal a warning."""
        lat, lon, altitude = frame.column("lat"), frame.column("lon"), frame.column("alt_baro_ft")
        self._sought += 1
        if self._sought > SOUGHT or np.isnan(lat[row]):
            return None
        if self._own is None:
            self._own = ~frame.relayed(np.arange(len(frame)))
        near: Array = np.abs(altitude - altitude[row]) <= thresholds.reversal_traffic_ft
        near &= np.abs(lat - lat[row]) <= thresholds.reversal_traffic_nm / 60
        near &= self._own
        near[row] = False
        rows = np.flatnonzero(near)
        if not len(rows):
            return None
        distance = geo.distance_nm(lat[row], lon[row], lat[rows], lon[rows])
        nearest = int(np.argmin(distance))
        return int(rows[nearest]) if distance[nearest] <= thresholds.reversal_traffic_nm else None


def _finding(
    frame: Frame, row: int, kind: str, message: str, numbers: dict[str, Quantity], held_back: tuple[str, ...]
) -> Finding:
    return Finding(
        type=kind,  # type: ignore[arg-type]
        key=frame.hexes[row],
        severity="info" if held_back else "warning",
        message=message,
        hexes=(frame.hexes[row],),
        callsigns=(frame.callsign(row),),
        numbers=numbers,
        position=frame.position(row),
        suppressed_by=held_back,
        military=frame.is_military(row),
    )

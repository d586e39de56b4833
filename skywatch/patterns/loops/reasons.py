"""Ordinary reasons to fly loops: circuits, holds, spirals, thermals, parachutes, speed; or a height that nobody knows.

Each is recognised by a few measures that a pilot would recognise; none needs a database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import pi

from skywatch.patterns.findings import (
    AERODROME,
    FAST,
    HEIGHT_UNKNOWN,
    HOLDING,
    LOW_PASSES,
    PARACHUTES,
    PRACTICE_HOLD,
    SPIRAL_CLIMB,
    SPIRAL_DESCENT,
    THERMAL,
    PatternType,
)
from skywatch.patterns.loops.air import AirLap
from skywatch.patterns.loops.bank import bank_deg, circle_s
from skywatch.patterns.loops.laps import direction_of, leg_share, mean_radius_nm, turns_of
from skywatch.patterns.loops.rounds import Loop
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.low_points import LowPoints


@dataclass(slots=True)
class Heights:
    """How the height of a pattern's laps went, over the whole of it."""

    turns: float = 0.0
    """Turns of the laps with a known height."""
    up_turns: float = 0.0
    """Turns of those that climbed all the way."""
    down_turns: float = 0.0
    """Turns of those that descended all the way."""
    slow_up_turns: float = 0.0
    """Turns of those that climbed, if only slowly."""
    slow_down_turns: float = 0.0
    """Turns of those that descended, if only slowly."""
    steep_turns: float = 0.0
    """Turns of those that went far up or down or both."""
    climb_ft: float = 0.0
    """Height gained in all laps..."""
    flown_s: float = 0.0
    """... and the time they took."""
    lowest_ft: float = float("inf")
    highest_ft: float = float("-inf")
    all_turns: float = 0.0

    def add(self, laps: Iterable[Loop], s: PatternSettings) -> Heights:
        """Return these heights with those of some more laps."""
        sum_ = replace(self)
        for lap in laps:
            turns, shape = abs(lap.turns), lap.shape
            sum_.all_turns += turns
            if shape.climb_ft is None or shape.low_ft is None or shape.high_ft is None:
                continue
            climb_ft, range_ft = shape.climb_ft, shape.high_ft - shape.low_ft
            minutes = max(shape.duration_s, 1.0) / 60.0
            rate_ft_min = climb_ft / minutes
            sum_.lowest_ft = min(sum_.lowest_ft, shape.low_ft)
            sum_.highest_ft = max(sum_.highest_ft, shape.high_ft)
            steep_ft = min(max(s.steep_lap.min_ft, s.steep_lap.rate_ft_min * minutes), s.steep_lap.max_ft)
            sum_.steep_turns += turns * (range_ft >= steep_ft)
            sum_.turns += turns
            sum_.climb_ft += climb_ft
            sum_.flown_s += shape.duration_s
            sum_.up_turns += turns * (rate_ft_min >= s.trend.rate_ft_min)
            sum_.down_turns += turns * (rate_ft_min <= -s.trend.rate_ft_min)
            sum_.slow_up_turns += turns * (rate_ft_min >= s.slow_trend.rate_ft_min)
            sum_.slow_down_turns += turns * (rate_ft_min <= -s.slow_trend.rate_ft_min)
        return sum_

    def is_steep(self, s: PatternSettings) -> bool:
        """Return whether most laps went far up or down, or few laps far in all, though one in between was level."""
        if self.turns == 0.0:
            return False
        range_ft = self.highest_ft - self.lowest_ft
        far = range_ft >= max(s.steep_lap.max_ft, s.steep_lap.min_ft * self.turns)
        return far or self.steep_turns >= s.trend.turns_share * self.turns

    def climbs(self, s: PatternSettings) -> bool:
        """Return whether most laps climbed."""
        return self._follows_trend(self.up_turns, self.slow_up_turns, self.climb_ft, s)

    def descends(self, s: PatternSettings) -> bool:
        """Return whether most laps descended."""
        return self._follows_trend(self.down_turns, self.slow_down_turns, -self.climb_ft, s)

    def _follows_trend(self, turns: float, slow_turns: float, gained_ft: float, s: PatternSettings) -> bool:
        """Return whether most laps went the same way: quickly, or slowly but far and almost all of them."""
        if gained_ft >= s.trend.min_ft and turns >= s.trend.turns_share * self.turns:
            return True
        return gained_ft >= s.slow_trend.min_ft and slow_turns >= s.slow_trend.turns_share * self.turns

    def lifts(self, s: PatternSettings) -> bool:
        """Return whether the laps went far up, or far up and down again, and hardly any kept its height."""
        moving = self.up_turns + self.down_turns >= s.trend.turns_share * self.turns > 0.0
        return moving and self.highest_ft - self.lowest_ft >= s.slow_trend.min_ft

    def goes_far(self, s: PatternSettings) -> bool:
        """Return whether lowest and highest level are as far apart as where parachutists board and leave."""
        return self.highest_ft - self.lowest_ft >= s.parachute_lift.climb_ft


def ordinary_reason(
    kind: PatternType | None,
    laps: Sequence[Loop],
    heights: Heights,
    lows: LowPoints,
    settings: PatternSettings,
    *,
    soared: bool = False,
) -> str | None:
    """Return why these laps are no surveillance, or None.

    `heights` are those of the whole pattern, `soared` says whether the flight circled in thermals before.
    """
    s = settings
    if is_aerodrome(laps, lows, s):
        return AERODROME
    if lows.are_low_passes(laps[0].shape.t0, laps[-1].shape.t1):
        return LOW_PASSES
    if is_thermal(laps, heights, s) or is_tight(laps, s) or is_weak_lift(laps, heights, s, soared=soared):
        return THERMAL
    if heights.descends(s):
        return SPIRAL_DESCENT
    if heights.climbs(s) or heights.is_steep(s) or heights.lifts(s):
        return PARACHUTES if heights.goes_far(s) else SPIRAL_CLIMB if heights.climb_ft > 0.0 else SPIRAL_DESCENT
    length = sum(lap.shape.length_nm for lap in laps)
    duration = sum(lap.shape.duration_s for lap in laps)
    speed_kt = length * 3600.0 / max(duration, 1.0)
    if speed_kt > s.fast_laps.speed_kt:
        return FAST
    if kind is PatternType.RACETRACK and heights.turns == 0.0:
        # Without a height an aerodrome circuit cannot be ruled out, and nobody is to be alarmed by one.
        return HEIGHT_UNKNOWN
    # A hold with short legs is hardly longer than wide, and the wind bends it: it is called either.
    if direction_of(laps) == "both":
        return None
    round_ = kind is not PatternType.RACETRACK
    hold = hold_in_air(laps, speed_kt, heights, s, bent=round_)
    if hold is not None:
        return hold
    holds = speed_kt >= s.hold.min_speed_kt and is_holding(laps, s)
    if holds and (not round_ or is_hold_in_wind(laps, speed_kt, heights, s)):
        return HOLDING
    least = s.practice_hold.windy_leg_share if speed_kt <= s.practice_hold.windy_speed_kt else s.practice_hold.leg_share
    is_oval = not round_ or leg_share(laps, s) >= least
    return PRACTICE_HOLD if is_oval and is_practice_hold(laps, speed_kt, heights, s) else None


def is_aerodrome(laps: Sequence[Loop], lows: LowPoints, s: PatternSettings) -> bool:
    """Return whether these are aerodrome circuits: most laps came down to one place and climbed away again."""
    since = laps[0].shape.t0
    return lows.circuits_since(since) >= max(1.0, s.circuit.laps_share * (turns_of(laps) - 1.0))


def is_thermal(laps: Sequence[Loop], heights: Heights, s: PatternSettings) -> bool:
    """Return whether these are a glider's circles: small, slow, quick to close, and gaining height."""
    flown_s = sum(lap.shape.duration_s for lap in laps)
    if heights.turns == 0.0:
        return False
    # Over the whole of the pattern: lift weakens towards the top.
    climb_ft_min = heights.climb_ft * 60.0 / max(heights.flown_s, 1.0)
    return (
        all(lap.shape.radius_nm <= s.thermal.max_radius_nm for lap in laps)
        and all(lap.shape.speed_kt <= s.thermal.max_speed_kt for lap in laps)
        and flown_s <= s.thermal.max_lap_s * turns_of(laps)
        and climb_ft_min >= s.thermal.climb_ft_min
    )


def is_tight(laps: Sequence[Loop], s: PatternSettings) -> bool:
    """Return whether these are circles of a glider in weak lift: steeper, slower and smaller than any to watch from."""
    if mean_radius_nm(laps) > s.tight_circles.max_radius_nm:
        return False
    flown_s, turns = sum(lap.shape.duration_s for lap in laps), turns_of(laps)
    speed_kt = sum(lap.shape.length_nm for lap in laps) * 3600.0 / max(flown_s, 1.0)
    return (
        speed_kt <= s.tight_circles.max_speed_kt and bank_deg(speed_kt, flown_s / turns) >= s.tight_circles.min_bank_deg
    )


def is_weak_lift(laps: Sequence[Loop], heights: Heights, s: PatternSettings, *, soared: bool) -> bool:
    """Return whether these are a glider's circles by the speed that it sends and the time they take.

    Noise widens small circles and gaps cut them short; the bank and a radius of v / w know neither. A
    glider cannot keep its height to a few feet. Who `soared` before still does in wider circles.
    """
    flown_s, turns = sum(lap.shape.duration_s for lap in laps), turns_of(laps)
    speed_kt = sum(lap.shape.reported_kt * lap.shape.duration_s for lap in laps) / max(flown_s, 1.0)
    rate = 2.0 * pi * turns / max(flown_s, 1.0)
    least_deg = s.weak_lift.bank_before_deg if soared else s.weak_lift.min_bank_deg
    climbs = soared or heights.highest_ft - heights.lowest_ft >= s.weak_lift.range_ft
    return (
        climbs
        and direction_of(laps) != "both"
        and speed_kt <= s.weak_lift.max_speed_kt
        and bank_deg(speed_kt, flown_s / turns) >= least_deg
        and speed_kt / 3600.0 / rate <= s.weak_lift.max_radius_nm
    )


def is_holding(laps: Sequence[Loop], s: PatternSettings) -> bool:
    """Return whether this is a holding pattern: an oval of three to eight minutes a lap, flown fast and high enough.

    Source: FAA *Aeronautical Information Manual* 5-3-8 and ICAO Doc 8168: legs of 1 min (1.5 min above 14,000 ft)
    and turns of 3 degrees a second or 25 degrees of bank make laps of four minutes and more.
    """
    lows = [lap.shape.low_ft for lap in laps if lap.shape.low_ft is not None]
    lap_s = sum(lap.shape.duration_s for lap in laps) / turns_of(laps)
    return s.hold.min_lap_s <= lap_s <= s.hold.max_lap_s and bool(lows) and min(lows) >= s.hold.min_altitude_ft


def is_hold_in_wind(laps: Sequence[Loop], speed_kt: float, heights: Heights, s: PatternSettings) -> bool:
    """Return whether laps that are nearly round are those of a hold: few, with legs and turns as quick."""
    share = leg_share(laps, s)
    turning_s = (1.0 - share) * sum(lap.shape.duration_s for lap in laps) / turns_of(laps)
    quick = turning_s <= max(120.0, circle_s(speed_kt, 25.0)) / s.hold_in_wind.rate_share
    return share >= s.hold_in_wind.leg_share and heights.all_turns <= s.hold_in_wind.max_turns and quick


def hold_in_air(
    laps: Sequence[Loop], speed_kt: float, heights: Heights, s: PatternSettings, *, bent: bool
) -> str | None:
    """Return which hold these laps are in the moving air, where they were heard well enough to tell; else None.

    There the wind bends nothing: turns have the standard rate or 25 degrees of bank, one leg is timed, and the other
    leads back to the fix, in as much more or less time as the wind takes. Laps that are round over the ground (`bent`)
    are no hold unless there is wind enough to have made them so.
    """
    whole = [lap for lap in laps if abs(lap.turns) > s.hold_in_air.min_turns]
    airs = [lap.air for lap in whole if lap.air is not None and lap.air.is_clear(s)]
    if not airs or 2 * len(airs) < len(whole) or heights.all_turns > s.practice_hold.max_turns:
        return None
    if leg_share(laps, s) < s.hold_in_air.leg_share:
        return None
    flown_s = sum(air.duration_s for air in airs)
    if sum(air.straight_s for air in airs) < s.hold_in_air.straight_share * flown_s:
        return None
    if bent and sum(air.wind_kt / air.airspeed_kt for air in airs) < s.hold_in_air.wind_share * len(airs):
        return None
    shares = sum(air.rate_deg_s / _hold_rate_deg_s(air.airspeed_kt) for air in airs) / len(airs)
    if not s.hold_in_air.min_rate_ratio <= shares <= s.hold_in_air.max_rate_ratio:
        return None
    if sum(_is_timed(air, s) for air in airs) < s.hold_in_air.timed_share * len(airs):
        return None
    fast = speed_kt >= s.hold.min_speed_kt and heights.lowest_ft >= s.hold.min_altitude_ft
    if fast:
        return HOLDING
    light = speed_kt <= s.practice_hold.max_speed_kt and heights.highest_ft <= s.practice_hold.max_altitude_ft
    return PRACTICE_HOLD if light else None


def _hold_rate_deg_s(airspeed_kt: float) -> float:
    """Return how quickly a hold turns: three degrees a second, or with 25 degrees of bank if that is less."""
    return min(3.0, 360.0 / max(circle_s(airspeed_kt, 25.0), 1.0))


def _is_timed(air: AirLap, s: PatternSettings) -> bool:
    """Return whether one of the legs may be timed, and wind explains how much longer or shorter the other one is."""
    short_s, long_s = air.legs_s
    if not any(s.hold_in_air.min_leg_s <= leg_s <= s.hold_in_air.max_leg_s for leg_s in air.legs_s):
        return False
    return long_s - short_s <= air.wind_kt / air.airspeed_kt * air.duration_s + s.hold_in_air.slack_s


def is_practice_hold(laps: Sequence[Loop], speed_kt: float, heights: Heights, s: PatternSettings) -> bool:
    """Return whether a light aircraft practises a hold: a few laps with turns at the standard rate and timed legs.

    The turns of a stadium whose way is P and whose legs take the share q of it have P (1 - q) to go, at 360 degrees.
    """
    lap_s = sum(lap.shape.duration_s for lap in laps) / turns_of(laps)
    turning_s = lap_s * (1.0 - leg_share(laps, s))
    leg_s = 0.5 * (lap_s - turning_s)
    return (
        speed_kt <= s.practice_hold.max_speed_kt
        and heights.highest_ft <= s.practice_hold.max_altitude_ft
        and heights.all_turns <= s.practice_hold.max_turns
        and s.practice_hold.min_rate_deg_s <= 360.0 / max(turning_s, 1.0) <= s.practice_hold.max_rate_deg_s
        and s.practice_hold.min_leg_s <= leg_s <= s.practice_hold.max_leg_s
    )

"""Ordinary reasons to fly loops: aerodrome circuits, holding, thermals, speed; or a height that nobody knows.

Each is told by a few measures that a pilot would recognise; none needs a database.
"""

from __future__ import annotations

from collections.abc import Sequence

from skywatch.patterns.findings import PatternType
from skywatch.patterns.laps import turns_of
from skywatch.patterns.loops import Loop
from skywatch.patterns.low_points import LowPoints
from skywatch.patterns.settings import PatternSettings

AERODROME = "aerodrome"
HOLDING = "holding"
THERMALLING = "thermalling"
FAST = "fast"
HEIGHT_UNKNOWN = "height_unknown"


def ordinary_reason(
    kind: PatternType | None, laps: Sequence[Loop], lows: LowPoints, settings: PatternSettings
) -> str | None:
    """Return why these laps are no surveillance, or None."""
    if is_aerodrome(laps, lows, settings):
        return AERODROME
    if is_thermalling(laps, settings):
        return THERMALLING
    if all(lap.shape.low_ft is None for lap in laps):
        # Without a height an aerodrome circuit cannot be ruled out, and nobody is to be alarmed by one.
        return HEIGHT_UNKNOWN
    length = sum(lap.shape.length_nm for lap in laps)
    duration = sum(lap.shape.duration_s for lap in laps)
    speed_kt = length * 3600.0 / max(duration, 1.0)
    if speed_kt > settings.surveillance_max_speed_kt:
        return FAST
    if kind is PatternType.RACETRACK and is_holding(laps, speed_kt, settings):
        return HOLDING
    return None


def is_aerodrome(laps: Sequence[Loop], lows: LowPoints, s: PatternSettings) -> bool:
    """Tell aerodrome circuits: most laps came down to one place and climbed away again."""
    since = laps[0].shape.t0
    return lows.circuits_since(since) >= max(1.0, s.circuit_laps_share * (turns_of(laps) - 1.0))


def is_thermalling(laps: Sequence[Loop], s: PatternSettings) -> bool:
    """Tell a glider's circles: small, slow, quick to close, and gaining height."""
    first, last = laps[0].shape, laps[-1].shape
    if first.low_ft is None or last.high_ft is None:
        return False
    climb_ft_min = (last.high_ft - first.low_ft) * 60.0 / max(last.t1 - first.t0, 1.0)
    return (
        all(lap.shape.radius_nm <= s.thermal_radius_nm for lap in laps)
        and all(lap.shape.speed_kt <= s.thermal_speed_kt for lap in laps)
        and sum(lap.shape.duration_s for lap in laps) <= s.thermal_lap_s * turns_of(laps)
        and climb_ft_min >= s.thermal_climb_ft_min
    )


def is_holding(laps: Sequence[Loop], speed_kt: float, s: PatternSettings) -> bool:
    """Tell a holding pattern: an oval of four to six minutes a lap, flown fast and high enough.

    Source: FAA *Aeronautical Information Manual* 5-3-8 and ICAO Doc 8168: legs of 1 min (1.5 min above 14,000 ft)
    and turns of 3 degrees a second or 25 degrees of bank make laps of four minutes and more.
    """
    lows = [lap.shape.low_ft for lap in laps if lap.shape.low_ft is not None]
    lap_s = sum(lap.shape.duration_s for lap in laps) / turns_of(laps)
    return (
        speed_kt >= s.holding_min_speed_kt
        and s.holding_lap_min_s <= lap_s <= s.holding_lap_max_s
        and bool(lows)
        and min(lows) >= s.holding_min_altitude_ft
    )

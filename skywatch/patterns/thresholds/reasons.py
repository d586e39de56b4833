"""Ordinary reasons for a pattern: circuits, holds, spirals, thermals, parachutes, spraying, procedure turns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FastLaps:
    """Laps faster than this are flown by tankers, fighters and airliners."""

    speed_kt: float = 250.0


@dataclass(frozen=True)
class LowPointDepth:
    """A flight came down to a low point where it descended and climbed again by `height_ft`; circuits rise 600 to 1500.

    `max_points` bounds the low points that are kept.
    """

    height_ft: float = 350.0
    max_points: int = 8


@dataclass(frozen=True)
class Circuit:
    """Two low points are those of an aerodrome circuit where they lie over one runway, soon after each other.

    They are at most `max_s` apart, as practised approaches have laps of 8 to 14 minutes, within a runway's length of
    each other and passed in the same direction; they agree within `level_share` of their height, since reception ends
    above the runway, and lie at most `above_lowest_ft` above the lowest level of the trail. There are hardly any
    runways higher than `max_altitude_ft`. `laps_share` of the laps come down to one: some are not seen so far down.
    """

    max_s: float = 1200.0
    place_nm: float = 1.0
    heading_deg: float = 60.0
    level_share: float = 0.5
    above_lowest_ft: float = 600.0
    max_altitude_ft: float = 13000.0
    laps_share: float = 0.5


@dataclass(frozen=True)
class Approaches:
    """Low points reached from far above are approaches to a runway, wherever the flight began.

    Who drops water comes down as far in less than `min_s`, and a height that leaps by more than `max_height_ft` is no
    approach.
    """

    min_height_ft: float = 1000.0
    max_height_ft: float = 5000.0
    min_s: float = 300.0


@dataclass(frozen=True)
class Landing:
    """An aircraft that goes nowhere, low, for this long has landed: what it flew before belongs to another flight."""

    min_s: float = 150.0
    max_speed_kt: float = 35.0


@dataclass(frozen=True)
class Trend:
    """Laps follow a trend where most of them climb, or descend, and gain or lose height in all.

    Who watches keeps the height, or changes it between laps.
    """

    rate_ft_min: float = 200.0
    min_ft: float = 300.0
    turns_share: float = 0.6


@dataclass(frozen=True)
class SlowTrend:
    """Laps follow a slow trend where almost all of them climb, or descend, and that takes them far in all."""

    rate_ft_min: float = 100.0
    min_ft: float = 1500.0
    turns_share: float = 0.8


@dataclass(frozen=True)
class SteepLap:
    """A lap is no watching where its lowest and highest level are far apart, up or down or both.

    They are `rate_ft_min` apart for each minute of it and `min_ft` at least, or `max_ft` however long the lap takes.
    """

    rate_ft_min: float = 600.0
    min_ft: float = 1000.0
    max_ft: float = 2500.0


@dataclass(frozen=True)
class ParachuteLift:
    """Laps this far up or down lift parachutists, who leave at 10,000 to 14,000 ft above the ground."""

    climb_ft: float = 3000.0


@dataclass(frozen=True)
class Thermal:
    """Small, slow and quick circles that gain height on the average are those of a glider in a thermal.

    Their radius is typically 0.06 to 0.15 nm; they take 20 to 40 s, more in weak lift and where heard seldom.
    """

    max_radius_nm: float = 0.25
    max_speed_kt: float = 80.0
    max_lap_s: float = 80.0
    climb_ft_min: float = 60.0


@dataclass(frozen=True)
class TightCircles:
    """Circles smaller, slower and steeper than any to watch from are those of a glider that just keeps its height.

    Who watches from so slow a helicopter keeps farther away and banks less; the bank follows from speed and time.
    """

    max_radius_nm: float = 0.105
    max_speed_kt: float = 65.0
    min_bank_deg: float = 14.0


@dataclass(frozen=True)
class WeakLift:
    """Small, slow, steep circles by the reported speed that go up and down a little are those of a glider.

    Where the flight circled in thermals before, `turns_before` turns or more in one pattern, a bank of
    `bank_before_deg` is enough.
    """

    max_speed_kt: float = 63.0
    min_bank_deg: float = 20.5
    max_radius_nm: float = 0.15
    range_ft: float = 50.0
    bank_before_deg: float = 12.0
    turns_before: float = 3.0


@dataclass(frozen=True)
class PracticeHold:
    """A few laps of a light aircraft with turns at the standard rate and timed legs are a practised hold.

    Turns by eye and in wind have 2.1 to 4 instead of 3 degrees a second. Wind bends the laps until only `leg_share` of
    the way is straight, or `windy_leg_share` at up to `windy_speed_kt`, where the wind is a larger part of the speed,
    and legs timed to a minute seem 24 to 90 s long. Light singles and twins are no faster than `max_speed_kt` and need
    oxygen above `max_altitude_ft`; who practises leaves before `max_turns`.
    """

    min_rate_deg_s: float = 2.1
    max_rate_deg_s: float = 4.0
    leg_share: float = 0.32
    windy_leg_share: float = 0.24
    windy_speed_kt: float = 130.0
    min_leg_s: float = 24.0
    max_leg_s: float = 90.0
    max_turns: float = 7.0
    max_speed_kt: float = 180.0
    max_altitude_ft: float = 12000.0


@dataclass(frozen=True)
class Hold:
    """Laps of three to nine minutes, flown fast and high enough, are a holding pattern where they are ovals."""

    min_speed_kt: float = 140.0
    min_altitude_ft: float = 3000.0
    min_lap_s: float = 180.0
    max_lap_s: float = 540.0


@dataclass(frozen=True)
class HoldInWind:
    """A few laps of a hold that the wind made nearly round have some legs left, and turns that are quick enough.

    Turns take no longer than at `rate_share` of the standard rate, or of a turn with 25 degrees of bank.
    """

    leg_share: float = 0.3
    max_turns: float = 6.5
    rate_share: float = 0.7


@dataclass(frozen=True)
class HoldInAir:
    """Laps that have turns of a hold's rate and timed legs in the moving air are a hold, whatever their shape below.

    Laps count that turned by `min_turns` and whose velocities lie within `misfit_share` of the airspeed from a circle
    about the wind. Their turns are 0.78 to 1.22 times as quick as 3 degrees a second or 25 degrees of bank; they are
    straight for `straight_share` of the time, have `leg_share` of legs over the ground, and look round in wind of
    `wind_share` of the airspeed and more. On `timed_share` of the laps one leg of a minute is seen to take 36 to 90 s,
    and the other differs from it by what the wind makes of it and `slack_s`.
    """

    misfit_share: float = 0.15
    min_turns: float = 0.9
    min_rate_ratio: float = 0.78
    max_rate_ratio: float = 1.22
    straight_share: float = 0.2
    leg_share: float = 0.13
    wind_share: float = 0.15
    min_leg_s: float = 36.0
    max_leg_s: float = 90.0
    timed_share: float = 0.5
    slack_s: float = 20.0


@dataclass(frozen=True)
class SlopeSoaring:
    """Slow flight to and fro, or about a place, that goes up and down is that of a glider along a slope.

    Traffic is watched from one height, and faster; who loiters needs a larger range of height to count.
    """

    max_speed_kt: float = 65.0
    range_ft: float = 125.0
    loiter_range_ft: float = 300.0


@dataclass(frozen=True)
class LowPasses:
    """Passes at the lowest level of the flight, again and again with small climbs between them, are spraying.

    It climbs by `climb_ft` between passes and by `mean_climb_ft` on the average, as a height sent in hundreds of feet
    flickers by one hundred. It comes down to within `level_ft` of the lowest level `passes` times or once in `every_s`,
    whichever is more; heard seldom, some passes are not seen.
    """

    climb_ft: float = 75.0
    mean_climb_ft: float = 105.0
    level_ft: float = 75.0
    every_s: float = 150.0
    passes: int = 4


@dataclass(frozen=True)
class PullUps:
    """Small dips to the lowest level, one on each line, are those of spraying with low pull-ups.

    A dip is `climb_ft` deep, two steps of most altimeters; a height held by hand strays as far. But of those who spray
    each dip is flown in the direction opposite to the last one's, to `heading_deg`, on `share` of `pairs` or more, one
    in `every_s`; wind and trim make one dip in a lap, in the same direction. Those of the last `before_s` count.
    """

    climb_ft: float = 50.0
    heading_deg: float = 40.0
    share: float = 0.7
    pairs: int = 5
    every_s: float = 120.0
    before_s: float = 900.0


@dataclass(frozen=True)
class ProcedureTurn:
    """A leg 45 degrees aside, half a circle to the other side and the way back on the line out are a procedure turn.

    Flown by hand and in wind the leg aside is 25 to 65 degrees off; the turn and the course back are good to
    `error_deg`. Out and back take a minute each before and after half a circle.
    """

    min_aside_deg: float = 25.0
    max_aside_deg: float = 65.0
    error_deg: float = 25.0
    line_nm: float = 0.6
    max_s: float = 240.0

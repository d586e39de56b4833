"""Straight legs: grid searches, and flights to and fro along a line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StraightLeg:
    """A stretch is a leg where its positions lie close to its line and its way does not bend.

    It is at least `min_nm` long, bends by at most `bend_deg`, and lies within `width_nm` or `width_share` of its
    length, whichever is more, as long lines are flown by eye and wind. What is off its usual heading by more than
    `end_turn_deg` belongs to the turns at its ends. `max_vertices` bounds what is kept of a leg under way.
    """

    min_nm: float = 0.6
    bend_deg: float = 30.0
    width_nm: float = 0.2
    width_share: float = 0.03
    end_turn_deg: float = 20.0
    max_vertices: int = 48


@dataclass(frozen=True)
class SweepFamily:
    """Legs are sweeps of one family where they are parallel, lie side by side and follow each other.

    They are parallel within `angle_deg` of the longest of the last `axis_legs`; legs shorter than `short_share` of the
    longest are the turns between sweeps. A leg more than `cross_deg` off the axis and longer than `cross_share` of the
    longest ends the family, as do `aside_share` of the longest spent between two sweeps and a pause longer than
    `pause_s` and `pause_share` of the last sweep. Neighbours overlap by `overlap_share` of the shorter and lie within
    `shift_share` of the longest; two in the same direction are one sweep where they lie within `width_nm`.
    """

    angle_deg: float = 14.0
    axis_legs: int = 12
    short_share: float = 0.35
    cross_deg: float = 30.0
    cross_share: float = 1.0
    aside_share: float = 3.0
    pause_s: float = 300.0
    pause_share: float = 1.0
    width_nm: float = 0.4
    overlap_share: float = 0.4
    shift_share: float = 1.2


@dataclass(frozen=True)
class NewLines:
    """Sweeps lie on ever new lines where they keep shifting to one side by even steps.

    In one direction sweeps nearer than `min_nm` lie on the same line (lanes side by side are 0.08 nm apart), and
    `wide_nm` apart they cannot be one line flown by hand. Of the way across `one_sided` goes to one side; laps over
    each other have none on the average. Lanes are even where none is less than `even_share` of the widest, or
    `close_even_share` where they are close: what legs over one line stray is not even.
    """

    min_nm: float = 0.05
    wide_nm: float = 0.25
    one_sided: float = 0.8
    even_share: float = 0.5
    close_even_share: float = 0.3


@dataclass(frozen=True)
class Grid:
    """Sweeps on new lines are a grid once there are more of them than chance lays side by side.

    Wide, even lanes in order need `sweeps`, as two may be there and back and three a procedure. Close lanes and wide
    ones out of order need `close_sweeps`: four legs over one line lie in order by chance once in twelve times, six once
    in 360. Close lanes whose turns all go one way need `round_sweeps`: eight legs of a hold lie in order on both sides
    once in 288 times, ten once in 7200. `shifting_sweeps` may become a grid and are no road. A grid takes `min_s` and
    is over `pause_s` after its last sweep, or after the time of its longest one.
    """

    sweeps: int = 4
    close_sweeps: int = 6
    round_sweeps: int = 10
    shifting_sweeps: int = 3
    min_s: float = 240.0
    pause_s: float = 900.0


@dataclass(frozen=True)
class LookAtSweeps:
    """The sweeps are compared again when the leg under way is long enough and has grown by a factor.

    It is `min_nm` long and has grown by `growth` since the last comparison, and counts as a sweep from `last_share` of
    the usual length on. `max_legs` bounds the legs that are kept.
    """

    min_nm: float = 0.8
    growth: float = 1.3
    last_share: float = 0.4
    max_legs: int = 64


@dataclass(frozen=True)
class OneField:
    """Lines belong to one field where they are alike in length and far longer than they are apart.

    Training turns back after any way, and a few turns by half a circle leave short lines.
    """

    alike_share: float = 0.5
    length_ratio: float = 2.5


@dataclass(frozen=True)
class ClimbingLines:
    """Lines side by side of which a `share` climbs, or descends, by `rate_ft_min` are no search, whatever the ground.

    Up to `glider_kt` they are the beats of a glider in a wave, else half circles trained to either side.
    """

    rate_ft_min: float = 75.0
    share: float = 0.65
    glider_kt: float = 80.0


@dataclass(frozen=True)
class Reversal:
    """A turn of `turn_deg` within `way_nm` and `max_s` reverses the flight and ends a pass once it does not go on.

    A full circle, of `circle_deg` as vertices are 10 degrees apart, that ends where it began, to `closure_share` of its
    way, is a stop to look at something and ends none.
    """

    turn_deg: float = 150.0
    way_nm: float = 3.0
    max_s: float = 180.0
    circle_deg: float = 335.0
    closure_share: float = 0.3


@dataclass(frozen=True)
class RetracedPass:
    """A pass retraces the one before where it goes back along it over most of the shorter of the two.

    It lies within `width_nm` of the line before, against it within `angle_deg`, over `share` of the way between joining
    and leaving it and `least_share` of the shorter, where the rest are turns at its ends, looking `look_nm` ahead;
    `max_vertices` and `max_passes` bound what is kept.
    """

    width_nm: float = 0.25
    angle_deg: float = 45.0
    share: float = 0.75
    least_share: float = 0.5
    look_nm: float = 2.0
    max_vertices: int = 96
    max_passes: int = 8


@dataclass(frozen=True)
class TrafficWatch:
    """Traffic on a road is watched slowly and from one height, and no longer than the line is followed.

    Courses within `clear_nm` of where the line is joined or left belong to the turns there, and the pattern is over
    `leave_nm` off the line. Who climbs by the height of a low point within `climb_s`, 200 ft/min, climbs from a runway.
    """

    max_speed_kt: float = 150.0
    level_ft: float = 800.0
    clear_nm: float = 0.6
    leave_nm: float = 1.5
    climb_s: float = 105.0


@dataclass(frozen=True)
class Highway:
    """Miles of one line flown to and fro are highway tracking where the line bends as roads do, or is flown again.

    Courses along a road spread by `bend_deg`, or its bends to either side add up to `sum_of_bends_deg`, and no leg is
    longer than `leg_share` of the pass, while airways are straight; a line without bends takes `straight_passes`.
    """

    way_nm: float = 4.0
    bend_deg: float = 35.0
    sum_of_bends_deg: float = 45.0
    leg_share: float = 0.7
    straight_passes: int = 3


@dataclass(frozen=True)
class SpeedTrap:
    """Passes over the same short, slender stretch of ground again and again are a speed trap.

    The longest is `max_nm` long without the turns at its ends, whose size says nothing of the line.
    """

    passes: int = 4
    slenderness: float = 3.5
    min_nm: float = 0.6
    max_nm: float = 4.5

"""Thresholds of patterns that turn: loops, circles and racetracks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LoopSettings:
    """Thresholds of loops; part of ``PatternSettings``."""

    loop_turn_deg: float = 345.0
    """Heading change (deg) that makes a loop; a little less than a circle, as vertices are 10 degrees apart."""
    loop_turn_slack_deg: float = 45.0
    """So much further back (deg of turn) the best beginning of a loop is looked for."""
    reversed_loop_deg: float = 280.0
    """Heading change (deg) that makes a loop where the turn then goes over to the other side..."""
    reversed_closure_share: float = 0.15
    """... and comes back within this share of the loop's length."""
    turning_step_deg: float = 45.0
    """The heading must advance by so much (deg), at half the rate of the last lap, for the turning to go on."""
    lap_usual_s: float = 240.0
    """What a lap takes (s) until a longer one was flown: four minutes are half the standard rate of turn."""
    loop_winding_share: float = 0.6
    """A loop must sweep at least this share of its turn about its own centre."""
    loop_sway: float = 1.5
    """A loop goes round its centre; one that goes to and fro by this factor only wanders."""
    loop_closure_share: float = 0.35
    """A loop may end this share of its length from its start: orbits that follow a moving subject drift."""
    loop_min_speed_kt: float = 35.0
    """Slower loops (kt) are taxiing; hovering is for `stakeout`."""
    loop_min_radius_nm: float = 0.05
    """Smaller loops (nm) are noise."""
    lap_max_s: float = 2400.0
    """A lap that takes longer (s) is a round trip. Tanker tracks of 45 nm take 1500 s."""


@dataclass(frozen=True)
class OrbitSettings:
    """Thresholds of circling and racetracks; part of ``PatternSettings``."""

    circling_turns: float = 1.6
    """Turns that make circling: more than a lap with the turns onto and off it, less than two full circles."""
    least_turns: float = 1.5
    """A pattern that has fewer when its end is known is withdrawn: a lap was counted that belonged to what followed."""
    racetrack_turns: float = 1.9
    """Turns that make a racetrack: two laps; arrivals often fly one."""
    figure_eight_turns: float = 2.5
    """Turns that make circling where both directions occur: one figure of eight is a manoeuvre, two are a pattern."""
    part_turn_deg: float = 200.0
    """The lap under way counts from this turn on (deg): less than that, a departing turn would count."""
    lead_least_deg: float = 60.0
    """The turn onto the first lap counts from this on (deg)..."""
    lead_most_deg: float = 230.0
    """... up to this (deg): with the lap it is not yet circling..."""
    lead_stray_share: float = 1.5
    """... where it lies within this many times the lap's farthest place."""
    lead_vertices: int = 64
    """Vertices kept of what was flown before a loop; a lead has two dozen."""
    extend_turn_deg: float = 120.0
    """The last lap of a pattern counts from this turn on (deg): a third of a lap on the same circle."""
    angular_share: float = 0.47
    """Laps that are straight for this share of their time in the air, with the one under way..."""
    angular_part_share: float = 0.1
    """... that is straight for more than this share, and..."""
    angular_radii: float = 1.0
    """... at the same heading lies more than so many radii from the one before, are lines and turns that follow each
    other by chance..."""
    angular_turns: float = 3.0
    """... until so many turns are flown in one place..."""
    angular_share_both: float = 0.42
    """... and so are turns to both sides that are straight for this share..."""
    angular_turns_both: float = 4.0
    """... until there are so many."""
    figure_eight_lap_s: float = 75.0
    """Quicker laps (s) to both sides are training or aerobatics; of these only the last ones to one side count."""
    figure_eight_quick_turns: float = 4.0
    """... unless there are so many turns in one place: steep turns are trained in pairs."""
    orbit_min_s: float = 50.0
    """Nothing shorter (s) is reported."""
    training_slowest_kt: float = 85.0
    """Steep turns are trained at the manoeuvring speed of light aircraft, from here (kt); helicopters are slower..."""
    training_fastest_kt: float = 125.0
    """... to here (kt)."""
    training_lap_s: float = 45.0
    """... in this much a lap (s), at 40 degrees of bank and more."""
    training_wide_lap_s: float = 70.0
    """Of laps up to this long (s) two full ones are waited for: turns on a height are trained as well."""
    training_turns_s: float = 135.0
    """Of such laps fewer seconds are not reported: a pair of steep turns takes 80 to 130."""
    laps_time_share: float = 0.6
    """Share of the time since the first lap began that laps must fill: training fits a turn in here and there."""
    orbit_pause_s: float = 180.0
    """Turning may pause this long (s) before the pattern is over; sparse positions hide as much."""
    orbit_pause_laps: float = 0.8
    """... or this many laps, whichever is longer: the legs of a racetrack are pauses."""
    laps_remembered: int = 6
    """Laps from which centre, radius and score are taken; more would smear a moving pattern."""


@dataclass(frozen=True)
class LapSettings:
    """Thresholds of laps: which belong together, and what they are; part of ``PatternSettings``."""

    lap_size_ratio: float = 1.7
    """Laps of which one takes this much more way do not resemble each other; bank held by eye is good to a third."""
    lap_bend_ratio: float = 1.8
    """... nor do laps of which one turns in this much more way, as a loop before a transit and a small one after it."""
    lap_sparse_share: float = 0.15
    """Where vertices are this share of a lap apart and more, seven to a lap, its size and place are known roughly:"""
    lap_sparse_slack: float = 1.6
    """... limits are this much wider, and what the turns look like is not asked."""
    part_straight_share: float = 0.35
    """An unfinished lap that is straight for more of its time is no second round of..."""
    lap_straight_share: float = 0.2
    """... a lap that was straight for less than this: the aircraft went on its way, and turned again."""
    lap_size_floor_nm: float = 0.6
    """A lap of less way (nm) counts as this long when compared: of small circles wind and noise are a large share."""
    lap_shift_radii: float = 1.2
    """The centre may move this many radii from lap to lap: subjects move, and yet each lap overlies the one before."""
    part_shift_radii: float = 1.8
    """The same of a lap of which two thirds or less are flown: their centre lies half a radius aside."""
    part_stray_share: float = 2.0
    """No place of an unfinished lap lies farther from the centre of the lap before than this many times that lap's own
    farthest place: who leaves in a transit goes on to turn elsewhere."""
    astray_radii: float = 1.8
    """At the same heading the second round lies at most so many radii from the first; turns by chance lie anywhere,"""
    training_astray_radii: float = 1.4
    """or this many in quick laps, as light aircraft train them..."""
    training_windy_kt: float = 150.0
    """... which the wind makes this fast (kt)..."""
    astray_turns: float = 2.5
    """... and else so many turns are waited for: the subject may move, and the wind blow."""
    eight_shift_radii: float = 2.6
    """The same of laps to either side: the two circles of a figure of eight touch each other."""
    eight_side_radii: float = 0.6
    """Figures of eight repeat: of laps to both sides each lies within so many radii of the last one to its side..."""
    eight_side_ratio: float = 1.4
    """... and takes at most this many times its way."""
    racetrack_leg_share: float = 0.36
    """Share of the way on straight legs from which on laps are a racetrack; 0.39, or 4 / (4 + 2 pi), is an oval
    whose legs are as long as it is wide, and drift and thin data take a little from it."""
    racetrack_sparse_share: float = 0.06
    """So much more of it where laps were seen in few places, which stretch circles."""
    spiral_growth: float = 1.25
    """Three laps that each grow by this factor are an expanding search, not circling..."""
    spiral_growth_first: float = 1.8
    """... and so are two that grow by this one; the first two of an expanding square are as 1 to 3."""
    polygon_leg_share: float = 0.7
    """Laps with this share of straight legs..."""
    polygon_elongation: float = 0.3
    """... that are not elongated..."""
    polygon_radius_nm: float = 1.0
    """... and this large (nm) are polygons, as a sector search flies, not circles."""
    laps_to_change: int = 3
    """Laps of the other kind, one after the other, that end circling for a racetrack or the reverse..."""
    kind_margin: float = 0.04
    """... whose share of legs is off the limit by this much: ovals hardly longer than wide do not change their kind."""
    racetrack_least_share: float = 0.25
    """The share is the mean of two estimates, neither of which may be less than this."""
    racetrack_lap_share: float = 0.3
    """Two laps at least must each have this share."""
    lap_wiggle: float = 1.6
    """Where headings jitter more than this, elongation alone tells the share of legs."""
    lap_spacing_share: float = 0.06
    """... and so where vertices are this share of a lap apart and more: no stretch is seen to be straight then."""
    run_meander: float = 1.8
    """Laps whose way turns to and fro more than this in the median are no laps but wandering."""
    lap_winding_ratio: float = 1.5
    """A lap that winds this much more about its centre than its heading turned has lost turns in gaps."""
    lap_seen_share: float = 0.85
    """The way along the positions must be this share of the reported speed times the time, or the shape of the lap
    is not known: four positions a circle leave 0.9."""
    circling_leg_share: float = 0.3
    """Up to this share the first lap and a half are circling beyond doubt; else a second full lap decides."""
    circling_max_radius_nm: float = 5.0
    """Larger circles (nm) are tours; drones watch from up to 5 nm."""
    racetrack_max_radius_nm: float = 25.0
    """Larger ovals (nm, root mean square) are round trips; tanker tracks have 16."""

"""Loops and laps: what is one, which laps belong together, and when they are enough to report."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ClosedLoop:
    """A stretch of trail that turns by `turn_deg`, sweeps about its own centre and ends near its start is a loop.

    The turn is a little less than a circle, as vertices are 10 degrees apart, and the best beginning is looked for
    `turn_slack_deg` further back. The way sweeps `winding_share` of the turn about its centre without going to and fro
    by more than the factor `max_sway`, and closes to `closure_share` of its length, since orbits that follow a subject
    drift. Slower is taxiing or hovering, smaller is noise, and longer than `max_s` is a round trip: a tanker track of
    45 nm takes 1500 s.
    """

    turn_deg: float = 345.0
    turn_slack_deg: float = 45.0
    winding_share: float = 0.6
    max_sway: float = 1.5
    closure_share: float = 0.35
    min_speed_kt: float = 35.0
    min_radius_nm: float = 0.05
    max_s: float = 2400.0


@dataclass(frozen=True)
class ReversedLoop:
    """A loop that ends where the turn goes over to the other side needs less turn and must close more tightly."""

    turn_deg: float = 280.0
    closure_share: float = 0.15


@dataclass(frozen=True)
class OngoingTurn:
    """Turning goes on while the heading advances by `step_deg` at half the rate of the last lap.

    Until a longer lap was flown a lap takes `usual_lap_s`, which is half the standard rate of turn.
    """

    step_deg: float = 45.0
    usual_lap_s: float = 240.0


@dataclass(frozen=True)
class LeadTurn:
    """The turn onto the first lap counts where it lies on the lap's circle.

    It turns by `min_deg` to `max_deg`, so that with the lap alone it is no circling yet, and no place of it lies
    farther from the lap's centre than `stray_share` times the lap's farthest place. `max_vertices` bounds what is kept
    of the way before a loop; a lead has two dozen.
    """

    min_deg: float = 60.0
    max_deg: float = 230.0
    stray_share: float = 1.5
    max_vertices: int = 64


@dataclass(frozen=True)
class UnfinishedLap:
    """The lap under way counts where it is seen to be another round of the lap before.

    To begin a pattern it must have turned by `turn_deg`, half a circle and a vertex, since less may be a departing
    turn; to extend one a third of a lap, `extend_turn_deg`, is enough. A lap that is straight for more than
    `max_straight_share` of its time follows only a lap that was straight for `before_straight_share` itself: otherwise
    the aircraft went on its way. While two thirds or less are flown the centre lies up to `shift_radii` aside, and no
    place lies farther out than `stray_share` times the farthest place of the lap before.
    """

    turn_deg: float = 190.0
    extend_turn_deg: float = 120.0
    max_straight_share: float = 0.35
    before_straight_share: float = 0.2
    shift_radii: float = 1.8
    stray_share: float = 2.0


@dataclass(frozen=True)
class AlikeLaps:
    """Two laps belong together where they are alike in size and lie over each other.

    Their ways for a full circle differ by the factor `size_ratio` at most, as bank held by eye is good to a third, and
    their turning ways by `bend_ratio`; a way shorter than `size_floor_nm` counts as that long, because wind and noise
    are a large share of small circles. The centre moves by at most `shift_radii` from lap to lap.
    """

    size_ratio: float = 1.7
    bend_ratio: float = 1.8
    size_floor_nm: float = 0.6
    shift_radii: float = 1.2


@dataclass(frozen=True)
class AlikeEights:
    """Laps to both sides belong together where they repeat as the circles of a figure of eight do.

    Neighbouring circles touch each other, their centres within `shift_radii`; each lies within `side_radii` of the
    last one to its side and takes at most `side_ratio` times its way.
    """

    shift_radii: float = 2.6
    side_radii: float = 0.6
    side_ratio: float = 1.4


@dataclass(frozen=True)
class SparseLap:
    """A lap whose vertices are `spacing_share` of it apart has a size and a place that are known roughly.

    Limits are wider by the factor `slack` for such laps, and what their turns look like is not considered.
    """

    spacing_share: float = 0.15
    slack: float = 1.6


@dataclass(frozen=True)
class WellSeenLap:
    """The shape of a lap counts where no turns and no way were lost in gaps.

    A lap that winds `max_winding_ratio` times as often about its centre as its heading turned has lost turns; one whose
    positions make less than `speed_share` of the reported speed has lost way: four positions a circle leave 0.9.
    """

    max_winding_ratio: float = 1.5
    speed_share: float = 0.85


@dataclass(frozen=True)
class SmoothLap:
    """The straight time of a lap tells its share of legs unless headings jitter or vertices are far apart.

    Otherwise its elongation alone tells the share.
    """

    max_wiggle: float = 1.6
    spacing_share: float = 0.06


@dataclass(frozen=True)
class LapRunLimits:
    """A run of laps goes on through pauses of `pause_s` or `pause_laps` laps, whichever is longer.

    Sparse positions hide as much, and the legs of a racetrack are pauses. Centre, radius and score are taken from the
    last `max_laps`; more would smear a pattern that moves.
    """

    pause_s: float = 180.0
    pause_laps: float = 0.8
    max_laps: int = 6


@dataclass(frozen=True)
class EnoughLaps:
    """Laps are reported once they are more than a manoeuvre.

    Circling takes a lap with the turns onto and off it, a racetrack two laps, since arrivals often fly one, and
    figures of eight two and a half turns: one figure is a manoeuvre, two are a pattern. A pattern with fewer than
    `min_turns` at its end is withdrawn. Laps take `min_s` and fill `time_share` of the time since the first one began,
    where training fits in a turn here and there.
    """

    circling_turns: float = 1.6
    racetrack_turns: float = 1.9
    eight_turns: float = 2.5
    min_turns: float = 1.5
    min_s: float = 50.0
    time_share: float = 0.6


@dataclass(frozen=True)
class RetracedRound:
    """A second round that lies on the first is enough after `turns` turns: a lap and more than half of another.

    At the same headings it lies within `radii` radii of the first, from which a departing turn leads away.
    """

    turns: float = 1.5
    radii: float = 0.4


@dataclass(frozen=True)
class Circle:
    """Laps with few straight legs and a radius that something can be watched from are circling.

    Up to `max_leg_share` of legs the first lap and a half are circling beyond doubt, otherwise a second full lap
    decides. Laps slower than those of any hold are tours or vectors unless they are so round, whatever their size.
    """

    max_leg_share: float = 0.3


@dataclass(frozen=True)
class Oval:
    """Laps whose straight legs are about as long as the laps are wide, or longer, are a racetrack.

    An oval as long as it is wide has 0.39, or 4 / (4 + 2 pi), of its way on legs, of which drift and thin data take a
    little; laps seen in few places need `sparse_share` more, as they look stretched. Neither of the two estimates of
    the share may be less than `min_share`, and two laps must each have `lap_share`. Larger ovals than `max_radius_nm`
    (root mean square) are round trips; tanker tracks have 16 nm.
    """

    leg_share: float = 0.36
    sparse_share: float = 0.06
    min_share: float = 0.25
    lap_share: float = 0.3
    max_radius_nm: float = 25.0


@dataclass(frozen=True)
class ChangeOfKind:
    """Circling becomes a racetrack, or the reverse, after `laps` laps of the other kind on end.

    Their share of legs must be off the limit by `margin`: ovals hardly longer than wide do not change their kind.
    """

    laps: int = 3
    margin: float = 0.04


@dataclass(frozen=True)
class GrowingLaps:
    """Laps that each grow by a factor are an expanding search, no circling.

    Three must grow by `growth` each; two by `first_growth`, as the first two of an expanding square are as 1 to 3.
    """

    growth: float = 1.25
    first_growth: float = 1.8


@dataclass(frozen=True)
class Polygon:
    """Wide laps of long straight legs that are not elongated as a whole are polygons, as a sector search flies them."""

    leg_share: float = 0.7
    max_elongation: float = 0.3
    min_radius_nm: float = 1.0


@dataclass(frozen=True)
class ChanceTurns:
    """Lines and turns that follow each other by chance add up to circles and are none.

    Laps to one side are such lines where each is straight for `straight_share` of its time in the air, the one under
    way for more than `part_straight_share`, and the last round lies more than `astray_radii` from the one before at
    the same heading, until `turns` are flown in one place. Laps to both sides are where they are straight for
    `straight_share_both`, until there are `turns_both`. Laps whose way turns to and fro by more than the factor
    `max_meander` in the median only wander.
    """

    straight_share: float = 0.47
    part_straight_share: float = 0.1
    astray_radii: float = 1.0
    turns: float = 3.0
    straight_share_both: float = 0.42
    turns_both: float = 4.0
    max_meander: float = 1.8


@dataclass(frozen=True)
class TurnsElsewhere:
    """A second round that leads elsewhere than the first is a turn by chance until `turns` turns are flown.

    At the same heading the second round lies more than `radii` radii from the first, or `training_radii` in quick laps
    as light aircraft train them, which the wind makes up to `training_speed_kt` fast.
    """

    radii: float = 1.8
    training_radii: float = 1.4
    training_speed_kt: float = 150.0
    turns: float = 2.5


@dataclass(frozen=True)
class QuickEights:
    """Laps to both sides quicker than `lap_s` are training or aerobatics until `turns` are flown in one place.

    Steep turns are trained in pairs; of such laps only the last ones to one side count.
    """

    lap_s: float = 75.0
    turns: float = 4.0


@dataclass(frozen=True)
class Drill:
    """As many full circles one way as the other, entered and left on one heading, are an exercise of turning.

    Two or three are asked for, with a bank of `min_bank_deg` and good to `even_deg`; or as long one way as the other by
    the factor `alike_ratio`, where a gap may hide a circle. Turning ends when the heading went back by `steady_deg`, or
    did not go on for `pause_s`; the other side follows within `between_s`. `time_share` of a pattern's time makes it an
    exercise: who goes on turning was watching.
    """

    min_circles: int = 2
    max_circles: int = 3
    even_deg: float = 50.0
    alike_ratio: float = 1.5
    min_bank_deg: float = 20.0
    steady_deg: float = 40.0
    pause_s: float = 40.0
    between_s: float = 120.0
    time_share: float = 0.6


@dataclass(frozen=True)
class SteepTurnTraining:
    """Quick laps at the manoeuvring speed of light aircraft may be steep turns flown for training.

    Laps of `lap_s`, at 40 degrees of bank and more, are reported after `min_s`, as a pair of steep turns takes 80 to
    130 s; of laps up to `wide_lap_s` two full ones are waited for, as turns on a height are trained too. Helicopters
    are slower than `min_speed_kt`.
    """

    min_speed_kt: float = 85.0
    max_speed_kt: float = 125.0
    lap_s: float = 45.0
    wide_lap_s: float = 70.0
    min_s: float = 135.0

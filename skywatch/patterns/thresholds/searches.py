"""Searches and figures of eight that are recognised by their geometry."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchLimits:
    """A search keeps its height and ends when nothing was added to it for a while.

    The height stays within `max_drift_ft` for two rounds, as what is looked for must look alike from every leg.
    `max_vertices` bounds what is kept of a search.
    """

    max_drift_ft: float = 600.0
    pause_s: float = 300.0
    max_vertices: int = 256


@dataclass(frozen=True)
class GrowingRounds:
    """Rounds grow where each lies outside the one before on every side, round after round.

    They are compared at `headings` headings, `step_deg` apart. The new round lies outside by `min_nm`, twice what a
    position may be off, and by `growth` of the radius on the average, nowhere by less than `even_share` of where most:
    an orbit that moves grows on one side only. That lasts for `lasting_laps`, as by chance one round lies outside
    another. A search turns to one side, and back by `back_deg` at most; it is over `pause_laps` after it last grew.
    """

    step_deg: float = 45.0
    headings: int = 7
    min_nm: float = 0.12
    even_share: float = 0.3
    growth: float = 0.12
    lasting_laps: float = 0.7
    back_deg: float = 40.0
    pause_laps: float = 0.8


@dataclass(frozen=True)
class ExpandingSquare:
    """Two rounds are an expanding square where the second lies outside the first by most of its radius all round.

    Legs of 1, 1, 2 and 2 are followed by 3, 3, 4 and 4. At least `straight_share` of the time is straight, and the
    figure is as wide as it is long: a wide oval after a narrow one is not.
    """

    growth: float = 0.9
    even_share: float = 0.4
    straight_share: float = 0.25
    max_elongation: float = 0.35


@dataclass(frozen=True)
class ClosedLobe:
    """A way that crosses itself after more than half a circle of turn, and less than a full one, encloses a lobe.

    Smaller lobes are noise or turns on the spot, and ways of fewer vertices enclose nothing. A sector of a search by a
    fast aircraft takes 900 s. Crossings do not lie over each other: the last `overlap_share` of a lobe, the way from
    its turn to the crossing, may be crossed by the next.
    """

    min_turn_deg: float = 195.0
    max_turn_deg: float = 330.0
    min_nm: float = 0.2
    min_vertices: int = 5
    max_s: float = 1800.0
    max_vertices: int = 128
    overlap_share: float = 0.25


@dataclass(frozen=True)
class AlikeLobes:
    """Lobes belong to one figure where they are alike in length, share their crossing and follow each other.

    Their lengths differ by the factor `length_ratio` at most, as pylons of an eight are unequal and the wind blows;
    their crossings lie within `shift_share` of their reach, and the next begins within `pause_share` of the longer
    one's time.
    """

    length_ratio: float = 2.0
    shift_share: float = 0.45
    pause_share: float = 0.35


@dataclass(frozen=True)
class FigureOfEight:
    """Lobes that lie opposite each other are figures of eight, and three of them are circling.

    One figure of eight is a manoeuvre. The third lobe is seen to be the first once more when `again_share` of its turn
    is flown within `astray_share` of the first one's reach from it.
    """

    opposite_deg: float = 115.0
    lobes: int = 3
    again_share: float = 0.6
    astray_share: float = 0.3


@dataclass(frozen=True)
class SectorSearch:
    """Triangles through one datum, each turned by 120 degrees from the last, are a sector search.

    Turns are good to `error_deg`, as the sum of two is flown in wind, and to `restart_deg` more where the search begins
    again, turned by 30 degrees. Sectors are alike in length by the factor `length_ratio`, their data lie within
    `datum_share` of their reach, and `straight_share` of the time is straight. Two are enough, as three triangles
    through one datum are flown for nothing else.
    """

    turn_deg: float = 120.0
    error_deg: float = 32.0
    restart_deg: float = 15.0
    length_ratio: float = 1.5
    datum_share: float = 0.3
    straight_share: float = 0.45
    lobes: int = 2

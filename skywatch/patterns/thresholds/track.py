"""The trail of an aircraft, the first test of the whole sky, and reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrustedPosition:
    """A position is taken where the aircraft can have come to it in the time since the last one.

    Positions that follow sooner than `min_s` add nothing; a silence of `break_s` ends the trail. No aircraft of
    interest is faster than `max_speed_kt`, and `confirmations` impossible positions in a row are believed after all. A
    position may be `noise_nm` off, as with multilateration and old transponders. The flat map gets a new centre beyond
    `plane_reach_nm`, where its scale is wrong by 0.2 %.
    """

    min_s: float = 3.9
    break_s: float = 600.0
    max_speed_kt: float = 900.0
    confirmations: int = 4
    noise_nm: float = 0.06
    plane_reach_nm: float = 300.0


@dataclass(frozen=True)
class PositionNoise:
    """Positions whose noise is more than what any position may be off are drawn between their neighbours.

    Three positions within `span_s` show it; each counts by `weight` in the mean, and no more than `jump_share` of what
    was seen so far. They are noisy until the noise falls to `quiet_share` of the limit. A turn of `turn_rate_deg_s`
    is none. Headings without a reported track come from chords of `chord_ratio` times the noise, up to `max_chord_nm`,
    as longer ones would cut circles short.
    """

    span_s: float = 30.0
    weight: float = 0.08
    jump_share: float = 6.0
    quiet_share: float = 0.7
    turn_rate_deg_s: float = 2.0
    chord_ratio: float = 3.0
    max_chord_nm: float = 0.4


@dataclass(frozen=True)
class TrustedTrack:
    """A reported track is used where it agrees with the way flown.

    It may be off by `error_deg`, by half of what the aircraft may have turned at `usual_rate_deg_s`, twice the standard
    rate, and by what `noise_nm` makes of the way. After `turning_deg` the aircraft may have turned the long way round.
    While errors, each counted twice, exceed agreements by more than `max_doubt` tracks are not used: some sources send
    the track of another moment or aircraft. Positions `sparse_s` apart may hide half a turn; no sustained turn is
    quicker than `max_rate_deg_s`, four times the standard rate.
    """

    error_deg: float = 30.0
    noise_nm: float = 0.03
    max_doubt: int = 2
    turning_deg: float = 120.0
    usual_rate_deg_s: float = 6.0
    max_rate_deg_s: float = 12.0
    sparse_s: float = 8.0


@dataclass(frozen=True)
class TrailVertex:
    """A place becomes a vertex where the way bends by `turn_deg`, or went on straight for `max_s` or `max_nm`.

    The heading is looked at after `node_nm`, or `untracked_node_nm` where it comes from positions alone, because noise
    over a shorter chord would drown it. No detector keeps more than `max_vertices`, which bounds memory and cost.
    """

    turn_deg: float = 10.0
    max_s: float = 30.0
    max_nm: float = 2.0
    node_nm: float = 0.08
    untracked_node_nm: float = 0.2
    max_vertices: int = 256


@dataclass(frozen=True)
class FirstTest:
    """An aircraft may fly a pattern where it turned back on itself, or flies slowly enough to hover.

    Every `step_s` the displacement is compared with the way, both of which fade with the time constant `memory_s`,
    about a lap. Below the ratio `straightness` it turned back; a right angle leaves 0.71. Less way than `min_way_nm`
    proves nothing. Who may fly one is watched closely for `watch_s`, as legs of a survey take 1000 s, beginning with
    the last `history_steps` steps.
    """

    step_s: float = 10.0
    memory_s: float = 180.0
    straightness: float = 0.7
    min_way_nm: float = 0.5
    slow_kt: float = 60.0
    history_steps: int = 40
    watch_s: float = 1800.0


@dataclass(frozen=True)
class Certainty:
    """A pattern is as certain as its score, which stays low where something speaks against surveillance.

    Laps seen in few places have `sparse_share` of their score; one of unknown height, which may be a descent, and one
    with an ordinary reason score no more than these limits. Where ordinary patterns fill `ordinary_share` of the time
    of loitering, of a search or of a line, their reason is its reason. A pattern is reported again when it grew by
    `extend_every_s`.
    """

    medium: float = 0.5
    high: float = 0.75
    sparse_share: float = 0.8
    unknown_height_max: float = 0.45
    ordinary_max: float = 0.3
    ordinary_share: float = 0.33
    extend_every_s: float = 15.0

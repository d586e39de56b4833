"""Every threshold of the pattern detectors, with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.patterns.thresholds.lines import LineSettings
from skywatch.patterns.thresholds.loops import LapSettings, LoopSettings, OrbitSettings
from skywatch.patterns.thresholds.reasons import OrdinarySettings
from skywatch.patterns.thresholds.searches import SearchSettings
from skywatch.patterns.thresholds.station import StationSettings


@dataclass(frozen=True)
class PatternSettings(LoopSettings, OrbitSettings, LapSettings, StationSettings, LineSettings, SearchSettings,
                      OrdinarySettings):  # fmt: skip
    """Thresholds of the flight-pattern detectors; the defaults suit aircraft from helicopters to small jets."""

    # The trail
    sample_min_s: float = 3.9
    """Positions that follow sooner than this (s) add nothing and are skipped; keeps 1 Hz traffic cheap."""
    sparse_s: float = 8.0
    """Positions further apart than this (s) may hide more than half a turn between them."""
    trail_break_s: float = 600.0
    """A silence longer than this (s) ends the trail: what happened meanwhile is anybody's guess."""
    max_speed_kt: float = 900.0
    """No aircraft of interest is faster (kt); a position that would need more is an error."""
    max_turn_rate_deg_s: float = 12.0
    """No sustained turn is quicker (deg/s); four times the standard rate."""
    track_error_deg: float = 30.0
    """A reported track may be off the way flown by this (deg), besides half of what the aircraft may have turned and
    what noise does to the way."""
    usual_turn_rate_deg_s: float = 6.0
    """Turns are rarely quicker (deg/s); twice the standard rate."""
    track_noise_nm: float = 0.03
    """What a position may be off (nm) where the aircraft reports its track as well, which satellites give it."""
    track_doubt: int = 2
    """Reported tracks are not used while errors, each counted twice, exceed agreements by more than this: some sources
    send the track of another moment, or that of another aircraft."""
    track_turning_deg: float = 120.0
    """Where the aircraft may have turned by so much (deg) since the last track, it may have turned the long way round
    from one track to the other."""
    jump_confirmations: int = 4
    """That many impossible positions in a row are believed after all."""
    position_noise_nm: float = 0.06
    """What a position may be off (nm): about 100 m, as multilateration and old transponders are."""
    node_min_nm: float = 0.08
    """The heading is looked at again after this way (nm) where the aircraft reports its track."""
    node_min_untracked_nm: float = 0.2
    """The same (nm) where the heading must come from positions: noise over a shorter chord would drown it."""
    vertex_turn_deg: float = 10.0
    """A bend of this size (deg) makes a vertex."""
    vertex_max_s: float = 30.0
    """Straight flight makes a vertex at least this often (s)."""
    vertex_max_nm: float = 2.0
    """Straight flight makes a vertex at least this often (nm)."""
    plane_reach_nm: float = 300.0
    """The flat map gets a new centre beyond this distance (nm); there its scale is wrong by 0.2 %."""
    vertices_max: int = 256
    """Vertices that any detector keeps; what bounds memory and cost."""

    # The first test, and who is watched closely
    prefilter_step_s: float = 10.0
    """Each aircraft is looked at this often (s)."""
    prefilter_memory_s: float = 180.0
    """The sums forget with this time constant (s): about a lap."""
    prefilter_straightness: float = 0.7
    """Below this ratio of displacement to way an aircraft turned back on itself; a right angle leaves 0.71."""
    prefilter_way_nm: float = 0.5
    """Less way than this (nm) proves nothing."""
    prefilter_slow_kt: float = 60.0
    """Whoever flies more slowly (kt) may be hovering."""
    history_steps: int = 40
    """Steps of the first test kept to begin with once an aircraft is watched closely."""
    watch_s: float = 1800.0
    """An aircraft is watched for this long (s) after it last turned back: legs of a survey take 1000."""

    # Reports
    sparse_score_share: float = 0.8
    """Laps seen in few places or with gaps are this share as sure."""
    unknown_height_score: float = 0.45
    """No pattern of unknown height scores more: it may be a descent or a climb."""
    ordinary_score: float = 0.3
    """No pattern with an ordinary reason scores more."""
    confidence_medium: float = 0.5
    """Scores from here are of medium confidence."""
    confidence_high: float = 0.75
    """Scores from here are of high confidence."""
    extend_every_s: float = 15.0
    """A pattern that lasts is reported again when it grew by this (s)."""

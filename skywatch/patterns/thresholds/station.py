"""Thresholds of keeping to a place: loitering, searches, stakeouts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StationSettings:
    """Part of ``PatternSettings``."""

    station_sample_s: float = 15.0
    """Seconds between the samples of a window."""
    station_gap_s: float = 180.0
    """A window with a longer gap (s) shows nothing."""
    window_full_share: float = 0.95
    """A window shows something once it is this full."""
    stay_factor: float = 1.3
    """Limits are this much wider for a pattern that is open, so that it does not flap."""
    stay_pause_s: float = 180.0
    """A pattern is over when it has not held for this long (s)."""
    ground_cell_nm: float = 0.5
    """Side (nm) of the cells by which ground gone over is counted: what an observer sees to each side."""
    station_folds: float = 9.0
    """The way must be this many radii long; a straight line is 3.5 long, a there-and-back 7."""
    station_min_radius_nm: float = 0.1
    """Smaller areas (nm) are hovering."""
    station_min_speed_kt: float = 45.0
    """Slower (kt) is hovering or taxiing."""
    station_max_speed_kt: float = 200.0
    """Who keeps to a place is not faster (kt)."""
    station_level_ft: float = 1200.0
    """... and stays within this height (ft); training and soaring go up and down."""
    loiter_s: float = 1200.0
    """Loitering takes this long (s): longer than a hold or a wait for clearance is expected to."""
    loiter_radius_nm: float = 3.0
    """Root mean square radius (nm) of loitering."""
    loiter_level_ft: float = 250.0
    """Loitering keeps within this height (ft) where its way just folds enough, and within as much more as it folds more
    often: a stall, or a climb between two exercises, takes 300 ft."""
    search_level_ft: float = 400.0
    """A search keeps within this height (ft): what is looked for has to be seen alike from every leg."""
    search_s: float = 1800.0
    """An area search takes this long (s)."""
    search_min_radius_nm: float = 1.0
    """Root mean square radius (nm) that a search has at least."""
    search_max_radius_nm: float = 6.0
    """Root mean square radius (nm) that a search has at most."""
    ordinary_share: float = 0.33
    """Loitering, a search or a line to and fro has the reason of the orbits or procedure turns that fill this share of
    its time."""
    search_order: float = 0.5
    """Lines of a search run in a few directions, which agree by so much (0 at random, 1 exactly), whether they are at
    right angles, as in an expanding square, or 60 degrees apart, as in a sector search."""
    search_one_sided: float = 0.7
    """Share of its turns that goes to one side: an expanding square and a sector search turn one way throughout, lines
    side by side are a grid, and training turns to either side at random."""
    search_new_share: float = 0.72
    """Share of the ground that is new, which tells a search from loitering."""
    stakeout_s: float = 360.0
    """A stakeout takes this long (s); a landing approach of a helicopter does not."""
    stakeout_radius_nm: float = 0.35
    """Root mean square radius (nm) of a stakeout."""
    stakeout_level_ft: float = 500.0
    """A stakeout keeps within this height (ft); a glider in a thermal does not."""
    stakeout_speed_kt: float = 40.0
    """Mean ground speed (kt) of a stakeout, as reported; gliders circle from 43 kt on."""
    stakeout_came_kt: float = 55.0
    """The aircraft came flying, at this speed (kt) or more, so it is no car, no parked aircraft and no balloon..."""
    stakeout_came_share: float = 0.7
    """... which its way bears out to this share, as the noise of multilateration does not..."""
    stakeout_came_s: float = 40.0
    """... for so long (s)."""
    hover_height_ft: float = 200.0
    """It is at least this high (ft) above the lowest level of its trail..."""
    hover_cruise_ft: float = 150.0
    """... or hovers not lower than this (ft) below where it flew level before..."""
    hover_cruise_s: float = 60.0
    """... for so long (s): over a runway nobody flies on for half of it..."""
    hover_settled_share: float = 0.6
    """... or else not more than this share of the samples..."""
    hover_settled_ft: float = 50.0
    """... lies within so little (ft) above its lowest level: whoever came down to where he never was lower may stand on
    the ground, where the altimeter does not move."""
    hover_still_share: float = 0.5
    """Not more than this share of the samples shows less than 1 kt: hovering is never quite still for long."""
    hover_wander_ft: float = 75.0
    """Its height wanders this much (ft); on the ground the altimeter shows 50 at most..."""
    hover_drift_kt: float = 8.0
    """... or it drifts at this speed (kt): an aircraft parked on a hill does neither."""

"""Thresholds of patterns of straight legs: grid searches, and flights to and fro along a line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LineSettings:
    """Part of ``PatternSettings``."""

    # Legs
    leg_min_nm: float = 0.6
    """Shorter straight stretches (nm) are no legs."""
    leg_bend_deg: float = 30.0
    """A leg ends where the way turns by more (deg)."""
    leg_width_nm: float = 0.2
    """A leg's positions lie this close to its line (nm)."""
    leg_width_share: float = 0.03
    """... or within this share of its length, whichever is more: long lines are flown by eye and wind."""
    leg_turn_deg: float = 20.0
    """What is off the leg's usual heading by more (deg) belongs to the turns at its ends."""
    leg_vertices: int = 48
    """Vertices kept of a leg under way."""

    # Grid search
    sweep_angle_deg: float = 14.0
    """Legs of one family are parallel within this (deg)."""
    sweep_axis_legs: int = 12
    """So many legs back the longest parallel one is looked for, to take the axis from."""
    sweep_short_share: float = 0.35
    """Legs shorter than this share of the longest are turns between sweeps."""
    sweep_cross_deg: float = 30.0
    """Legs further off the axis than this (deg) lead across the family..."""
    sweep_cross_share: float = 1.0
    """... and end it if they are longer than this share of the longest sweep."""
    sweep_aside_share: float = 3.0
    """So much way, as a share of the longest leg, may be spent between two sweeps."""
    sweep_pause_s: float = 300.0
    """The next sweep begins within this (s) of the end of the last..."""
    sweep_pause_share: float = 1.0
    """... or within this many times its duration, whichever is longer."""
    sweep_width_nm: float = 0.4
    """Two legs in the same direction are one sweep if they lie this close (nm)."""
    sweep_overlap_share: float = 0.4
    """Neighbouring sweeps lie next to each other over this share of the shorter."""
    sweep_shift_share: float = 1.2
    """Neighbouring sweeps lie within this share of the longest."""
    lane_min_nm: float = 0.05
    """Sweeps in one direction that are nearer (nm) lie on the same line; lanes one next to the other are 0.08 apart."""
    lane_wide_nm: float = 0.25
    """Sweeps in one direction this far apart (nm) cannot be the same line flown by hand."""
    grid_sweeps: int = 4
    """Sweeps that make a grid where they are wide apart, even, in order and lines of one field: two might be a
    there-and-back, three a procedure."""
    grid_alike: float = 0.5
    """Lines of one field are alike in length; training turns back after any way..."""
    grid_length: float = 2.5
    """... and this many times as long as they are apart: a few turns by half a circle leave short lines."""
    grid_sweeps_close: int = 6
    """Sweeps that make a grid where they are close, or wide but not in order: four legs over one line lie in order by
    chance once in twelve times, six once in 360."""
    grid_sweeps_round: int = 10
    """Sweeps that make a grid where they are close and all turns go the same way: legs of a hold lie in order by chance
    on both sides once in 288 times where there are eight of them, and once in 7200 where there are ten."""
    grid_one_sided: float = 0.8
    """Share of the way across that must be to one side; laps over each other have none on the average."""
    grid_even: float = 0.5
    """Lanes are even where none is less than this share of the widest."""
    grid_even_close: float = 0.3
    """The same where lanes are close: what legs over one line stray is not even."""
    shifting_sweeps: int = 3
    """So many sweeps, each beyond the one before, may become a grid and are no road."""
    grid_leg_min_nm: float = 0.8
    """Shorter sweeps (nm) are not looked at."""
    grid_look_growth: float = 1.3
    """The leg under way is looked at again when it grew by this factor."""
    grid_last_share: float = 0.4
    """The sweep under way counts from this share of the usual length."""
    grid_legs_remembered: int = 64
    """Legs kept."""
    grid_pause_s: float = 900.0
    """A grid is over when no sweep was added for this long (s), or for the duration of the longest sweep."""
    grid_min_s: float = 240.0
    """Nothing shorter (s) is a grid."""

    # To and fro along a line
    reversal_deg: float = 150.0
    """A turn this large (deg)..."""
    reversal_nm: float = 3.0
    """... within this way (nm)..."""
    reversal_s: float = 180.0
    """... and time (s) is a reversal."""
    pass_vertices: int = 96
    """Vertices kept of a pass."""
    pass_look_nm: float = 2.0
    """So far ahead (nm) is looked for where a pass retraces the one before."""
    passes_remembered: int = 8
    """Passes kept."""
    corridor_nm: float = 0.25
    """Passes over the same road lie this close (nm)."""
    retraced_angle_deg: float = 45.0
    """... and go against each other within this (deg)."""
    retraced_share: float = 0.75
    """Share of the shorter pass that must be retraced."""
    corridor_max_speed_kt: float = 150.0
    """Traffic is watched at no more than this speed (kt)."""
    corridor_level_ft: float = 800.0
    """... and within this height (ft)."""
    corridor_clear_nm: float = 0.6
    """So near (nm) to where a line is joined or left, courses belong to the turns."""
    corridor_leave_nm: float = 1.5
    """The pattern is over this far (nm) off the line."""
    highway_nm: float = 4.0
    """Way (nm) that must be retraced for highway tracking."""
    highway_bend_deg: float = 35.0
    """Courses along the line spread this far (deg): roads bend, airways do not."""
    highway_leg_share: float = 0.7
    """A road with bends leaves no leg of more than this share of the pass."""
    highway_straight_passes: int = 3
    """Passes over a line without bends."""
    trap_passes: int = 4
    """Passes over the same stretch that make a speed trap."""
    trap_retraced_share: float = 0.5
    """Share of the shorter pass that must be retraced where passes are short, and turns are half of them."""
    trap_slenderness: float = 3.5
    """The stretch is this many times longer than wide."""
    trap_min_nm: float = 0.6
    """Shortest stretch (nm)."""
    trap_max_nm: float = 4.5
    """Longest pass (nm), the turns at its ends included."""

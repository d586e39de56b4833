"""Thresholds of searches that are recognised by their geometry."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchSettings:
    """Part of ``PatternSettings``."""

    expanding_step_deg: float = 45.0
    """The round under way is compared with the one before at headings so far apart (deg)."""
    expanding_headings: int = 7
    """So many headings are compared: with the round before that is one and three quarters turned."""
    expanding_least_nm: float = 0.12
    """A round lies so far (nm) outside the one before at each heading: twice what a position may be off."""
    expanding_even: float = 0.3
    """Nowhere less than this share of where it lies farthest outside: an orbit that moves grows on one side only, and a
    large circle after a small one touches it."""
    expanding_growth: float = 0.12
    """It lies outside by this share of the radius of the round before, on the average..."""
    expanding_lasting_laps: float = 0.7
    """... for so many rounds on end: by chance a round of a fire aircraft lies outside the one before."""
    square_growth: float = 0.9
    """An expanding square is known at once: its second round lies outside the first by more than this share of its
    radius (legs of 1, 1, 2 and 2 are followed by 3, 3, 4 and 4)..."""
    square_even: float = 0.4
    """... nowhere by less than this share of where most..."""
    square_leg_share: float = 0.25
    """... and at least this share of the time is straight, though heard seldom."""
    square_elongation: float = 0.35
    """... and it is as wide as it is long: a wide oval after a narrow one is not."""
    expanding_back_deg: float = 40.0
    """The heading may go back by so much (deg) meanwhile; a search turns to one side."""
    expanding_pause_laps: float = 0.8
    """A search is over when it has not grown for this share of the last round's time."""
    search_pause_s: float = 300.0
    """... or for this long (s), whichever is longer."""
    search_drift_ft: float = 600.0
    """A search keeps within this height (ft) for two rounds: what is looked for has to be seen alike from every leg."""
    search_vertices: int = 256
    """Vertices kept of a search."""
    # Lobes: figures of eight with straight diagonals, and sector searches
    lobe_turn_deg: float = 195.0
    """A lobe turns by more than half a circle (deg): by half of one and the angle at which it comes back..."""
    lobe_most_deg: float = 330.0
    """... and by less than a full one (deg), which is a lap."""
    lobe_least_nm: float = 0.2
    """Smaller lobes (nm from their crossing) are noise, and turns on the spot."""
    lobe_least_vertices: int = 5
    """A way of fewer vertices encloses nothing."""
    lobe_max_s: float = 1800.0
    """A lobe takes at most this long (s); a sector of a search by a fast aircraft takes 900."""
    lobe_vertices: int = 128
    """Vertices kept."""
    lobe_pause_share: float = 0.35
    """The next lobe begins where the last ended, within this share of the longer one's time."""
    lobe_alike: float = 2.0
    """Lobes of one figure are alike in length by this factor: pylons of an eight are unequal, and the wind blows."""
    lobe_shift_share: float = 0.45
    """Crossings of one figure lie within this share of the lobes' reach: they move with subject and wind."""
    eight_opposite_deg: float = 115.0
    """The lobes of an eight lie opposite each other, at least so far (deg) apart as seen from the crossing."""
    eight_lobes: int = 4
    """Lobes that make circling: one figure of eight is a manoeuvre, two are a pattern."""
    sector_turn_deg: float = 120.0
    """The turns of a sector search, two to a sector, and the angle from a sector to the next (deg)..."""
    sector_error_deg: float = 32.0
    """... as good as the sum of two is flown in wind (deg)."""
    sector_begins_deg: float = 15.0
    """... and so much more (deg) where it begins again, turned by 30 degrees."""
    sector_alike: float = 1.5
    """Sectors are alike in length by this factor..."""
    sector_datum_share: float = 0.3
    """... and their data lie within this share of their reach of each other."""
    sector_leg_share: float = 0.45
    """Sectors are straight for this share of the time; loops that happen to lie so are not."""
    sector_lobes: int = 2
    """Sectors that make a search: three triangles through one datum are flown for nothing else, two are the second
    round of turn."""

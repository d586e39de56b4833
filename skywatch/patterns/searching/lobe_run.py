"""What lobes about one crossing are: figures of eight, or a sector search."""

from __future__ import annotations

from math import atan2, degrees, hypot

from skywatch.patterns.searching.lobes import Lobe
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import wrap_deg


def is_same_figure(before: Lobe, after: Lobe, s: PatternSettings) -> bool:
    """Return whether two lobes are alike and have one crossing."""
    small, large = sorted((before.length_nm, after.length_nm))
    reach = max(before.reach_nm, after.reach_nm)
    apart = hypot(after.x - before.x, after.y - before.y)
    return large <= s.lobe_alike * small and apart <= s.lobe_shift_share * reach + s.position_noise_nm


def steps_in_eight(before: Lobe, after: Lobe, s: PatternSettings) -> int:
    """Return how many lobes of a figure of eight the second is after the first: 1, 2 where one was lost, or 0.

    Lobes turn to either side by turns, and lie opposite each other.
    """
    if not is_same_figure(before, after, s):
        return 0
    pause_s, longer_s = after.t0 - before.t1, max(before.duration_s, after.duration_s)
    opposite = abs(_between_deg(before, after)) >= s.eight_opposite_deg
    if before.turn_deg * after.turn_deg < 0.0:
        return int(opposite and pause_s <= s.lobe_pause_share * longer_s)
    return 2 * int(not opposite and pause_s <= (1.0 + 2.0 * s.lobe_pause_share) * longer_s)


def steps_in_sectors(before: Lobe, after: Lobe, s: PatternSettings) -> int:
    """Return 1 where the second lobe is the next sector of a search (IAMSAR Manual, volume III), else 0.

    Each has two turns of 120 degrees to the same side, and the next lies 120 degrees farther that way, or 30 degrees
    more where the search begins again between the sectors of the first.
    """
    if before.turn_deg * after.turn_deg < 0.0 or not is_same_figure(before, after, s):
        return 0
    small, large = sorted((before.length_nm, after.length_nm))
    apart = hypot(after.x - before.x, after.y - before.y)
    if large > s.sector_alike * small or apart > s.sector_datum_share * max(before.reach_nm, after.reach_nm):
        return 0
    if any(abs(abs(lobe.turn_deg) - 2.0 * s.sector_turn_deg) > s.sector_error_deg for lobe in (before, after)):
        return 0
    off = abs(_between_deg(before, after)) - s.sector_turn_deg
    follows = after.t0 - before.t1 <= s.lobe_pause_share * max(before.duration_s, after.duration_s)
    return int(follows and -s.sector_error_deg <= off <= s.sector_error_deg + s.sector_begins_deg)


def _between_deg(before: Lobe, after: Lobe) -> float:
    """Return the angle from the axis of one lobe to that of the next."""
    return wrap_deg(degrees(atan2(after.axis_x, after.axis_y) - atan2(before.axis_x, before.axis_y)))

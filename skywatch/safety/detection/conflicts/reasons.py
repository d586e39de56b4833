"""The reasons to suppress a proximity event, because the pair is in no danger.

Each reason is one word of ``suppressed_by`` and one paragraph of docs/safety.md.
"""

from __future__ import annotations

import numpy as np

from skywatch.safety.detection.conflicts.approaches import are_parallel
from skywatch.safety.detection.conflicts.cells import offset
from skywatch.safety.detection.conflicts.companions import Companions
from skywatch.safety.detection.conflicts.proximity import Pairs
from skywatch.safety.detection.frame import Array, Frame
from skywatch.safety.thresholds.thresholds import Thresholds

# Two positions of one aircraft: so near (nm, ft), moving alike (kt).
COPY_NM, COPY_FT, COPY_KT = 0.5, 300.0, 40.0
TOW_NM, TOW_FT, TOW_KT = 0.25, 400.0, 25.0
# Who hovers (kt) stays where it is. Another one that lands or takes off (ft/min) and passes it by more than this (nm)
# does so next to a runway.
HOVERING_KT, LANDING_FPM, HOVERING_NM = 35.0, 200.0, 0.2
# Geometric altitudes (ft) that are apart by so much more than the box: one of the barometric ones is wrong.
DISAGREE_FT = 300.0
# Military aircraft that fly in about the same direction (kt) join or refuel under their own separation (FAA
# Order JO 7110.65, 2-1-11).
JOIN_KT = 150.0
# A reason applies for this time (s) after it was last met, so that noise raises no event; parallel approaches are near
# each other for long, and their reason ends in time before the closest point.
REASON_S, PARALLEL_S = 20.0, 1.0

# Every reason, in the order in which they are told.
REASONS = (
    "copy",
    "relayed_position",
    "poor_integrity",
    "gliders",
    "tow",
    "helicopters",
    "hovering",
    "drones",
    "formation",
    "altitude_disagrees",
    "parallel_approach",
)


LASTING_S = np.array([PARALLEL_S if word == "parallel_approach" else REASON_S for word in REASONS])
COPY = REASONS.index("copy")


def copy_range_nm(gs_first: Array, gs_second: Array) -> Array:
    """How far (nm) apart one aircraft and what a relay makes of it may be: relays are up to ten seconds late."""
    distance: Array = COPY_NM + np.fmax(gs_first, gs_second) * 10 / 3600
    return distance


def why_held_back(
    frame: Frame, pairs: Pairs, companions: Companions, is_distinct: Array, turn: Array, thresholds: Thresholds
) -> Array:
    """Which of REASONS apply to pairs: a row for each pair, with none it is to be raised.

    ``is_distinct``: the two were once too far apart to be one aircraft; ``turn``: rates of turn by row (degrees/s).
    """
    first, second = pairs.first, pairs.second
    distance_nm, vertical_ft, velocity_kt = _difference(frame, first, second)

    def both(values: Array) -> tuple[Array, Array]:
        return values[first], values[second]

    gs, callsign = both(frame.column("gs_kt")), both(frame.column("flight"))
    relayed = frame.relayed(first) | frame.relayed(second)
    doubtful = frame.doubtful(first, thresholds) | frame.doubtful(second, thresholds)
    # One aircraft under two addresses: its own and that of a relay, which is some seconds behind, and stays so.
    moves_alike = (distance_nm <= copy_range_nm(*gs)) & (vertical_ft <= COPY_FT) & (velocity_kt <= COPY_KT)
    is_distinct |= companions.closed_nm(frame, first, second) >= thresholds.formation_closed_nm
    # Unknown counts as good: most inputs do not provide it.
    nic_first, nic_second = both(frame.column("nic"))
    least_nic = np.minimum(np.where(nic_first < 0, 99, nic_first), np.where(nic_second < 0, 99, nic_second))
    is_helicopter = frame.helicopters(first), frame.helicopters(second)
    glider_first, glider_second = frame.gliders(first), frame.gliders(second)
    is_towing = (distance_nm <= TOW_NM) & (vertical_ft <= TOW_FT) & (velocity_kt <= TOW_KT)
    military_first, military_second = both(frame.column("military"))
    geometric_first, geometric_second = both(frame.column("alt_geom_ft"))
    return np.column_stack((
        ((callsign[0] != b"") & (callsign[0] == callsign[1])) | (relayed & moves_alike & ~is_distinct),
        doubtful,
        least_nic < thresholds.proximity_nic,
        glider_first & glider_second,
        (glider_first ^ glider_second) & is_towing,
        is_helicopter[0] & is_helicopter[1],
        _passes_hovering(gs, both(frame.rate_fpm), is_helicopter) & (pairs.closest_nm >= HOVERING_NM),
        frame.drones(first) & frame.drones(second),
        companions.are(frame, first, second) | (military_first & military_second & (velocity_kt <= JOIN_KT)),
        np.abs(geometric_second - geometric_first) > pairs.box_ft + DISAGREE_FT,
        are_parallel(frame, first, second, pairs.until_s, pairs.closest_nm, turn, thresholds),
    ))  # fmt: skip


def _passes_hovering(gs: tuple[Array, Array], rate: tuple[Array, Array], is_helicopter: tuple[Array, Array]) -> Array:
    """Which pairs are a rotorcraft that hovers and another one that lands or takes off."""
    hovers = [is_helicopter[side] & (gs[side] < HOVERING_KT) for side in (0, 1)]
    is_landing = [np.abs(rate[side]) >= LANDING_FPM for side in (0, 1)]
    result: Array = (hovers[0] & is_landing[1]) | (hovers[1] & is_landing[0])
    return result


def _difference(frame: Frame, first: Array, second: Array) -> tuple[Array, Array, Array]:
    """Distance (nm), difference of altitude (ft) and of velocity (kt)."""
    altitude = frame.column("alt_baro_ft")
    gs, track = frame.column("gs_kt"), np.radians(frame.column("track_deg"))
    dx, dy = offset(frame.column("lat"), frame.column("lon"), first, second)
    east = gs[second] * np.sin(track[second]) - gs[first] * np.sin(track[first])
    north = gs[second] * np.cos(track[second]) - gs[first] * np.cos(track[first])
    return np.hypot(dx, dy), np.abs(altitude[second] - altitude[first]), np.hypot(east, north)

"""The reasons to suppress a proximity event, because the pair is in no danger.

Each reason is one word of ``suppressed_by`` and one paragraph of docs/safety.md.
"""

from __future__ import annotations

import numpy as np

from skywatch.safety.detection.frame import Array, Frame
from skywatch.safety.detection.meeting.cells import NM_PER_DEGREE
from skywatch.safety.detection.meeting.companions import Companions
from skywatch.safety.thresholds.table import Thresholds

# Two positions of one aircraft: so near (nm, ft), moving alike (kt).
COPY_NM, COPY_FT, COPY_KT = 0.5, 300.0, 40.0
TOW_NM, TOW_FT, TOW_KT = 0.25, 400.0, 25.0
# Geometric altitudes (ft) that are apart by so much more than the box: one of the barometric ones is wrong.
DISAGREE_FT = 300.0
# Military aircraft that fly in about the same direction (kt) join or refuel under their own separation (FAA
# Order JO 7110.65, 2-1-11).
JOIN_KT = 150.0
# Approaches to parallel runways: alike in track (degrees), low (ft), descending (ft/min), side by side (nm).
PARALLEL_DEG, PARALLEL_FT, PARALLEL_FPM, PARALLEL_KT = 15.0, 10_000.0, -200.0, 220.0


# Every reason, in the order in which they are told.
REASONS = (
    "copy",
    "relayed_position",
    "poor_integrity",
    "gliders",
    "tow",
    "helicopters",
    "drones",
    "formation",
    "altitude_disagrees",
    "parallel_approach",
)


def why_held_back(
    frame: Frame, one: Array, two: Array, companions: Companions, box_ft: Array, thresholds: Thresholds
) -> Array:
    """Which of REASONS apply to pairs of rows: a row for each pair, with none it is to be raised."""
    distance_nm, vertical_ft, velocity_kt = _difference(frame, one, two)

    def both(values: Array) -> tuple[Array, Array]:
        return values[one], values[two]

    gs, track, callsign = both(frame.column("gs_kt")), both(frame.column("track_deg")), both(frame.column("flight"))
    relayed = frame.relayed(one) | frame.relayed(two)
    # One aircraft under two addresses: its own and that of a relay, which is some seconds behind.
    copy_nm = COPY_NM + np.maximum(*gs) * 10 / 3600
    moves_alike = (distance_nm <= copy_nm) & (vertical_ft <= COPY_FT) & (velocity_kt <= COPY_KT)
    # Unknown counts as good: most inputs do not provide it.
    nic_one, nic_two = both(frame.column("nic"))
    least_nic = np.minimum(np.where(nic_one < 0, 99, nic_one), np.where(nic_two < 0, 99, nic_two))
    glider_one, glider_two = frame.gliders(one), frame.gliders(two)
    is_towing = (distance_nm <= TOW_NM) & (vertical_ft <= TOW_FT) & (velocity_kt <= TOW_KT)
    military_one, military_two = both(frame.column("military"))
    geometric_one, geometric_two = both(frame.column("alt_geom_ft"))
    altitude, rate = both(frame.column("alt_baro_ft")), both(frame.rate_fpm)
    apart_deg = np.abs((track[1] - track[0] + 180) % 360 - 180)
    is_approach = apart_deg <= PARALLEL_DEG
    for side in (0, 1):
        is_approach &= (altitude[side] < PARALLEL_FT) & (gs[side] < PARALLEL_KT) & (rate[side] < PARALLEL_FPM)
    return np.column_stack((
        ((callsign[0] != b"") & (callsign[0] == callsign[1])) | (relayed & moves_alike),
        relayed,
        least_nic < thresholds.proximity_nic,
        glider_one & glider_two,
        (glider_one ^ glider_two) & is_towing,
        frame.helicopters(one) & frame.helicopters(two),
        frame.drones(one) & frame.drones(two),
        companions.are(frame, one, two) | (military_one & military_two & (velocity_kt <= JOIN_KT)),
        np.abs(geometric_two - geometric_one) > box_ft + DISAGREE_FT,
        is_approach,
    ))  # fmt: skip


def _difference(frame: Frame, one: Array, two: Array) -> tuple[Array, Array, Array]:
    """Distance (nm), difference of altitude (ft) and of velocity (kt)."""
    lat, lon, altitude = frame.column("lat"), frame.column("lon"), frame.column("alt_baro_ft")
    gs, track = frame.column("gs_kt"), np.radians(frame.column("track_deg"))
    dy = (lat[two] - lat[one]) * NM_PER_DEGREE
    dx = ((lon[two] - lon[one] + 180) % 360 - 180) * np.cos(np.radians(lat[one])) * NM_PER_DEGREE
    east = gs[two] * np.sin(track[two]) - gs[one] * np.sin(track[one])
    north = gs[two] * np.cos(track[two]) - gs[one] * np.cos(track[one])
    return np.hypot(dx, dy), np.abs(altitude[two] - altitude[one]), np.hypot(east, north)

"""The reasons to suppress a proximity event, because the pair is in no danger.

Each reason is one word of ``suppressed_by`` and one paragraph of docs/safety.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from skywatch.safety.detection.cells import NM_PER_DEGREE
from skywatch.safety.detection.companions import Companions
from skywatch.safety.detection.frame import Frame
from skywatch.safety.thresholds import Thresholds

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


@dataclass(frozen=True)
class _Side:
    """One of the two, as plain numbers."""

    row: int
    hex: str
    callsign: str
    lat: float
    lon: float
    altitude_ft: float
    geometric_ft: float
    gs_kt: float
    track_deg: float
    rate_fpm: float
    nic: int
    is_relayed: bool
    is_military: bool


def why_held_back(
    frame: Frame, one: int, two: int, companions: Companions, box_ft: float, thresholds: Thresholds
) -> tuple[str, ...]:
    """The reasons that apply to a pair of rows, in a fixed order; empty if it is to be raised."""
    a, b = _side(frame, one), _side(frame, two)
    distance_nm, vertical_ft, velocity_kt = _difference(a, b)
    reasons: list[str] = []
    is_relayed = a.is_relayed or b.is_relayed
    # One aircraft under two addresses: its own and that of a relay, which is some seconds behind.
    copy_nm = COPY_NM + max(a.gs_kt, b.gs_kt) * 10 / 3600
    moves_alike = distance_nm <= copy_nm and vertical_ft <= COPY_FT and velocity_kt <= COPY_KT
    if (a.callsign and a.callsign == b.callsign) or (is_relayed and moves_alike):
        reasons.append("copy")
    if is_relayed:
        reasons.append("relayed_position")
    # Unknown counts as good: most inputs do not provide it.
    if any(0 <= side.nic < thresholds.proximity_nic for side in (a, b)):
        reasons.append("poor_integrity")
    gliders = frame.is_glider(one), frame.is_glider(two)
    if all(gliders):
        reasons.append("gliders")
    elif any(gliders) and distance_nm <= TOW_NM and vertical_ft <= TOW_FT and velocity_kt <= TOW_KT:
        reasons.append("tow")
    if frame.is_helicopter(one) and frame.is_helicopter(two):
        reasons.append("helicopters")
    if frame.is_drone(one) and frame.is_drone(two):
        reasons.append("drones")
    if companions.are(a.hex, b.hex, frame.now) or (a.is_military and b.is_military and velocity_kt <= JOIN_KT):
        reasons.append("formation")
    if abs(b.geometric_ft - a.geometric_ft) > box_ft + DISAGREE_FT:
        reasons.append("altitude_disagrees")
    if _parallel_approach(a, b):
        reasons.append("parallel_approach")
    return tuple(reasons)


def _side(frame: Frame, row: int) -> _Side:
    column = frame.column
    return _Side(
        row,
        frame.hexes[row],
        frame.callsign(row),
        float(column("lat")[row]),
        float(column("lon")[row]),
        float(column("alt_baro_ft")[row]),
        float(column("alt_geom_ft")[row]),
        float(column("gs_kt")[row]),
        float(column("track_deg")[row]),
        float(frame.rate_fpm[row]),
        int(column("nic")[row]),
        frame.is_relayed(row),
        bool(column("military")[row]),
    )


def _difference(a: _Side, b: _Side) -> tuple[float, float, float]:
    """Distance (nm), difference of altitude (ft) and of velocity (kt)."""
    dy = (b.lat - a.lat) * NM_PER_DEGREE
    dx = ((b.lon - a.lon + 180) % 360 - 180) * math.cos(math.radians(a.lat)) * NM_PER_DEGREE
    one, two = math.radians(a.track_deg), math.radians(b.track_deg)
    east = b.gs_kt * math.sin(two) - a.gs_kt * math.sin(one)
    north = b.gs_kt * math.cos(two) - a.gs_kt * math.cos(one)
    return math.hypot(dx, dy), abs(b.altitude_ft - a.altitude_ft), math.hypot(east, north)


def _parallel_approach(a: _Side, b: _Side) -> bool:
    apart = abs((b.track_deg - a.track_deg + 180) % 360 - 180)
    return apart <= PARALLEL_DEG and all(
        side.altitude_ft < PARALLEL_FT and side.gs_kt < PARALLEL_KT and side.rate_fpm < PARALLEL_FPM for side in (a, b)
    )

"""Airliners that are low: fast, below the floor learnt from level flight in that place, and away from runways.

The floor is that of ``learnt_places``; without a floor no aircraft is low.
"""

from __future__ import annotations

import numpy as np

from skywatch.core import geo
from skywatch.safety.detection.finding import Finding, Quantity
from skywatch.safety.detection.frame import Carried, Frame
from skywatch.safety.detection.learnt_places import Learner
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import sentence

# Aircraft above this are not checked, and a floor above it is none: floors are near the ground. Where only overflights
# fly level, an aircraft that climbs or descends is not low.
CEILING_FT = 15_000.0


class LowAltitudeDetector:
    """Airliners below the learnt floor."""

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self._carried = Carried(since=float("nan"))
        # Whether an aircraft is low, but not for long enough.
        self.is_waiting = False

    def update(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """The aircraft that have been low for long enough."""
        self._carried.carry(frame)
        altitude = frame.column("alt_baro_ft")
        is_candidate = frame.airliner & frame.adsb & ~np.isnan(altitude) & (altitude < CEILING_FT)
        is_candidate &= (frame.gs_or_zero >= thresholds.low_speed_kt) & frame.has_position & ~frame.column("on_ground")
        rows = is_candidate.nonzero()[0]
        lat, lon = frame.column("lat")[rows], frame.column("lon")[rows]
        findings: list[Finding] = []
        since, before = self._carried["since"], {}
        below = self._learner.below(lat, lon, altitude[rows], thresholds.low_margin_ft) if len(rows) else []
        for index, floor in below:
            row = int(rows[index])
            if floor > CEILING_FT or self._is_near_runway(
                float(lat[index]), float(lon[index]), thresholds.low_runway_nm
            ):
                continue
            before[row] = float(since[row]) if since[row] == since[row] else frame.now
            if frame.now - before[row] >= thresholds.low_hold_s:
                findings.append(_finding(frame, row, floor))
        since[:] = np.nan
        since[list(before)] = list(before.values())
        self.is_waiting = bool(before)
        return findings

    def _is_near_runway(self, lat: float, lon: float, limit_nm: float) -> bool:
        lats, lons = self._learner.runways()
        near = np.abs(lats - lat) <= limit_nm / 60
        return bool(near.any() and geo.distance_nm(lat, lon, lats[near], lons[near]).min() <= limit_nm)


def _finding(frame: Frame, row: int, floor: int) -> Finding:
    altitude = round(float(frame.column("alt_baro_ft")[row]))
    return Finding(
        type="low_altitude",
        key=frame.hexes[row],
        severity="warning",
        message=sentence(
            "safety.low_altitude",
            "{name} is at {altitude:,} ft where airliners fly level at {floor:,} ft or higher",
            name=frame.name(row),
            altitude=altitude,
            floor=floor,
        ),
        hexes=(frame.hexes[row],),
        callsigns=(frame.callsign(row),),
        numbers={
            "altitude": Quantity(altitude, "ft"),
            "floor": Quantity(floor, "ft"),
            "ground_speed": Quantity(round(float(frame.column("gs_kt")[row])), "kt"),
        },
        position=frame.position(row),
        military=frame.is_military(row),
    )

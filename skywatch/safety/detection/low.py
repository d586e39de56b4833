"""Airliners that are low: fast, below the floor learnt from level flight in that place, and away from runways.

The floor is that of ``learning``; where none is known, nobody is low.
"""

from __future__ import annotations

import numpy as np

from skywatch.core import geo
from skywatch.safety.detection.finding import Finding, Quantity
from skywatch.safety.detection.frame import Carried, Frame
from skywatch.safety.learning import Learner
from skywatch.safety.thresholds import Thresholds

# Nobody above this is asked about: floors are of aircraft near the ground.
CEILING_FT = 15_000.0
RUNWAYS_EVERY_TICKS = 30


class LowAltitudeDetector:
    """Airliners below the learnt floor."""

    type = "low_altitude"

    def __init__(self, learner: Learner) -> None:
        self._learner = learner
        self._carried = Carried(since=float("nan"), baro=float("nan"))
        self._ticks = 0
        self._runways = learner.runways()

    def update(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """Who is low for long enough."""
        self._carried.carry(frame)
        if self._ticks % RUNWAYS_EVERY_TICKS == 0:
            self._runways = self._learner.runways()
        self._ticks += 1
        altitude, gs = frame.column("alt_baro_ft"), np.nan_to_num(frame.column("gs_kt"))
        asked = frame.airliner & frame.adsb & ~np.isnan(altitude) & (altitude < CEILING_FT)
        asked &= (gs >= thresholds.low_speed_kt) & ~np.isnan(frame.column("lat")) & ~frame.column("on_ground")
        since = self._carried["since"]
        findings: list[Finding] = []
        low = np.zeros(len(frame), "?")
        for row in np.flatnonzero(asked).tolist():
            floor = self._floor(frame, row, thresholds)
            if floor is None or altitude[row] >= floor - thresholds.low_margin_ft:
                continue
            low[row] = True
            if since[row] != since[row]:
                since[row] = frame.now
            if frame.now - since[row] >= thresholds.low_hold_s:
                findings.append(_finding(frame, row, floor))
        since[~low] = np.nan
        return findings

    def _floor(self, frame: Frame, row: int, thresholds: Thresholds) -> int | None:
        lat, lon = float(frame.column("lat")[row]), float(frame.column("lon")[row])
        floor = self._learner.floor_ft(lat, lon)
        if floor is None:
            return None
        lats, lons = self._runways
        near = np.abs(lats - lat) <= thresholds.low_runway_nm / 60
        if near.any() and geo.distance_nm(lat, lon, lats[near], lons[near]).min() <= thresholds.low_runway_nm:
            return None
        return floor


def _finding(frame: Frame, row: int, floor: int) -> Finding:
    altitude = round(float(frame.column("alt_baro_ft")[row]))
    return Finding(
        type="low_altitude",
        key=frame.hexes[row],
        severity="warning",
        message=f"{frame.name(row)} is at {altitude:,} ft where airliners fly level at {floor:,} ft or higher",
        hexes=(frame.hexes[row],),
        callsigns=(frame.callsign(row),),
        numbers={
            "altitude": Quantity(altitude, "ft"),
            "floor": Quantity(floor, "ft"),
            "ground_speed": Quantity(round(float(frame.column("gs_kt")[row])), "kt"),
        },
        position=frame.place(row),
        military=frame.is_military(row),
    )

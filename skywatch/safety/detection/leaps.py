"""Leaps: positions that an aircraft claims although it cannot have come there, from a track that was well received.

A gap in the reception, or a feed whose times are wrong, also puts an aircraft where it cannot have come so soon. Such
a place lies where the aircraft's own velocity carries it within minutes, ahead or behind; a place of which this
is true is no leap, and neither is one after which the track was not received well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from skywatch.core import geo
from skywatch.picture.sky import RefusedPosition
from skywatch.safety.detection.frame import Carried, Frame
from skywatch.safety.thresholds import Thresholds

# A leap is one when the aircraft claims it this many times; single wrong positions are decoding errors.
TIMES = 3
# A track is well received while positions are at most this far apart (s), and has had so many of them in a row.
GAP_S, IN_A_ROW = 15.0, 5
# Late or delayed positions lie on the way of so many seconds ahead or behind; curves take them this far off it.
ALONG_S, ASIDE_SHARE, ASIDE_NM = 180.0, 0.15, 2.0
# A suspicion is forgotten this long after it was last claimed (s).
FORGOTTEN_S = 30.0


@dataclass
class _Suspect:
    """An aircraft whose positions are refused: whether its track was well received when that began."""

    was_well_received: bool
    last_at: float


class LeapDetector:
    """Tells leaps from gaps and wrong times."""

    def __init__(self) -> None:
        nan = float("nan")
        self._carried = Carried(lat=nan, lon=nan, changed_at=-np.inf, in_a_row=0.0)
        self._suspects: dict[str, _Suspect] = {}

    def update(self, frame: Frame, thresholds: Thresholds) -> list[tuple[RefusedPosition, int, float]]:
        """The leaps of this tick: the claim, the row of the aircraft, and how far it leaps (nm)."""
        self._follow(frame)
        leaps = []
        for claim in frame.sky.refused:
            row = frame.sky.index.get(claim.hex)
            if row is None or not frame.adsb[row]:
                continue
            distance = self._leap_nm(frame, row, claim)
            if claim.times >= TIMES and distance >= thresholds.leap_nm:
                leaps.append((claim, row, distance))
        old = frame.now - FORGOTTEN_S
        self._suspects = {address: s for address, s in self._suspects.items() if s.last_at >= old}
        return leaps

    def _follow(self, frame: Frame) -> None:
        self._carried.carry(frame)
        state, now = self._carried, frame.now
        lat, lon = frame.column("lat"), frame.column("lon")
        changed = ~np.isnan(lat) & ((lat != state["lat"]) | (lon != state["lon"]))
        state["in_a_row"][changed & (now - state["changed_at"] > GAP_S)] = 0
        state["in_a_row"][changed] += 1
        state["changed_at"][changed] = now
        state["lat"][changed], state["lon"][changed] = lat[changed], lon[changed]

    def _leap_nm(self, frame: Frame, row: int, claim: RefusedPosition) -> float:
        """How far the claim is from where the aircraft is; 0 where it is not to be counted."""
        state = self._carried
        suspect = self._suspects.get(claim.hex)
        if suspect is None:
            well = state["in_a_row"][row] >= IN_A_ROW and frame.now - state["changed_at"][row] <= GAP_S
            suspect = self._suspects[claim.hex] = _Suspect(bool(well), frame.now)
        suspect.last_at = frame.now
        lat, lon = float(frame.column("lat")[row]), float(frame.column("lon")[row])
        if not suspect.was_well_received or lat != lat:
            return 0.0
        distance = float(geo.distance_nm(lat, lon, claim.lat, claim.lon))
        gs, track = float(frame.column("gs_kt")[row]), float(frame.column("track_deg")[row])
        if gs == gs and track == track:
            angle = math.radians(float(geo.bearing_deg(lat, lon, claim.lat, claim.lon)) - track)
            along, aside = abs(distance * math.cos(angle)), abs(distance * math.sin(angle))
            if along <= gs * ALONG_S / 3600 and aside <= ASIDE_NM + ASIDE_SHARE * along:
                return 0.0
        return distance

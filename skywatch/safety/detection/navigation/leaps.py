"""Leaps: claimed positions that an aircraft cannot have reached, from a track that was well received.

A gap in reception or a feed with wrong times also yields unreachable positions. Those lie on the aircraft's own path,
minutes ahead or behind, and are no leaps; neither is a position after which the track was not received well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from skywatch.core import geo
from skywatch.picture.state.sky import RefusedPosition
from skywatch.safety.detection.frame import Array, Carried, Frame
from skywatch.safety.thresholds.thresholds import Thresholds

# A leap must be claimed this many times; single wrong positions are decoding errors.
TIMES = 3
# A track is well received while positions are at most this far apart (s), and has had so many of them in a row.
GAP_S, IN_A_ROW = 15.0, 5
# Delayed positions lie on the path of so many seconds ahead or behind; turns shift them by up to this angle.
ALONG_S, ASIDE_SHARE, ASIDE_NM = 180.0, 0.15, 2.0
Point = tuple[float, float]
# A suspicion is forgotten this long after it was last claimed (s).
FORGOTTEN_S = 30.0


@dataclass
class _Suspect:
    """An aircraft whose positions are refused: whether its track was well received when that began."""

    was_well_received: bool
    last_at: float


@dataclass
class _Moved:
    """An aircraft whose accepted position has jumped: how far, when, and how often it has been confirmed."""

    distance_nm: float
    at: float
    times: int = 0


class LeapDetector:
    """Distinguishes leaps from gaps and wrong times."""

    def __init__(self) -> None:
        nan = float("nan")
        self._carried = Carried(lat=nan, lon=nan, changed_at=-np.inf, in_a_row=0.0)
        # By address and whether the claim is in doubt.
        self._suspects: dict[tuple[str, bool], _Suspect] = {}
        # Aircraft whose believed position has leapt, because several receivers agree on the new one.
        self._moved: dict[str, _Moved] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may change what is found."""
        return bool(self._suspects or self._moved)

    def update(self, frame: Frame, thresholds: Thresholds) -> list[tuple[RefusedPosition, int, float]]:
        """The leaps of this tick: the claim, the row of the aircraft, and how far it leaps (nm)."""
        leaps = self._believed(frame, thresholds)
        for claim in frame.sky.refused:
            row = frame.sky.index.get(claim.hex)
            if row is None or not frame.adsb[row]:
                continue
            distance = self._leap_nm(frame, row, claim)
            if claim.times >= TIMES and distance >= thresholds.leap_nm:
                leaps.append((claim, row, distance))
        leaps.sort(key=lambda leap: (leap[0].hex, leap[0].in_doubt))
        old = frame.now - FORGOTTEN_S
        self._suspects = {key: s for key, s in self._suspects.items() if s.last_at >= old}
        return leaps

    def _believed(self, frame: Frame, thresholds: Thresholds) -> list[tuple[RefusedPosition, int, float]]:
        """Follow the accepted positions; the leaps among them, once each has been confirmed."""
        self._carried.carry(frame)
        state, now = self._carried, frame.now
        lat, lon = frame.column("lat"), frame.column("lon")
        has_changed = ~np.isnan(lat) & ((lat != state["lat"]) | (lon != state["lon"]))
        near_deg = thresholds.leap_nm / 60 / 2
        with np.errstate(invalid="ignore"):
            far = (np.abs(lat - state["lat"]) > near_deg) | (np.abs(lon - state["lon"]) > near_deg)
        for row in np.flatnonzero(has_changed & far & frame.adsb).tolist():
            self._note_moved(frame, row, thresholds)
        leaps = self._confirmed(frame, has_changed)
        state["in_a_row"][has_changed & (now - state["changed_at"] > GAP_S)] = 0
        state["in_a_row"][has_changed] += 1
        state["changed_at"][has_changed] = now
        state["lat"][has_changed], state["lon"][has_changed] = lat[has_changed], lon[has_changed]
        return leaps

    def _note_moved(self, frame: Frame, row: int, thresholds: Thresholds) -> None:
        """Record an aircraft whose accepted position is unreachable."""
        state = self._carried
        well = state["in_a_row"][row] >= IN_A_ROW and frame.now - state["changed_at"][row] <= GAP_S
        before = float(state["lat"][row]), float(state["lon"][row])
        position = float(frame.column("lat")[row]), float(frame.column("lon")[row])
        distance = _off_its_way(frame, row, before, position)
        if well and distance >= thresholds.leap_nm:
            self._moved[frame.hexes[row]] = _Moved(distance, frame.now)

    def _confirmed(self, frame: Frame, changed: Array) -> list[tuple[RefusedPosition, int, float]]:
        leaps = []
        for address, moved in list(self._moved.items()):
            row = frame.sky.index.get(address)
            if row is None or frame.now - moved.at > FORGOTTEN_S:
                del self._moved[address]
                continue
            moved.times += bool(changed[row])
            if moved.times >= TIMES:
                del self._moved[address]
                receivers = frame.sky.receivers
                number = int(frame.column("receiver")[row])
                name = receivers[number] if number < len(receivers) else ""
                lat, lon = float(frame.column("lat")[row]), float(frame.column("lon")[row])
                leaps.append((RefusedPosition(address, lat, lon, frame.now, name, moved.times), row, moved.distance_nm))
        return leaps

    def _leap_nm(self, frame: Frame, row: int, claim: RefusedPosition) -> float:
        """The distance of the claim from the aircraft; 0 if it does not count."""
        state = self._carried
        key = claim.hex, claim.in_doubt
        suspect = self._suspects.get(key)
        if suspect is None:
            well = state["in_a_row"][row] >= IN_A_ROW and frame.now - state["changed_at"][row] <= GAP_S
            suspect = self._suspects[key] = _Suspect(bool(well), frame.now)
        suspect.last_at = frame.now
        lat, lon = float(frame.column("lat")[row]), float(frame.column("lon")[row])
        if not suspect.was_well_received or lat != lat:
            return 0.0
        return _off_its_way(frame, row, (lat, lon), (claim.lat, claim.lon))


def _off_its_way(frame: Frame, row: int, origin: Point, claim: Point) -> float:
    """How far (nm) a claimed position is from an accepted one; 0 where it lies on the aircraft's own way."""
    distance = float(geo.distance_nm(*origin, *claim))
    gs, track = float(frame.column("gs_kt")[row]), float(frame.column("track_deg")[row])
    if is_on_way(distance, float(geo.bearing_deg(*origin, *claim)), gs, track):
        return 0.0
    return distance


def is_on_way(distance_nm: float, bearing_deg: float, gs_kt: float, track_deg: float) -> bool:
    """Whether a position lies where an aircraft's own velocity carries it within minutes, ahead or behind."""
    if gs_kt != gs_kt or track_deg != track_deg:
        return False
    angle = math.radians(bearing_deg - track_deg)
    along, aside = abs(distance_nm * math.cos(angle)), abs(distance_nm * math.sin(angle))
    return along <= gs_kt * ALONG_S / 3600 and aside <= ASIDE_NM + ASIDE_SHARE * along

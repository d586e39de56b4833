"""Why a pair of aircraft that are near each other is no danger: the reasons for which a proximity event is held back.

Each reason is one word of ``suppressed_by`` and one paragraph of docs/safety.md.
"""

from __future__ import annotations

import re

import numpy as np

from skywatch.safety.detection.cells import NM_PER_DEGREE, Motion
from skywatch.safety.detection.frame import Array, Frame
from skywatch.safety.thresholds import Thresholds

# Two positions of one aircraft: so near (nm, ft), moving alike (kt).
COPY_NM, COPY_FT, COPY_KT = 0.5, 300.0, 40.0
# Companions fly together: so near (nm, ft), with so little difference of velocity (kt), for so long (s).
TOGETHER_NM, TOGETHER_FT, TOGETHER_KT, TOGETHER_S = 1.0, 700.0, 40.0, 30.0
# They stay companions while they break up and join again.
TOGETHER_MEMORY_S = 300.0
TOW_NM, TOW_FT, TOW_KT = 0.25, 400.0, 25.0
# Approaches to parallel runways: alike in track (degrees), low (ft), descending (ft/min), side by side (nm).
PARALLEL_DEG, PARALLEL_FT, PARALLEL_FPM, PARALLEL_KT = 15.0, 10_000.0, -200.0, 220.0
_STEM = re.compile(r"([A-Z]+)[0-9]*[A-Z]?")


def why_held_back(frame: Frame, one: int, two: int, companions: Companions, thresholds: Thresholds) -> tuple[str, ...]:
    """The reasons that apply to a pair of rows, in a fixed order; empty where it is to be raised."""
    found: list[str] = []
    relayed = bool(frame.relayed[one] or frame.relayed[two])
    callsigns = frame.callsign(one), frame.callsign(two)
    if (callsigns[0] and callsigns[0] == callsigns[1]) or (relayed and _moves_alike(frame, one, two)):
        found.append("copy")
    if relayed:
        found.append("relayed_position")
    nic = frame.column("nic")
    if 0 <= min(_known(nic[one]), _known(nic[two])) < thresholds.proximity_nic:
        found.append("poor_integrity")
    gliders, helicopters = frame.glider[[one, two]], frame.helicopter[[one, two]]
    if gliders.all():
        found.append("gliders")
    elif gliders.any() and _near_alike(frame, one, two, TOW_NM, TOW_FT, TOW_KT):
        found.append("tow")
    if helicopters.all():
        found.append("helicopters")
    if companions.are(frame.hexes[one], frame.hexes[two], frame.now) or _same_flight(frame, one, two, callsigns):
        found.append("formation")
    if _parallel_approach(frame, one, two):
        found.append("parallel_approach")
    return tuple(found)


def _known(value: int) -> int:
    """An integrity category; unknown counts as good, for most inputs do not tell it."""
    return int(value) if value >= 0 else 99


def _difference(frame: Frame, one: int, two: int) -> tuple[float, float, float]:
    """Distance (nm), difference of altitude (ft) and of velocity (kt)."""
    lat, lon = frame.column("lat"), frame.column("lon")
    dy = (lat[two] - lat[one]) * NM_PER_DEGREE
    dx = ((lon[two] - lon[one] + 180) % 360 - 180) * np.cos(np.radians(lat[one])) * NM_PER_DEGREE
    altitude, track, gs = frame.column("alt_baro_ft"), frame.column("track_deg"), frame.column("gs_kt")
    angle = np.radians(track[[one, two]].astype("f8"))
    speed = gs[[one, two]].astype("f8")
    east, north = speed * np.sin(angle), speed * np.cos(angle)
    velocity = float(np.hypot(east[1] - east[0], north[1] - north[0]))
    return float(np.hypot(dx, dy)), abs(float(altitude[two]) - float(altitude[one])), velocity


def _near_alike(frame: Frame, one: int, two: int, nm: float, ft: float, kt: float) -> bool:
    distance, vertical, velocity = _difference(frame, one, two)
    return distance <= nm and vertical <= ft and velocity <= kt


def _moves_alike(frame: Frame, one: int, two: int) -> bool:
    """One aircraft under two addresses: its own and that of a relay, which is some seconds behind."""
    distance, vertical, velocity = _difference(frame, one, two)
    behind_nm = float(np.nanmax(frame.column("gs_kt")[[one, two]])) * 10 / 3600
    return distance <= COPY_NM + behind_nm and vertical <= COPY_FT and velocity <= COPY_KT


def _same_flight(frame: Frame, one: int, two: int, callsigns: tuple[str, str]) -> bool:
    """Military aircraft under one name with consecutive numbers (VIPER01, VIPER02) that fly alike."""
    if not frame.column("military")[[one, two]].all():
        return False
    stems = [match[1] if (match := _STEM.fullmatch(callsign)) else "" for callsign in callsigns]
    return len(stems[0]) >= 3 and stems[0] == stems[1] and _difference(frame, one, two)[2] <= 2 * TOGETHER_KT


def _parallel_approach(frame: Frame, one: int, two: int) -> bool:
    rows = [one, two]
    track, rate = frame.column("track_deg")[rows].astype("f8"), frame.rate_fpm[rows]
    apart = abs((track[1] - track[0] + 180) % 360 - 180)
    low = (frame.column("alt_baro_ft")[rows] < PARALLEL_FT).all()
    slow = (frame.column("gs_kt")[rows] < PARALLEL_KT).all()
    return bool(apart <= PARALLEL_DEG and low and slow and (rate < PARALLEL_FPM).all())


class Companions:
    """Who flies together: pairs that were near and moved alike for a while."""

    def __init__(self) -> None:
        self._since: dict[tuple[str, str], float] = {}
        self._until: dict[tuple[str, str], float] = {}

    def are(self, one: str, two: str, now: float) -> bool:
        """Whether two addresses fly together, or did until lately."""
        first, second = sorted((one, two))
        return self._until.get((first, second), 0.0) >= now

    def update(self, frame: Frame, m: Motion) -> None:
        """Notes who is near whom; a cell list of small cells."""
        now_together = {tuple(sorted((frame.hexes[a], frame.hexes[b]))) for a, b in _close_pairs(m)}
        since: dict[tuple[str, str], float] = {}
        for pair in now_together:
            key = (str(pair[0]), str(pair[1]))
            since[key] = self._since.get(key, frame.now)
            if frame.now - since[key] >= TOGETHER_S:
                self._until[key] = frame.now + TOGETHER_MEMORY_S
        self._since = since
        self._until = {key: until for key, until in self._until.items() if until >= frame.now}


def _close_pairs(m: Motion) -> list[tuple[int, int]]:
    """Rows of aircraft that are near each other and move alike."""
    if len(m.rows) < 2:
        return []
    size = TOGETHER_NM / NM_PER_DEGREE
    order = np.argsort(m.lat)
    lat, lon, alt = m.lat[order], m.lon[order], m.alt_ft[order]
    pairs: list[tuple[int, int]] = []
    # In the order of latitude partners are a few places away; step by step until nobody is near enough.
    for step in range(1, len(order)):
        near = np.flatnonzero(lat[step:] - lat[:-step] <= size)
        if not len(near):
            break
        pairs += _alike(m, order, lat, lon, alt, near, near + step)
    return pairs


def _alike(
    m: Motion, order: Array, lat: Array, lon: Array, alt: Array, one: Array, two: Array
) -> list[tuple[int, int]]:
    near = np.abs(alt[two] - alt[one]) <= TOGETHER_FT
    one, two = one[near], two[near]
    dx = ((lon[two] - lon[one] + 180) % 360 - 180) * np.cos(np.radians(lat[one])) * NM_PER_DEGREE
    dy = (lat[two] - lat[one]) * NM_PER_DEGREE
    a, b = order[one], order[two]
    velocity = np.hypot(m.east_kt[b] - m.east_kt[a], m.north_kt[b] - m.north_kt[a])
    together = (np.hypot(dx, dy) <= TOGETHER_NM) & (velocity <= TOGETHER_KT)
    return list(zip(m.rows[a[together]].tolist(), m.rows[b[together]].tolist(), strict=True))

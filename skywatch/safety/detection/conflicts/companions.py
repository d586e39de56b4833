"""``Companions``: pairs that fly together: near each other and moving alike for a while, without closing in steadily.

Two that close in steadily towards a point inside the box are no formation, however slowly: the faster one behind the
slower one on a final.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from skywatch.safety.detection.conflicts.cells import NM_PER_DEGREE, Motion, most_pairs, offset
from skywatch.safety.detection.frame import Array, Carried, Frame
from skywatch.safety.thresholds.thresholds import Thresholds

# Companions fly together: so near (nm, ft), with so little difference of velocity (kt), for so long (s).
TOGETHER_NM, TOGETHER_FT, TOGETHER_KT, TOGETHER_S = 1.0, 700.0, 40.0, 30.0
# Two that weave around their places in a formation differ by more for moments (kt).
WEAVING_KT = 80.0
# Nobody knows whether two weave that were near each other when one was received for the first time, so long ago (s).
FIRST_S = 10.0
# They stay companions while they break up and join again.
MEMORY_S = 300.0
# Two that are together within this time (s) after take-off fly together intentionally.
NEW_S = 60.0
# Two that were received for the first time within that time may be a formation, until they have closed in for so long.
CLOSING_S, PENDING_S = 15.0, 2.0

Pair = tuple[str, str]


@dataclass(slots=True)
class _Together:
    """Two that are near and move alike: since when, how long of it they were not closing in, and the way they have
    come nearer since they last were not."""

    since: float
    at: float
    not_closing_s: float
    not_closing_at: float
    farthest_nm: float
    closed_nm: float = 0.0
    weaves: bool = False
    # Where the second one was when that began: the first one's address, and the offset from it (nm east and north).
    place: tuple[str, float, float] = ("", 0.0, 0.0)

    def moved_nm(self, first: str, east: float, north: float) -> float:
        """How far the two have moved against each other; the offset is that from ``first``."""
        sign = 1.0 if first == self.place[0] else -1.0
        return math.hypot(sign * east - self.place[1], sign * north - self.place[2])


class Companions:
    """Pairs that fly together, or did until lately."""

    def __init__(self) -> None:
        self._airborne = Carried(since=np.nan, was_on_ground=False)
        self._together: dict[Pair, _Together] = {}
        self._until: dict[Pair, float] = {}

    def are(self, frame: Frame, first: Array, second: Array) -> Array:
        """Which pairs of rows fly together, or did until lately."""
        if not self._until:
            return np.zeros(len(first), "?")
        until, now = self._until, frame.now
        return np.fromiter((until.get(pair, 0.0) >= now for pair in _pairs(frame, first, second)), "?", len(first))

    def closed_nm(self, frame: Frame, first: Array, second: Array) -> Array:
        """By how much pairs of rows that are near and move alike have come nearer without a pause (nm)."""
        if not self._together:
            return np.zeros(len(first))
        together = self._together
        none = _Together(0.0, 0.0, 0.0, 0.0, 0.0)
        return np.array([together.get(pair, none).closed_nm for pair in _pairs(frame, first, second)], "f8")

    def update(self, frame: Frame, m: Motion, first: Array, second: Array, thresholds: Thresholds) -> None:
        """Record which of some pairs (indexes into ``m``) are together now."""
        hexes, now = frame.hexes, frame.now
        self._note_airborne(frame, m)
        young = now - self._airborne["since"][m.rows] <= NEW_S
        new = young & (self._airborne["was_on_ground"][m.rows] | (m.climb_fps > 0))
        is_first = now - self._airborne["since"][m.rows] <= FIRST_S
        alike, distance_nm, closing_kt, is_weaving = _together(m, first, second)
        east_nm, north_nm = offset(m.lat, m.lon, first[alike], second[alike])
        together: dict[Pair, _Together] = {}
        for a, b, distance, closing, weaves, east, north in zip(
            first[alike].tolist(),
            second[alike].tolist(),
            distance_nm.tolist(),
            closing_kt.tolist(),
            is_weaving.tolist(),
            east_nm.tolist(),
            north_nm.tolist(),
            strict=True,
        ):
            pair = _pair(hexes[m.rows[a]], hexes[m.rows[b]])
            state = self._together.get(pair)
            if weaves and self._until.get(pair, 0.0) < now and not (is_first[a] or is_first[b]):
                continue
            if state is None:
                state = _Together(now, now, 0.0, now, distance, place=(hexes[m.rows[a]], east, north))
            if closing <= thresholds.proximity_closing_kt:
                state.not_closing_s += now - state.at
                state.not_closing_at = now
                state.farthest_nm = distance
            state.weaves |= weaves
            is_companion = self._until.get(pair, 0.0) > now + PENDING_S
            moved_nm = state.moved_nm(hexes[m.rows[a]], east, north)
            if state.weaves and moved_nm > thresholds.formation_closed_nm and not is_companion:
                # Who weaves in a formation keeps its place.
                continue
            state.at, state.closed_nm = now, max(state.farthest_nm - distance, 0.0)
            together[pair] = state
            is_formation = now - state.since >= TOGETHER_S and state.not_closing_s >= thresholds.formation_steady_s
            if (new[a] or new[b]) and m.climb_fps[a] >= 0 and m.climb_fps[b] >= 0:
                is_formation = True
            if m.climb_fps[a] < 0 and m.climb_fps[b] < 0 and state.closed_nm >= thresholds.formation_closed_nm:
                # In a descent nobody joins: it is the one behind that comes nearer.
                self._until.pop(pair, None)
                state.not_closing_s, state.since = 0.0, now
            elif is_formation:
                self._until[pair] = now + MEMORY_S
            elif (young[a] or young[b]) and now - state.not_closing_at < CLOSING_S:
                # Perhaps a formation that is received for the first time: one look ahead decides.
                self._until[pair] = max(self._until.get(pair, 0.0), now + PENDING_S)
        self._together = together
        remembered = {pair: until for pair, until in self._until.items() if until >= now}
        if len(remembered) > (most := most_pairs(len(m.rows))):
            latest = sorted(remembered, key=remembered.__getitem__, reverse=True)[:most]
            remembered = {pair: remembered[pair] for pair in latest}
        self._until = remembered

    def _note_airborne(self, frame: Frame, m: Motion) -> None:
        self._airborne.carry(frame)
        airborne, was_on_ground = self._airborne["since"], self._airborne["was_on_ground"]
        on_ground = frame.column("on_ground")
        airborne[on_ground], was_on_ground[on_ground] = np.nan, True
        airborne[m.rows] = np.fmin(airborne[m.rows], frame.now)


def _pairs(frame: Frame, first: Array, second: Array) -> list[Pair]:
    hexes = frame.hexes
    return [_pair(hexes[a], hexes[b]) for a, b in zip(first.tolist(), second.tolist(), strict=True)]


def _pair(address: str, other: str) -> Pair:
    return (address, other) if address < other else (other, address)


def _together(m: Motion, first: Array, second: Array) -> tuple[Array, Array, Array, Array]:
    """Which pairs are near and move alike, their distance (nm), how fast they close (kt), and which of them do so only
    if they weave."""
    apart_deg = np.abs(m.lat[second] - m.lat[first])
    near = np.flatnonzero(
        (apart_deg <= TOGETHER_NM / NM_PER_DEGREE) & (np.abs(m.alt_ft[second] - m.alt_ft[first]) <= TOGETHER_FT)
    )
    first, second = first[near], second[near]
    dx, dy = offset(m.lat, m.lon, first, second)
    east, north = m.east_kt[second] - m.east_kt[first], m.north_kt[second] - m.north_kt[first]
    distance = np.hypot(dx, dy)
    differ_kt = np.hypot(east, north)
    which = np.flatnonzero((distance <= TOGETHER_NM) & (differ_kt <= WEAVING_KT))
    closing_kt = -(dx * east + dy * north)[which] / np.maximum(distance[which], 1e-6)
    return near[which], distance[which], closing_kt, differ_kt[which] > TOGETHER_KT

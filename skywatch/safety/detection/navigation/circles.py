"""Aircraft that leapt onto one circle: spoofing transmitters let receivers circle around a point that does not exist.

Only aircraft that have leapt are considered, which excludes holding patterns, thermals and formations in a turn. The
circle is fitted by least squares (I. Kasa, IEEE Trans. Instrumentation and Measurement 25, 1976).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable

import numpy as np

from skywatch.core import geo
from skywatch.safety.detection.conflicts.cells import NM_PER_DEGREE
from skywatch.safety.detection.frame import Array, Frame
from skywatch.safety.thresholds.thresholds import Thresholds

# Time span of the positions that are fitted (s), and the least number of them for each aircraft.
TRAIL_S, MIN_PLACES = 60.0, 5
# Range of radii (nm), and the least arc that the positions cover (degrees): less may be any curve.
MIN_NM, MAX_NM, MIN_ARC_DEG = 0.15, 10.0, 90.0
# An aircraft that leapt is followed for this time (s), and longer while it is on a circle.
FOLLOWED_S = 180.0

Point = tuple[float, float]


class CircleDetector:
    """Circles that several aircraft have leapt onto."""

    def __init__(self) -> None:
        self._trails: dict[str, deque[tuple[float, float, float]]] = {}
        self._until: dict[str, float] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may change what is found."""
        return bool(self._until)

    def update(self, frame: Frame, leapt: Iterable[str], thresholds: Thresholds) -> list[tuple[list[int], Point]]:
        """Groups of rows on one circle, each with its centre; ``leapt`` are the aircraft that leap at this tick."""
        for address in leapt:
            if self._until.get(address, 0.0) < frame.now:
                self._trails[address] = deque()
            self._until[address] = frame.now + FOLLOWED_S
        for address in [address for address, until in self._until.items() if until < frame.now]:
            del self._until[address], self._trails[address]
        self._follow(frame, thresholds)
        groups = []
        for group in self._groups(thresholds.gather_aircraft):
            circle = self._fit(group, thresholds)
            if circle is not None:
                members, centre = circle
                self._until |= dict.fromkeys(members, frame.now + FOLLOWED_S)
                groups.append(([frame.sky.index[address] for address in sorted(members)], centre))
        return groups

    def _groups(self, least: float) -> list[list[str]]:
        """Aircraft that may be on one circle with the first of them, at least so many in each group."""
        addresses = sorted(address for address, trail in self._trails.items() if len(trail) >= MIN_PLACES)
        if len(addresses) < least:
            return []
        _, lat, lon = np.array([self._trails[address][-1] for address in addresses]).T
        groups, remaining = [], np.ones(len(addresses), np.bool_)
        while np.count_nonzero(remaining) >= least:
            first = int(remaining.argmax())
            near = remaining & (geo.distance_nm(lat[first], lon[first], lat, lon) <= 2 * MAX_NM)
            near[first] = True
            remaining &= ~near
            if np.count_nonzero(near) >= least:
                groups.append([addresses[n] for n in np.flatnonzero(near).tolist()])
        return groups

    def _follow(self, frame: Frame, thresholds: Thresholds) -> None:
        """Add the latest accepted positions; the first ones after a leap may still be those of before it."""
        lat, lon, at = (frame.column(name) for name in ("lat", "lon", "position_at"))
        for address, trail in self._trails.items():
            row = frame.sky.index.get(address)
            if row is None:
                trail.clear()
                continue
            timed = float(at[row]), float(lat[row]), float(lon[row])
            if timed[1] == timed[1] and (not trail or timed[0] > trail[-1][0]):
                if trail and geo.distance_nm(*trail[-1][1:], *timed[1:]) >= thresholds.leap_nm:
                    trail.clear()
                trail.append(timed)
            while trail and frame.now - trail[0][0] > TRAIL_S:
                trail.popleft()

    def _fit(self, members: list[str], thresholds: Thresholds) -> tuple[set[str], Point] | None:
        """The aircraft of a group that are on one circle, without the worst outliers; None if too few remain."""
        origin = self._trails[members[0]][-1][1:]
        plane = {address: _plane(self._trails[address], origin) for address in members}
        while len(members) >= thresholds.gather_aircraft:
            x, y = np.concatenate([plane[address] for address in members], axis=1)
            centre_x, centre_y, radius = _circle(x, y)
            off = {a: _off(plane[a], centre_x, centre_y, radius) for a in members}
            worst = max(members, key=off.__getitem__)
            if off[worst] > thresholds.gather_nm:
                members.remove(worst)
                continue
            if not MIN_NM <= radius <= MAX_NM or _arc_deg(x - centre_x, y - centre_y) < MIN_ARC_DEG:
                return None
            return set(members), _position(centre_x, centre_y, origin)
        return None


def _plane(trail: Iterable[tuple[float, float, float]], origin: Point) -> Array:
    """East and north (nm) of an origin."""
    _, lat, lon = np.array(list(trail)).T
    shrink = math.cos(math.radians(origin[0]))
    return np.array([((lon - origin[1] + 180) % 360 - 180) * shrink, lat - origin[0]]) * NM_PER_DEGREE


def _position(x: float, y: float, origin: Point) -> Point:
    lon = origin[1] + x / NM_PER_DEGREE / math.cos(math.radians(origin[0]))
    return origin[0] + y / NM_PER_DEGREE, (lon + 180) % 360 - 180


def _circle(x: Array, y: Array) -> tuple[float, float, float]:
    """Centre and radius of the circle nearest to some points."""
    matrix = np.column_stack((2 * x, 2 * y, np.ones(len(x))))
    (centre_x, centre_y, rest), *_ = np.linalg.lstsq(matrix, x * x + y * y, rcond=None)
    return float(centre_x), float(centre_y), math.sqrt(max(float(rest + centre_x**2 + centre_y**2), 0.0))


def _off(points: Array, centre_x: float, centre_y: float, radius: float) -> float:
    """The largest distance of some positions from a circle (nm)."""
    return float(np.abs(np.hypot(points[0] - centre_x, points[1] - centre_y) - radius).max())


def _arc_deg(x: Array, y: Array) -> float:
    """How much of a circle the points cover: all but the widest gap between neighbours."""
    angles = np.sort(np.degrees(np.arctan2(y, x)) % 360)
    gaps = np.diff(np.append(angles, angles[0] + 360))
    return 360.0 - float(gaps.max())

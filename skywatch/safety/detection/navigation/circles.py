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
# So many of them are followed at once, the first ones, but those that ours hear before others; so many are fitted to
# one circle: each that does not fit takes a fit of the others.
FOLLOWED, FITTED = 500, 100

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
        spare: list[str] | None = None
        for address in leapt:
            if address not in self._until and len(self._until) >= FOLLOWED:
                # One of ours takes the place of one that only strangers hear.
                spare = self._of_strangers(frame) if spare is None else spare
                if not spare or _is_of_strangers(frame, address):
                    continue
                given_up = spare.pop()
                del self._until[given_up], self._trails[given_up]
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

    def _of_strangers(self, frame: Frame) -> list[str]:
        return [address for address in self._until if _is_of_strangers(frame, address)]

    def _fit(self, members: list[str], thresholds: Thresholds) -> tuple[set[str], Point] | None:
        """The aircraft of a group that are on one circle, without the worst outliers; None if too few remain."""
        members = members[:FITTED]
        origin = self._trails[members[0]][-1][1:]
        planes = [_plane(self._trails[address], origin) for address in members]
        places = np.concatenate(planes, axis=1)
        owner = np.repeat(np.arange(len(members)), [plane.shape[1] for plane in planes])
        remains = np.ones(len(members), "?")
        while np.count_nonzero(remains) >= thresholds.gather_aircraft:
            of_remaining = remains[owner]
            x, y = places[:, of_remaining]
            centre_x, centre_y, radius = _circle(x, y)
            off = np.zeros(len(members))
            np.maximum.at(off, owner[of_remaining], np.abs(np.hypot(x - centre_x, y - centre_y) - radius))
            worst = int(off.argmax())
            if off[worst] > thresholds.gather_nm:
                remains[worst] = False
                continue
            if not MIN_NM <= radius <= MAX_NM or _arc_deg(x - centre_x, y - centre_y) < MIN_ARC_DEG:
                return None
            on_circle = {members[number] for number in np.flatnonzero(remains).tolist()}
            return on_circle, _position(centre_x, centre_y, origin)
        return None


def _plane(trail: Iterable[tuple[float, float, float]], origin: Point) -> Array:
    """East and north (nm) of an origin."""
    _, lat, lon = np.array(list(trail)).T
    shrink = math.cos(math.radians(origin[0]))
    return np.array([((lon - origin[1] + 180) % 360 - 180) * shrink, lat - origin[0]]) * NM_PER_DEGREE


def _position(x: float, y: float, origin: Point) -> Point:
    lon = origin[1] + x / NM_PER_DEGREE / math.cos(math.radians(origin[0]))
    return origin[0] + y / NM_PER_DEGREE, (lon + 180) % 360 - 180


def _is_of_strangers(frame: Frame, address: str) -> bool:
    row = frame.sky.index.get(address)
    return row is not None and frame.strangers is not None and bool(frame.strangers[row])


def _circle(x: Array, y: Array) -> tuple[float, float, float]:
    """Centre and radius of the circle nearest to some points."""
    matrix = np.column_stack((2 * x, 2 * y, np.ones(len(x))))
    (centre_x, centre_y, rest), *_ = np.linalg.lstsq(matrix, x * x + y * y, rcond=None)
    return float(centre_x), float(centre_y), math.sqrt(max(float(rest + centre_x**2 + centre_y**2), 0.0))


def _arc_deg(x: Array, y: Array) -> float:
    """How much of a circle the points cover: all but the widest gap between neighbours."""
    angles = np.sort(np.degrees(np.arctan2(y, x)) % 360)
    gaps = np.diff(np.append(angles, angles[0] + 360))
    return 360.0 - float(gaps.max())

"""How far stored tracks pass from every position that was received."""

from __future__ import annotations

from typing import Any

import numpy as np

from skywatch.core import geo
from skywatch.history.moments.interpolation import Paths
from skywatch.history.storage.points import ALTITUDE_FT, AT_S, DEGREES, Points, identity

# An aircraft's identity and a time in 10 ms as one number that sorts like the two.
_TIMES = 1 << 37


class Worst:
    """The largest errors met so far (m, ft) and how many positions were looked at; one not stored is infinitely off."""

    def __init__(self) -> None:
        self.metres = self.feet = 0.0
        self.positions = 0

    def add(self, other: Worst) -> None:
        """Take over what another one has met."""
        self.metres, self.feet = max(self.metres, other.metres), max(self.feet, other.feet)
        self.positions += other.positions

    def look(self, points: Points, aircraft: Any, at: Any, lat: Any, lon: Any, alt: Any) -> None:
        """Compare stored points with columns of what was received (``alt`` in feet, NaN where unknown).

        ``points`` hold at least those around the times received; ``aircraft`` is their ``points.identity``.
        """
        if not len(at):
            return
        zero = min(int(points["at"].min(initial=1 << 60)), int(at.min() / AT_S)) - 1
        stored = identity(points).astype(np.int64) * _TIMES + points["at"] - zero
        order = np.argsort(stored, kind="stable")
        stored, points = stored[order], points[order]
        ticks = np.floor(at / AT_S + 1e-6).astype(np.int64) - zero
        rows = np.searchsorted(stored, aircraft.astype(np.int64) * _TIMES + ticks, side="right") - 1
        found = (rows >= 0) & (identity(points)[np.maximum(rows, 0)] == aircraft)
        rows = np.maximum(rows, 0)
        read = Paths(points).at(rows, at * 1000)
        apart = geo.distance_nm(read.lat * DEGREES, read.lon * DEGREES, lat, lon) * geo.METRES_PER_NM
        self.metres = max(self.metres, float(np.where(found, apart, np.inf).max()))
        known = ~np.isnan(alt)
        if known.any():
            self.feet = max(self.feet, float(np.abs(read.alt * ALTITUDE_FT - alt)[known].max()))
        self.positions += len(at)

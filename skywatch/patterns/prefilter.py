"""The cheap first test, for the whole sky at once: which aircraft may be flying a pattern at all.

Two leaky sums are kept for each aircraft, of its way as a vector and as a length. Their ratio is 1 as long as it flies
straight, whatever its speed and however long, and falls as soon as it turns back on itself. It needs no history, and
all aircraft are stepped together on NumPy columns, each of them every ten seconds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skywatch.patterns.settings import PatternSettings

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

_SPREAD = 0.618033988749895
"""Multiples of the golden section lie evenly between whole numbers, however many there are."""

_NM_A_DEGREE = 60.04046
"""Nautical miles a degree of latitude on the sphere of `plane`."""


class MotionColumns:
    """Leaky sums of motion, one row for each aircraft; grows as rows are named."""

    def __init__(self, settings: PatternSettings, capacity: int = 1024) -> None:
        self._s = settings
        self._columns = np.zeros((7, capacity))
        self.reset(np.arange(capacity, dtype=np.intp))

    @property
    def capacity(self) -> int:
        """Rows there is room for."""
        return self._columns.shape[1]

    def grow(self, capacity: int) -> None:
        """Make room for `capacity` rows."""
        old = self.capacity
        self._columns = np.concatenate([self._columns, np.zeros((7, capacity - old))], axis=1)
        self.reset(np.arange(old, capacity, dtype=np.intp))

    def reset(self, rows: Rows) -> None:
        """Forget what is known of some rows."""
        self._columns[:3, rows] = np.nan
        self._columns[3:6, rows] = 0.0
        # When a service starts everybody appears at once; their second steps fall on different seconds, and with them
        # all that follow.
        self._columns[6, rows] = self._s.first_test.step_s * (1.0 - rows * _SPREAD % 1.0)

    def step(
        self, rows: Rows, t: Floats, lat: Floats, lon: Floats, speed_kt: Floats, on_ground: NDArray[np.bool_]
    ) -> tuple[Rows, NDArray[np.bool_]]:
        """Take one tick; return which elements of `rows` were due, and which of those may be flying a pattern.

        `rows`, `t` (unix s), `lat`, `lon` (degrees), `speed_kt` (NaN where unknown) and `on_ground` have one element
        for each aircraft. An element is due when its last step is `prefilter_step_s` or more ago; its second step may
        be due sooner. The first result holds positions in `rows`, the second one flag for each of them.
        """
        s = self._s
        last_t, last_lat, last_lon = self._columns[:3]
        east, north, length, wait_s = self._columns[3:]
        elapsed = t - last_t[rows]
        # NaN, of rows never seen, is due as well.
        due = np.flatnonzero(~(elapsed < wait_s[rows]) & np.isfinite(lat) & np.isfinite(lon))
        at = rows[due]
        dt, lat, lon = elapsed[due], lat[due], lon[due]
        dlat = lat - last_lat[at]
        dlon = (lon - last_lon[at] + 180.0) % 360.0 - 180.0
        wait_s[at[np.isfinite(dt)]] = s.first_test.step_s
        last_t[at], last_lat[at], last_lon[at] = t[due], lat, lon

        dx = np.nan_to_num(dlon * np.cos(np.radians(lat)) * _NM_A_DEGREE)
        dy = np.nan_to_num(dlat * _NM_A_DEGREE)
        way = np.hypot(dx, dy)
        # After a gap, and where a position cannot be true, the sums restart.
        fresh = ~(dt < s.trusted_position.break_s) | (way > s.trusted_position.max_speed_kt * dt / 3600.0 + 1.0)
        keep = np.where(fresh, 0.0, np.exp(-np.nan_to_num(dt) / s.first_test.memory_s))
        east[at] = (east[at] + dx) * keep
        north[at] = (north[at] + dy) * keep
        length[at] = (length[at] + way) * keep

        straightness = np.hypot(east[at], north[at]) / np.maximum(length[at], 1e-9)
        turning = (straightness < s.first_test.straightness) & (length[at] >= s.first_test.min_way_nm)
        slow = speed_kt[due] < s.first_test.slow_kt
        # At a pole everything turns.
        polar = np.abs(lat) > 88.0
        return due, (turning | slow | polar) & ~on_ground[due]

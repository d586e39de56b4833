"""Thins tracks as they are received, for all aircraft at once, with a proven bound on the error.

For every aircraft it keeps the last stored point (the anchor) and, for latitude, longitude and altitude each, the
range of slopes over time of all straight lines from the anchor that pass within the bound of everything received
since. A received position that leaves some range empty ends the segment at the one before: the end lies on a line
that is within the bound of all of them, and becomes the next anchor. This is the swing filter of Elmeleegy et al.,
"Online Piece-wise Linear Approximation of Numerical Streams with Precision Guarantees", VLDB 2009; its memory and
time are constant for each position, and it vectorises over aircraft.

The bound holds between the stored, rounded points, interpolated as ``interpolation`` does: rounding is taken off the
bound beforehand, and a segment begins no later and ends no earlier than what was received in it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.history.storage.points import (
    ALTITUDE_FT,
    AT_S,
    DEGREES,
    GAP,
    GAP_S,
    GROUND,
    NO_ALTITUDE,
    SEGMENT_S,
    SIMULATED,
    UNKNOWN,
)
from skywatch.picture.state.own_antenna import SIMULATED as HEARD_SIMULATED

Column = npt.NDArray[Any]
# More than a degree of latitude or of longitude times the cosine measures anywhere on WGS 84 (m).
METRES_PER_DEGREE = 111_700.0
# Two positions nearer in time than this are the same (s); it is more than the rounding of stored times.
SAME_POSITION_S = 0.02

# A stored point with the slot instead of aircraft and flight.
THINNED_POINT = np.dtype(
    [
        ("slot", "<i4"),
        ("at", "<i8"),
        ("lat", "<i4"),
        ("lon", "<i4"),
        ("alt", "<i4"),
        ("gs", "<i2"),
        ("track", "<i2"),
        ("flags", "u1"),
        ("source", "u1"),
    ]
)
ThinnedPoints = npt.NDArray[np.void]
_GRID = np.array([DEGREES, DEGREES, ALTITUDE_FT]).reshape(3, 1)


class Thinner:
    """The open segments of all aircraft; a *slot* is the caller's number for one flight of one aircraft."""

    def __init__(self, error_m: float, altitude_error_ft: float, capacity: int = 1024) -> None:
        # Latitude and longitude may each err by this much for both together to stay within the bound.
        self._degrees = error_m / math.sqrt(2.0) / METRES_PER_DEGREE
        self._feet = altitude_error_ft
        self._capacity = 0
        self._allocate(capacity)

    def _allocate(self, capacity: int) -> None:
        def grown(old: Column | None, fill: float, dtype: str, *shape: int) -> Column:
            new = np.full((*shape, capacity), fill, dtype)
            if old is not None:
                new[..., : old.shape[-1]] = old
            return new

        get = self.__dict__.get
        self.is_open = grown(get("is_open"), False, "?")
        self._anchor_at = grown(get("_anchor_at"), 0.0, "f8")
        self._anchor = grown(get("_anchor"), 0.0, "f8", 3)
        self._low = grown(get("_low"), -np.inf, "f8", 3)
        self._high = grown(get("_high"), np.inf, "f8", 3)
        self.last_at = grown(get("last_at"), 0.0, "f8")
        self._last = grown(get("_last"), 0.0, "f8", 3)
        self._last_gs = grown(get("_last_gs"), UNKNOWN, "i2")
        self._last_track = grown(get("_last_track"), UNKNOWN, "i2")
        self._last_kind = grown(get("_last_kind"), 0, "u1")
        self._last_source = grown(get("_last_source"), 0, "u1")
        self._is_single = grown(get("_is_single"), True, "?")  # nothing was received after the anchor
        self._capacity = capacity

    def reserve(self, slots: int) -> None:
        """Make room for slots below ``slots``."""
        if slots > self._capacity:
            self._allocate(max(slots, self._capacity * 2))

    def step(
        self,
        slots: Column,
        at: Column,
        lat: Column,
        lon: Column,
        alt: Column,
        gs: Column,
        track: Column,
        ground: Column,
        source: Column | None = None,
    ) -> ThinnedPoints:
        """Add one new position to each of some distinct slots; returns the points that become final.

        All are columns of one length: unix seconds, degrees, feet (NaN where unknown or on the ground), knots and
        degrees (NaN where unknown), booleans, codes of the source (``heard``). Positions no newer than the slot's last
        one are ignored.
        """
        source = np.zeros(len(slots), "u1") if source is None else source
        newer = ~self.is_open[slots] | (at >= self.last_at[slots] + SAME_POSITION_S)
        if not newer.all():
            slots, at, lat, lon, alt, gs, track, ground, source = (
                column[newer] for column in (slots, at, lat, lon, alt, gs, track, ground, source)
            )
        if len(slots) == 0:
            return np.empty(0, THINNED_POINT)
        unknown = np.isnan(alt)
        kind = (ground * GROUND | unknown * NO_ALTITUDE | (source & HEARD_SIMULATED > 0) * SIMULATED).astype("u1")
        source = source & ~np.uint8(HEARD_SIMULATED)
        x = np.vstack((lat, lon, np.where(unknown, 0.0, alt)))

        was_open = self.is_open[slots]
        waited = at - self.last_at[slots]
        broken_off = was_open & ((waited > GAP_S) | (np.abs(x[1] - self._last[1, slots]) > 180.0))
        restart = ~was_open | broken_off | (kind != self._last_kind[slots])
        low, high, fits = self._narrowed(slots, at, x)
        several = ~self._is_single[slots]
        turned = ~restart & ~fits
        ends = self._ends(slots[turned | (was_open & restart & several)])
        begins = self._begin(slots[restart], at[restart], x[:, restart], kind[restart], gs[restart], track[restart])
        begins["source"] = source[restart]
        begins["flags"] |= ((~was_open | broken_off)[restart] * GAP).astype("u1")

        continues = ~restart & fits
        self._is_single[slots] = restart
        self._low[:, slots[continues]], self._high[:, slots[continues]] = low[:, continues], high[:, continues]
        if turned.any():
            self._turn(slots[turned])
            low, high, _ = self._narrowed(slots[turned], at[turned], x[:, turned])
            self._low[:, slots[turned]], self._high[:, slots[turned]] = low, high
        self.last_at[slots] = at
        self._last[:, slots] = x
        self._last_kind[slots] = kind
        self._last_source[slots] = source
        self._last_gs[slots] = _whole(gs)
        self._last_track[slots] = _whole(track)
        return np.concatenate((ends, begins)) if len(ends) else begins

    def _bounds(self, lat: Column) -> Column:
        """How far a line may pass from a position: degrees, degrees and feet, less half a step of the grid."""
        cosine = np.maximum(np.cos(np.radians(lat)), 0.01)
        bounds = np.vstack((np.full(len(lat), self._degrees), self._degrees / cosine, np.full(len(lat), self._feet)))
        result: Column = bounds - _GRID / 2
        return result

    def _narrowed(self, slots: Column, at: Column, x: Column) -> tuple[Column, Column, Column]:
        """The ranges of slopes with one more position, and whether none of them is empty."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            elapsed = at - self._anchor_at[slots]
            offset = x - self._anchor[:, slots]
            bounds = self._bounds(x[0])
            low = np.maximum(self._low[:, slots], (offset - bounds) / elapsed)
            high = np.minimum(self._high[:, slots], (offset + bounds) / elapsed)
            fits = (low <= high).all(axis=0) & (elapsed > 0) & (elapsed <= SEGMENT_S)
        return low, high, fits

    def _end_values(self, slots: Column) -> tuple[Column, Column]:
        """Time (10 ms) and grid values of the ends that segments would have now."""
        at = np.ceil(self.last_at[slots] / AT_S - 1e-6)
        elapsed = np.maximum(self.last_at[slots] - self._anchor_at[slots], 1e-9)
        slope = (self._last[:, slots] - self._anchor[:, slots]) / elapsed
        slope = np.minimum(np.maximum(slope, self._low[:, slots]), self._high[:, slots])
        x = self._anchor[:, slots] + slope * (at * AT_S - self._anchor_at[slots])
        return at, np.rint(x / _GRID)

    def _ends(self, slots: Column) -> ThinnedPoints:
        at, x = self._end_values(slots)
        points = _points_of(slots, at, x, self._last_kind[slots])
        points["gs"], points["track"] = self._last_gs[slots], self._last_track[slots]
        points["source"] = self._last_source[slots]
        return points

    def _begin(self, slots: Column, at: Column, x: Column, kind: Column, gs: Column, track: Column) -> ThinnedPoints:
        ticks, grid = np.floor(at / AT_S + 1e-6), np.rint(x / _GRID)
        self.is_open[slots] = True
        self._set_anchor(slots, ticks, grid)
        # The position itself may lie up to 10 ms after the anchor; the line must pass it as any other.
        low, high, _ = self._narrowed(slots, at, x)
        later = at > ticks * AT_S + 1e-4
        self._low[:, slots[later]], self._high[:, slots[later]] = low[:, later], high[:, later]
        points = _points_of(slots, ticks, grid, kind)
        points["gs"], points["track"] = _whole(gs), _whole(track)
        return points

    def _turn(self, slots: Column) -> None:
        """Make the ends of the segments the anchors of the next ones."""
        at, x = self._end_values(slots)
        self._set_anchor(slots, at, x)

    def _set_anchor(self, slots: Column, ticks: Column, grid: Column) -> None:
        self._anchor_at[slots] = ticks * AT_S
        self._anchor[:, slots] = grid * _GRID
        self._low[:, slots], self._high[:, slots] = -np.inf, np.inf

    def open_ends(self) -> ThinnedPoints:
        """Where every open segment would end now: the provisional points that complete the tracks."""
        return self._ends(np.flatnonzero(self.is_open & ~self._is_single).astype("i4"))

    def finish(self, slots: Column) -> ThinnedPoints:
        """End the open segments of these slots; returns their ends."""
        slots = slots[self.is_open[slots]]
        ends = self._ends(slots[~self._is_single[slots]])
        self.is_open[slots] = False
        return ends

    def stale(self, before: float) -> Column:
        """The slots whose open segment has had no position since ``before`` (unix seconds)."""
        return np.flatnonzero(self.is_open & (self.last_at < before)).astype("i4")

    def resume(self, slots: Column, at: Column, lat: Column, lon: Column, alt: Column, flags: Column) -> None:
        """Continue from stored points (grid values), as after a restart."""
        grid = np.vstack((lat, lon, alt)).astype("f8")
        self.is_open[slots] = True
        self._is_single[slots] = True
        self._set_anchor(slots, at.astype("f8"), grid)
        self.last_at[slots] = at * AT_S
        self._last[:, slots] = grid * _GRID
        self._last_kind[slots] = flags & (GROUND | NO_ALTITUDE | SIMULATED)


def _whole(values: Column) -> Column:
    return np.where(np.isnan(values), UNKNOWN, np.rint(np.nan_to_num(values))).astype("i2")


def _points_of(slots: Column, at: Column, x: Column, kind: Column) -> ThinnedPoints:
    points = np.zeros(len(slots), THINNED_POINT)
    points["slot"], points["at"], points["flags"] = slots, at, kind
    points["lat"], points["lon"], points["alt"] = x
    return points

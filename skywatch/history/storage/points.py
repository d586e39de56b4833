"""The track point as history keeps it: whole numbers on a fixed grid, many at once in a NumPy structured array.

The grid is fine enough not to matter for the error: 10 ms, 1e-5 degrees (1.1 m), 5 ft, 1 kt, 1 degree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.void]
Column = npt.NDArray[Any]

# ``aircraft``: the ICAO address in the low 24 bits, then NON_ICAO and MILITARY. ``at``: 10 ms since the unix epoch.
# ``source``: of the position, and where it was heard (``picture.state.own_antenna``); 0 in points of earlier releases.
POINT = np.dtype(
    [
        ("aircraft", "<u4"),
        ("flight", "<i8"),
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

ADDRESS_MASK = 0x00FFFFFF
NON_ICAO = 1 << 24
MILITARY = 1 << 25

GAP = 1
"""Flag: nothing was received between the point before and this one; do not interpolate or draw a line."""
GROUND = 2
"""Flag: on the ground."""
NO_ALTITUDE = 4
"""Flag: the altitude is unknown (or the aircraft is on the ground)."""

SIMULATED = 8
"""Flag: of a simulated aircraft."""

AT_S = 0.01
DEGREES = 1e-5
ALTITUDE_FT = 5.0
UNKNOWN = -1
"""Unknown ground speed or track."""

# Reception is taken as interrupted, and a track as broken, after this long without a position (s).
GAP_S = 60.0
# No two points of one unbroken track are further apart (s), so that a moment can be read from its neighbourhood.
SEGMENT_S = 120.0
# Tracks are stored in slices of this length (s).
SLICE_S = 600


def no_points() -> Points:
    """An empty array of points."""
    return np.empty(0, POINT)


def real_points(points: Points) -> Points:
    """The points that are not of simulated aircraft."""
    is_simulated = points["flags"] & SIMULATED > 0
    result: Points = points[~is_simulated] if is_simulated.any() else points
    return result


def join(parts: Sequence[Points]) -> Points:
    """All points of the parts, one after the other; much faster than ``np.concatenate`` for structured arrays."""
    if len(parts) == 1:
        return parts[0]
    return np.frombuffer(bytearray(b"".join([part.tobytes() for part in parts])), POINT)


def address_code(address: str, military: bool = False) -> int:
    """The column ``aircraft`` for an address in hex (``~`` before a non-ICAO one)."""
    code = int(address.lstrip("~"), 16) | (NON_ICAO if address.startswith("~") else 0)
    return code | (MILITARY if military else 0)


@lru_cache(maxsize=65536)
def address_text(code: int) -> str:
    """The lower-case address of a value of the column ``aircraft``."""
    return f"{'~' if code & NON_ICAO else ''}{code & ADDRESS_MASK:06x}"


def identity(points: Points) -> npt.NDArray[np.uint32]:
    """The column ``aircraft`` without the military mark."""
    identities: npt.NDArray[np.uint32] = points["aircraft"] & np.uint32(ADDRESS_MASK | NON_ICAO)
    return identities


def in_order(points: Points) -> Points:
    """The points sorted by aircraft, flight and time, without the second of two at the same time.

    Later entries win: the final end of a segment replaces its provisional one.
    """
    if len(points) < 2:
        return points
    aircraft, flight, at = (np.ascontiguousarray(points[name]) for name in ("aircraft", "flight", "at"))
    order = _order_of_runs(aircraft, flight, at)
    if order is not None:
        return points.take(order)  # Many times faster than an index for structured arrays.
    order = np.lexsort((at, flight, aircraft))
    aircraft, flight, at = aircraft[order], flight[order], at[order]
    same = (aircraft[1:] == aircraft[:-1]) & (flight[1:] == flight[:-1]) & (at[1:] == at[:-1])
    result: Points = points.take(order[np.append(~same, True)])
    return result


def _order_of_runs(aircraft: Column, flight: Column, at: Column) -> Column | None:
    """The order of points that come in runs of one flight each, as chunks have them; None where runs overlap.

    There are twenty times as many points as runs to sort.
    """
    cuts = (aircraft[1:] != aircraft[:-1]) | (flight[1:] != flight[:-1]) | (at[1:] <= at[:-1])
    first = np.append(0, np.flatnonzero(cuts) + 1)
    last = np.append(first[1:], len(at)) - 1
    runs = np.lexsort((at[first], flight[first], aircraft[first]))
    first, last = first[runs], last[runs]
    before, after = last[:-1], first[1:]
    again = (aircraft[before] == aircraft[after]) & (flight[before] == flight[after])
    if (again & (at[before] >= at[after])).any():
        return None
    lengths = last - first + 1
    ends = np.cumsum(lengths)
    order: Column = np.arange(ends[-1]) + np.repeat(first - (ends - lengths), lengths)
    return order


def starts_of(points: Points) -> npt.NDArray[np.intp]:
    """The index of each aircraft-and-flight's first point in an ordered array."""
    if len(points) == 0:
        return np.empty(0, np.intp)
    new = (points["aircraft"][1:] != points["aircraft"][:-1]) | (points["flight"][1:] != points["flight"][:-1])
    return np.append(0, np.flatnonzero(new) + 1)

"""The best values of a flight, from the points of its track: how far, how high, how fast and how slow it was.

A single wrong position makes no record: another one, at least five seconds apart, says the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from skywatch.airframes.helicopters import HELICOPTER_TYPES
from skywatch.core import geo
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    AT_S,
    DEGREES,
    GROUND,
    NO_ALTITUDE,
    SEGMENT_S,
    UNKNOWN,
    Points,
)
from skywatch.picture.state.own_antenna import SOURCE_BITS, is_heard
from skywatch.receivers.reports.report import SOURCES

Column = npt.NDArray[Any]

FARTHEST, HIGHEST, FASTEST, SLOWEST, LONGEST = "farthest", "highest", "fastest", "slowest_airborne", "longest_flight"
UNITS = {FARTHEST: "nm", HIGHEST: "ft", FASTEST: "kt", SLOWEST: "kt", LONGEST: "s"}
# Where the lowest value is the best.
LOWEST = frozenset({SLOWEST})
APART_S = 5.0
# How much farther an aircraft gets (nm/s) between two points of its track, which are up to SEGMENT_S apart: 600 kt.
FARTHER_NM_S = 600.0 / 3600.0
# No aeroplane flies slower (kt); what says so is on the ground, or wrong.
FLYING_KT = 30
# nm for the square root of the altitude in feet.
HORIZON_NM = 1.23
_AEROPLANES = frozenset({"A1", "A2", "A3", "A4", "A5", "A6"})
# ICAO Doc 8643: what is no aeroplane and no helicopter.
_OTHER_TYPES = frozenset({"GLID", "BALL", "SHIP", "ULAC", "GYRO", "DRON", "UAV", "PARA", "HANG"})


class Best(NamedTuple):
    """A value in the unit of its record, at a time (unix s); ``is_own``: the station's antenna heard it."""

    name: str
    value: float
    at: float
    source: str | None
    is_own: bool


def bests_of(points: Points, station: tuple[float, float] | None, *, aeroplane: bool) -> list[Best]:
    """The best values of a flight's points, in order of time; ``station`` is the place from which distances are."""
    if len(points) < 2:
        return []
    at, flags = points["at"] * AT_S, points["flags"]
    is_airborne = flags & GROUND == 0
    is_known = (flags & NO_ALTITUDE == 0) & is_airborne
    altitude = np.where(is_known, points["alt"] * ALTITUDE_FT, np.nan)
    speed = np.where(points["gs"] == UNKNOWN, np.nan, points["gs"]).astype("f8")
    values = {HIGHEST: altitude, FASTEST: speed}
    if aeroplane:
        is_flying = is_known & (np.nan_to_num(speed) >= FLYING_KT)
        values[SLOWEST] = np.where(is_flying, -speed, np.nan)
    if station is not None:
        values[FARTHEST] = _heard_at(points, altitude, station)
    found = []
    for name, column in values.items():
        row = confirmed(column, at, FARTHER_NM_S if name == FARTHEST else 0.0)
        if row is not None:
            value = float(-column[row] if name in LOWEST else column[row])
            code = int(points["source"][row])
            source = SOURCES[(code & SOURCE_BITS) - 1] if code & SOURCE_BITS else None
            is_own = bool(is_heard(points["source"][row : row + 1], np.zeros(1), np.zeros(1))[0])
            found.append(Best(name, round(value, 2), float(at[row]), source, is_own))
    return found


def confirmed(values: Column, at: Column, rate: float = 0.0) -> int | None:
    """The row of the highest value that another row, at least 5 s apart, has reached too; NaN are no values.

    With a ``rate`` (a second) the other one may be so much lower for the time between them, within SEGMENT_S.
    """
    rows = np.flatnonzero(~np.isnan(values))
    for row in rows[np.argsort(-values[rows], kind="stable")].tolist():
        apart = np.abs(at[rows] - at[row])
        reaches = values[rows] >= values[row] - rate * apart
        if rate:
            reaches &= apart <= SEGMENT_S
        if (reaches & (apart >= APART_S)).any():
            return int(row)
    return None


def _heard_at(points: Points, altitude: Column, station: tuple[float, float]) -> Column:
    """How far (nm) from the station its own antenna heard ADS-B at each point; NaN where it did not."""
    distance = geo.distance_nm(*station, points["lat"] * DEGREES, points["lon"] * DEGREES)
    is_own = is_heard(points["source"], distance, altitude)
    with np.errstate(invalid="ignore"):
        is_own &= distance <= HORIZON_NM * np.sqrt(altitude)
    result: Column = np.where(is_own, distance, np.nan)
    return result


def is_aeroplane(category: str | None, aircraft_type: str | None) -> bool:
    """Whether an aircraft is known to be an aeroplane, by emitter category or type."""
    kind = (aircraft_type or "").strip()
    if kind.encode() in HELICOPTER_TYPES or kind in _OTHER_TYPES:
        return False
    return category in _AEROPLANES if category and category != "A0" else bool(kind)

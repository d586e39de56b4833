"""Positions that are imported, as rows of a NumPy array, and which of them make sense."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.receivers.reports.limits import ALTITUDE_FT, ANGLE_DEG, SPEED_KT
from skywatch.receivers.reports.report import SOURCES

Rows = npt.NDArray[Any]
# ``code`` is the column ``aircraft`` of points without the military mark; NaN and empty are unknown. ``source`` is 1
# and the index of the message source in SOURCES, 0 unknown.
ROW = np.dtype(
    [
        ("code", "<u4"),
        ("at", "<f8"),
        ("lat", "<f8"),
        ("lon", "<f8"),
        ("alt", "<f4"),
        ("gs", "<f4"),
        ("track", "<f4"),
        ("flags", "u1"),
        ("source", "u1"),
        ("callsign", "S8"),
        ("squawk", "S4"),
        ("category", "S2"),
        ("registration", "S12"),
        ("type", "S4"),
        # Height above the ellipsoid (ft), and the pressure that the crew has set (hPa); 0 where it is not known.
        ("geom", "<f4"),
        ("qnh", "<f4"),
    ]
)
ON_GROUND, NEW_LEG, MILITARY = 1, 2, 4
# No aircraft sent its position before 2002 (unix seconds): an earlier time is no date.
EARLIEST = 1_009_843_200.0
# A position is at most so far (s) ahead of our clock.
AHEAD_S = 60.0
_CODES = {name: number for number, name in enumerate(SOURCES, 1)}
TEXTS = ("callsign", "squawk", "category", "registration", "type")


def good(rows: Rows, now: float, skipped: Counter[str]) -> Rows:
    """The rows with a place and a possible time; values beyond what ADS-B can say become unknown."""
    with np.errstate(invalid="ignore"):
        is_place = (np.abs(rows["lat"]) <= 90) & (np.abs(rows["lon"]) <= 180)
        is_future, is_early = rows["at"] > now + AHEAD_S, ~(rows["at"] >= EARLIEST)
        for name, (low, high) in (("alt", ALTITUDE_FT), ("gs", SPEED_KT), ("track", ANGLE_DEG)):
            column = rows[name]
            column[~((column >= low) & (column <= high))] = np.nan
    skipped["position"] += int((~is_place).sum())
    skipped["future"] += int((is_place & is_future).sum())
    skipped["date"] += int((is_place & is_early).sum())
    chosen: Rows = rows[is_place & ~is_future & ~is_early]
    chosen["alt"][(chosen["flags"] & ON_GROUND) > 0] = np.nan
    return chosen


def source_code(name: Any) -> int:
    """The number of a message source as readsb names it; 0 where it is none."""
    return _CODES.get(name, 0) if isinstance(name, str) else 0


def is_mlat(rows: Rows) -> npt.NDArray[np.bool_]:
    """Which positions were computed from arrival times ?[n]."""
    result: npt.NDArray[np.bool_] = rows["source"] == _CODES["mlat"]
    return result


def text_of(value: bytes) -> str | None:
    """A text as it is stored; None where it is empty or not ASCII."""
    try:
        return value.decode("ascii").strip() or None
    except UnicodeDecodeError:
        return None

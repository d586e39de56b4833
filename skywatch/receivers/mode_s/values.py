"""The values of the codes in columns, and the conversion of columns to values of messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.acas import describe_ra
from skywatch.receivers.reports.report import EMERGENCIES, NAV_MODES, SIL_TYPES

ON_GROUND_ALT = -100_000  # in a column of altitudes: on the ground

# Six-bit characters (ICAO Annex 10 volume IV, table 3-9); "#" is none.
CHARACTERS = "#ABCDEFGHIJKLMNOPQRSTUVWXYZ##### ###############0123456789######"
VALID_CHARACTER = np.array([character != "#" for character in CHARACTERS])
_BYTES = np.frombuffer(CHARACTERS.encode(), np.uint8)
_SHIFTS = np.arange(42, -1, -6)


def characters(codes: Column) -> Column:
    """The eight 6-bit characters i8[n, 8] of 48-bit identifications i8[n]."""
    return (codes[:, None] >> _SHIFTS) & 63


def _flights(codes: Column) -> list[Any]:
    return [text.decode().rstrip() for text in _BYTES[characters(codes)].view("S8")[:, 0].tolist()]


def _altitudes(feet: Column) -> list[Any]:
    if feet.min() > ON_GROUND_ALT:
        result: list[Any] = feet.tolist()
        return result
    return ["ground" if altitude == ON_GROUND_ALT else altitude for altitude in feet.tolist()]


# Mode k of NAV_MODES is bit k of a set.
_NAV_MODE_SETS = [[mode for k, mode in enumerate(NAV_MODES) if modes >> k & 1] for modes in range(1 << len(NAV_MODES))]


def _rounded(digits: int) -> Callable[[Column], list[Any]]:
    return lambda values: np.round(values, digits).tolist()


# Field -> how its column becomes values of messages. Digits are those that the transmitted resolution is worth.
WRITE: dict[str, Callable[[Column], list[Any]]] = {
    "alt_baro": _altitudes,
    "flight": _flights,
    "squawk": lambda squawks: [f"{squawk:04d}" for squawk in squawks.tolist()],
    "category": lambda categories: [f"{category:02X}" for category in categories.tolist()],
    "emergency": lambda codes: [EMERGENCIES[code] for code in codes.tolist()],
    "sil_type": lambda codes: [SIL_TYPES[code] for code in codes.tolist()],
    "nav_modes": lambda sets: [list(_NAV_MODE_SETS[modes]) for modes in sets.tolist()],
    "acas_ra": lambda fields: [describe_ra(field) for field in fields.tolist()],
    "lat": _rounded(6),
    "lon": _rounded(6),
    "gs": _rounded(1),
    "track": _rounded(2),
    "mag_heading": _rounded(2),
    "true_heading": _rounded(2),
    "nav_heading": _rounded(2),
    "nav_qnh": _rounded(1),
}

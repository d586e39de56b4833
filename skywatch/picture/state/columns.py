"""Converts lists of reported values to the NumPy columns of the sky."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from msgspec import UNSET
from msgspec.structs import astuple

from skywatch.core.arrays import Array
from skywatch.picture.state.receiver_view import FieldState
from skywatch.receivers.reports.report import Report

NAN = float("nan")
# Number of reports that, with their objects, fit into a processor's second-level cache.
BLOCK = 256
# column -> member it holds
NUMBERS = {
    "alt_geom_ft": "alt_geom",
    "gs_kt": "gs",
    "track_deg": "track",
    "baro_rate_fpm": "baro_rate",
    "geom_rate_fpm": "geom_rate",
    "rssi_db": "rssi",
}
TIMES = {
    "altitude_at": "alt_baro",
    "velocity_at": "gs",
    "callsign_at": "flight",
    "squawk_at": "squawk",
    "emergency_at": "emergency",
    "alt_geom_at": "alt_geom",
    "acas_ra_at": "acas_ra",
}


def floats(values: list[Any]) -> Array:
    """Float64, NaN for UNSET."""
    if is_absent(values):
        return np.full(len(values), NAN)
    return numbers(values, NAN, "f8")


def numbers(values: list[Any], missing: float, dtype: str) -> Array:
    """Numbers, ``missing`` for UNSET."""
    try:
        return np.fromiter(values, dtype, len(values))
    except TypeError:  # Some values are UNSET.
        return np.fromiter([missing if value is UNSET else value for value in values], dtype, len(values))


def present(values: Array, digits: int | None = None) -> list[Any]:
    """A list of Python floats (rounded to so many digits), UNSET for NaN."""
    listed: list[Any] = (values if digits is None else np.round(values, digits)).tolist()
    return [value if value == value else UNSET for value in listed] if np.isnan(values).any() else listed


def on_ground(altitudes: list[Any]) -> Array:
    """The mask of those that are "ground"."""
    return np.array([altitude == "ground" for altitude in altitudes], "?")


def is_absent(values: list[Any]) -> bool:
    """Whether every value is UNSET."""
    return bool(values) and values[0] is UNSET and values.count(UNSET) == len(values)


def columns_of(reports: Sequence[Report], names: tuple[str, ...] = Report.__struct_fields__) -> dict[str, list[Any]]:
    """Reports as one list for each of these fields, block by block, while the block is in the cache."""
    lists: dict[str, list[Any]] = {name: [] for name in names}
    picked = attrgetter(*names)
    for start in range(0, len(reports), BLOCK):
        block = reports[start : start + BLOCK]
        kinds: set[type[Report]] = set(map(type, block))
        fields: tuple[str, ...] = names
        rows = map(picked, block)
        if names is Report.__struct_fields__ and len(kinds) == 1:
            # Subclasses may have their fields in an order of their own, and more of them.
            fields, rows = kinds.pop().__struct_fields__, map(astuple, block)
        for name, values in zip(fields, zip(*rows, strict=True), strict=True):
            if name in lists:
                lists[name] += values
    return lists


def fill(
    members: dict[str, list[Any]],
    steady: dict[str, Array],
    said_at: list[float],
    field_states: list[tuple[int, dict[str, FieldState]]],
) -> dict[str, Array]:
    """The columns that only depend on what was reported, with the ``steady`` ones.

    ``members`` as for ``aircraft_json.encode``, ``said_at`` and ``field_states`` (``times``) as Gathered's.
    """
    columns = dict(steady)
    altitudes = [NAN if value is UNSET or value == "ground" else value for value in members["alt_baro"]]
    columns["alt_baro_ft"] = np.fromiter(altitudes, "f4", len(altitudes))
    for name, member in NUMBERS.items():
        columns[name] = floats(members[member]).astype("f4")
    columns["messages"] = numbers(members["messages"], 0, "i8")
    columns["on_ground"] = np.array(members["on_ground"], "?")
    columns["acas_ra"] = np.zeros(len(said_at), "?")
    columns["acas_ra"][_rows_with(members["acas_ra"])] = True
    columns["single_source"] = np.zeros(len(said_at), "?")
    columns["single_source"][_rows_with(members["single_source"])] = True
    columns["acas_ra_frames"] = np.zeros(len(said_at), "i4")
    for row, fields in field_states if columns["acas_ra"].any() else ():
        if "acas_ra" in fields:
            columns["acas_ra_frames"][row] = fields["acas_ra"].frames
    columns |= _times(columns, said_at, field_states)
    return columns


def _rows_with(values: list[Any]) -> list[int]:
    """The indexes of values that are not empty; usually there are none."""
    return [] if is_absent(values) else [index for index, value in enumerate(values) if value]


def _times(
    columns: dict[str, Array], said_at: list[float], field_states: list[tuple[int, dict[str, FieldState]]]
) -> dict[str, Array]:
    """The time of each group of fields: a snapshot has one for all, a view one for each field; NaN where nothing is
    said."""
    times = {name: np.array(said_at, "f8") for name in TIMES}
    for row, fields in field_states:
        for name, member in TIMES.items():
            if member in fields:
                times[name][row] = fields[member].at
    has_value = {
        "altitude_at": ~np.isnan(columns["alt_baro_ft"]) | columns["on_ground"],
        "velocity_at": ~np.isnan(columns["gs_kt"]),
        "callsign_at": columns["flight"] != b"",
        "squawk_at": columns["squawk"] != b"",
        "emergency_at": columns["emergency"],
        "alt_geom_at": ~np.isnan(columns["alt_geom_ft"]),
        "acas_ra_at": columns["acas_ra"],
    }
    return {name: np.where(has_value[name], column, NAN) for name, column in times.items()}

"""Converts lists of reported values to the NumPy columns of the sky."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.state.receiver_view import FieldState
from skywatch.receivers.reports.report_columns import GROUND, NAN, is_absent

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


def fill(
    number: Callable[[str], Array],
    members: dict[str, list[Any]],
    steady: dict[str, Array],
    has_state: Array,
    said_at: Array,
    field_states: list[tuple[int, dict[str, FieldState]]],
) -> dict[str, Array]:
    """The columns that only depend on what was reported, with the ``steady`` ones.

    ``number`` gives a field as ``floats``, ``members`` are as for ``aircraft_json.encode``, ``has_state`` ?[n] says
    whether there is an emergency state ("none" is one), ``said_at`` f8[n] and ``field_states`` (``times``) are as
    Gathered's.
    """
    columns = dict(steady)
    altitudes = number("alt_baro")
    columns["on_ground"] = altitudes == GROUND
    columns["alt_baro_ft"] = np.where(columns["on_ground"], NAN, altitudes).astype("f4")
    for name, member in NUMBERS.items():
        columns[name] = number(member).astype("f4")
    columns["messages"] = np.nan_to_num(number("messages")).astype("i8")
    columns["acas_ra"] = np.zeros(len(said_at), "?")
    columns["acas_ra"][_rows_with(members["acas_ra"])] = True
    columns["single_source"] = np.zeros(len(said_at), "?")
    columns["single_source"][_rows_with(members["single_source"])] = True
    columns["acas_ra_frames"] = np.zeros(len(said_at), "i4")
    for row, fields in field_states if columns["acas_ra"].any() else ():
        if "acas_ra" in fields:
            columns["acas_ra_frames"][row] = fields["acas_ra"].frames
    columns |= _times(columns, has_state, said_at, field_states)
    return columns


def _rows_with(values: list[Any]) -> list[int]:
    """The indexes of values that are not empty; usually there are none."""
    return [] if is_absent(values) else [index for index, value in enumerate(values) if value]


def _times(
    columns: dict[str, Array],
    has_state: Array,
    said_at: Array,
    field_states: list[tuple[int, dict[str, FieldState]]],
) -> dict[str, Array]:
    """The time of each group of fields: a snapshot has one for all, a view one for each field; NaN where nothing is
    said."""
    times = {name: said_at.copy() if field_states else said_at for name in TIMES}
    for row, fields in field_states:
        for name, member in TIMES.items():
            if member in fields:
                times[name][row] = fields[member].at
    has_value = {
        "altitude_at": ~np.isnan(columns["alt_baro_ft"]) | columns["on_ground"],
        "velocity_at": ~np.isnan(columns["gs_kt"]),
        "callsign_at": columns["flight"] != b"",
        "squawk_at": columns["squawk"] != b"",
        "emergency_at": has_state,
        "alt_geom_at": ~np.isnan(columns["alt_geom_ft"]),
        "acas_ra_at": columns["acas_ra"],
    }
    return {name: np.where(has_value[name], column, NAN) for name, column in times.items()}

"""Points as the columns of an archived file, and back without loss."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from skywatch.archive.contents import layout
from skywatch.archive.contents.layout import POSITIONS, order_of_positions
from skywatch.history.storage.archived_points import stored_flags
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    GAP,
    GROUND,
    NO_ALTITUDE,
    POINT,
    SIMULATED,
    UNKNOWN,
    Points,
    no_points,
)


def table_of(points: Points) -> Any:
    """The points of one hour as an Arrow table, in the order of the layout."""
    order = order_of_positions(points["aircraft"], points["lat"], points["lon"], points["at"], points["flight"])
    points = points.take(order)
    no_altitude = points["flags"] & NO_ALTITUDE > 0
    columns = {
        "icao": pa.array(np.ascontiguousarray(points["aircraft"])),
        "flight": pa.array(np.ascontiguousarray(points["flight"])),
        "at_cs": pa.array(np.ascontiguousarray(points["at"])),
        "lat_e5": pa.array(np.ascontiguousarray(points["lat"])),
        "lon_e5": pa.array(np.ascontiguousarray(points["lon"])),
        "alt_ft": pa.array(points["alt"] * np.int32(ALTITUDE_FT), pa.int32(), mask=no_altitude),
        "gs_kt": pa.array(np.ascontiguousarray(points["gs"]), mask=points["gs"] == UNKNOWN),
        "track_deg": pa.array(np.ascontiguousarray(points["track"]), mask=points["track"] == UNKNOWN),
        "flags": pa.array(archived_flags(points["flags"])),
        "source": pa.array(np.ascontiguousarray(points["source"])),
    }
    return pa.Table.from_arrays([columns[name] for name in POSITIONS.names], schema=POSITIONS)


def points_of(table: Any) -> Points:
    """The points of an Arrow table or record batch with the columns of the layout, as they were, in its order."""
    if not len(table):
        return no_points()
    points = np.empty(len(table), POINT)
    for name, column in (
        ("aircraft", "icao"),
        ("flight", "flight"),
        ("at", "at_cs"),
        ("lat", "lat_e5"),
        ("lon", "lon_e5"),
    ):
        points[name] = _numbers(table[column], 0)
    points["gs"], points["track"] = _numbers(table["gs_kt"], UNKNOWN), _numbers(table["track_deg"], UNKNOWN)
    points["alt"] = _numbers(table["alt_ft"], 0) // np.int32(ALTITUDE_FT)
    unknown = np.asarray(table["alt_ft"].is_null())
    points["flags"] = stored_flags(_numbers(table["flags"], 0), unknown)
    # Files of schema 1 have none.
    points["source"] = _numbers(table["source"], 0) if "source" in table.schema.names else 0
    return points


def archived_flags(flags: Any) -> Any:
    """The flags of points as they are archived: an unknown altitude is null instead."""
    return flags & np.uint8(GAP | GROUND) | (flags & SIMULATED > 0) * np.uint8(layout.SIMULATED)


def _numbers(column: Any, unknown: int) -> Any:
    return np.asarray(column.fill_null(unknown) if column.null_count else column)

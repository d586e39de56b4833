"""The layout of archived files (schema 2): Arrow schemas and the options of the Parquet writer.

Files of schema 1 have no column ``source``.

Positions are integers, ordered so that neighbours in a file are neighbours in the air: by hour, 5-degree cell, address
and time. Differences of such columns are small numbers, which DELTA_BINARY_PACKED stores in few bits, and the
statistics of a row group span few cells: a query for an area skips the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import sqlalchemy as sa

from skywatch.core.database.columns import Moment, Scaled
from skywatch.core.database.engine import UTCDateTime

Column = npt.NDArray[Any]

CELL_DEG = 5
# Larger groups are read whole for one cell, smaller ones cost more bytes.
ROWS_A_GROUP = 16_384
ZSTD_LEVEL = 9
NOT_ICAO, MILITARY = 1 << 24, 1 << 25
ADDRESS = NOT_ICAO | 0xFFFFFF
GAP, GROUND, SIMULATED = 1, 2, 4

POSITIONS = pa.schema(
    [
        pa.field("icao", pa.uint32(), nullable=False),
        pa.field("flight", pa.int64(), nullable=False),
        pa.field("at_cs", pa.int64(), nullable=False),
        pa.field("lat_e5", pa.int32(), nullable=False),
        pa.field("lon_e5", pa.int32(), nullable=False),
        pa.field("alt_ft", pa.int32()),
        pa.field("gs_kt", pa.int16()),
        pa.field("track_deg", pa.int16()),
        pa.field("flags", pa.uint8(), nullable=False),
        pa.field("source", pa.uint8(), nullable=False),
    ]
)
# As they are read: files of schema 1 have no source.
ANY_POSITIONS = pa.schema([field.with_nullable(True) for field in POSITIONS])
ROWS_OPTIONS = {
    "compression": "zstd",
    "compression_level": ZSTD_LEVEL,
    "write_statistics": True,
    "write_page_checksum": True,
}
POSITIONS_OPTIONS = {
    **ROWS_OPTIONS,
    "use_dictionary": False,
    "column_encoding": dict.fromkeys(POSITIONS.names, "DELTA_BINARY_PACKED"),
    # A page a column and group: what is between pages takes more than it saves.
    "data_page_size": 1 << 20,
}


def order_of_positions(icao: Column, lat_e5: Column, lon_e5: Column, at_cs: Column, flight: Column) -> Column:
    """The order of positions of one hour: by cell, address and time."""
    cell = CELL_DEG * 100_000
    return np.lexsort((flight, at_cs, icao & np.uint32(ADDRESS), lon_e5 // cell, lat_e5 // cell))


def arrow_type(column: sa.Column[Any]) -> Any:
    """The Arrow type of a column of a table."""
    kind = column.type
    if isinstance(kind, Moment | UTCDateTime | sa.DateTime):
        return pa.timestamp("us", tz="UTC")
    if isinstance(kind, Scaled | sa.Float):
        return pa.float64()
    if isinstance(kind, sa.Boolean):
        return pa.bool_()
    if isinstance(kind, sa.Integer):
        return pa.int64()
    if isinstance(kind, sa.String | sa.JSON):
        return pa.string()
    raise TypeError(f"column {column.name} of {column.table.name} has no type in the archive")


def table_schema(columns: list[sa.Column[Any]]) -> Any:
    """The Arrow schema of rows of these columns."""
    return pa.schema([pa.field(column.name, arrow_type(column), nullable=bool(column.nullable)) for column in columns])

"""The peer of history's storage: one row for each position, with the indexes that the same questions need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from benchmarks._history import Database
from skywatch.picture.state.sky import Sky

TABLE = sa.Table(
    "one_row_a_position",
    sa.MetaData(),
    sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
    sa.Column("icao_hex", sa.String(7), nullable=False),
    sa.Column("at", sa.Double(), nullable=False),
    sa.Column("lat", sa.Double(), nullable=False),
    sa.Column("lon", sa.Double(), nullable=False),
    sa.Column("alt", sa.Integer()),
    sa.Column("gs", sa.Float()),
    sa.Column("track", sa.Float()),
    sa.Index("ix_rows_aircraft", "icao_hex", "at"),
    sa.Index("ix_rows_at", "at"),
)
ROWS_A_BATCH = 10_000
_COLUMNS = ("position_at", "lat", "lon", "alt_baro_ft", "gs_kt", "track_deg")


def rows_of(sky: Sky, which: Any = slice(None)) -> list[dict[str, Any]]:
    """A row for each aircraft (or those of a boolean column) of a sky."""
    hexes = sky.hexes if isinstance(which, slice) else [h for h, mine in zip(sky.hexes, which, strict=True) if mine]
    columns = [sky.column(name)[which].tolist() for name in _COLUMNS]
    return [
        {
            "icao_hex": address,
            "at": at,
            "lat": lat,
            "lon": lon,
            "alt": _whole(alt),
            "gs": _known(gs),
            "track": _known(t),
        }
        for address, at, lat, lon, alt, gs, t in zip(hexes, *columns, strict=True)
    ]


def bytes_a_row(base: Database, rows: Iterable[list[dict[str, Any]]]) -> float:
    """Bytes on disk of each row, after the database has tidied up; the table is dropped again."""
    base.settle()
    before = base.size()
    TABLE.create(base.engine)
    done, batch = 0, list[dict[str, Any]]()
    for more in rows:
        batch += more
        if len(batch) >= ROWS_A_BATCH:
            done += _insert(base, batch)
            batch = []
    if batch:
        done += _insert(base, batch)
    base.settle()
    used = base.size() - before
    TABLE.drop(base.engine)
    return used / done


def _insert(base: Database, batch: list[dict[str, Any]]) -> int:
    with base.engine.begin() as connection:
        connection.execute(sa.insert(TABLE), batch)
    return len(batch)


def _known(value: float) -> float | None:
    return None if value != value else value


def _whole(value: float) -> int | None:
    return None if value != value else round(value)

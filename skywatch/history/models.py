"""The tables of history: a row for each flight, chunks of track points, and the tail of what is not yet a chunk.

A chunk holds the points of some aircraft (a *shard* of all) over one slice of ten minutes; see ``codec`` and
``shards``. The tail takes one row a flush and is emptied when a slice is sealed.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.airframes.military import declare_civil, is_civil
from skywatch.core.database.columns import Moment, Scaled
from skywatch.core.database.engine import Base, BigId

HUNDREDTHS = Scaled(100)
MICRODEGREES = Scaled(1_000_000)


def _name_index(column: str, *more: str) -> sa.Index:
    """A partial index of the rows that have a value in its first column; no query looks for the others.

    It also answers searches for the beginning of a name, whatever PostgreSQL's collation. PostgreSQL's options for it
    stand in the migration alone: named here, every process would import its dialect.
    """
    return sa.Index(None, column, *more, sqlite_where=sa.text(f"{column} IS NOT NULL"))


class Flight(Base):
    """One aircraft from its first message until it was gone, took off again after landing, or 24 h had passed."""

    __tablename__ = "history_flights"
    __table_args__ = (
        # With address and flags in the index, rare flights and counts are read without the rows. Columns that change
        # with every flush (last time, altitudes) are not indexed: PostgreSQL would rewrite all indexes.
        sa.Index(
            "ix_history_flights_first_seen_at",
            "first_seen_at",
            "icao_hex",
            "military",
            "emergency",
            "active",
            "simulated",
        ),
        sa.Index(None, "icao_hex", "first_seen_at"),
        # PostgreSQL uses such an index for prefix searches whatever the collation of the database.
        _name_index("callsign", "first_seen_at", "military"),
        _name_index("registration", "first_seen_at"),
        _name_index("aircraft_type", "first_seen_at", "military"),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    icao_hex: Mapped[str] = mapped_column(sa.String(7))
    callsign: Mapped[str | None] = mapped_column(sa.String(8))
    registration: Mapped[str | None] = mapped_column(sa.String(12))
    aircraft_type: Mapped[str | None] = mapped_column(sa.String(4))
    operator: Mapped[str | None] = mapped_column(sa.String(128))
    category: Mapped[str | None] = mapped_column(sa.String(2))
    squawk: Mapped[str | None] = mapped_column(sa.String(4))
    # As it was known when the row was written; ask ``skywatch.airframes.military``.
    military: Mapped[bool]
    emergency: Mapped[bool]
    active: Mapped[bool]
    # Which of them sums are made of: ``skywatch.picture.counted``.
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    first_seen_at: Mapped[datetime] = mapped_column(Moment)
    last_seen_at: Mapped[datetime] = mapped_column(Moment)
    messages: Mapped[int] = mapped_column(sa.BigInteger)
    positions: Mapped[int]
    points: Mapped[int]
    min_altitude_ft: Mapped[int | None]
    max_altitude_ft: Mapped[int | None]
    max_speed_kt: Mapped[float | None] = mapped_column(HUNDREDTHS)
    distance_nm: Mapped[float] = mapped_column(HUNDREDTHS)
    min_distance_nm: Mapped[float | None] = mapped_column(HUNDREDTHS)
    max_distance_nm: Mapped[float | None] = mapped_column(HUNDREDTHS)
    first_lat: Mapped[float | None] = mapped_column(MICRODEGREES)
    first_lon: Mapped[float | None] = mapped_column(MICRODEGREES)
    last_lat: Mapped[float | None] = mapped_column(MICRODEGREES)
    last_lon: Mapped[float | None] = mapped_column(MICRODEGREES)


class FlightNumbers(Base):
    """One row, on SQLite: the highest number that a flight was ever given, whether it is still stored or not."""

    __tablename__ = "history_flight_numbers"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    highest: Mapped[int] = mapped_column(sa.BigInteger)


declare_civil(Flight, is_civil(Flight.icao_hex, Flight.military))
# For the features that look for the flight of an aircraft (``StoredFlights``).
FLIGHTS = Flight.__table__


class Chunk(Base):
    """Encoded points of the aircraft of one shard in one slice; ``slice_at`` is its begin in unix seconds."""

    __tablename__ = "history_chunks"
    __table_args__ = (sa.Index(None, "slice_at"), sa.Index(None, "shard", "slice_at"))

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    slice_at: Mapped[int] = mapped_column(sa.BigInteger)
    shard: Mapped[int] = mapped_column(sa.SmallInteger)
    aircraft: Mapped[int]
    points: Mapped[int]
    data: Mapped[bytes] = mapped_column(sa.LargeBinary)


class Tail(Base):
    """What one flush added: ``points`` are final; ``ends``, of the newest row only, where open segments stand."""

    __tablename__ = "history_tail"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    written_at: Mapped[datetime]
    points: Mapped[bytes] = mapped_column(sa.LargeBinary)
    ends: Mapped[bytes] = mapped_column(sa.LargeBinary)

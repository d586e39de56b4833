"""Tables: movements at airports, the latest approaches, by which coverage is known, and the local pressure."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.airframes.military import declare_civil, is_civil
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId


class Movement(Base):
    """A landing, take-off, go-around or touch-and-go; ``airport`` and ``from_or_to`` are idents of the directory."""

    __tablename__ = "airport_movements"
    __table_args__ = (
        sa.Index("ix_airport_movements_airport_at", "airport", "at"),
        sa.Index("ix_airport_movements_icao_hex_at", "icao_hex", "at"),
        sa.Index("ix_airport_movements_at", "at"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    airport: Mapped[str] = mapped_column(sa.String(8))
    kind: Mapped[str] = mapped_column(sa.String(16))
    runway: Mapped[str | None] = mapped_column(sa.String(8))
    at: Mapped[datetime]
    sure: Mapped[float]
    icao_hex: Mapped[str] = mapped_column(sa.String(7))
    callsign: Mapped[str | None] = mapped_column(sa.String(8))
    registration: Mapped[str | None] = mapped_column(sa.String(12))
    aircraft_type: Mapped[str | None] = mapped_column(sa.String(4))
    flight_id: Mapped[int | None] = mapped_column(sa.BigInteger)
    from_or_to: Mapped[str | None] = mapped_column(sa.String(8))
    # As it was known when the row was written; ask ``skywatch.airframes.military``.
    military: Mapped[bool]
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())


class AirportApproach(Base):
    """An aircraft that descended on a runway's line; ``seen``: it was received down to 1,500 ft over the field."""

    __tablename__ = "airport_approaches"
    __table_args__ = (sa.Index("ix_airport_approaches_airport_at", "airport", "at"),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    airport: Mapped[str] = mapped_column(sa.String(8))
    at: Mapped[datetime]
    icao_hex: Mapped[str] = mapped_column(sa.String(7))
    seen: Mapped[bool]
    military: Mapped[bool]
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())


class LocalCorrection(Base):
    """What the pressure of an hour (unix s) added to pressure altitudes (ft) in a square of one degree."""

    __tablename__ = "airport_corrections"
    __table_args__ = (sa.Index("ix_airport_corrections_at", "at"),)

    lat: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True, autoincrement=False)
    lon: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True, autoincrement=False)
    at: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    correction_ft: Mapped[int]


declare_civil(Movement, is_civil(Movement.icao_hex, Movement.military))
declare_civil(AirportApproach, is_civil(AirportApproach.icao_hex, AirportApproach.military))

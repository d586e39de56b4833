"""The imported airframes, one row for each aircraft and database, and when each database was imported."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.core.database.engine import Base

# Bits of ``flags``, as readsb's dbFlags.
MILITARY, INTERESTING, PIA, LADD = 1, 2, 4, 8


class AirframeRecord(Base):
    """One aircraft in one database; texts are empty and the year 0 where unknown."""

    __tablename__ = "airframes"
    __table_args__ = (sa.Index("ix_airframes_registration", "registration"),)

    icao_hex: Mapped[str] = mapped_column(sa.String(6), primary_key=True)
    source: Mapped[str] = mapped_column(sa.String(16), primary_key=True)
    registration: Mapped[str] = mapped_column(sa.String(20))
    type_code: Mapped[str] = mapped_column(sa.String(8))
    type_name: Mapped[str] = mapped_column(sa.String(120))
    operator: Mapped[str] = mapped_column(sa.String(120))
    owner: Mapped[str] = mapped_column(sa.String(120))
    year: Mapped[int] = mapped_column(sa.SmallInteger)
    flags: Mapped[int] = mapped_column(sa.SmallInteger)


class AirframeImport(Base):
    """The last import of one database; a new ``imported_at`` makes a running tracker reload."""

    __tablename__ = "airframe_imports"

    source: Mapped[str] = mapped_column(sa.String(16), primary_key=True)
    imported_at: Mapped[datetime]
    aircraft: Mapped[int] = mapped_column(sa.Integer)
    refused: Mapped[int] = mapped_column(sa.Integer)

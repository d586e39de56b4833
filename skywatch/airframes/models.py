"""The imported airframes, one row for each aircraft and database; when each database was imported; what else makes an
aircraft military.
"""

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


class MilitaryRecord(Base):
    """Whether an aircraft is military, and why: the one place that is asked (``skywatch.airframes.military``).

    ``listed``: an imported list, or the block of its address, says so. ``reported_at`` is when a receiver of ours or a
    trusted feeder first reported it so. ``decided`` is what an administrator has set and counts before both. A row with
    none of the three stands for an aircraft that a list called military in error.
    """

    __tablename__ = "military_aircraft"

    icao_hex: Mapped[str] = mapped_column(sa.String(7), primary_key=True)
    military: Mapped[bool]
    listed: Mapped[bool]
    reported_at: Mapped[datetime | None]
    decided: Mapped[bool | None]


class MilitaryRevision(Base):
    """One row: what is known of military aircraft, one higher with every transaction that changes it."""

    __tablename__ = "military_revision"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    revision: Mapped[int] = mapped_column(sa.BigInteger)

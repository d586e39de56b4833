"""The tables of routes: those of the imported table, when it was imported, and the flights whose ends are known."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.airframes.military import declare_civil, is_civil
from skywatch.core.database.columns import Moment
from skywatch.core.database.engine import Base, BigId

# Longest route: so many airports, of ICAO codes with a hyphen between two.
MAX_STOPS = 24


class TableRoute(Base):
    """The route of a callsign in the imported table: ICAO codes with a hyphen between two (``EGLL-KJFK``)."""

    __tablename__ = "route_table"

    callsign: Mapped[str] = mapped_column(sa.String(8), primary_key=True)
    airports: Mapped[str] = mapped_column(sa.String(MAX_STOPS * 5 - 1))


class TableImport(Base):
    """At most one row: where the table comes from; ``imported_at`` is one of its revision too."""

    __tablename__ = "route_imports"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    source: Mapped[str] = mapped_column(sa.String(255))
    imported_at: Mapped[datetime]
    routes: Mapped[int]


class FlownRoute(Base):
    """A flight whose first take-off and last landing were seen: the airports by ICAO code, and when it was learnt."""

    __tablename__ = "route_flights"
    __table_args__ = (sa.Index(None, "callsign", "ended_at"), sa.Index(None, "ended_at"), sa.Index(None, "learnt_at"))

    flight_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    icao_hex: Mapped[str] = mapped_column(sa.String(7))
    callsign: Mapped[str] = mapped_column(sa.String(8))
    military: Mapped[bool]
    simulated: Mapped[bool]
    origin: Mapped[str] = mapped_column(sa.String(4))
    destination: Mapped[str] = mapped_column(sa.String(4))
    began_at: Mapped[datetime] = mapped_column(Moment)
    ended_at: Mapped[datetime] = mapped_column(Moment)
    learnt_at: Mapped[datetime] = mapped_column(Moment)


class LearningState(Base):
    """At most one row: up to which movement was learnt."""

    __tablename__ = "route_learning"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    movement_id: Mapped[int] = mapped_column(sa.BigInteger)


declare_civil(FlownRoute, is_civil(FlownRoute.icao_hex, FlownRoute.military))

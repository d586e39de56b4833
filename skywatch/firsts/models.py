"""The tables of firsts: what was seen when for the first time, the best of each day, each day's counts, and the state.

They outlive the flights that they were made of: retention removes none of them.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.airframes.military import declare_civil, is_civil
from skywatch.core.database.columns import Moment
from skywatch.core.database.engine import Base, JSONDocument

KINDS = ("airframe", "type", "operator", "country")
MAX_KEY = 8
MAX_NAME = 128
# The key of the row of the state.
ONLY_ROW = 1
# Flights of one look of the worker at most, and how many numbers or addresses one statement names.
FLIGHTS_AT_ONCE = IDS_AT_ONCE = 500


class Sighting(Base):
    """One aircraft as a representative of something (``kind``, ``key``): its first flight, and how often it flew so.

    ``is_open``: only seen in a flight that goes on, of which ``last_at`` is null. Else ``last_at`` is the end of the
    last flight that has ended, and ``flights`` are those that have. ``callsign`` and ``flight_id`` are of the first
    one. ``name`` is the registration, the type in words or the operator.
    """

    __tablename__ = "first_sightings"
    __table_args__ = (
        # Firsts are read from indexes alone.
        sa.Index("ix_first_sightings_kind_first_at", "kind", "first_at", "icao_hex", "military", "simulated"),
        sa.Index(
            "ix_first_sightings_kind_key", "kind", "key", "first_at", "icao_hex", "military", "simulated", "is_open"
        ),
        sa.Index("ix_first_sightings_icao_hex", "icao_hex"),
    )

    kind: Mapped[str] = mapped_column(sa.String(10), primary_key=True)
    key: Mapped[str] = mapped_column(sa.String(MAX_KEY), primary_key=True)
    icao_hex: Mapped[str] = mapped_column(sa.String(7), primary_key=True)
    simulated: Mapped[bool] = mapped_column(primary_key=True)
    first_at: Mapped[datetime] = mapped_column(Moment)
    last_at: Mapped[datetime | None] = mapped_column(Moment)
    flights: Mapped[int]
    callsign: Mapped[str | None] = mapped_column(sa.String(8))
    flight_id: Mapped[int | None] = mapped_column(sa.BigInteger)
    name: Mapped[str | None] = mapped_column(sa.String(MAX_NAME))
    # As it was known when the row was written; ask ``skywatch.airframes.military``.
    military: Mapped[bool]
    is_open: Mapped[bool]


class DayRecord(Base):
    """The best value of a record on a day of the station, of aircraft that are military and of others."""

    __tablename__ = "first_records"

    name: Mapped[str] = mapped_column(sa.String(24), primary_key=True)
    day: Mapped[date] = mapped_column(sa.Date, primary_key=True)
    simulated: Mapped[bool] = mapped_column(primary_key=True)
    military: Mapped[bool] = mapped_column(primary_key=True)
    value: Mapped[float] = mapped_column(sa.Double)
    at: Mapped[datetime] = mapped_column(Moment)
    icao_hex: Mapped[str] = mapped_column(sa.String(7))
    callsign: Mapped[str | None] = mapped_column(sa.String(8))
    aircraft_type: Mapped[str | None] = mapped_column(sa.String(4))
    flight_id: Mapped[int | None] = mapped_column(sa.BigInteger)
    receiver: Mapped[str | None] = mapped_column(sa.String(64))
    source: Mapped[str | None] = mapped_column(sa.String(16))


class CountedDay(Base):
    """What flew on a day of the station, by begin of flight.

    ``simulated`` and ``military`` say whether such aircraft are counted: a row for each sort of reader. ``hour_at`` is
    the begin of the hour in which most flights began, ``hour_flights`` of them.
    """

    __tablename__ = "first_days"

    day: Mapped[date] = mapped_column(sa.Date, primary_key=True)
    simulated: Mapped[bool] = mapped_column(primary_key=True)
    military: Mapped[bool] = mapped_column(primary_key=True)
    flights: Mapped[int]
    airframes: Mapped[int]
    first_at: Mapped[datetime] = mapped_column(Moment)
    last_at: Mapped[datetime] = mapped_column(Moment)
    hour_at: Mapped[datetime] = mapped_column(Moment)
    hour_flights: Mapped[int]


class OpenFlight(Base):
    """A flight to look at again: one that goes on, or (``is_missing``) a number that may be committed late."""

    __tablename__ = "first_open_flights"

    flight_id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    is_missing: Mapped[bool]
    since: Mapped[datetime] = mapped_column(Moment)


class FirstsState(Base):
    """One row: up to which flight everything is counted, and what else the counts depend on.

    ``revision`` grows with each change, so that of two workers at once one does nothing. ``military_revision`` is what
    was known of military aircraft, ``zone`` the station's time zone; ``dirty`` are days (ISO 8601) to count again.
    ``summary_from`` is the first day that no weekly summary has told of.
    """

    __tablename__ = "first_state"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    revision: Mapped[int] = mapped_column(sa.BigInteger)
    flight_id: Mapped[int] = mapped_column(sa.BigInteger)
    military_revision: Mapped[int] = mapped_column(sa.BigInteger)
    zone: Mapped[str] = mapped_column(sa.String(64))
    dirty: Mapped[list[Any]] = mapped_column(JSONDocument)
    summary_from: Mapped[date | None] = mapped_column(sa.Date)


declare_civil(Sighting, is_civil(Sighting.icao_hex, Sighting.military))
declare_civil(DayRecord, is_civil(DayRecord.icao_hex, DayRecord.military))

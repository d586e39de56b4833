"""Links a message to its aircraft and flight: by address, else by registration through the imported airframes."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes import service as airframes
from skywatch.airframes.models import AirframeRecord

MAXIMUM_REMEMBERED = 20_000
# An aircraft that nothing is known of is looked up again after an import, at the latest after so many messages.
MAXIMUM_UNKNOWN = 5_000
# A message belongs to the flight that was received this long before it at the most.
FLIGHT_GAP = timedelta(minutes=20)
# Stations' clocks differ by so much.
CLOCKS = timedelta(seconds=60)
# Features meet in the database: the columns of history's flights that are read here. SQLite stores the times as unix
# milliseconds.
_flights = sa.table(
    "history_flights",
    sa.column("id", sa.BigInteger),
    sa.column("icao_hex", sa.String),
    sa.column("callsign", sa.String),
    sa.column("first_seen_at"),
    sa.column("last_seen_at"),
)


class Aircraft(NamedTuple):
    """Who sent or received a message."""

    icao_hex: str | None
    registration: str | None
    military: bool


class FlightLink(NamedTuple):
    """The flight a message belongs to."""

    id: int
    callsign: str | None


class Linker:
    """Looks aircraft up and remembers them; for the writer's thread alone."""

    def __init__(self) -> None:
        self._by_registration: OrderedDict[str, str | None] = OrderedDict()
        self._military: OrderedDict[str, bool] = OrderedDict()
        self._unknown = 0

    def aircraft(self, session: Session, icao_hex: str | None, registration: str | None) -> Aircraft:
        """The aircraft of a message, as far as it is known."""
        if icao_hex is None and registration:
            icao_hex = self._address_of(session, registration)
        military = self._is_military(session, icao_hex) if icao_hex else False
        return Aircraft(icao_hex, registration, military)

    def flight(self, session: Session, icao_hex: str | None, at: datetime) -> FlightLink | None:
        """The flight that was in the air at that time."""
        if icao_hex is None:
            return None
        begin, end = (_stored(session, moment) for moment in (at - FLIGHT_GAP, at + CLOCKS))
        query = sa.select(_flights.c.id, _flights.c.callsign).where(
            _flights.c.icao_hex == icao_hex, _flights.c.first_seen_at <= end, _flights.c.last_seen_at >= begin
        )
        query = query.order_by(_flights.c.first_seen_at.desc()).limit(1)
        row = session.execute(query).first()
        return FlightLink(int(row.id), row.callsign) if row is not None else None

    def _address_of(self, session: Session, registration: str) -> str | None:
        if registration in self._by_registration:
            self._by_registration.move_to_end(registration)
            known = self._by_registration[registration]
            if known is not None:
                return known
            self._unknown += 1
            if self._unknown < MAXIMUM_UNKNOWN:
                return None
            self._unknown = 0
        query = sa.select(AirframeRecord.icao_hex).where(AirframeRecord.registration.in_(_spellings(registration)))
        found: str | None = session.scalar(query.limit(1))
        _remember(self._by_registration, registration, found)
        return found

    def _is_military(self, session: Session, icao_hex: str) -> bool:
        if icao_hex not in self._military:
            airframe = airframes.find(session, icao_hex)
            _remember(self._military, icao_hex, airframe is not None and airframe.military)
        return self._military[icao_hex]


def _spellings(registration: str) -> list[str]:
    """A registration as it may be written in lists: with and without hyphens."""
    return list(dict.fromkeys((registration, registration.replace("-", ""))))


def _remember(table: OrderedDict[str, Any], key: str, value: Any) -> None:
    table[key] = value
    table.move_to_end(key)
    while len(table) > MAXIMUM_REMEMBERED:
        table.popitem(last=False)


def _stored(session: Session, at: datetime) -> Any:
    """A time as history stores it."""
    return int(at.timestamp() * 1000) if session.get_bind().dialect.name == "sqlite" else at

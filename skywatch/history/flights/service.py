"""Flights: search, one flight, and the labels of flights that points belong to."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows, is_military
from skywatch.core.problems import not_found
from skywatch.history.flights import archived_flights
from skywatch.history.flights.archived_flights import PastDays, past_days
from skywatch.history.flights.filter import FlightFilter, Restriction, restrictions
from skywatch.history.models import Flight
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

IDS_A_QUERY = 500
# What a search reads of a flight.
_FLIGHTS: Any = Flight.__table__
_flight: Any = _FLIGHTS.c
_NEWEST_FIRST = (_flight.first_seen_at.desc(), _flight.id.desc())
# Statements kept for the searches that are repeated: making one costs as much as asking the database.
STATEMENTS_CACHED = 64


class FlightRow(NamedTuple):
    """What the API shows of a flight, by the names of the table; a row of SQLAlchemy finds them ten times slower."""

    id: int
    icao_hex: str
    callsign: str | None
    registration: str | None
    aircraft_type: str | None
    operator: str | None
    category: str | None
    squawk: str | None
    military: bool
    emergency: bool
    active: bool
    simulated: bool
    first_seen_at: datetime
    last_seen_at: datetime
    messages: int
    positions: int
    points: int
    min_altitude_ft: int | None
    max_altitude_ft: int | None
    max_speed_kt: float | None
    distance_nm: float
    min_distance_nm: float | None
    max_distance_nm: float | None
    first_lat: float | None
    first_lon: float | None
    last_lat: float | None
    last_lon: float | None


def conditions(query_filter: FlightFilter) -> list[Any]:
    """The filter as SQL conditions."""
    return [_condition(restriction) for restriction in restrictions(query_filter)]


def _condition(restriction: Restriction) -> Any:
    column, value = _flight[restriction.column], restriction.value
    if restriction.column == "military":
        return is_military(_flight.icao_hex, column) if value else civil_rows(Flight)
    if restriction.operator == ">=":
        return column >= value
    if restriction.operator == "<=":
        return column <= value
    if restriction.operator == "starts":
        return column.startswith(value, autoescape=True)
    return column.is_(value) if isinstance(value, bool) else column == value


def search(
    session: Session,
    query_filter: FlightFilter,
    *,
    visibility: Visibility,
    limit: int,
    offset: int = 0,
    cursor: tuple[datetime, int] | None = None,
) -> tuple[list[FlightRow], int, bool]:
    """The newest flights that match, how many match in all, and whether more follow these.

    They are read from the table itself: the ORM takes longer than the database. Flights of days that the database no
    longer has whole come from the archive, if the session reaches into it.
    """

    query_filter = query_filter.for_caller(visibility)

    def days() -> PastDays:
        return past_days(session, query_filter.begin, query_filter.end)

    def read(past: PastDays) -> tuple[list[FlightRow], int, bool]:
        if not past.states:
            return _search(session, query_filter, limit, offset, cursor)
        return _search_both(session, query_filter, limit, offset, cursor, past)

    return archived_flights.stable(session, days, read)


def _search_both(
    session: Session,
    query_filter: FlightFilter,
    limit: int,
    offset: int,
    cursor: tuple[datetime, int] | None,
    past: PastDays,
) -> tuple[list[FlightRow], int, bool]:
    """``search`` in the database and the archive."""
    most = offset + limit
    stored, count, _ = _search(session, query_filter, most + 1, 0, cursor, past.ranges, counted=True)
    archived, archived_count = archived_flights.page(session, past, query_filter, most + 1, cursor)
    flights = [*stored, *(FlightRow._make(row[: len(FlightRow._fields)]) for row in archived)]
    flights.sort(key=lambda row: (row.first_seen_at, row.id), reverse=True)
    return flights[offset:most], count + archived_count, len(flights) > most


def _search(
    session: Session,
    query_filter: FlightFilter,
    limit: int,
    offset: int,
    cursor: tuple[datetime, int] | None,
    without: tuple[tuple[datetime, datetime], ...] = (),
    *,
    counted: bool = False,
) -> tuple[list[FlightRow], int, bool]:
    """``search`` in the database; ``without`` are spans in which flights that are left out began."""
    connection = session.connection()
    statements = _statements(query_filter, connection.dialect.name, without)
    values: dict[str, Any] = {"page_rows": limit + 1, "page_offset": offset}
    if cursor is not None:
        values |= {"cursor_at": cursor[0], "cursor_id": cursor[1]}
    page = statements.first if cursor is None else statements.following
    flights = [FlightRow._make(row) for row in connection.execute(page, values)]
    if cursor is None and not counted and (offset == 0 or flights) and len(flights) <= limit:
        return flights, offset + len(flights), False
    count = connection.scalar(statements.count) or 0
    return flights[:limit], count, len(flights) > limit


@dataclass(frozen=True)
class _Statements:
    """The statements of a search: a page by offset, a page behind a cursor, and the count."""

    first: sa.Select[Any]
    following: sa.Select[Any]
    count: sa.Select[Any]


@lru_cache(maxsize=STATEMENTS_CACHED)
def _statements(
    query_filter: FlightFilter, dialect: str, without: tuple[tuple[datetime, datetime], ...]
) -> _Statements:
    where = conditions(query_filter) + _ranges_of_prefixes(query_filter, dialect)
    where += archived_flights.outside(without)
    at = sa.bindparam("cursor_at", type_=_flight.first_seen_at.type)
    flight_id = sa.bindparam("cursor_id", type_=_flight.id.type)
    behind = (_flight.first_seen_at < at) | ((_flight.first_seen_at == at) & (_flight.id < flight_id))
    return _Statements(
        _page(where),
        _page([*where, _flight.first_seen_at <= at, behind]),
        sa.select(sa.func.count()).select_from(_FLIGHTS).where(*where),
    )


def _page(where: list[Any]) -> sa.Select[Any]:
    """The flights of a page, chosen by identifier: aircraft that appear with one tick are sorted, and rows are wide."""
    rows, offset = sa.bindparam("page_rows", type_=sa.Integer), sa.bindparam("page_offset", type_=sa.Integer)
    return _flights_of(sa.select(_flight.id).where(*where).order_by(*_NEWEST_FIRST).limit(rows).offset(offset))


def _flights_of(ids: sa.Select[Any]) -> sa.Select[Any]:
    military = is_military(_flight.icao_hex, _flight.military).label("military")
    columns = (military if name == "military" else _flight[name] for name in FlightRow._fields)
    return sa.select(*columns).where(_flight.id.in_(ids)).order_by(*_NEWEST_FIRST)


def _ranges_of_prefixes(query_filter: FlightFilter, dialect: str) -> list[Any]:
    """Ranges with which SQLite uses the index for a prefix: its LIKE ignores case and so scans the table.

    PostgreSQL's LIKE uses the index by itself; its ranges depend on the collation.
    """
    if dialect != "sqlite":
        return []
    return [
        _flight[column].between(begin, begin + chr(sys.maxunicode))
        for column, operator, begin in restrictions(query_filter)
        if operator == "starts"
    ]


def flight_times(
    session: Session, query_filter: FlightFilter, visibility: Visibility, *, with_positions: bool = False
) -> list[tuple[datetime, datetime]]:
    """First and last moments of the flights that match and a caller may see; ``with_positions``: of those with any."""
    query_filter = query_filter.for_caller(visibility)
    where = conditions(query_filter)
    if with_positions:
        where.append(_flight.positions > 0)

    def days() -> PastDays:
        return past_days(session, query_filter.begin, query_filter.end)

    def read(past: PastDays) -> list[tuple[datetime, datetime]]:
        without = archived_flights.outside(past.ranges)
        query = sa.select(_flight.first_seen_at, _flight.last_seen_at).where(*where, *without)
        spans = [(first, last) for first, last in session.execute(query)]
        archived = archived_flights.times(session, past, query_filter)
        return spans + [(first, last) for first, last, positions in archived if positions > 0 or not with_positions]

    return archived_flights.stable(session, days, read)


def get(session: Session, flight_id: int, visibility: Visibility) -> FlightRow:
    """One flight; raises Problem (404) where there is none or the caller may not see it."""
    flight = _stored(session, flight_id) or _archived(session, flight_id)
    if flight is None or (flight.military and not visibility.military):
        raise not_found(sentence("thing.flight", "flight"))
    return flight


def _stored(session: Session, flight_id: int) -> FlightRow | None:
    row = session.execute(_flights_of(sa.select(sa.literal(flight_id)))).one_or_none()
    return None if row is None else FlightRow._make(row)


def _archived(session: Session, flight_id: int) -> FlightRow | None:
    rows = archived_flights.by_ids(session, [flight_id])
    return FlightRow._make(rows[0][: len(FlightRow._fields)]) if rows else None


@dataclass(frozen=True, slots=True)
class Label:
    """The names of a flight; ``registration`` is None for callers who may not see it."""

    flight: int
    callsign: str | None
    registration: str | None
    aircraft_type: str | None


class Labels:
    """Looks up the labels of flights, many at once, and caches them for the next slice.

    A stream goes from slice to slice: flights of the last slice are needed again, older ones are not.
    """

    MAX_CACHED = 5_000

    def __init__(self, visibility: Visibility) -> None:
        self.visibility = visibility
        self._cache: dict[int, Label] = {}

    def fetch(self, session: Session, ids: Iterable[int]) -> dict[int, Label]:
        """The labels of these flights; one that is gone from the table has no label."""
        flight_ids = set(ids)
        missing = sorted(flight_ids - self._cache.keys())
        if missing and len(self._cache) > self.MAX_CACHED:
            self._cache = {flight: label for flight, label in self._cache.items() if flight in flight_ids}
        for begin in range(0, len(missing), IDS_A_QUERY):
            query = sa.select(Flight.id, Flight.callsign, Flight.registration, Flight.aircraft_type)
            for flight, callsign, registration, aircraft_type in session.execute(
                query.where(Flight.id.in_(missing[begin : begin + IDS_A_QUERY]))
            ):
                shown = registration if self.visibility.details else None
                self._cache[flight] = Label(flight, callsign, shown, aircraft_type)
        self._fetch_archived(session, [flight for flight in missing if flight not in self._cache])
        return {flight: self._cache[flight] for flight in flight_ids if flight in self._cache}

    def _fetch_archived(self, session: Session, ids: list[int]) -> None:
        """Look up flights that the database does not have."""
        for row in archived_flights.by_ids(session, ids):
            values = dict(zip(archived_flights.COLUMNS, row, strict=True))
            shown = values["registration"] if self.visibility.details else None
            self._cache[values["id"]] = Label(values["id"], values["callsign"], shown, values["aircraft_type"])

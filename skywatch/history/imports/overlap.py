"""Which imported flights are new: those that overlap none of the same aircraft, in the database or in the archive."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.archive.reader.archive_reader import days_of, reach_of
from skywatch.history.flights import archived_flights
from skywatch.history.flights.archived_flights import PastDays, past_days
from skywatch.history.flights.filter import MAX_FLIGHT
from skywatch.history.flights.service import IDS_A_QUERY
from skywatch.history.imports.legs import ImportedFlight
from skywatch.history.models import Flight

Times = dict[str, list[tuple[float, float]]]


def _span(flights: Sequence[ImportedFlight]) -> tuple[datetime, datetime]:
    first = datetime.fromtimestamp(min(flight.begin for flight in flights), UTC) - MAX_FLIGHT
    return first, datetime.fromtimestamp(max(flight.end for flight in flights), UTC)


def _addresses(flights: Sequence[ImportedFlight]) -> list[str]:
    return sorted({flight.address.upper() for flight in flights})


def removed(session: Session, flights: Sequence[ImportedFlight]) -> PastDays:
    """The days of these flights, and from which others may reach over, that the database no longer has whole."""
    first, last = _span(flights)
    reach = reach_of(session)
    if reach is not None:
        reach.asked = days_of(first + MAX_FLIGHT, last)
    return past_days(session, first, last, timedelta(0))


def archived_times(session: Session, past: PastDays, flights: Sequence[ImportedFlight]) -> Times:
    """First and last moment of the archived flights of these aircraft; raises Problem where they cannot be read."""
    times: Times = {}
    for address, seen, gone in archived_flights.spans(session, past, _addresses(flights)):
        times.setdefault(address.lower(), []).append((seen.timestamp(), gone.timestamp()))
    return times


def new_flights(session: Session, flights: Sequence[ImportedFlight], archived: Times) -> list[int]:
    """The indexes of flights that overlap no stored or archived one, and no earlier one of these."""
    times = {address: list(spans) for address, spans in archived.items()}
    first, last = _span(flights)
    addresses = _addresses(flights)
    for begin in range(0, len(addresses), IDS_A_QUERY):
        query = sa.select(Flight.icao_hex, Flight.first_seen_at, Flight.last_seen_at).where(
            Flight.icao_hex.in_(addresses[begin : begin + IDS_A_QUERY]),
            Flight.first_seen_at.between(first, last),
        )
        for address, seen, gone in session.execute(query):
            times.setdefault(address.lower(), []).append((seen.timestamp(), gone.timestamp()))
    new = []
    for index, flight in enumerate(flights):
        spans = times.setdefault(flight.address, [])
        if all(flight.begin > end or flight.end < begin for begin, end in spans):
            spans.append((flight.begin, flight.end))
            new.append(index)
    return new

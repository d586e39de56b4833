"""Which imported flights are new: those that overlap none of the same aircraft, in the database or in the archive."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.history.archiving import past_flights
from skywatch.history.archiving.past_flights import PastDays, past_days
from skywatch.history.importing.legs import ImportedFlight
from skywatch.history.models import Flight
from skywatch.history.reading.flights import IDS_A_QUERY, MAX_FLIGHT

Times = dict[str, list[tuple[float, float]]]


def _span(flights: Sequence[ImportedFlight]) -> tuple[datetime, datetime]:
    first = datetime.fromtimestamp(min(flight.begin for flight in flights), UTC) - MAX_FLIGHT
    return first, datetime.fromtimestamp(max(flight.end for flight in flights), UTC)


def _addresses(flights: Sequence[ImportedFlight]) -> list[str]:
    return sorted({flight.address.upper() for flight in flights})


def removed(session: Session, flights: Sequence[ImportedFlight]) -> PastDays:
    """The days of these flights that the database no longer has whole."""
    return past_days(session, *_span(flights))


def archived_times(session: Session, past: PastDays, flights: Sequence[ImportedFlight]) -> Times:
    """First and last moment of the archived flights of these aircraft; raises Problem where they cannot be read."""
    times: Times = {}
    for address, seen, gone in past_flights.spans(session, past, _addresses(flights)):
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

"""Tracks as people use them: the track of one flight or aircraft, split where nothing was received, in plain units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec
import numpy as np
from sqlalchemy.orm import Session

from skywatch.airframes.military import hidden_from
from skywatch.history import numerals
from skywatch.history.flights.filter import FlightFilter
from skywatch.history.flights.service import FlightRow, Label, flight_times
from skywatch.history.records import Template, text
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    AT_S,
    DEGREES,
    GAP,
    GROUND,
    NO_ALTITUDE,
    SIMULATED,
    UNKNOWN,
    Points,
    address_code,
    identity,
)
from skywatch.history.storage.reader import Span, read_aircraft
from skywatch.security.visibility import EVERYTHING, Visibility


@dataclass(frozen=True, slots=True)
class Track:
    """The points of one flight in order of time; ``part`` counts from 1 where a long track comes in parts."""

    address: str
    label: Label | None
    points: Points
    military: bool
    part: int = 1

    @property
    def name(self) -> str:
        """The callsign, or else the address."""
        return (self.label.callsign if self.label is not None else None) or self.address.upper()

    @property
    def simulated(self) -> bool:
        """Whether it is of a simulated aircraft."""
        return bool((self.points["flags"] & SIMULATED > 0).any())

    def legs(self) -> list[Points]:
        """The points split where nothing was received in between."""
        breaks = np.flatnonzero(self.points["flags"][1:] & GAP) + 1
        return np.split(self.points, breaks) if len(self.points) else []


def plain(points: Points) -> Iterator[tuple[float, float, float, int | None, int | None, int | None, bool, bool]]:
    """(unix s, latitude, longitude, altitude ft, speed kt, track degrees, on ground, gap before) of each point."""
    flags = points["flags"]
    unknown = (flags & NO_ALTITUDE > 0).tolist()
    altitudes = (points["alt"] * int(ALTITUDE_FT)).tolist()
    return zip(
        np.round(points["at"] * AT_S, 2).tolist(),
        np.round(points["lat"] * DEGREES, 5).tolist(),
        np.round(points["lon"] * DEGREES, 5).tolist(),
        [None if missing else value for missing, value in zip(unknown, altitudes, strict=True)],
        [None if value == UNKNOWN else value for value in points["gs"].tolist()],
        [None if value == UNKNOWN else value for value in points["track"].tolist()],
        (flags & GROUND > 0).tolist(),
        (flags & GAP > 0).tolist(),
        strict=True,
    )


_POINT = Template(
    [
        b'{"at":"',
        *numerals.TIME_WIDTHS,
        b'Z","lat":',
        *numerals.DEGREES_WIDTHS,
        b',"lon":',
        *numerals.DEGREES_WIDTHS,
        b',"altitude_ft":',
        numerals.WHOLE_WIDTH,
        b',"speed_kt":',
        numerals.SMALL_WIDTH,
        b',"track_deg":',
        numerals.SMALL_WIDTH,
        b',"on_ground":',
        numerals.BOOLEAN_WIDTH,
        b',"gap":',
        numerals.BOOLEAN_WIDTH,
        b"},",
    ]
)


def points_answer(points: Points) -> msgspec.Raw:
    """Points as the API shows them (``schemas.TrackPoint``), as a JSON array."""
    flags = points["flags"]
    altitudes = numerals.whole(points["alt"].astype(np.int64) * int(ALTITUDE_FT))
    altitudes[flags & NO_ALTITUDE > 0] = b"null"
    fields = (
        *numerals.times(points["at"]),
        *numerals.degrees(points["lat"]),
        *numerals.degrees(points["lon"]),
        altitudes,
        numerals.small(points["gs"]),
        numerals.small(points["track"]),
        numerals.booleans(flags & GROUND > 0),
        numerals.booleans(flags & GAP > 0),
    )
    rows = _POINT.fill(np.zeros(len(points), np.int64), fields)
    return msgspec.Raw(b"[%b]" % text(rows)[:-1])


def of_flight(session: Session, flight: FlightRow) -> Points:
    """All points of a flight."""
    code = address_code(flight.icao_hex)
    # Positions may lie outside first and last message by no more than the picture's retention.
    span = Span(flight.first_seen_at.timestamp() - 120, flight.last_seen_at.timestamp() + 120, code)
    points = read_aircraft(session, span, [(span.begin, span.end)])
    result: Points = points[points["flight"] == flight.id]
    return result


def of_aircraft(session: Session, address: str, begin: datetime, end: datetime, visibility: Visibility) -> Points:
    """All points of an aircraft in a span, in order of time. Only slices in which it flew are read."""
    first, last = begin.timestamp(), end.timestamp()
    span = Span(first, last, address_code(address), hidden_from(visibility, session))
    points = span.within(read_aircraft(session, span, _flight_times(session, address, first, last)))
    return points[np.argsort(points["at"], kind="stable")]


def _flight_times(session: Session, address: str, begin: float, end: float) -> list[tuple[float, float]]:
    """The times within a span at which an aircraft flew."""
    query_filter = FlightFilter(
        begin=datetime.fromtimestamp(begin, UTC), end=datetime.fromtimestamp(end, UTC), icao_hex=address
    )
    # Rows of active flights are updated a little later than their points.
    return [
        (max(begin, first.timestamp() - 120), min(end, last.timestamp() + 120))
        for first, last in flight_times(session, query_filter, EVERYTHING)
    ]


def split_flights(points: Points) -> list[Points]:
    """Points in order, split by flight."""
    cuts = np.flatnonzero((np.diff(points["flight"]) != 0) | (np.diff(identity(points).astype("i8")) != 0)) + 1
    return np.split(points, cuts) if len(points) else []

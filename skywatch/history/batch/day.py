"""``HistoryDay``: a day of history as jobs read it (``skywatch.core.batch.PastDay``); one hour is in memory at a time.

A flight belongs to the day on which it began, and is followed to its end on the next day. Pictures begin and end where
the job says, up to a day before and after.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from functools import cached_property

import numpy as np

from skywatch.airframes.military import MilitaryAircraft
from skywatch.archive.batch.archived_rows import ArchivedRows
from skywatch.archive.kinds import DAY, span_of_day
from skywatch.core.arrays import distinct
from skywatch.core.batch import PastFlight, TrackPart
from skywatch.history.batch.archived_day import FlightFacts, Rows, RowsOfArchive
from skywatch.history.batch.skies import SkyColumns
from skywatch.history.flights.service import Label
from skywatch.history.moments.service import AROUND_S, moment_lines, windows
from skywatch.history.storage.points import SLICE_S, Points
from skywatch.history.storage.shards import slice_of, slices
from skywatch.history.tracks import plain
from skywatch.picture.state.sky import Sky

HOUR_S = 3600
# Points may lie outside of the first and last message of a flight by no more than the picture's retention (s).
BEYOND_S = 120.0
# Without any aircraft there are moments for so long (s): longer than any rule waits.
EMPTY_S = 7200.0


class HistoryDay:
    """A day and the days around it, as far as ``rows`` has them."""

    def __init__(self, rows: Rows, day: date, station: tuple[float, float] | None = None) -> None:
        self._rows = rows
        self.day = day
        self.station = station
        begin, end = span_of_day(day)
        self.begin, self.end = begin.timestamp(), end.timestamp()

    def hours(self, begin: float, end: float) -> Iterator[Points]:
        """The points of each hour that a span touches and that has any."""
        for hour in range(int(begin // HOUR_S) * HOUR_S, int(end), HOUR_S):
            if self._rows.has(datetime.fromtimestamp(hour, UTC).date()):
                points = self._rows.points(hour)
                if len(points):
                    yield points

    def tracks(self) -> Iterator[TrackPart]:
        """The tracks of the flights that began on the day, to their ends; see ``PastDay``."""
        open_flights = {flight.id: flight for flight in self._rows.flights(self.day)}
        ends = sorted((flight.last_seen_at, flight.id) for flight in open_flights.values())
        last = ends[-1][0] + BEYOND_S if ends else self.begin
        number = 0
        for points in self.hours(self.begin, min(last, self.end + 2 * DAY.total_seconds())):
            hour = float(points["at"].min()) / 100 // HOUR_S * HOUR_S
            while number < len(ends) and ends[number][0] + BEYOND_S < hour:
                yield TrackPart(_past(open_flights.pop(ends[number][1])), (), True)
                number += 1
            # By flight and time alone: of a flight some points may be marked as military, and others not.
            points = points[np.isin(points["flight"], list(open_flights))]
            points = points.take(np.lexsort((points["at"], points["flight"])))
            cuts = np.flatnonzero(np.diff(points["flight"])) + 1
            for track in np.split(points, cuts) if len(points) else ():
                yield TrackPart(_past(open_flights[int(track["flight"][0])]), plain(track), False)
        for _, flight_id in ends[number:]:
            yield TrackPart(_past(open_flights.pop(flight_id)), (), True)

    def skies(self, begin: float, end: float, step_s: float) -> Iterator[Sky]:
        """The picture every ``step_s``; see ``PastDay``."""
        columns = SkyColumns(self._facts)
        for points, moments in windows(self._slices(begin, end), begin, end, step_s):
            yield from columns.skies(points, moments)

    def moments(self, begin: float, end: float, step_s: float) -> Iterator[bytes]:
        """The picture every ``step_s`` as encoded JSON; see ``PastDay``."""
        labels = {
            flight.id: Label(flight.id, flight.callsign, flight.registration, flight.aircraft_type)
            for flight in self._facts.values()
        }
        # Points and flights say it of themselves (``RowsOfArchive``).
        nothing_known = MilitaryAircraft()
        seen_at = begin
        for points, moments in windows(self._slices(begin, end), begin, end, step_s):
            if len(points):
                seen_at = float(moments[-1])
            elif moments[0] - seen_at > EMPTY_S:
                continue
            yield from moment_lines(points, moments, labels, nothing_known)

    @cached_property
    def _facts(self) -> dict[int, FlightFacts]:
        """The flights that began on the day, the day before and the day after."""
        days = [day for day in (self.day - DAY, self.day, self.day + DAY) if self._rows.has(day)]
        return {flight.id: flight for day in days for flight in self._rows.flights(day)}

    def _slices(self, begin: float, end: float) -> Iterator[tuple[int, Points]]:
        """The points around a span, a slice at a time."""
        first, last = slice_of(begin - AROUND_S), slice_of(end + AROUND_S)
        for points in self.hours(first, last + SLICE_S):
            begins = slices(points)
            for at in distinct(begins).tolist():
                if first <= at <= last:
                    yield at, points[begins == at]


def _past(flight: FlightFacts) -> PastFlight:
    return PastFlight(flight.id, flight.icao_hex, flight.callsign, flight.military)


def day_of_archive(
    rows: ArchivedRows, day: date, station: tuple[float, float] | None, military: Mapping[str, bool]
) -> HistoryDay:
    """A day of the archive (``PastDays``)."""
    return HistoryDay(RowsOfArchive(rows, MilitaryAircraft(military)), day, station)

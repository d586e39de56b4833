"""Points of days that the database no longer has whole: they are read from the archive, an hour at a time.

Whether a day is one of those is looked up after the database was read: its rows are deleted only once that is noted, so
nothing is missed, and what is read twice has the same key and is one point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from itertools import groupby

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.archive.models import ArchivedDay
from skywatch.archive.reader.archive_reader import Reach, reach_of
from skywatch.archive.reader.questions import NO_ALTITUDE as UNKNOWN_ALTITUDE
from skywatch.archive.reader.questions import PositionsQuestion, SlicesQuestion
from skywatch.archive.state import removed_days
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    DEGREES,
    GAP,
    GROUND,
    NO_ALTITUDE,
    POINT,
    SIMULATED,
    SLICE_S,
    Column,
    Points,
    in_order,
    join,
    no_points,
)
from skywatch.history.storage.shards import slice_of, slices
from skywatch.history.storage.span import Span

KIND = "positions"
HOUR_S, DAY_S, CS = 3600, 86_400, 100
# Files of one question about one aircraft: those of two days.
FILES_A_QUESTION = 48
# ``archive.contents.layout.SIMULATED``, whose module needs the extra ``archive``.
ARCHIVED_SIMULATED = 4
_COLUMNS = {
    "icao": ("aircraft", "<u4"),
    "flight": ("flight", "<i8"),
    "at_cs": ("at", "<i8"),
    "lat_e5": ("lat", "<i4"),
    "lon_e5": ("lon", "<i4"),
    "gs_kt": ("gs", "<i2"),
    "track_deg": ("track", "<i2"),
    "source": ("source", "u1"),
}


def with_archive(
    session: Session, span: Span, stored: Iterator[tuple[int, Points]], every: int
) -> Iterator[tuple[int, Points]]:
    """The slices of the database and of the archive, in order of time."""
    first, last = slice_of(span.begin), slice_of(span.end)
    hours = _archived_hours(session, first, last)
    removed = set[date]()
    ahead = next(stored, None)
    for begin in hours:
        # The database first, then whether the day is whole: see above.
        while ahead is not None and ahead[0] < begin:
            yield ahead
            ahead = next(stored, None)
        found = dict[int, Points]()
        while ahead is not None and ahead[0] < begin + HOUR_S:
            found[ahead[0]] = ahead[1]
            ahead = next(stored, None)
        day = _day(begin)
        # What is removed stays so: the other hours of its day need not ask again.
        if day not in removed and removed_days(session, KIND, day, day):
            removed.add(day)
        of_archive = _hour(session, span, begin, first, last, every) if day in removed else ()
        for at, points in of_archive:
            found[at] = in_order(join([points, found[at]])) if at in found else points
        yield from sorted(found.items(), key=lambda item: item[0])
    while ahead is not None:
        yield ahead
        ahead = next(stored, None)


def _day(at: float) -> date:
    return datetime.fromtimestamp(at, UTC).date()


def _archived_hours(session: Session, first: int, last: int) -> list[int]:
    """The begins of the hours, from one slice to another, of days that are archived: their rows may have gone."""
    days = session.scalars(
        sa.select(ArchivedDay.day).where(
            ArchivedDay.kind == KIND,
            ArchivedDay.day.between(_day(first), _day(last)),
            ArchivedDay.verified_at.is_not(None),
            ArchivedDay.rows > 0,
        )
    )
    begins = [int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) for day in sorted(days)]
    hours = [begin + HOUR_S * number for begin in begins for number in range(24)]
    return [begin for begin in hours if first - HOUR_S < begin <= last]


def _hour(session: Session, span: Span, begin: int, first: int, last: int, every: int) -> Iterator[tuple[int, Points]]:
    """The archived slices of one hour."""
    wanted = [at for at in range(begin, begin + HOUR_S, SLICE_S) if first <= at <= last and not at % (every * SLICE_S)]
    reach = reach_of(session)
    if reach is None or not wanted:
        return
    files = reach.files([_day(begin)], [f"positions-{begin % DAY_S // HOUR_S:02d}"])
    if not files:
        return
    points = _ask(reach, files, wanted[0], wanted[-1] + SLICE_S, span)
    of_slices = slices(points)
    for at in wanted:
        # Many times faster than a mask for structured arrays.
        in_slice = points.take(np.flatnonzero(of_slices == at))
        if len(in_slice):
            yield at, in_slice


def _ask(reach: Reach, files: list[str], begin: float, end: float, span: Span) -> Points:
    """The points of some files from ``begin`` on, before ``end`` (unix seconds), in order."""
    question = PositionsQuestion(
        files=files,
        begin_cs=round(begin * CS),
        end_cs=round(end * CS) - 1,
        icao=span.aircraft,
        box=None if span.box is None else [round(degrees / DEGREES) for degrees in span.box],
    )
    # The box of the question is in whole steps of the grid: the exact one is applied here.
    return in_order(span.pick(_points(reach.ask(question))))


def _points(columns: dict[str, bytes]) -> Points:
    at = np.frombuffer(columns["at_cs"], "<i8")
    points = np.empty(len(at), POINT)
    for name, (column, kind) in _COLUMNS.items():
        points[column] = np.frombuffer(columns[name], kind)
    altitude = np.frombuffer(columns["alt_ft"], "<i4")
    unknown = altitude == UNKNOWN_ALTITUDE
    points["alt"] = np.where(unknown, 0, altitude // np.int32(ALTITUDE_FT))
    points["flags"] = stored_flags(np.frombuffer(columns["flags"], "u1"), unknown)
    return points


def stored_flags(archived: Column, unknown: Column) -> Column:
    """The flags of points by those of archived ones: 4 is simulated there, an ``unknown`` altitude null."""
    simulated = (archived & ARCHIVED_SIMULATED > 0) * np.uint8(SIMULATED)
    result: Column = archived & np.uint8(GAP | GROUND) | simulated | unknown * np.uint8(NO_ALTITUDE)
    return result


def aircraft_points(session: Session, span: Span, begins: Sequence[int]) -> Points:
    """The archived points of the span's aircraft in these slices."""
    reach = reach_of(session)
    if reach is None or not begins:
        return no_points()
    removed = {state.day for state in removed_days(session, KIND, _day(begins[0]), _day(begins[-1]))}
    files: list[str] = []
    for day, of_day in groupby((begin for begin in begins if _day(begin) in removed), key=_day):
        stems = {f"positions-{begin % DAY_S // HOUR_S:02d}" for begin in of_day}
        files += reach.files([day], sorted(stems))
    parts = [no_points()]
    for number in range(0, len(files), FILES_A_QUESTION):
        page = files[number : number + FILES_A_QUESTION]
        parts.append(_ask(reach, page, begins[0], begins[-1] + SLICE_S, span))
    points = join(parts)
    return points[np.isin(slices(points), np.array(begins))]


def slices_with_points(session: Session, span: Span) -> list[int]:
    """The begins of the archived slices of the span that have points, whoever may see them."""
    reach = reach_of(session)
    first, last = slice_of(span.begin), slice_of(span.end)
    if reach is None:
        return []
    begins: list[int] = []
    for state in removed_days(session, KIND, _day(first), _day(last)):
        midnight = int(datetime(state.day.year, state.day.month, state.day.day, tzinfo=UTC).timestamp())
        stems = [
            f"positions-{number:02d}" for number in range(24) if first - HOUR_S < midnight + number * HOUR_S <= last
        ]
        files = reach.files([state.day], stems)
        if files:
            end = last + SLICE_S
            question = SlicesQuestion(files=files, begin_cs=first * CS, end_cs=end * CS - 1, slice_cs=SLICE_S * CS)
            begins += [at // CS for at in reach.ask(question)]
    return begins


def chunks_of(session: Session, begin: int, end: int) -> int:
    """How many chunks the days had that the database no longer has, by the share of each in a span (unix seconds).

    Chunks of days that are being deleted may count twice.
    """
    total = 0.0
    for state in removed_days(session, KIND, _day(begin), _day(end)):
        midnight = datetime(state.day.year, state.day.month, state.day.day, tzinfo=UTC).timestamp()
        share = max(0.0, min(end, midnight + DAY_S) - max(begin, midnight)) / DAY_S
        total += share * (state.entries or 0)
    return round(total)

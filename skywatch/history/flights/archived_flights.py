"""Flights of days that the database no longer has whole: they are read from the archive, all others from the database.

A flight belongs to the day on which it began. Where rows were added to such a day since it was archived, they take the
place of archived ones with the same identifier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import military_aircraft
from skywatch.archive.kinds import DAY, span_of_day
from skywatch.archive.models import ArchivedDay
from skywatch.archive.reader.archive_reader import reach_of
from skywatch.archive.reader.questions import Condition, FlightsQuestion, KnownMilitary, StatisticsQuestion
from skywatch.archive.state import days_with_ids, removed_days
from skywatch.core.clock import earlier
from skywatch.history.flights.filter import MAX_FLIGHT, FlightFilter, restrictions
from skywatch.history.models import Flight
from skywatch.picture.counted import counts_simulated

KIND = "flights"
COLUMNS = tuple(column.name for column in Flight.__table__.c)
MOMENTS = ("first_seen_at", "last_seen_at")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# How often a query is repeated because a day was being deleted meanwhile.
TRIES = 5
_flight: Any = Flight.__table__.c
T = TypeVar("T")


@dataclass(frozen=True)
class PastDays:
    """The days that are read from the archive; ``ranges`` are their spans, for the condition that leaves them out."""

    states: tuple[ArchivedDay, ...] = ()

    @property
    def key(self) -> tuple[tuple[date, int, int], ...]:
        """What has to be the same before and after a query."""
        return tuple((state.day, state.changes, state.archived_changes) for state in self.states)

    @property
    def days(self) -> list[date]:
        """The days in order."""
        return [state.day for state in self.states]

    @property
    def ranges(self) -> tuple[tuple[datetime, datetime], ...]:
        """Adjacent days as one span each: from, and before."""
        spans: list[tuple[datetime, datetime]] = []
        for day in self.days:
            begin, end = span_of_day(day)
            if spans and spans[-1][1] == begin:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((begin, end))
        return tuple(spans)


def outside(ranges: Iterable[tuple[datetime, datetime]]) -> list[Any]:
    """The conditions on flights that did not begin in any of these spans."""
    return [(_flight.first_seen_at < begin) | (_flight.first_seen_at >= end) for begin, end in ranges]


def past_days(
    session: Session, begin: datetime | None, end: datetime | None, reaching_over: timedelta = MAX_FLIGHT
) -> PastDays:
    """The days from which flights of a span may be, as far as the database no longer has them whole.

    Flights that begin up to ``reaching_over`` before it may reach into it.
    """
    if reach_of(session) is None:
        return PastDays()
    first = date.min if begin is None else earlier(begin, reaching_over).astimezone(UTC).date()
    last = date.max if end is None else end.astimezone(UTC).date()
    return PastDays(tuple(removed_days(session, KIND, first, last)))


def stable(session: Session, days: Callable[[], PastDays], read: Callable[[PastDays], T]) -> T:
    """What ``read`` reads with the days as they are: again where retention began to delete one of them meanwhile."""
    before = days()
    for _ in range(TRIES):
        result = read(before)
        after = days()
        if after.key == before.key:
            return result
        before = after
    return result


def conditions_of(query_filter: FlightFilter) -> list[Condition]:
    """The filter of a search for the archive."""
    return [
        Condition(column, operator, microseconds(value) if isinstance(value, datetime) else value)
        for column, operator, value in restrictions(query_filter)
    ]


def known_military(session: Session) -> KnownMilitary:
    """Which aircraft are military as the database knows it now, for the archive."""
    return KnownMilitary(*military_aircraft(session).known)


def microseconds(at: datetime) -> int:
    """Since 1970."""
    return (at - EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """The moment of so many microseconds since 1970."""
    return EPOCH + value * _MICROSECOND


def page(
    session: Session,
    past: PastDays,
    query_filter: FlightFilter,
    limit: int,
    cursor: tuple[datetime, int] | None,
    *,
    counted: bool = True,
) -> tuple[list[list[Any]], int]:
    """The newest archived flights that match (all ``COLUMNS``), and how many match in all."""
    reach = reach_of(session)
    files = reach.files(past.days, [KIND]) if reach is not None and past.states else []
    if reach is None or not files:
        return [], 0
    answer = reach.ask(
        FlightsQuestion(
            files=files,
            columns=list(COLUMNS),
            conditions=conditions_of(query_filter),
            limit=limit,
            counted=counted,
            before=None if cursor is None else (microseconds(cursor[0]), cursor[1]),
            extra=_added(session, past.states),
            known=known_military(session),
        )
    )
    return [_row(values) for values in answer["rows"]], answer["count"]


def times(session: Session, past: PastDays, query_filter: FlightFilter) -> list[tuple[datetime, datetime, int]]:
    """First and last moment, and the number of positions, of the archived flights that match."""
    rows, _ = page(session, past, query_filter, 2**31, None, counted=False)
    first, last, positions = (COLUMNS.index(name) for name in (*MOMENTS, "positions"))
    return [(row[first], row[last], row[positions]) for row in rows]


def spans(session: Session, past: PastDays, addresses: Sequence[str]) -> list[tuple[str, datetime, datetime]]:
    """Address, first and last moment of the archived flights of these aircraft (upper case)."""
    reach = reach_of(session)
    files = reach.files(past.days, [KIND]) if reach is not None and past.states else []
    if reach is None or not files:
        return []
    question = FlightsQuestion(
        files=files,
        columns=["icao_hex", *MOMENTS],
        conditions=[Condition("icao_hex", "in", list(addresses))],
        limit=2**31,
        counted=False,
    )
    return [(address, moment(first), moment(last)) for address, first, last in reach.ask(question)["rows"]]


def by_ids(session: Session, ids: Sequence[int]) -> list[list[Any]]:
    """The archived flights with these identifiers (all ``COLUMNS``)."""
    reach = reach_of(session)
    if reach is None or not ids:
        return []
    least, greatest = min(ids), max(ids)
    days = [
        state
        for state in days_with_ids(session, KIND, least, greatest)
        if any((state.first_id or 0) <= flight <= (state.last_id or 0) for flight in ids)
    ]
    files = reach.files(sorted(state.day for state in days), [KIND])
    if not files:
        return []
    question = FlightsQuestion(
        files=files,
        columns=list(COLUMNS),
        conditions=[Condition("id", "in", sorted(ids))],
        limit=len(ids),
        counted=False,
        known=known_military(session),
    )
    return [_row(values) for values in reach.ask(question)["rows"]]


def statistics(
    session: Session, past: PastDays, begin: datetime, end: datetime, military: bool
) -> dict[str, Any] | None:
    """Counts of the archived flights that began in a span and count; None where there is none."""
    reach = reach_of(session)
    files = reach.files(past.days, [KIND]) if reach is not None and past.states else []
    if reach is None or not files:
        return None
    conditions = [
        Condition("first_seen_at", ">=", microseconds(begin)),
        Condition("first_seen_at", "<", microseconds(end)),
        *([] if military else [Condition("military", "=", False)]),
        *([] if counts_simulated(session) else [Condition("simulated", "=", False)]),
    ]
    question = StatisticsQuestion(
        files=files,
        columns=list(COLUMNS),
        conditions=conditions,
        extra=_added(session, past.states),
        known=known_military(session),
    )
    answer: dict[str, Any] = reach.ask(question)
    return answer


def _row(values: Sequence[Any]) -> list[Any]:
    row = list(values)
    for name in MOMENTS:
        index = COLUMNS.index(name)
        row[index] = moment(row[index])
    return row


def _added(session: Session, states: Iterable[ArchivedDay]) -> list[list[Any]]:
    """The rows of the database on days that are to be archived again."""
    rows: list[list[Any]] = []
    for state in states:
        if not state.is_current:
            begin = span_of_day(state.day)[0]
            query = sa.select(*Flight.__table__.c).where(
                _flight.first_seen_at >= begin, _flight.first_seen_at < begin + DAY
            )
            rows += [
                [microseconds(value) if isinstance(value, datetime) else value for value in row]
                for row in session.execute(query)
            ]
    return rows

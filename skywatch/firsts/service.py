"""Reads firsts, records and the journal, as one caller may see them."""

from __future__ import annotations

import sys
from collections.abc import Sequence, Set
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows, is_civil, revision
from skywatch.core.runtime import Runtime
from skywatch.firsts.bests import LOWEST, UNITS
from skywatch.firsts.days import span_of
from skywatch.firsts.models import IDS_AT_ONCE, KINDS, CountedDay, DayRecord, FirstsState, Sighting
from skywatch.firsts.schemas import BUSIEST_DAY, BUSIEST_HOUR, First, Record
from skywatch.history.models import Flight
from skywatch.http.resources.answer import answer
from skywatch.picture.counted import counted, counts_simulated
from skywatch.security.visibility import Visibility

# So many airframes are named of a day or a week; of the other kinds all.
MOST_NEW = 1_000
RAREST = 10
_s: Any = Sighting.__table__
Span = tuple[datetime | None, datetime | None]
FirstKey = tuple[str, str, datetime]


def kinds_for(visibility: Visibility, kind: str | None = None) -> list[str]:
    """The kinds of firsts that a caller may see, or the one that is asked for; operators need details."""
    shown = [name for name in KINDS if visibility.details or name != "operator"]
    return shown if kind is None else [name for name in shown if name == kind]


def firsts(
    session: Session, visibility: Visibility, kinds: Sequence[str], span: Span, limit: int, offset: int = 0
) -> tuple[list[dict[str, Any]], int]:
    """A page of firsts, the newest first, and how many there are."""
    # Where simulated aircraft count there may be two of an airframe.
    many = "airframe" if "airframe" in kinds and not counts_simulated(session) else None
    keys = [key for kind in kinds if kind != many for key in _first_keys(session, visibility, kind, span)]
    count = len(keys)
    if many is not None:
        own = _own(session, many, span)
        count += _count_airframes(session, visibility, own)
        # As many more before the page as the others may push it back.
        skipped = max(offset - len(keys), 0)
        query = sa.select(_s.c.kind, _s.c.key, _s.c.first_at).where(*own, *_may_see(visibility))
        newest = query.order_by(_s.c.first_at.desc(), _s.c.key).limit(limit + len(keys)).offset(skipped)
        keys += [(kind, key, at) for kind, key, at in session.execute(newest)]
        offset -= skipped
    keys.sort(key=lambda key: (-key[2].timestamp(), key[0], key[1]))
    return _answers(session, visibility, keys[offset : offset + limit]), count


def _own(session: Session, kind: str, span: Span) -> list[Any]:
    """The conditions on the sightings of a kind that count, and whose first moment lies in a span."""
    begin, end = span
    conditions = [_s.c.kind == kind, counted(session, _s.c.simulated)]
    conditions += [_s.c.first_at >= begin] if begin is not None else []
    return [*conditions, _s.c.first_at < end] if end is not None else conditions


def _may_see(visibility: Visibility) -> list[Any]:
    return [] if visibility.military else [civil_rows(Sighting)]


def _count_airframes(session: Session, visibility: Visibility, own: list[Any]) -> int:
    """How many there are; one index says it."""
    query = sa.select(sa.func.count()).select_from(_s).where(*own, *_may_count(session, visibility))
    return session.scalar(query) or 0


def _may_count(session: Session, visibility: Visibility) -> list[Any]:
    """``_may_see``, by what the rows say themselves once that is what is known of military aircraft."""
    if not visibility.military:
        noted = session.scalar(sa.select(FirstsState.military_revision))
        if noted == revision(session):
            return [_s.c.military.is_(False)]
    return _may_see(visibility)


def _first_keys(session: Session, visibility: Visibility, kind: str, span: Span) -> list[FirstKey]:
    """Kind, key and first moment of the keys of a kind."""
    each: sa.FromClause = _all_keys(kind)
    if span != (None, None):
        # Only what was seen within the span can have been seen first in it.
        each = sa.select(_s.c.key).where(*_own(session, kind, span)).distinct().subquery()
    own = _s.alias()
    first = sa.select(own.c.first_at).where(own.c.kind == kind, own.c.key == each.c.key)
    first = first.where(counted(session, own.c.simulated))
    if not visibility.military:
        first = first.where(is_civil(own.c.icao_hex, own.c.military))
    found = sa.select(each.c.key, first.order_by(own.c.first_at).limit(1).scalar_subquery())
    rows = session.execute(found.where(each.c.key.is_not(None)))
    return [(kind, key, at) for key, at in rows if at is not None and _is_within(at, span)]


def _all_keys(kind: str) -> sa.CTE:
    """All keys of a kind: it goes from one to the next in the index, however many aircraft there are of each."""
    each = sa.select(sa.func.min(_s.c.key).label("key")).where(_s.c.kind == kind).cte("keys", recursive=True)
    other = _s.alias()
    following = sa.select(sa.func.min(other.c.key)).where(other.c.kind == kind, other.c.key > each.c.key)
    return each.union_all(sa.select(following.scalar_subquery()).where(each.c.key.is_not(None)))


def _is_within(at: datetime, span: Span) -> bool:
    return (span[0] is None or at >= span[0]) and (span[1] is None or at < span[1])


def _answers(session: Session, visibility: Visibility, keys: Sequence[FirstKey]) -> list[dict[str, Any]]:
    flights = Flight.__table__
    query = (
        sa.select(_s, flights.c.id.label("stored_id"))
        .select_from(_s.outerjoin(flights, flights.c.id == _s.c.flight_id))
        .where(counted(session, _s.c.simulated), *_may_see(visibility))
        # Of two of the same moment the last one stays.
        .order_by(_s.c.icao_hex.desc(), _s.c.simulated.desc())
    )
    rows: dict[FirstKey, Any] = {}
    for kind in {key[0] for key in keys}:
        moments = sorted({at for own, _, at in keys if own == kind})
        for begin in range(0, len(moments), IDS_AT_ONCE):
            some = query.where(_s.c.kind == kind, _s.c.first_at.in_(moments[begin : begin + IDS_AT_ONCE]))
            rows |= {(kind, row.key, row.first_at): row for row in session.execute(some)}
    return [_first_answer(rows[key], visibility) for key in keys if key in rows]


def _first_answer(row: Any, visibility: Visibility) -> dict[str, Any]:
    is_hidden = row.kind == "airframe" and not visibility.details
    return answer(First, row, at=row.first_at, name=None if is_hidden else row.name, flight_id=row.stored_id)


def records(session: Session, visibility: Visibility, zone: ZoneInfo) -> dict[str, Any]:
    """The records of the station."""
    best: dict[str, Any] = {name: _record(session, visibility, name) for name in UNITS}
    rarest = rarest_types(session, visibility)
    return best | _busiest(session, visibility, zone) | {"rarest_types": rarest, "timezone": zone.key}


def _record(session: Session, visibility: Visibility, name: str) -> dict[str, Any] | None:
    order = DayRecord.value.asc() if name in LOWEST else DayRecord.value.desc()
    of_name = _counted_records(session, visibility, sa.select(DayRecord).where(DayRecord.name == name))
    row = session.scalar(of_name.order_by(order, DayRecord.at).limit(1))
    return None if row is None else answer(Record, row, unit=UNITS[name], type=row.aircraft_type)


def _counted_records(session: Session, visibility: Visibility, query: sa.Select[Any]) -> sa.Select[Any]:
    """Only the records that count and that the caller may see."""
    query = query.where(counted(session, DayRecord.simulated))
    return query if visibility.military else query.where(civil_rows(DayRecord))


def _busiest(session: Session, visibility: Visibility, zone: ZoneInfo) -> dict[str, Any]:
    days = days_for(session, visibility)
    day = session.scalar(days.order_by(CountedDay.flights.desc(), CountedDay.day).limit(1))
    hour = session.scalar(days.order_by(CountedDay.hour_flights.desc(), CountedDay.day).limit(1))
    return {
        BUSIEST_DAY: None if day is None else {"value": day.flights, "at": span_of(day.day, zone)[0]},
        BUSIEST_HOUR: None if hour is None else {"value": hour.hour_flights, "at": hour.hour_at},
    }


def days_for(session: Session, visibility: Visibility, military: bool | None = None) -> sa.Select[CountedDay]:
    """The counts of days as a caller may see them."""
    return sa.select(CountedDay).where(
        CountedDay.simulated == counts_simulated(session),
        CountedDay.military == (visibility.military if military is None else military),
    )


def rarest_types(session: Session, visibility: Visibility) -> list[dict[str, Any]]:
    """The types of which fewest aircraft were seen."""
    counts = airframes_of_types(session, visibility)
    most = sorted(counts.values())[:RAREST][-1:]
    rare = [name for name, airframes in counts.items() if airframes <= most[0]] if most else []
    last_at = sa.func.max(sa.func.coalesce(_s.c.last_at, _s.c.first_at), type_=_s.c.first_at.type)
    query = (
        sa.select(_s.c.key, sa.func.sum(_s.c.flights), last_at)
        .where(*_types_of(session, visibility), _s.c.key.in_(rare))
        .group_by(_s.c.key)
    )
    found = [
        {"type": name, "airframes": counts[name], "flights": int(flights), "last_at": at}
        for name, flights, at in session.execute(query)
    ]
    return sorted(found, key=lambda entry: (entry["airframes"], entry["flights"], entry["type"]))[:RAREST]


def airframes_of_types(session: Session, visibility: Visibility, *, has_ended: bool = False) -> dict[str, int]:
    """How many aircraft of each type were seen, by flights that have ended, or all; one index says it."""
    airframes = sa.func.count() if not counts_simulated(session) else sa.func.count(sa.distinct(_s.c.icao_hex))
    query = sa.select(_s.c.key, airframes).where(*_types_of(session, visibility)).group_by(_s.c.key)
    rows = session.execute(query.where(_s.c.is_open.is_(False)) if has_ended else query)
    return {name: int(count) for name, count in rows}


def _types_of(session: Session, visibility: Visibility) -> list[Any]:
    """The conditions on types."""
    return [*_own(session, "type", (None, None)), *_may_count(session, visibility)]


def new_in(session: Session, visibility: Visibility, span: Span) -> tuple[list[dict[str, Any]], int]:
    """What was new in a span, kind by kind, airframes last and the newest of them only; and how many airframes."""
    new: list[dict[str, Any]] = []
    for kind in kinds_for(visibility):
        if kind != "airframe":
            new += firsts(session, visibility, [kind], span, sys.maxsize)[0]
    airframes, count = firsts(session, visibility, ["airframe"], span, MOST_NEW)
    return new + airframes, count


def journal(session: Session, visibility: Visibility, day: date, zone: ZoneInfo) -> dict[str, Any]:
    """A day of the station."""
    begin, end = span_of(day, zone)
    counts = session.scalar(days_for(session, visibility).where(CountedDay.day == day))
    civil = session.scalar(days_for(session, visibility, military=False).where(CountedDay.day == day))
    new, _ = new_in(session, visibility, (begin, end))
    share = None
    if visibility.military and counts is not None:
        share = round(1.0 - (civil.flights if civil is not None else 0) / counts.flights, 4)
    return {
        "day": day.isoformat(),
        "timezone": zone.key,
        "flights": counts.flights if counts is not None else 0,
        "airframes": counts.airframes if counts is not None else 0,
        "new": new,
        "military_share": share,
        "first": counts.first_at if counts is not None else None,
        "last": counts.last_at if counts is not None else None,
        "records": records_set(session, visibility, day),
    }


def records_set(session: Session, visibility: Visibility, day: date) -> list[str]:
    """The records that were set on a day: what nothing before it reaches."""
    now, before = DayRecord.day == day, DayRecord.day < day
    of_names = sa.select(DayRecord.name)
    for best in (sa.func.min(DayRecord.value), sa.func.max(DayRecord.value)):
        of_names = of_names.add_columns(best.filter(now), best.filter(before))
    rows = session.execute(_counted_records(session, visibility, of_names).group_by(DayRecord.name))
    found = {name: (least, less) if name in LOWEST else (most, more) for name, least, less, most, more in rows}
    names = [name for name in UNITS if name in found and _is_set(*found[name], is_lowest=name in LOWEST)]
    now, before = CountedDay.day == day, CountedDay.day < day
    counts = days_for(session, visibility)
    for name, column in ((BUSIEST_DAY, CountedDay.flights), (BUSIEST_HOUR, CountedDay.hour_flights)):
        most = sa.func.max(column)
        if _is_set(*session.execute(counts.with_only_columns(most.filter(now), most.filter(before))).one()):
            names.append(name)
    return names


def _is_set(now: float | None, before: float | None, *, is_lowest: bool = False) -> bool:
    """Whether the best value of a day is one that nothing before it reaches."""
    if now is None or before is None:
        return now is not None
    return now < before if is_lowest else now > before


def count_visits(
    runtime: Runtime, session: Session, addresses: Set[str], visibility: Visibility
) -> dict[str, dict[str, Any]]:
    """The visits of each aircraft (upper-case addresses)."""
    query = sa.select(Sighting).where(
        Sighting.kind == "airframe", Sighting.key.in_(sorted(addresses)), counted(session, Sighting.simulated)
    )
    visits: dict[str, dict[str, Any]] = {}
    for row in session.scalars(query):
        before = visits.setdefault(row.key, {"first_at": row.first_at, "last_at": None, "flights": 1})
        before["first_at"] = min(before["first_at"], row.first_at)
        if row.last_at is not None:
            before["last_at"] = row.last_at if before["last_at"] is None else max(before["last_at"], row.last_at)
            before["flights"] += row.flights
    return visits

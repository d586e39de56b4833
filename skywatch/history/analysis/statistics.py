"""Counts and trends of flights; those of the database and of the archive are put together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import is_military
from skywatch.airframes.states import state_of
from skywatch.archive.reader.archive_reader import reach_of
from skywatch.core.clock import earlier
from skywatch.history.analysis.service import BANDS_FT, LIMITS_FT
from skywatch.history.flights import archived_flights
from skywatch.history.flights.archived_flights import PastDays, past_days
from skywatch.history.flights.filter import FlightFilter
from skywatch.history.flights.service import conditions
from skywatch.history.models import Flight
from skywatch.picture.counted import counted
from skywatch.security.visibility import Visibility

TOP = 10
EPOCH_DAY = date(1970, 1, 1)


def statistics(session: Session, begin: datetime, end: datetime, visibility: Visibility) -> dict[str, Any]:
    """Totals, a row for each day, the most frequent types and callsigns, and the change against the span before."""
    now = _stable(session, begin, end, visibility, _counts)
    before = _stable(session, earlier(begin, end - begin), begin, visibility, _totals_of_both)
    reach = reach_of(session)
    is_whole = reach is None or not reach.left_out
    change = {
        name: _change(before[name], now["totals"][name]) if is_whole else None
        for name in ("flights", "aircraft", "positions")
    }
    return {
        "from": begin,
        "to": end,
        **now["totals"],
        "change": change,
        "days": now["days"],
        "hours": now["hours"],
        "altitudes": now["altitudes"],
        "top_countries": now["countries"],
        "top_types": now["types"],
        "top_operators": now["operators"],
        "top_aircraft": now["aircraft"],
    }


_GROUPS: dict[str, tuple[Any, str]] = {
    "types": (Flight.aircraft_type, "type"),
    "operators": (sa.func.substr(Flight.callsign, 1, 3), "operator"),
    "aircraft": (Flight.icao_hex, "icao_hex"),
}


def _stable(session: Session, begin: datetime, end: datetime, visibility: Visibility, count: Any) -> dict[str, Any]:
    """What ``count`` counts in the database and, of days that it no longer has whole, in the archive."""

    def read(past: PastDays) -> dict[str, Any]:
        where = [*_flights_begun_in(session, begin, end, visibility), *archived_flights.outside(past.ranges)]
        result: dict[str, Any] = count(
            session, where, archived_flights.statistics(session, past, begin, end, visibility.military)
        )
        return result

    # Flights count on the day on which they began.
    return archived_flights.stable(session, lambda: past_days(session, begin, end, timedelta(0)), read)


def _counts(session: Session, where: list[Any], archived: dict[str, Any] | None) -> dict[str, Any]:
    groups = {
        name: _top(session, where, column, label, archived[name] if archived is not None else None)
        for name, (column, label) in _GROUPS.items()
    }
    days = _days(session, where)
    if archived is not None:
        days = sorted([*days, *map(_archived_day, archived["days"])], key=lambda day: str(day["date"]))
    return {
        "totals": _totals_of_both(session, where, archived),
        "days": days,
        "hours": _hours(session, where, archived),
        "altitudes": _altitudes(session, where, archived),
        "countries": _countries(session, where, archived),
        **groups,
    }


def _hours(session: Session, where: list[Any], archived: dict[str, Any] | None) -> list[int]:
    """Flights by the hour (UTC) in which they began."""
    begin: Any = Flight.first_seen_at
    if session.get_bind().dialect.name == "sqlite":
        hour: Any = sa.type_coerce(begin, sa.Integer) // 3_600_000 % 24
    else:
        hour = sa.cast(sa.extract("hour", sa.func.timezone("UTC", begin)), sa.Integer)
    counts = _counted(session, hour, where, archived and archived["hours"])
    return [counts[number] for number in range(24)]


def _altitudes(session: Session, where: list[Any], archived: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Flights by the band of their greatest altitude."""
    highest = Flight.max_altitude_ft
    band = sa.case(*((highest >= low, at) for at, low in reversed([*enumerate(BANDS_FT)][1:])), else_=0)
    counts = _counted(session, band, [*where, highest.is_not(None)], archived and archived["altitudes"])
    return [
        {"min_altitude_ft": low, "max_altitude_ft": LIMITS_FT[at + 1], "flights": counts[at]}
        for at, low in enumerate(BANDS_FT)
    ]


def _countries(session: Session, where: list[Any], archived: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The most frequent States of registry."""
    counts: Counter[str] = Counter()
    for address, flights in _counted(session, Flight.icao_hex, where, archived and archived["aircraft"]).items():
        if (country := state_of(address)) is not None:
            counts[country] += flights
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:TOP]
    return [{"country": country, "flights": flights} for country, flights in most]


def _counted(session: Session, key: Any, where: list[Any], archived: Any) -> Counter[Any]:
    """Flights by a key, those of the archive among them."""
    counts: Counter[Any] = Counter()
    for value, flights in session.execute(sa.select(key, sa.func.count()).where(*where).group_by(key)):
        counts[value] += flights
    for value, flights in archived or ():
        counts[value] += flights
    return counts


def rows_of(answer: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Statistics as rows for a spreadsheet: what was counted, its name, and flights."""
    yield from (("day", one["date"], one["flights"]) for one in answer["days"])
    yield from (("hour", f"{hour:02}", flights) for hour, flights in enumerate(answer["hours"]))
    for one in answer["altitudes"]:
        yield "altitude_ft", f"{one['min_altitude_ft']}-{one['max_altitude_ft'] or ''}", one["flights"]
    for name, member in (("type", "types"), ("operator", "operators"), ("country", "countries")):
        yield from ((name, one[name], one["flights"]) for one in answer[f"top_{member}"])


def _archived_day(row: tuple[int, int, int, int]) -> dict[str, Any]:
    day, flights, aircraft, positions = row
    date_of_day = EPOCH_DAY + timedelta(days=day)
    return {"date": date_of_day.isoformat(), "flights": flights, "aircraft": aircraft, "positions": positions}


def _totals_of_both(session: Session, where: list[Any], archived: dict[str, Any] | None) -> dict[str, Any]:
    totals = _totals(session, where)
    if archived is None:
        return totals
    # An aircraft that flew on both sides of the border is one.
    stored = set(session.scalars(sa.select(Flight.icao_hex).where(*where).distinct()))
    sums = ("flights", "positions", "messages", "military_flights", "emergency_flights")
    for name, value in zip(sums, archived["totals"], strict=False):
        totals[name] += value
    totals["aircraft"] = len(stored | {address for address, _ in archived["aircraft"]})
    for name, value, digits in zip(_GREATEST, archived["totals"][len(sums) :], (1, None, 1), strict=True):
        rounded = value if value is None or digits is None else round(value, digits)
        totals[name] = max((item for item in (totals[name], rounded) if item is not None), default=None)
    return totals


_GREATEST = ("max_distance_nm", "max_altitude_ft", "max_speed_kt")


def _flights_begun_in(session: Session, begin: datetime, end: datetime, visibility: Visibility) -> list[Any]:
    """Flights that began in a span and count: each once, however long it lasted."""
    visible = conditions(FlightFilter().for_caller(visibility))
    return [Flight.first_seen_at >= begin, Flight.first_seen_at < end, *visible, counted(session, Flight.simulated)]


def _totals(session: Session, where: list[Any]) -> dict[str, Any]:
    count = sa.func.count
    row = session.execute(
        sa.select(
            count(),
            count(Flight.icao_hex.distinct()),
            sa.func.coalesce(sa.func.sum(Flight.positions), 0),
            sa.func.coalesce(sa.func.sum(Flight.messages), 0),
            sa.func.coalesce(sa.func.sum(sa.case((is_military(Flight.icao_hex, Flight.military), 1), else_=0)), 0),
            sa.func.coalesce(sa.func.sum(sa.case((Flight.emergency, 1), else_=0)), 0),
            sa.func.max(Flight.max_distance_nm),
            sa.func.max(Flight.max_altitude_ft),
            sa.func.max(Flight.max_speed_kt),
        ).where(*where)
    ).one()
    names = ("flights", "aircraft", "positions", "messages", "military_flights", "emergency_flights")
    totals: dict[str, Any] = {name: int(value) for name, value in zip(names, row, strict=False)}
    totals["max_distance_nm"] = None if row[6] is None else round(row[6], 1)
    totals["max_altitude_ft"] = row[7]
    totals["max_speed_kt"] = None if row[8] is None else round(row[8], 1)
    return totals


def _change(before: int, now: int) -> float | None:
    """The change in percent, None where there was nothing before."""
    return round(100.0 * (now - before) / before, 1) if before else None


def _days(session: Session, where: list[Any]) -> list[dict[str, Any]]:
    begin: Any = Flight.first_seen_at
    if session.get_bind().dialect.name == "sqlite":
        day = sa.func.date(sa.type_coerce(begin, sa.Integer) // 1000, "unixepoch")
    else:
        day = sa.func.date(sa.func.timezone("UTC", begin))
    query = (
        sa.select(day, sa.func.count(), sa.func.count(Flight.icao_hex.distinct()), sa.func.sum(Flight.positions))
        .where(*where)
        .group_by(day)
        .order_by(day)
    )
    return [
        {"date": str(date), "flights": flights, "aircraft": aircraft, "positions": int(positions or 0)}
        for date, flights, aircraft, positions in session.execute(query)
    ]


def _top(
    session: Session, where: list[Any], column: Any, label: str, archived: list[tuple[str, int]] | None
) -> list[dict[str, Any]]:
    query = (
        sa.select(column, sa.func.count())
        .where(*where, column.is_not(None))
        .group_by(column)
        .order_by(sa.func.count().desc(), column)
    )
    if archived is None:
        return [{label: value, "flights": flights} for value, flights in session.execute(query.limit(TOP))]
    stored = [(value, flights) for value, flights in session.execute(query)]
    counts: Counter[str] = Counter(dict(stored))
    for value, flights in archived:
        counts[value] += flights
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:TOP]
    return [{label: value, "flights": flights} for value, flights in most]

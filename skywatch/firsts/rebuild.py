"""Counts everything again from the flights that are stored; what they do not tell any more stays as it is.

Flights are read without a lock, while the service goes on counting. What was stored is replaced in short transactions,
some aircraft at a time; each adds what the service has counted of these meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import military_aircraft
from skywatch.airports.station_time import station_zone
from skywatch.core.database.engine import writing
from skywatch.core.runtime import Runtime
from skywatch.firsts.bests import UNITS
from skywatch.firsts.days import count_day, store_day
from skywatch.firsts.models import FLIGHTS_AT_ONCE, IDS_AT_ONCE, ONLY_ROW, DayRecord, FirstsState, OpenFlight, Sighting
from skywatch.firsts.records import bests_of_flight, is_better, only_receiver, record_rows
from skywatch.firsts.sightings import (
    COLUMNS,
    Key,
    Row,
    add_open,
    collected,
    flights_of,
    key_of,
    merged,
    store_sightings,
    values_of,
)
from skywatch.history.models import Flight

RecordKey = tuple[str, date, bool, bool]


@dataclass
class Recount:
    """What the stored flights say, up to a number and without those that went on; sightings by address."""

    highest: int
    open: set[int]
    sightings: dict[str, dict[Key, dict[str, Any]]] = field(default_factory=dict)
    records: dict[RecordKey, dict[str, Any]] = field(default_factory=dict)
    flights: int = 0
    # Of flights of stored records, what was read again of them.
    read: set[tuple[int | None, str]] = field(default_factory=set)


def rebuild(runtime: Runtime, tell: Callable[[int], None] = lambda flights: None) -> int:
    """Count everything again, and return how many flights there were; ``tell`` is called with how many are counted."""
    with runtime.sessions() as session:
        state = session.get(FirstsState, ONLY_ROW)
        if state is None:
            return 0
        recount = Recount(state.flight_id, set(session.scalars(sa.select(OpenFlight.flight_id))))
        of_records = set(session.scalars(sa.select(DayRecord.flight_id)))
    for rows in _batches(runtime, recount):
        with runtime.sessions() as session:
            for key, entry in collected(rows, military_aircraft(session)).items():
                _merge(recount.sightings.setdefault(key[2], {}), {key: entry})
            _add_bests(runtime, session, recount, rows, of_records)
        tell(recount.flights)
    for addresses in _some_aircraft(runtime, recount):
        with _taken_over(runtime) as session:
            _replace_sightings(session, recount, addresses)
    with _taken_over(runtime) as session:
        _add_bests(runtime, session, recount, _late(session, recount), of_records)
        _replace_records(session, recount)
    _count_days(runtime)
    return recount.flights


def _batches(runtime: Runtime, recount: Recount) -> Iterator[list[Row]]:
    last = 0
    while True:
        query = sa.select(*COLUMNS).where(Flight.id > last, Flight.id <= recount.highest)
        with runtime.sessions() as session:
            rows = session.execute(query.order_by(Flight.id).limit(FLIGHTS_AT_ONCE)).all()
        if not rows:
            return
        last = rows[-1].id
        yield [row for row in rows if not row.active and row.id not in recount.open]


def _add_bests(
    runtime: Runtime, session: Session, recount: Recount, rows: list[Row], of_records: set[int | None]
) -> None:
    military = military_aircraft(session)
    zone, receiver = station_zone(runtime.current), only_receiver(runtime)
    for row in rows:
        best = bests_of_flight(runtime, session, row)
        if row.id in of_records:
            # With its points there is more than its duration, and nothing else of it counts.
            names = UNITS if len(best) > 1 else [one.name for one in best]
            recount.read |= {(row.id, name) for name in names}
        for record in record_rows(row, best, military, zone, receiver):
            _keep_better(recount.records, record)
    recount.flights += len(rows)


@contextmanager
def _taken_over(runtime: Runtime) -> Iterator[Session]:
    """A transaction beside which the service counts nothing: what it has in hand it looks for again."""
    with writing(runtime.sessions) as session:
        session.execute(sa.update(FirstsState).values(revision=FirstsState.revision + 1))
        yield session


def _some_aircraft(runtime: Runtime, recount: Recount) -> Iterator[list[str]]:
    """The addresses of all aircraft, some at a time."""
    with runtime.sessions() as session:
        stored = set(session.scalars(sa.select(Sighting.icao_hex).where(Sighting.kind == "airframe")))
    addresses = sorted(stored | recount.sightings.keys())
    for begin in range(0, len(addresses), IDS_AT_ONCE):
        yield addresses[begin : begin + IDS_AT_ONCE]


def _late(session: Session, recount: Recount, addresses: Collection[str] | None = None) -> list[Row]:
    """What the service has counted since the recount began, of some aircraft or of all."""
    counted = session.scalar(sa.select(FirstsState.flight_id)) or 0
    waiting = set(session.scalars(sa.select(OpenFlight.flight_id)))
    new = session.scalars(sa.select(Flight.id).where(Flight.id > recount.highest, Flight.id <= counted))
    rows = flights_of(session, (set(new) | recount.open) - waiting)
    return [row for row in rows if not row.active and (addresses is None or row.icao_hex in addresses)]


def _merge(into: dict[Key, dict[str, Any]], more: dict[Key, dict[str, Any]]) -> None:
    for key, entry in more.items():
        into[key] = merged(into[key], entry) if key in into else entry


def _keep_better(records: dict[RecordKey, dict[str, Any]], record: dict[str, Any]) -> None:
    key = (record["name"], record["day"], record["simulated"], record["military"])
    before = records.get(key)
    if before is None or is_better(record["name"], record["value"], before["value"]):
        records[key] = record


def _replace_sightings(session: Session, recount: Recount, addresses: Sequence[str]) -> None:
    """Replace what flights that are stored can tell of some aircraft.

    Of the rest their first sight stays, and the higher count.
    """
    some, military = Sighting.icao_hex.in_(addresses), military_aircraft(session)
    found = {key: entry for address in addresses for key, entry in recount.sightings.pop(address, {}).items()}
    _merge(found, collected(_late(session, recount, set(addresses)), military))
    stored = session.execute(
        sa.select(Sighting, Flight.id).outerjoin(Flight, Flight.id == Sighting.flight_id).where(some, ~Sighting.is_open)
    ).all()
    for sighting, flight_id in stored:
        key, before = key_of(sighting), values_of(sighting)
        if flight_id is None:
            after = found.get(key)
            found[key] = before if after is None else _joined(before, after)
        elif key in found:
            found[key]["name"] = found[key]["name"] or before["name"]
    session.execute(sa.delete(Sighting).where(some))
    session.expunge_all()
    store_sightings(session, found)
    waiting = flights_of(session, session.scalars(sa.select(OpenFlight.flight_id)).all())
    add_open(session, [row for row in waiting if row.active and row.icao_hex in set(addresses)], military)


def _joined(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {**merged(before, after), "flights": max(before["flights"], after["flights"])}


def _replace_records(session: Session, recount: Recount) -> None:
    """Replace the records; those of flights whose points are gone stay."""
    columns = [column.name for column in DayRecord.__table__.c]
    for row in session.scalars(sa.select(DayRecord)):
        if (row.flight_id, row.name) not in recount.read:
            _keep_better(recount.records, {name: getattr(row, name) for name in columns})
    session.execute(sa.delete(DayRecord))
    if recount.records:
        session.execute(sa.insert(DayRecord), list(recount.records.values()))


def _count_days(runtime: Runtime) -> None:
    zone = station_zone(runtime.current)
    with runtime.sessions() as session:
        first, last = session.execute(
            sa.select(sa.func.min(Flight.first_seen_at), sa.func.max(Flight.first_seen_at))
        ).one()
    if first is None:
        return
    day, end = (at.astimezone(zone).date() for at in (first, last))
    while day <= end:
        with runtime.sessions() as session:
            counted = count_day(session, day, zone)
        with writing(runtime.sessions) as session:
            store_day(session, day, counted)
        day += timedelta(days=1)

"""The counts of a day: its flights and airframes, by begin of flight, and its busiest hour.

A day is counted again from the flights that are stored. Where some of them are gone, the counts of before stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import military_aircraft
from skywatch.airports.station_time import midnight
from skywatch.firsts.models import CountedDay
from skywatch.history.models import Flight

HOUR = timedelta(hours=1)
ROWS_AT_ONCE = 5_000


@dataclass
class Tally:
    """The counts of some flights."""

    hours: Counter[int] = field(default_factory=Counter)
    addresses: set[str] = field(default_factory=set)
    first_at: datetime | None = None
    last_at: datetime | None = None

    def add(self, at: datetime, hour: int, address: str) -> None:
        """Count one more flight; they come in order of time."""
        self.hours[hour] += 1
        self.addresses.add(address)
        self.first_at = self.first_at or at
        self.last_at = at

    def __or__(self, other: Tally) -> Tally:
        firsts = [at for at in (self.first_at, other.first_at) if at is not None]
        lasts = [at for at in (self.last_at, other.last_at) if at is not None]
        return Tally(
            self.hours + other.hours,
            self.addresses | other.addresses,
            min(firsts, default=None),
            max(lasts, default=None),
        )


def span_of(day: date, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """The begin of a day of the station, and that of the next one; in UTC, where hours are added as they pass."""
    return midnight(day, zone).astimezone(UTC), midnight(day + timedelta(days=1), zone).astimezone(UTC)


def days_of(moments: Iterable[datetime], zone: ZoneInfo) -> set[date]:
    """The days of the station in which moments lie."""
    return {at.astimezone(zone).date() for at in moments}


def count_day(session: Session, day: date, zone: ZoneInfo) -> list[CountedDay]:
    """The counts of a day's stored flights, for every sort of reader who has any."""
    begin, end = span_of(day, zone)
    military = military_aircraft(session)
    tallies = {(simulated, is_military): Tally() for simulated in (False, True) for is_military in (False, True)}
    query = sa.select(Flight.first_seen_at, Flight.icao_hex, Flight.military, Flight.simulated)
    stored = query.where(Flight.first_seen_at >= begin, Flight.first_seen_at < end).order_by(Flight.first_seen_at)
    verdicts: dict[tuple[str, bool], bool] = {}
    for at, address, marked, simulated in session.execute(stored).yield_per(ROWS_AT_ONCE):
        is_military = verdicts.get((address, marked))
        if is_military is None:
            is_military = verdicts[address, marked] = military.includes(address, was_marked=marked)
        tallies[simulated, is_military].add(at, (at - begin) // HOUR, address)
    rows = []
    for simulated in (False, True):
        for is_military in (False, True):
            counted = tallies[False, False]
            if is_military:
                counted = counted | tallies[False, True]
            if simulated:
                counted = counted | tallies[True, False] | (tallies[True, True] if is_military else Tally())
            if counted.hours:
                rows.append(_row(day, begin, counted, simulated=simulated, military=is_military))
    return rows


def _row(day: date, begin: datetime, tally: Tally, *, simulated: bool, military: bool) -> CountedDay:
    # Of equal hours the first one.
    hour, most = min(tally.hours.items(), key=lambda item: (-item[1], item[0]))
    assert tally.first_at is not None
    assert tally.last_at is not None
    return CountedDay(
        day=day,
        simulated=simulated,
        military=military,
        flights=tally.hours.total(),
        airframes=len(tally.addresses),
        first_at=tally.first_at,
        last_at=tally.last_at,
        hour_at=begin + hour * HOUR,
        hour_flights=most,
    )


def store_day(session: Session, day: date, counted: Iterable[CountedDay]) -> None:
    """Store the counts of a day in place of those of before, where no flight of these is gone."""
    before = {(row.simulated, row.military): row for row in _stored(session, day)}
    after = {(row.simulated, row.military): row for row in counted}
    for simulated in (False, True):
        # Who counts everything knows whether flights are gone.
        earlier, now = before.get((simulated, True)), after.get((simulated, True))
        if earlier is not None and (now is None or now.flights < earlier.flights):
            continue
        for military in (False, True):
            row = before.get((simulated, military))
            if row is not None:
                session.delete(row)
    session.flush()
    kept = {(row.simulated, row.military) for row in _stored(session, day)}
    session.add_all(row for key, row in after.items() if key not in kept)
    session.flush()


def _stored(session: Session, day: date) -> list[CountedDay]:
    return list(session.scalars(sa.select(CountedDay).where(CountedDay.day == day)))

"""Counts flights: a service of the role ``worker`` looks at those that are new, that have changed and that have ended.

What has ended is counted once. A flight that goes on is a sighting too, which may still change, until it is counted.
Everything a look does is one transaction, so that no flight is counted twice, whatever happens.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import MilitaryAircraft, military_aircraft
from skywatch.airframes.military import revision as military_revision
from skywatch.airframes.models import MilitaryRecord
from skywatch.airports.station_time import station_zone
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import insert_into, writing
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.firsts.bests import Best
from skywatch.firsts.days import count_day, days_of, store_day
from skywatch.firsts.models import (
    FLIGHTS_AT_ONCE,
    IDS_AT_ONCE,
    ONLY_ROW,
    CountedDay,
    FirstsState,
    OpenFlight,
    Sighting,
)
from skywatch.firsts.records import bests_of_flight, only_receiver, store_bests
from skywatch.firsts.sightings import COLUMNS, Row, add_open, count_ended, flights_of, remove_open
from skywatch.firsts.summary import WEEK, monday_of, notify_of_week
from skywatch.history.models import Flight

COMPONENT = "firsts"
# A flight is counted within this time of its begin, its end, or its import.
LOOK_EVERY_S = 20.0
# Between two looks at flights that have piled up others get their turn, as long as the look took and at least this.
PAUSE_S = 0.1
# PostgreSQL commits numbers out of order: one that is left out is looked for so long, and so many of them.
MISSING = timedelta(minutes=15)
MOST_MISSING = 5_000
# Counting today's flights takes at most one part in so many of the time.
REST = 20.0
# Days of before that are counted again in one look.
DAYS_AT_ONCE = 10


@dataclass
class Look:
    """What a look has found: flights that have ended and that go on, and what to do about numbers."""

    state: FirstsState
    ended: list[Row] = field(default_factory=list)
    going_on: list[Row] = field(default_factory=list)
    # Of those that were open: still so, gone with their rows, and numbers to look for later.
    gone: set[int] = field(default_factory=set)
    missing: set[int] = field(default_factory=set)
    highest: int = 0
    is_full: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.ended or self.going_on or self.gone or self.missing) and self.highest == self.state.flight_id


class FirstsWorker:
    """The service; ``look`` is called in a thread of its own."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._sessions = runtime.sessions
        self._task = PeriodicTask(COMPONENT, LOOK_EVERY_S, self._look)
        # What was seen of the flights that go on: number -> what its keys are made of. Bounded by how many there are.
        self._open: dict[int, tuple[Any, ...]] = {}
        self._rest_until = 0.0

    async def start(self) -> None:
        """Begin."""
        self._task.start()

    async def stop(self) -> None:
        """End."""
        await asyncio.to_thread(self._task.close)

    def _look(self) -> float | None:
        """One look; where there is more, the pause until the next one: as long as this one took."""
        began = time.monotonic()
        has_more = self.look(utcnow(), rests=True)
        return max(time.monotonic() - began, PAUSE_S) if has_more else None

    def look(self, now: datetime, *, rests: bool = False) -> bool:
        """Count what is new; whether there is more. With ``rests`` days are counted at intervals only."""
        zone = station_zone(self._runtime.current)
        with self._sessions() as session:
            look = self._find(session, now)
            bests = [(row, bests_of_flight(self._runtime, session, row)) for row in look.ended]
            known = military_revision(session)
            changed = _changed_military(session) if known != look.state.military_revision else None
        if not look.is_empty or changed is not None:
            with writing(self._sessions) as session:
                if not _is_mine(session, look.state):
                    # Another worker was faster: what is in memory may not be so any more.
                    self._open = {}
                    return True
                # What became known since is a change to note the next time.
                look.state.military_revision = known
                self._write(session, look, bests, changed, zone, now)
        if not look.is_full and (not rests or time.monotonic() >= self._rest_until):
            began = time.monotonic()
            more = self._count_days(zone)
            self._rest_until = time.monotonic() + REST * (time.monotonic() - began)
            if not more:
                self._tell(zone, now)
            return more
        return look.is_full

    # --- What is to be counted ---------------------------------------------------------------------------------------

    def _find(self, session: Session, now: datetime) -> Look:
        state = session.get(FirstsState, ONLY_ROW) or FirstsState(
            id=ONLY_ROW, revision=0, flight_id=0, military_revision=0, zone="", dirty=[], summary_from=None
        )
        look = Look(state, highest=state.flight_id)
        query = sa.select(OpenFlight.flight_id, OpenFlight.is_missing, OpenFlight.since)
        waiting = {row.flight_id: row for row in session.execute(query)}
        self._open = {number: seen for number, seen in self._open.items() if number in waiting}
        stored = {row.id: row for row in flights_of(session, waiting)}
        for number, entry in waiting.items():
            row: Row | None = stored.get(number)
            if row is None:
                # A simulated flight may be removed while it goes on.
                is_lost = not entry.is_missing or now - entry.since > MISSING
                look.gone |= {number} if is_lost else set()
            elif not row.active:
                look.ended.append(row)
            elif entry.is_missing or self._open.get(number) != _seen_of(row):
                look.going_on.append(row)
        new = session.execute(
            sa.select(*COLUMNS).where(Flight.id > state.flight_id).order_by(Flight.id).limit(FLIGHTS_AT_ONCE)
        ).all()
        before = state.flight_id
        for row in new:
            (look.going_on if row.active else look.ended).append(row)
            # Before the first flight that is known numbers are of flights that are long gone.
            if before and row.id - before <= MOST_MISSING:
                look.missing |= set(range(before + 1, row.id))
            before = row.id
        look.highest, look.is_full = before, len(new) == FLIGHTS_AT_ONCE
        room = max(MOST_MISSING - sum(entry.is_missing for entry in waiting.values()), 0)
        look.missing = set(sorted(look.missing, reverse=True)[:room])
        if session.get_bind().dialect.name == "sqlite":
            # It has one writer: what is left out now will not come.
            look.missing = set()
        return look

    # --- Writing -----------------------------------------------------------------------------------------------------

    def _write(
        self,
        session: Session,
        look: Look,
        bests: Sequence[tuple[Row, list[Best]]],
        changed: set[str] | None,
        zone: ZoneInfo,
        now: datetime,
    ) -> None:
        state, military = look.state, military_aircraft(session)
        dirty = days_of([row.first_seen_at for row in (*look.ended, *look.going_on)], zone)
        if changed is not None:
            dirty |= _note_military(session, changed, military, zone)
        ended = {row.id for row in look.ended}
        remove_open(session, [*look.ended, *look.going_on], look.gone)
        count_ended(session, look.ended, military)
        add_open(session, look.going_on, military)
        store_bests(session, bests, military, zone, only_receiver(self._runtime))
        _note_waiting(session, look, ended, now)
        self._open |= {row.id: _seen_of(row) for row in look.going_on}
        state.flight_id = look.highest
        state.dirty = sorted({*state.dirty, *(day.isoformat() for day in dirty)})
        session.merge(state)

    def _count_days(self, zone: ZoneInfo) -> bool:
        """Count the days again that have changed, the latest first; whether some are left."""
        with self._sessions() as session:
            state = session.get(FirstsState, ONLY_ROW)
            if state is None or (not state.dirty and state.zone == zone.key):
                return False
            some = [date.fromisoformat(text) for text in sorted(state.dirty, reverse=True)[:DAYS_AT_ONCE]]
            counted = {day: count_day(session, day, zone) for day in some}
        with writing(self._sessions) as session:
            if not _is_mine(session, state):
                return True
            for day, rows in counted.items():
                store_day(session, day, rows)
            left = {text for text in state.dirty if date.fromisoformat(text) not in counted}
            if state.zone not in ("", zone.key):
                left |= _begin_again(session, zone)
            state.zone, state.dirty = zone.key, sorted(left)
            session.merge(state)
        return bool(state.dirty)

    def _tell(self, zone: ZoneInfo, now: datetime) -> None:
        """Send the summary of the last week, once it is over; after the start from this week on."""
        this_week = monday_of(now.astimezone(zone).date())
        with self._sessions() as session:
            state = session.get(FirstsState, ONLY_ROW)
        if state is None or (state.summary_from is not None and state.summary_from >= this_week):
            # A clock or a zone that is set back tells of no week twice.
            return
        with writing(self._sessions) as session:
            if _is_mine(session, state):
                if state.summary_from is not None:
                    notify_of_week(session, self._runtime.current, this_week - WEEK, zone, now)
                state.summary_from = this_week
                session.merge(state)


def _is_mine(session: Session, state: FirstsState) -> bool:
    """Whether the state is as it was read; from then on it is this transaction's."""
    if state.revision == 0:
        state.revision = 1
        values = {column.name: getattr(state, column.name) for column in FirstsState.__table__.c}
        insert = insert_into(session, FirstsState).values(**values)
        first = insert.on_conflict_do_nothing(index_elements=["id"]).returning(FirstsState.id)
        # Of an insert PostgreSQL's driver does not say how many rows there were.
        return session.scalar(first) is not None
    theirs = (FirstsState.id == ONLY_ROW) & (FirstsState.revision == state.revision)
    done: Any = session.execute(sa.update(FirstsState).where(theirs).values(revision=state.revision + 1))
    state.revision += 1
    return bool(done.rowcount == 1)


def _seen_of(row: Row) -> tuple[Any, ...]:
    return row.callsign, row.aircraft_type, row.registration, row.operator, row.military


def _note_waiting(session: Session, look: Look, ended: set[int], now: datetime) -> None:
    """Which flights are looked at again."""
    done = sorted(look.gone | ended | {row.id for row in look.going_on})
    for begin in range(0, len(done), IDS_AT_ONCE):
        session.execute(sa.delete(OpenFlight).where(OpenFlight.flight_id.in_(done[begin : begin + IDS_AT_ONCE])))
    rows = [{"flight_id": row.id, "is_missing": False, "since": now} for row in look.going_on]
    rows += [{"flight_id": number, "is_missing": True, "since": now} for number in sorted(look.missing)]
    if rows:
        session.execute(sa.insert(OpenFlight), rows)


def _changed_military(session: Session) -> set[str]:
    """The aircraft whose sightings say something else than is known now."""
    changed = sa.select(Sighting.icao_hex).join(MilitaryRecord, MilitaryRecord.icao_hex == Sighting.icao_hex)
    differs = (Sighting.kind == "airframe") & (Sighting.military != MilitaryRecord.military)
    return set(session.scalars(changed.where(differs).distinct()))


def _note_military(session: Session, changed: set[str], military: MilitaryAircraft, zone: ZoneInfo) -> set[date]:
    """Mark the sightings of aircraft that are military now, or not any more; the days whose counts that changes."""
    days: set[date] = set()
    for address in sorted(changed):
        is_military = military.includes(address)
        session.execute(sa.update(Sighting).where(Sighting.icao_hex == address).values(military=is_military))
        days |= days_of(session.scalars(sa.select(Flight.first_seen_at).where(Flight.icao_hex == address)), zone)
    return days


def _begin_again(session: Session, zone: ZoneInfo) -> set[str]:
    """Forget the counts of the days whose flights are all stored; these days, as they are in another zone."""
    first, last = session.execute(sa.select(sa.func.min(Flight.first_seen_at), sa.func.max(Flight.first_seen_at))).one()
    if first is None:
        return set()
    day, end = (at.astimezone(zone).date() for at in (first, last))
    # Of the first day some flights may be gone.
    session.execute(sa.delete(CountedDay).where(CountedDay.day > day))
    return {(day + timedelta(days=number)).isoformat() for number in range((end - day).days + 1)}


def create(runtime: Runtime) -> FirstsWorker:
    """The service."""
    return FirstsWorker(runtime)

"""Learns the routes that callsigns fly here: from the first take-off and the last landing of each flight.

A service of the role ``worker`` looks at the movements that were stored since it last looked, those of imported history
too. What it has learnt of a flight stays for as long as it counts, whatever becomes of the flight.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airports.directory import directory
from skywatch.airports.models import Movement
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import insert_into, writing
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.routes.candidates import LEARNT_DAYS
from skywatch.routes.models import FlownRoute, LearningState
from skywatch.routes.table import CALLSIGN, ONLY_ROW, announce

COMPONENT = "routes_learning"
# A flight is learnt within this time of its landing.
LOOK_EVERY_S = 60.0
# Movements of one look at most; the others follow at once.
MOVEMENTS_AT_ONCE = 1000
# PostgreSQL commits numbers out of order: those that are left out are looked for so long, in so many gaps at most.
LATE = timedelta(minutes=15)
MOST_GAPS = 100
ENDLESS = 2**63 - 1
TAKE_OFF, LANDING = "take_off", "landing"


@dataclass(frozen=True)
class Gap:
    """Numbers of movements, ``first`` to ``last``, that were not there yet; the last gap is ``ENDLESS``."""

    first: int
    last: int
    since: datetime

    def without(self, numbers: Sequence[int]) -> list[Gap]:
        """What is left of it without these numbers, which ascend."""
        ends = [self.first - 1, *numbers, self.last + 1]
        return [replace(self, first=a + 1, last=b - 1) for a, b in pairwise(ends) if b - a > 1]


class RouteLearner:
    """The service; ``look`` is called in a thread of its own."""

    def __init__(self, runtime: Runtime) -> None:
        self._sessions = runtime.sessions
        self._task = PeriodicTask(COMPONENT, LOOK_EVERY_S, self._look)
        # SQLite has one writer: what is left out there will not come.
        self._may_be_late = runtime.engine.dialect.name != "sqlite"
        self._gaps: list[Gap] = []

    async def start(self) -> None:
        """Begin."""
        self._task.start()

    async def stop(self) -> None:
        """End."""
        await asyncio.to_thread(self._task.close)

    def _look(self) -> None:
        self.look(utcnow())

    def look(self, now: datetime) -> int:
        """Learn from the movements since the last time; how many flights of theirs have both ends."""
        oldest, learnt = now - timedelta(days=LEARNT_DAYS), 0
        seen: list[Gap] = []
        waiting = self._gaps_at(now)
        while waiting:
            gap, *waiting = waiting
            numbers, rows = self._find(gap, oldest)
            left = [some for some in gap.without(numbers) if self._may_be_late or some.last == ENDLESS]
            if len(numbers) == MOVEMENTS_AT_ONCE:
                waiting = [*left[-1:], *waiting]
                left = left[:-1]
            seen += left
            if numbers:
                with writing(self._sessions) as session:
                    # Whoever begins anew looks for what was left out as well.
                    _store(session, rows, min(some.first for some in (*seen, *waiting)) - 1, oldest)
            self._gaps = [*seen, *waiting]
            learnt += len(rows)
        if learnt == 0:
            self._forget(oldest)
        return learnt

    def _gaps_at(self, now: datetime) -> list[Gap]:
        """Where to look, the new movements last."""
        if not self._gaps:
            with self._sessions() as session:
                state = session.get(LearningState, ONLY_ROW)
            return [Gap(state.movement_id + 1 if state is not None else 1, ENDLESS, now)]
        *gaps, new = self._gaps
        recent = [gap for gap in gaps if now - gap.since <= LATE]
        return [*recent[-MOST_GAPS:], replace(new, since=now)]

    def _find(self, gap: Gap, oldest: datetime) -> tuple[list[int], list[dict[str, Any]]]:
        """The numbers of the first movements that are in a gap now, and what is learnt of their flights."""
        stored = sa.select(Movement.id, Movement.icao_hex, Movement.flight_id).where(
            Movement.id.between(gap.first, gap.last)
        )
        with self._sessions() as session:
            movements = session.execute(stored.order_by(Movement.id).limit(MOVEMENTS_AT_ONCE)).all()
            flights = {flight_id: icao_hex for _, icao_hex, flight_id in movements if flight_id is not None}
            rows = [row for row in flown(session, flights) if row["ended_at"] >= oldest]
        return [number for number, *_ in movements], rows

    def _forget(self, oldest: datetime) -> None:
        """Delete what is too old, where something is."""
        with self._sessions() as session:
            first = session.scalar(sa.select(sa.func.min(FlownRoute.ended_at)))
        if first is not None and first < oldest:
            with writing(self._sessions) as session:
                session.execute(sa.delete(FlownRoute).where(FlownRoute.ended_at < oldest))


def flown(session: Session, flights: Mapping[int, str]) -> list[dict[str, Any]]:
    """What is stored of those of these flights, by address, whose first take-off and last landing were seen."""
    query = sa.select(Movement).where(
        # By the addresses alone there is an index.
        Movement.icao_hex.in_(sorted(set(flights.values()))),
        Movement.flight_id.in_(sorted(flights)),
        Movement.kind.in_((TAKE_OFF, LANDING)),
    )
    by_flight: dict[int, list[Movement]] = defaultdict(list)
    for movement in session.scalars(query.order_by(Movement.at, Movement.id)):
        assert movement.flight_id is not None
        by_flight[movement.flight_id].append(movement)
    rows = (_row(flight_id, movements) for flight_id, movements in by_flight.items())
    return [row for row in rows if row is not None]


def _row(flight_id: int, movements: Sequence[Movement]) -> dict[str, Any] | None:
    first, last = movements[0], movements[-1]
    callsign = (last.callsign or first.callsign or "").strip()
    if first.kind != TAKE_OFF or last.kind != LANDING or not CALLSIGN.fullmatch(callsign):
        return None
    origin, destination = (directory().find(movement.airport) for movement in (first, last))
    if origin is None or destination is None or origin.icao is None or destination.icao is None:
        return None
    return {
        "flight_id": flight_id,
        "icao_hex": last.icao_hex,
        "callsign": callsign,
        "military": last.military,
        "simulated": last.simulated,
        "origin": origin.icao,
        "destination": destination.icao,
        "began_at": first.at,
        "ended_at": last.at,
        # Later than what was learnt before: whoever shows routes asks for what is newer.
        "learnt_at": utcnow(),
    }


def _store(session: Session, rows: list[dict[str, Any]], movement_id: int, oldest: datetime) -> None:
    if rows:
        # A flight that takes off again after a landing ends later, somewhere else.
        session.execute(sa.delete(FlownRoute).where(FlownRoute.flight_id.in_([row["flight_id"] for row in rows])))
        statement = insert_into(session, FlownRoute).values(rows)
        session.execute(statement.on_conflict_do_nothing(index_elements=["flight_id"]))
        announce(session)
    session.execute(sa.delete(FlownRoute).where(FlownRoute.ended_at < oldest))
    session.execute(sa.delete(LearningState))
    session.add(LearningState(id=ONLY_ROW, movement_id=movement_id))


def create(runtime: Runtime) -> RouteLearner:
    """The service."""
    return RouteLearner(runtime)

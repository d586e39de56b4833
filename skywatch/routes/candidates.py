"""What is known of the route of a callsign: the imported table and what was flown here, weighed against each other."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.airports.directory import Airport, directory
from skywatch.core.clock import utcnow
from skywatch.picture.counted import counted
from skywatch.routes.models import FlownRoute, TableRoute

# What is learnt: of the flights in so many days whose ends are known, so many at least, so much of them the same pair.
LEARNT_DAYS, LEARNT_FLIGHTS, LEARNT_SHARE = 60, 3, 0.8
# How sure an entry of the table is, and one whose pair was learnt too.
TABLE_SURE, CONFIRMED_SURE = 0.7, 0.95
TABLE, LEARNT = "table", "learnt"
# Callsigns of one query.
MAX_AT_ONCE = 500

Leg = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FlownPair:
    """How often a pair of airports was flown under a callsign, and when first and last."""

    leg: Leg
    flights: int
    first_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """A route of a callsign, by ICAO codes. ``refused`` says why it is not shown whatever the aircraft does."""

    stops: tuple[str, ...]
    source: str
    sure: float
    flights: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    refused: str | None = None

    @property
    def legs(self) -> list[Leg]:
        """The legs, in the order in which they are flown."""
        return list(pairwise(self.stops))


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a callsign: its route in the table, the pairs that civil aircraft flew, and all aircraft."""

    table: tuple[str, ...] | None = None
    civil: tuple[FlownPair, ...] = ()
    all: tuple[FlownPair, ...] = ()

    def candidates(self, *, military: bool) -> list[Candidate]:
        """The candidates, the one that counts first; without ``military`` as if military aircraft had never flown."""
        return weigh(self.table, self.all if military else self.civil)


NOTHING = Known()


def weigh(table: tuple[str, ...] | None, flown: Sequence[FlownPair]) -> list[Candidate]:
    """The candidates that a route of the table and the flown pairs make; at most one of them is not refused."""
    ranked = sorted(flown, key=lambda pair: (-pair.flights, pair.leg))
    total = sum(pair.flights for pair in ranked)
    learnt = ranked[0] if ranked and is_learnt(ranked[0].flights, total) else None
    candidates = [_candidate(pair, total, learnt) for pair in ranked]
    if table is None:
        return candidates
    listed = Candidate(table, TABLE, TABLE_SURE)
    of_table = [pair for pair in ranked if pair.leg in listed.legs]
    if of_table:
        listed = replace(
            listed,
            flights=sum(pair.flights for pair in of_table),
            first_at=min(pair.first_at for pair in of_table),
            last_at=max(pair.last_at for pair in of_table),
        )
    if learnt is not None:
        listed = replace(listed, sure=CONFIRMED_SURE) if learnt in of_table else replace(listed, refused="superseded")
    others = [entry for entry, pair in zip(candidates, ranked, strict=True) if pair not in of_table]
    return [*others[:1], listed, *others[1:]] if listed.refused else [listed, *others]


def is_learnt(flights: int, total: int) -> bool:
    """Whether so many flights of a pair, of so many in all, make a learnt route."""
    return total >= LEARNT_FLIGHTS and flights >= LEARNT_SHARE * total


def _candidate(pair: FlownPair, total: int, learnt: FlownPair | None) -> Candidate:
    refused = None
    if learnt is not None:
        refused = None if pair is learnt else "superseded"
    else:
        refused = "too_few" if total < LEARNT_FLIGHTS else "mixed"
    # Laplace's rule of succession.
    sure = round((pair.flights + 1) / (total + 2), 3)
    return Candidate(pair.leg, LEARNT, sure, pair.flights, pair.first_at, pair.last_at, refused)


def read(session: Session, callsigns: Iterable[str], now: datetime | None = None) -> dict[str, Known]:
    """What is known of callsigns; those of which nothing is are left out."""
    wanted = sorted(set(callsigns))
    known: dict[str, Known] = {}
    for start in range(0, len(wanted), MAX_AT_ONCE):
        known |= _read(session, wanted[start : start + MAX_AT_ONCE], now or utcnow())
    return known


def _read(session: Session, callsigns: Sequence[str], now: datetime) -> dict[str, Known]:
    listed = sa.select(TableRoute.callsign, TableRoute.airports).where(TableRoute.callsign.in_(callsigns))
    table: dict[str, str] = dict(session.execute(listed).all())
    pairs: dict[str, list[tuple[bool, FlownPair]]] = {}
    for callsign, origin, destination, civil, flights, first_at, last_at in session.execute(
        _flown(callsigns, now, counted(session, FlownRoute.simulated))
    ):
        pair = FlownPair((origin, destination), flights, first_at, last_at)
        pairs.setdefault(callsign, []).append((bool(civil), pair))
    return {
        callsign: Known(
            tuple(table[callsign].split("-")) if callsign in table else None,
            tuple(pair for civil, pair in pairs.get(callsign, ()) if civil),
            _joined(pair for _, pair in pairs.get(callsign, ())),
        )
        for callsign in callsigns
        if callsign in table or callsign in pairs
    }


def _flown(callsigns: Sequence[str], now: datetime, counts: Any) -> sa.Select[Any]:
    """How often each pair was flown under these callsigns; ``counts`` is the condition on flights of the sky that
    counts.
    """
    since = now - timedelta(days=LEARNT_DAYS)
    rows = (
        sa.select(
            FlownRoute.callsign,
            FlownRoute.origin,
            FlownRoute.destination,
            sa.case((civil_rows(FlownRoute), 1), else_=0).label("civil"),
            FlownRoute.began_at,
            FlownRoute.ended_at,
        )
        .where(FlownRoute.callsign.in_(callsigns), FlownRoute.ended_at >= since, counts)
        .subquery()
    )
    key = (rows.c.callsign, rows.c.origin, rows.c.destination, rows.c.civil)
    return sa.select(*key, sa.func.count(), sa.func.min(rows.c.began_at), sa.func.max(rows.c.ended_at)).group_by(*key)


def _joined(pairs: Iterable[FlownPair]) -> tuple[FlownPair, ...]:
    joined: dict[Leg, FlownPair] = {}
    for pair in pairs:
        other = joined.get(pair.leg)
        joined[pair.leg] = (
            pair
            if other is None
            else FlownPair(
                pair.leg,
                pair.flights + other.flights,
                min(pair.first_at, other.first_at),
                max(pair.last_at, other.last_at),
            )
        )
    return tuple(joined.values())


@functools.lru_cache(maxsize=8_192)
def airport_of(code: str) -> Airport:
    """The airport of an ICAO code that was stored; an edition of the directory without it knows its code alone."""
    found = directory().find(code)
    return found or Airport(-1, code, code, None, code, None, "small", float("nan"), float("nan"), None, None, None)

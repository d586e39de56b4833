"""Writes movements and approaches, and publishes movements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.airports.directory import directory
from skywatch.airports.models import AirportApproach, Movement
from skywatch.airports.movements import ARRIVALS, DEPARTURES
from skywatch.airports.schemas import MovementRecord
from skywatch.core.bus.base import Audience, Form, Message
from skywatch.core.clock import to_datetime
from skywatch.core.database.engine import insert_many
from skywatch.http.resources.answer import answer
from skywatch.http.resources.render import encode
from skywatch.picture.counted import counted
from skywatch.security.visibility import Visibility

EVENT = "airport:movement"
# What alert rules are tested on; within the service alone.
RULES_TOPIC = "airport_movements"
VIEW_DETAILS, VIEW_MILITARY = "aircraft.view_details", "aircraft.view_military"
# The same movement is not stored twice, whoever finds it.
SAME_S = 90.0
# How long before a movement its flight may have been heard last, and after it first.
FLIGHT_SLACK = timedelta(minutes=3)
# Only so many approaches of an airport are kept: ten count, and some of them may be hidden.
APPROACHES_KEPT = 40
_movements: Any = Movement.__table__
_approaches: Any = AirportApproach.__table__


@dataclass(frozen=True)
class Aircraft:
    """Whom a movement is of, as it was received."""

    icao_hex: str
    callsign: str | None = None
    registration: str | None = None
    aircraft_type: str | None = None
    military: bool = False
    simulated: bool = False
    # Of its route, by ICAO code.
    origin: str | None = None
    destination: str | None = None


@dataclass(frozen=True)
class Observed:
    """A movement (``kind``, with runway) or an approach (``kind`` empty) of an aircraft at an airport."""

    aircraft: Aircraft
    airport: str
    at: float
    kind: str = ""
    runway: str | None = None
    sure: float = 0.0
    is_seen: bool = True
    flight_id: int | None = None


def write(session: Session, observed: Sequence[Observed], flights: sa.FromClause | None) -> list[Movement]:
    """Write what is not stored yet, and return the new movements.

    The earlier movements of a flight get its other end. They are written in their order, so that a landing finds the
    take-off that was observed with it.
    """
    result = []
    for each in sorted((each for each in observed if each.kind), key=lambda each: each.at):
        if _is_stored(session, each):
            continue
        row = _row(session, each, flights)
        (row_id,) = insert_many(session.connection(), _movements, [row])
        movement = Movement(**row, id=row_id)
        _complete_other_end(session, movement)
        result.append(movement)
    _write_approaches(session, observed)
    return result


def messages(movement: Movement) -> list[Message]:
    """A movement for subscribers, and for alert rules."""
    needs = frozenset({VIEW_MILITARY}) if movement.military else frozenset()
    audience = Audience(needs=needs, aircraft=frozenset({movement.icao_hex}))
    full, plain = (movement_answer(movement, has_details=has_details) for has_details in (True, False))
    form = Form(frozenset({VIEW_DETAILS}) | needs, encode(full), frozenset({movement.icao_hex}))
    return [
        Message("aircraft", EVENT, encode(plain), audience, forms=(form,)),
        Message(RULES_TOPIC, EVENT, tested_event(movement), audience),
    ]


def past_events(session: Session, begin: float, end: float, visibility: Visibility) -> list[bytes]:
    """Return the movements of a span for dry runs of alert rules (``RuleEvents.past``)."""
    query = sa.select(Movement).where(
        Movement.at >= to_datetime(begin), Movement.at < to_datetime(end), counted(session, Movement.simulated)
    )
    if not visibility.military:
        query = query.where(civil_rows(Movement))
    return [tested_event(movement) for movement in session.scalars(query.order_by(Movement.at, Movement.id))]


def tested_event(movement: Movement) -> bytes:
    """Encode a movement as the event on which alert rules are tested."""
    return encode(
        {
            "icao_hex": movement.icao_hex,
            "registration": movement.registration,
            "callsign": movement.callsign,
            "military": movement.military,
            "at": movement.at,
            **tested_values(movement.kind, movement.airport),
        }
    )


def tested_values(kind: str, airport: str) -> dict[str, str | None]:
    """The values of the rule fields; a touch-and-go is both, a go-around neither."""
    return {
        "lands_at": airport if kind in ARRIVALS and kind != "go_around" else None,
        "takes_off_from": airport if kind in DEPARTURES else None,
    }


def movement_answer(movement: Movement, *, has_details: bool, flight_id: int | None = None) -> dict[str, Any]:
    """A movement as the API and the channel answer it."""
    return answer(
        MovementRecord,
        movement,
        type=movement.aircraft_type,
        registration=movement.registration if has_details else None,
        flight_id=movement.flight_id if flight_id is None else flight_id,
    )


def _is_stored(session: Session, each: Observed) -> bool:
    at, slack = to_datetime(each.at), timedelta(seconds=SAME_S)
    return bool(
        session.scalar(
            sa.select(sa.func.count())
            .select_from(_movements)
            .where(
                _movements.c.icao_hex == each.aircraft.icao_hex,
                _movements.c.at.between(at - slack, at + slack),
                _movements.c.airport == each.airport,
                _movements.c.kind == each.kind,
            )
        )
    )


def _row(session: Session, each: Observed, flights: sa.FromClause | None) -> dict[str, Any]:
    at = to_datetime(each.at)
    flight_id = each.flight_id
    if flight_id is None and flights is not None:
        flight_id = _flight_of(session, flights, each.aircraft.icao_hex, at)
    is_arrival = each.kind in ARRIVALS
    other = _seen_end(session, flight_id, each.aircraft.icao_hex, at) if is_arrival else None
    other = other or _ident_of(each.aircraft.origin if is_arrival else each.aircraft.destination)
    return {
        "airport": each.airport,
        "kind": each.kind,
        "runway": each.runway,
        "at": at,
        "sure": each.sure,
        "icao_hex": each.aircraft.icao_hex,
        "callsign": each.aircraft.callsign,
        "registration": each.aircraft.registration,
        "aircraft_type": each.aircraft.aircraft_type,
        "flight_id": flight_id,
        "from_or_to": other,
        "military": each.aircraft.military,
        "simulated": each.aircraft.simulated,
    }


def _ident_of(code: str | None) -> str | None:
    """The ident of an airport of a route, which has ICAO codes."""
    airport = directory().find(code) if code else None
    return airport.ident if airport is not None else None


def _flight_of(session: Session, flights: sa.FromClause, icao_hex: str, at: datetime) -> int | None:
    found: int | None = session.scalar(
        sa.select(flights.c.id)
        .where(
            flights.c.icao_hex == icao_hex,
            flights.c.first_seen_at <= at + FLIGHT_SLACK,
            flights.c.last_seen_at >= at - FLIGHT_SLACK,
        )
        .order_by(flights.c.first_seen_at.desc())
        .limit(1)
    )
    return found


def _seen_end(session: Session, flight_id: int | None, icao_hex: str, at: datetime) -> str | None:
    """Where the flight was seen to take off first."""
    if flight_id is None:
        return None
    found: str | None = session.scalar(
        sa.select(_movements.c.airport)
        .where(
            _movements.c.icao_hex == icao_hex,
            _movements.c.flight_id == flight_id,
            _movements.c.kind == "take_off",
            _movements.c.at < at,
        )
        .order_by(_movements.c.at)
        .limit(1)
    )
    return found


def _complete_other_end(session: Session, landing: Movement) -> None:
    """Tell the take-offs of a flight where it has landed."""
    if landing.kind != "landing" or landing.flight_id is None:
        return
    session.execute(
        sa.update(_movements)
        .where(
            _movements.c.icao_hex == landing.icao_hex,
            _movements.c.flight_id == landing.flight_id,
            _movements.c.kind.in_(DEPARTURES),
            _movements.c.at < landing.at,
        )
        .values(from_or_to=landing.airport)
    )


def _write_approaches(session: Session, observed: Sequence[Observed]) -> None:
    rows = [
        {
            "airport": each.airport,
            "at": to_datetime(each.at),
            "icao_hex": each.aircraft.icao_hex,
            "seen": each.is_seen,
            "military": each.aircraft.military,
            "simulated": each.aircraft.simulated,
        }
        for each in observed
        if not each.kind
    ]
    if not rows:
        return
    session.execute(sa.insert(_approaches), rows)
    for airport in sorted({each.airport for each in observed if not each.kind}):
        kept = (
            sa.select(_approaches.c.id)
            .where(_approaches.c.airport == airport)
            .order_by(_approaches.c.at.desc())
            .limit(APPROACHES_KEPT)
        )
        session.execute(
            sa.delete(_approaches).where(
                _approaches.c.airport == airport, _approaches.c.id.not_in(kept.scalar_subquery())
            )
        )

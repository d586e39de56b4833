"""Which spoken callsigns belong to aircraft that were received at that time, by the flights of history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.columns import Moment

# An aircraft is heard before it is received and after it is lost; history writes a flight's end a little late.
MARGIN = timedelta(minutes=3)
LONGEST_FLIGHT = timedelta(hours=36)
# The columns of history's table that are read here; audio and history do not know each other's code.
FLIGHTS = sa.table(
    "history_flights",
    sa.column("icao_hex", sa.String),
    sa.column("callsign", sa.String),
    sa.column("registration", sa.String),
    sa.column("military", sa.Boolean),
    sa.column("first_seen_at", Moment),
    sa.column("last_seen_at", Moment),
)


@dataclass(frozen=True)
class Sighting:
    """An aircraft that was received."""

    icao_hex: str
    callsign: str
    military: bool


def confirmed(session: Session, spoken: Sequence[str], at: datetime) -> Sighting | None:
    """The first of some callsigns whose aircraft was received then; None where none was."""
    if not spoken:
        return None
    columns = FLIGHTS.c
    registration = sa.func.replace(columns.registration, "-", "")
    rows = session.execute(
        sa.select(columns.icao_hex, columns.callsign, registration, columns.military)
        .where(
            columns.first_seen_at.between(at - LONGEST_FLIGHT, at + MARGIN),
            columns.last_seen_at >= at - MARGIN,
            sa.or_(columns.callsign.in_(spoken), registration.in_(spoken)),
        )
        .order_by(columns.last_seen_at.desc())
    ).all()
    for name in spoken:
        for icao_hex, callsign, registered, military in rows:
            if name in (callsign, registered):
                return Sighting(icao_hex, callsign or name, bool(military))
    return None

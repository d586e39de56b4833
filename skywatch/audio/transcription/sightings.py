"""Which spoken callsigns belong to aircraft that were received then, by the flights of history or the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import military_aircraft
from skywatch.picture.state.sky import Sky

# An aircraft is heard before it is received and after it is lost; history writes a flight's end a little late.
MARGIN = timedelta(minutes=3)
MAX_FLIGHT = timedelta(hours=36)


@dataclass(frozen=True)
class Sighting:
    """An aircraft that was received."""

    icao_hex: str
    callsign: str
    military: bool


def confirmed(
    session: Session, sky: Sky, flights: sa.FromClause | None, spoken: Sequence[str], at: datetime
) -> Sighting | None:
    """The first of some callsigns whose aircraft was received then; None where none was.

    ``flights`` is the table of stored flights (``StoredFlights``).
    """
    if not spoken:
        return None
    flown = _in_history(session, flights, spoken, at) if flights is not None else {}
    present = _in_picture(sky, spoken, at)
    sighting = next((sightings[name] for name in spoken for sightings in (flown, present) if name in sightings), None)
    if sighting is None:
        return None
    military = military_aircraft(session).includes(sighting.icao_hex, was_marked=sighting.military)
    return replace(sighting, military=military or sky.is_military(sighting.icao_hex))


def _in_history(session: Session, flights: sa.FromClause, spoken: Sequence[str], at: datetime) -> dict[str, Sighting]:
    columns = flights.c
    registration = sa.func.replace(columns.registration, "-", "")
    rows = session.execute(
        sa.select(columns.icao_hex, columns.callsign, registration, columns.military)
        .where(
            columns.first_seen_at.between(at - MAX_FLIGHT, at + MARGIN),
            columns.last_seen_at >= at - MARGIN,
            sa.or_(columns.callsign.in_(spoken), registration.in_(spoken)),
        )
        .order_by(columns.last_seen_at.desc())
    ).all()
    sightings: dict[str, Sighting] = {}
    for icao_hex, callsign, registered, military in rows:
        for name in (callsign, registered):
            if name:
                sightings.setdefault(name, Sighting(icao_hex, callsign or name, bool(military)))
    return sightings


def _in_picture(sky: Sky, spoken: Sequence[str], at: datetime) -> dict[str, Sighting]:
    """Also without history, and before it has written a flight that began a moment ago."""
    callsigns, registrations = sky.column("flight").tolist(), sky.column("registration").tolist()
    begins, ends = sky.column("first_seen") - MARGIN.total_seconds(), sky.column("seen_at") + MARGIN.total_seconds()
    sightings: dict[str, Sighting] = {}
    for row in np.flatnonzero((begins <= at.timestamp()) & (at.timestamp() <= ends)).tolist():
        callsign, registration = callsigns[row].decode(), registrations[row].decode().replace("-", "")
        # Addresses with ~ are not the aircraft's own.
        if not sky.hexes[row].startswith("~"):
            sighting = Sighting(sky.hexes[row].upper(), callsign or registration, bool(sky.column("military")[row]))
            sightings |= dict.fromkeys({callsign, registration} & set(spoken), sighting)
    return sightings

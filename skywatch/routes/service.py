"""What is answered about routes: of a callsign, of an aircraft in the sky, and in figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.core.clock import utcnow
from skywatch.core.runtime import Runtime
from skywatch.picture.access import picture_replica
from skywatch.picture.counted import counted, counted_rows, counts_simulated
from skywatch.picture.state.sky import Sky
from skywatch.routes import judgement
from skywatch.routes.candidates import LEARNT_DAYS, NOTHING, Candidate, Leg, airport_of, is_learnt, read
from skywatch.routes.judgement import Judgement
from skywatch.routes.models import FlownRoute, TableImport
from skywatch.routes.table import ONLY_ROW
from skywatch.security.visibility import Visibility


def routes_of_callsign(runtime: Runtime, session: Session, visibility: Visibility, callsign: str) -> dict[str, Any]:
    """What is known of the route of a callsign, by its aircraft in the sky if there is one."""
    sky = runtime.shared(picture_replica).sky
    row = _row_of(session, sky, callsign, visibility)
    candidates = read(session, [callsign]).get(callsign, NOTHING).candidates(military=visibility.military)
    return {"callsign": callsign, **_judged(sky, row, candidates, judgement.last(runtime.bus))}


def routes_of_aircraft(
    runtime: Runtime, session: Session, addresses: Set[str], visibility: Visibility
) -> Mapping[str, Any]:
    """The routes that are shown of aircraft, by their addresses in upper case."""
    sky, last = runtime.shared(picture_replica).sky, judgement.last(runtime.bus)
    rows = {address: sky.index.get(address.lower()) for address in addresses}
    callsigns = {
        address: sky.column("flight")[row].decode("ascii", "replace")
        for address, row in rows.items()
        if row is not None and sky.column("origin")[row]
    }
    known = read(session, callsigns.values())
    return {
        address: _judged(sky, rows[address], known[callsign].candidates(military=visibility.military), last)["route"]
        for address, callsign in callsigns.items()
        if callsign in known
    }


def _row_of(session: Session, sky: Sky, callsign: str, visibility: Visibility) -> int | None:
    """The row of the aircraft with a callsign that a caller may see; of several one with a route, else a position."""
    mask = (sky.column("flight") == callsign.encode()) & counted_rows(sky, simulated=counts_simulated(session))
    if not visibility.military:
        mask &= ~sky.column("military")
    rows = np.flatnonzero(mask)
    if not len(rows):
        return None
    has_route, has_position = sky.column("origin")[rows] != b"", ~np.isnan(sky.column("lat")[rows])
    return int(rows[np.lexsort((~has_position, ~has_route))[0]])


def _judged(sky: Sky, row: int | None, candidates: Sequence[Candidate], last: Judgement | None) -> dict[str, Any]:
    """The route that is shown and the candidates, as the API answers them."""
    if row is None:
        shown = next((entry for entry in candidates if entry.refused is None), None)
        return {
            "route": route_answer(shown, None) if shown is not None else None,
            "candidates": [candidate_answer(entry, None) for entry in candidates],
        }
    checked_at = last.checked_at if last is not None else None
    reasons = last.reasons(sky.hexes[row]) if last is not None else {}
    origin, destination = (sky.column(name)[row].decode() for name in ("origin", "destination"))
    route, judged = None, []
    for entry in candidates:
        if entry.refused is None and (origin, destination) in entry.legs:
            entry = replace(entry, stops=(origin, destination))
            route = route_answer(entry, checked_at)
        elif entry.refused is None:
            entry = replace(entry, refused=_reason(entry.legs, reasons))
        judged.append(candidate_answer(entry, checked_at))
    return {"route": route, "candidates": judged}


def _reason(legs: Iterable[Leg], reasons: Mapping[Leg, str]) -> str | None:
    """Why no leg of a route is flown; None where one may be."""
    refused = [reasons.get(leg) for leg in legs]
    return None if None in refused else refused[0]


def route_answer(candidate: Candidate, checked_at: datetime | None) -> dict[str, Any]:
    """A route as the API answers it."""
    origin, *via, destination = map(airport_answer, candidate.stops)
    return {
        "origin": origin,
        "destination": destination,
        "via": via,
        "source": candidate.source,
        "sure": candidate.sure,
        "checked_at": checked_at,
    }


def candidate_answer(candidate: Candidate, checked_at: datetime | None) -> dict[str, Any]:
    """A candidate as the API answers it."""
    refused = {"refused": candidate.refused} if candidate.refused is not None else {}
    return {
        **route_answer(candidate, checked_at),
        "flights": candidate.flights,
        "first_at": candidate.first_at,
        "last_at": candidate.last_at,
        **refused,
    }


def airport_answer(code: str) -> dict[str, Any]:
    """An airport of a route as the API answers it."""
    airport = airport_of(code)
    has_place = airport.lat == airport.lat
    return {
        "icao": code,
        "iata": airport.iata,
        "name": airport.name,
        "lat": airport.lat if has_place else None,
        "lon": airport.lon if has_place else None,
        "country": airport.country,
    }


def status(session: Session, visibility: Visibility) -> dict[str, Any]:
    """How many routes are known."""
    table = session.get(TableImport, ONLY_ROW)
    callsigns, learnt = _learnt(session, visibility)
    return {
        "table": {
            "routes": table.routes if table is not None else 0,
            "source": table.source if table is not None else None,
            "imported_at": table.imported_at if table is not None else None,
        },
        "learnt": {"routes": learnt, "callsigns": callsigns},
    }


def _learnt(session: Session, visibility: Visibility) -> tuple[int, int]:
    """How many callsigns have a flight whose ends are known, and how many of them a learnt route."""
    since = utcnow() - timedelta(days=LEARNT_DAYS)
    flights = sa.func.count().label("flights")
    pairs = sa.select(FlownRoute.callsign, flights).where(
        FlownRoute.ended_at >= since, counted(session, FlownRoute.simulated)
    )
    if not visibility.military:
        pairs = pairs.where(civil_rows(FlownRoute))
    by_pair = pairs.group_by(FlownRoute.callsign, FlownRoute.origin, FlownRoute.destination).subquery()
    by_callsign = sa.select(sa.func.max(by_pair.c.flights), sa.func.sum(by_pair.c.flights)).group_by(by_pair.c.callsign)
    counts = session.execute(by_callsign).all()
    return len(counts), sum(is_learnt(int(most), int(total)) for most, total in counts)

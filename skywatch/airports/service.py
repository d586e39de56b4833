"""The board of an airport: movements, runways in use, expected arrivals, and whether approaches are received."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.airports.directory import Airport
from skywatch.airports.lines import Lines
from skywatch.airports.models import AirportApproach, Movement
from skywatch.airports.movements import (
    ALIGNED_DEG,
    APPROACH_FT,
    APPROACH_NM,
    ARRIVALS,
    BESIDE_NM,
    DEPARTURES,
    WIDENING,
)
from skywatch.core import geo
from skywatch.core.clock import earlier, to_datetime
from skywatch.picture.counted import counted, counted_rows, counts_simulated
from skywatch.picture.state.sky import Sky
from skywatch.security.visibility import Visibility

SPAN, LONGEST_SPAN = timedelta(hours=24), timedelta(days=31)
IN_USE = timedelta(hours=1)
COVERAGE = timedelta(days=30)
COVERAGE_APPROACHES = 10
# By its route an arrival is expected this long before.
ROUTE_S = 3_600.0
ON_LINE_SURE, BY_ROUTE_SURE = 0.8, 0.6
DESCENDING_FPM = -150.0
SLOWEST_KT = 40.0


def movements(
    session: Session,
    visibility: Visibility,
    airport: str,
    span: tuple[datetime, datetime],
    direction: str | None,
    limit: int,
    offset: int,
) -> tuple[Sequence[Movement], int]:
    """A page of movements, the newest first, and how many there are."""
    query = _visible(session, visibility, airport, span)
    if direction is not None:
        query = query.where(Movement.kind.in_(ARRIVALS if direction == "arrivals" else DEPARTURES))
    count = session.scalar(sa.select(sa.func.count()).select_from(query.subquery())) or 0
    rows = session.scalars(query.order_by(Movement.at.desc(), Movement.id.desc()).limit(limit).offset(offset)).all()
    return rows, count


def _visible(session: Session, visibility: Visibility, airport: str, span: tuple[datetime, datetime]) -> sa.Select[Any]:
    query = sa.select(Movement).where(
        Movement.airport == airport,
        Movement.at >= span[0],
        Movement.at < span[1],
        counted(session, Movement.simulated),
    )
    return query if visibility.military else query.where(civil_rows(Movement))


def stored_flight_ids(session: Session, rows: Sequence[Movement], flights: sa.FromClause | None) -> set[int]:
    """Those of the flights of movements that are still stored."""
    ids = {row.flight_id for row in rows if row.flight_id is not None}
    if flights is None or not ids:
        return set()
    return set(session.scalars(sa.select(flights.c.id).where(flights.c.id.in_(ids))))


def runways_in_use(session: Session, visibility: Visibility, airport: str, end: datetime) -> list[dict[str, Any]]:
    """The runways of the hour before a moment, the busiest first."""
    rows = session.execute(
        _visible(session, visibility, airport, (earlier(end, IN_USE), end))
        .where(Movement.runway.is_not(None), Movement.kind != "go_around")
        .with_only_columns(Movement.runway, Movement.kind, sa.func.count(), sa.func.min(Movement.at))
        .group_by(Movement.runway, Movement.kind)
    ).all()
    found: dict[str | None, dict[str, Any]] = {}
    for runway, kind, count, since in rows:
        entry = found.setdefault(runway, {"runway": runway, "since": since, "landings": 0, "take_offs": 0})
        entry["since"] = min(entry["since"], since)
        entry["landings"] += count if kind in ARRIVALS else 0
        entry["take_offs"] += count if kind in DEPARTURES else 0
    return sorted(found.values(), key=lambda entry: (-entry["landings"] - entry["take_offs"], entry["runway"]))


def coverage(session: Session, visibility: Visibility, airport: str, now: datetime) -> bool | None:
    """Whether half of the last ten aircraft on approach were received down to 1,500 ft; None without any."""
    query = sa.select(AirportApproach.seen).where(
        AirportApproach.airport == airport,
        AirportApproach.at >= now - COVERAGE,
        counted(session, AirportApproach.simulated),
    )
    if not visibility.military:
        query = query.where(civil_rows(AirportApproach))
    seen = session.scalars(query.order_by(AirportApproach.at.desc()).limit(COVERAGE_APPROACHES)).all()
    return None if not seen else sum(seen) * 2 >= len(seen)


def expected(
    session: Session, sky: Sky, visibility: Visibility, airport: Airport, lines: Lines
) -> list[dict[str, Any]]:
    """Aircraft that are about to land: on a runway's line, or by their route within an hour; the first one first."""
    columns = sky.columns
    lat, lon, gs = columns["lat"], columns["lon"], columns["gs_kt"]
    chosen = counted_rows(sky, simulated=counts_simulated(session)) & ~np.isnan(lat)
    chosen &= ~columns["on_ground"] & (gs >= SLOWEST_KT)
    if not visibility.military:
        chosen &= ~columns["military"]
    rows = np.flatnonzero(chosen)
    distance = geo.distance_nm(airport.lat, airport.lon, lat[rows], lon[rows])
    found: dict[int, dict[str, Any]] = {}
    near = rows[distance <= APPROACH_NM + 3.0]
    own = np.flatnonzero(lines.airport == airport.number)
    if len(near) and len(own):
        for row, runway, away in _on_lines(sky, near, own, lines):
            found[row] = _arrival(sky, row, away / float(gs[row]) * 3_600.0, runway, ON_LINE_SURE)
    is_bound = columns["destination"][rows] == (airport.icao or "-").encode()
    for row, away in zip(rows[is_bound].tolist(), distance[is_bound].tolist(), strict=True):
        eta_s = away / float(gs[row]) * 3_600.0
        if row not in found and eta_s <= ROUTE_S:
            found[row] = _arrival(sky, row, eta_s, None, BY_ROUTE_SURE)
    return sorted(found.values(), key=lambda entry: entry["eta"])


def _on_lines(sky: Sky, rows: Any, own: Any, lines: Lines) -> list[tuple[int, str, float]]:
    """Row, runway and distance to the threshold (nm) of aircraft that descend on a line."""
    columns = sky.columns
    along, across = lines.bearings(own, columns["lat"][rows], columns["lon"][rows])
    turned = np.abs((columns["track_deg"][rows][None, :] - lines.heading[own, None] + 180.0) % 360.0 - 180.0)
    rate = np.where(
        np.isnan(columns["baro_rate_fpm"][rows]), columns["geom_rate_fpm"][rows], columns["baro_rate_fpm"][rows]
    )
    height = columns["alt_baro_ft"][rows] - lines.elevation_ft[own].max()
    with np.errstate(invalid="ignore"):
        fits = (np.abs(across) <= BESIDE_NM - WIDENING * np.minimum(along, 0.0)) & (turned <= ALIGNED_DEG)
        fits &= (along < 0.1) & (along >= -APPROACH_NM) & ((rate <= DESCENDING_FPM) & (height <= APPROACH_FT))[None, :]
    best = np.where(fits, np.abs(across), np.inf).argmin(axis=0)
    return [
        (int(row), lines.ident[own[best[index]]].decode(), max(-float(along[best[index], index]), 0.0))
        for index, row in enumerate(rows.tolist())
        if fits[best[index], index]
    ]


def _arrival(sky: Sky, row: int, eta_s: float, runway: str | None, sure: float) -> dict[str, Any]:
    texts = (bytes(sky.columns[name][row]).decode("ascii", "ignore").strip() or None for name in ("flight", "type"))
    callsign, kind = texts
    return {
        "icao_hex": sky.hexes[row].upper(),
        "callsign": callsign,
        "type": kind,
        "eta": to_datetime(round(sky.now + eta_s)),
        "runway": runway,
        "sure": sure,
    }

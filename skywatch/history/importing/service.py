"""Writes imported flights to the database, thinned like received ones; safe to repeat.

A flight that overlaps one of the same aircraft in the database is skipped. Flights are processed in batches, so that
thinning works on columns and chunks hold more than one aircraft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.archive.state import mark_changed
from skywatch.core import geo
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.database.inserting import insert_many
from skywatch.history.importing.readsb import TracedFlight, read
from skywatch.history.models import Chunk, Flight
from skywatch.history.reading.flights import IDS_A_QUERY, MAX_FLIGHT
from skywatch.history.recording.thinning import THINNED_POINT, Thinner
from skywatch.history.recording.writer import chunk_rows
from skywatch.history.settings import HistorySettings
from skywatch.history.storage.points import GAP_S, POINT, Points, address_code, no_points
from skywatch.history.storage.shards import slices
from skywatch.picture.state.military import military_of
from skywatch.receivers.reports.traces import TraceError, find

FLIGHTS_AT_ONCE = 512


@dataclass
class Outcome:
    """The counts of an import."""

    files: int = 0
    flights: int = 0
    existing: int = 0
    positions: int = 0
    points: int = 0
    skipped: int = 0
    refused: list[str] | None = None


def import_traces(
    sessions: SessionFactory, settings: HistorySettings, path: Path, progress: Callable[[int], None] = lambda done: None
) -> Outcome:
    """Import trace files; ``progress`` is called with the number of files read. One transaction a batch."""
    outcome = Outcome(refused=[])
    batch: list[TracedFlight] = []
    for number, file in enumerate(find(path), 1):
        try:
            traced, skipped = read(file, settings.history_flight_gap_s)
            batch += traced
            outcome.files += 1
            outcome.skipped += skipped
        except TraceError as error:
            assert outcome.refused is not None
            outcome.refused.append(str(error))
        if len(batch) >= FLIGHTS_AT_ONCE:
            _write(sessions, settings, batch, outcome)
            batch = []
        progress(number)
    _write(sessions, settings, batch, outcome)
    return outcome


def _write(sessions: SessionFactory, settings: HistorySettings, flights: list[TracedFlight], outcome: Outcome) -> None:
    if not flights:
        return
    # Thinning takes most of the time, so it is done before the transaction begins.
    thinned = thin(flights, settings.history_error_m, settings.history_altitude_error_ft)
    counts = np.bincount(thinned["slot"], minlength=len(flights))
    with writing(sessions) as session:
        _mark_military(session, flights)
        new = _new_flights(session, flights)
        outcome.existing += len(flights) - len(new)
        if not new:
            return
        rows = [flight_row(flights[index], int(counts[index])) for index in new]
        ids = insert_many(session.connection(), Flight.__table__, rows)
        points = _stored_points(thinned, flights, dict(zip(new, ids, strict=True)))
        begins = slices(points)
        chunks = [row for at in np.unique(begins).tolist() for row in chunk_rows(at, points[begins == at])]
        if chunks:
            session.execute(sa.insert(Chunk), chunks)
        # Days that are archived are archived again.
        mark_changed(session, "flights", [row["first_seen_at"].date() for row in rows])
        mark_changed(
            session, "positions", [datetime.fromtimestamp(at, UTC).date() for at in np.unique(begins).tolist()]
        )
    outcome.flights += len(new)
    outcome.points += len(points)
    outcome.positions += sum(len(flights[index].columns[0]) for index in new)


def _mark_military(session: Session, flights: list[TracedFlight]) -> None:
    """Traces without flags are of aircraft that the airframes or their address may know as military."""
    military = military_of(session, {flight.address for flight in flights})
    for flight in flights:
        flight.military = flight.military or military[flight.address.upper()]


def _new_flights(session: Session, flights: list[TracedFlight]) -> list[int]:
    """The indexes of flights that overlap none in the database and no earlier one of the batch."""
    times_by_address: dict[str, list[tuple[float, float]]] = {}
    first = datetime.fromtimestamp(min(flight.begin for flight in flights), UTC) - MAX_FLIGHT
    last = datetime.fromtimestamp(max(flight.end for flight in flights), UTC)
    addresses = sorted({flight.address.upper() for flight in flights})
    for begin in range(0, len(addresses), IDS_A_QUERY):
        query = sa.select(Flight.icao_hex, Flight.first_seen_at, Flight.last_seen_at).where(
            Flight.icao_hex.in_(addresses[begin : begin + IDS_A_QUERY]),
            Flight.first_seen_at.between(first, last),
        )
        for address, seen, gone in session.execute(query):
            times_by_address.setdefault(address.lower(), []).append((seen.timestamp(), gone.timestamp()))
    new = []
    for index, flight in enumerate(flights):
        times = times_by_address.setdefault(flight.address, [])
        if all(flight.begin > end or flight.end < begin for begin, end in times):
            times.append((flight.begin, flight.end))
            new.append(index)
    return new


def thin(flights_traced: Iterable[TracedFlight], error_m: float, altitude_error_ft: float) -> Any:
    """The thinned points of all flights; the slot is the flight's number."""
    flights = list(flights_traced)
    thinner = Thinner(error_m, altitude_error_ft, len(flights))
    lengths = np.array([len(flight.columns[0]) for flight in flights])
    thinned = [np.empty(0, THINNED_POINT)]
    # The k-th positions of all flights are one step.
    table = [np.full((int(lengths.max(initial=0)), len(flights)), np.nan) for _ in range(6)]
    grounds = np.zeros((int(lengths.max(initial=0)), len(flights)), bool)
    for number, flight in enumerate(flights):
        for column, values in zip((*table, grounds), flight.columns, strict=True):
            column[: len(values), number] = values
    for step in range(int(lengths.max(initial=0))):
        slots = np.flatnonzero(lengths > step).astype("i4")
        at, lat, lon, alt, gs, track = (column[step, slots] for column in table)
        thinned.append(thinner.step(slots, at, lat, lon, alt, gs, track, grounds[step, slots]))
    thinned.append(thinner.open_ends())
    return np.concatenate(thinned)


def _stored_points(thinned: Any, flights: list[TracedFlight], ids: dict[int, int]) -> Points:
    """The thinned points of new flights as they are stored."""
    thinned = thinned[np.isin(thinned["slot"], list(ids))]
    if not len(thinned):
        return no_points()
    codes = np.array([address_code(flight.address, flight.military) for flight in flights], "u4")
    flight_ids = np.array([ids.get(number, 0) for number in range(len(flights))], "i8")
    points = np.zeros(len(thinned), POINT)
    for name in THINNED_POINT.names or ():
        if name != "slot":
            points[name] = thinned[name]
    points["aircraft"], points["flight"] = codes[thinned["slot"]], flight_ids[thinned["slot"]]
    return points


def flight_row(flight: TracedFlight, points: int) -> dict[str, Any]:
    """The row of ``history_flights`` for a flight of a trace."""
    at, lat, lon, alt, gs, _, _ = flight.columns
    legs = geo.distance_nm(lat[:-1], lon[:-1], lat[1:], lon[1:])
    low, high = (None, None) if np.isnan(alt).all() else (round(np.nanmin(alt)), round(np.nanmax(alt)))
    return {
        "icao_hex": flight.address.upper(),
        "callsign": flight.callsign,
        "registration": flight.registration,
        "aircraft_type": flight.aircraft_type,
        "category": flight.category,
        "squawk": flight.squawk,
        "military": flight.military,
        "emergency": flight.squawk in ("7500", "7600", "7700"),
        "active": False,
        "first_seen_at": datetime.fromtimestamp(flight.begin, UTC),
        "last_seen_at": datetime.fromtimestamp(flight.end, UTC),
        "messages": 0,
        "positions": len(at),
        "points": points,
        "min_altitude_ft": low,
        "max_altitude_ft": high,
        "max_speed_kt": None if np.isnan(gs).all() else float(np.nanmax(gs)),
        "distance_nm": float(legs[np.diff(at) <= GAP_S].sum()),
        "min_distance_nm": None,
        "max_distance_nm": None,
        "first_lat": float(lat[0]),
        "first_lon": float(lon[0]),
        "last_lat": float(lat[-1]),
        "last_lon": float(lon[-1]),
    }

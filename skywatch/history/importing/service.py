"""Brings flights read from elsewhere into the database, thinned like our own; safe to repeat.

A flight of an aircraft that overlaps one the database has already is passed over. Flights are taken many at once, so
that thinning works on columns and chunks hold more than one aircraft.
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

from skywatch.core import geo
from skywatch.core.db import SessionFactory, writing
from skywatch.history.importing.readsb import TracedFlight, TraceError, find, read
from skywatch.history.models import Chunk, Flight
from skywatch.history.points import GAP_S, POINT, Points, address_code, no_points
from skywatch.history.reading.flights import IDS_A_QUERY, LONGEST_FLIGHT
from skywatch.history.recording.thinning import KEPT, Thinner
from skywatch.history.recording.writer import chunk_rows
from skywatch.history.settings import HistorySettings
from skywatch.history.shards import slices

FLIGHTS_AT_ONCE = 512


@dataclass
class Outcome:
    """What an import did."""

    files: int = 0
    flights: int = 0
    known: int = 0
    positions: int = 0
    points: int = 0
    left_out: int = 0
    refused: list[str] | None = None


def import_traces(
    sessions: SessionFactory, settings: HistorySettings, path: Path, progress: Callable[[int], None] = lambda done: None
) -> Outcome:
    """Import trace files; ``progress`` is called with the number of files read. One transaction a batch."""
    outcome = Outcome(refused=[])
    waiting: list[TracedFlight] = []
    for number, file in enumerate(find(path), 1):
        try:
            found, left_out = read(file, settings.history_flight_gap_s)
            waiting += found
            outcome.files += 1
            outcome.left_out += left_out
        except TraceError as error:
            assert outcome.refused is not None
            outcome.refused.append(str(error))
        if len(waiting) >= FLIGHTS_AT_ONCE:
            _write(sessions, settings, waiting, outcome)
            waiting = []
        progress(number)
    _write(sessions, settings, waiting, outcome)
    return outcome


def _write(sessions: SessionFactory, settings: HistorySettings, found: list[TracedFlight], outcome: Outcome) -> None:
    if not found:
        return
    # Thinning takes the longest: it is done before the transaction begins.
    kept = thin(found, settings.history_error_m, settings.history_altitude_error_ft)
    counts = np.bincount(kept["slot"], minlength=len(found))
    with writing(sessions) as session:
        new = _unknown(session, found)
        outcome.known += len(found) - len(new)
        if not new:
            return
        rows = [flight_row(found[index], int(counts[index])) for index in new]
        statement = sa.insert(Flight).returning(Flight.id, sort_by_parameter_order=True)
        ids = list(session.execute(statement, rows).scalars())
        points = _named(kept, found, dict(zip(new, ids, strict=True)))
        begins = slices(points)
        chunks = [row for at in np.unique(begins).tolist() for row in chunk_rows(at, points[begins == at])]
        if chunks:
            session.execute(sa.insert(Chunk), chunks)
    outcome.flights += len(new)
    outcome.points += len(points)
    outcome.positions += sum(len(found[index].columns[0]) for index in new)


def _unknown(session: Session, found: list[TracedFlight]) -> list[int]:
    """The flights that overlap none of the database, nor an earlier one of their own batch."""
    known: dict[str, list[tuple[float, float]]] = {}
    first = datetime.fromtimestamp(min(flight.begin for flight in found), UTC) - LONGEST_FLIGHT
    last = datetime.fromtimestamp(max(flight.end for flight in found), UTC)
    addresses = sorted({flight.address.upper() for flight in found})
    for begin in range(0, len(addresses), IDS_A_QUERY):
        query = sa.select(Flight.icao_hex, Flight.first_seen_at, Flight.last_seen_at).where(
            Flight.icao_hex.in_(addresses[begin : begin + IDS_A_QUERY]),
            Flight.first_seen_at.between(first, last),
        )
        for address, seen, gone in session.execute(query):
            known.setdefault(address.lower(), []).append((seen.timestamp(), gone.timestamp()))
    new = []
    for index, flight in enumerate(found):
        times = known.setdefault(flight.address, [])
        if all(flight.begin > end or flight.end < begin for begin, end in times):
            times.append((flight.begin, flight.end))
            new.append(index)
    return new


def thin(found: Iterable[TracedFlight], error_m: float, altitude_error_ft: float) -> Any:
    """The points to keep of all flights; the slot is the flight's number."""
    flights = list(found)
    thinner = Thinner(error_m, altitude_error_ft, len(flights))
    lengths = np.array([len(flight.columns[0]) for flight in flights])
    kept = [np.empty(0, KEPT)]
    # The k-th positions of all flights are one step.
    table = [np.full((int(lengths.max(initial=0)), len(flights)), np.nan) for _ in range(6)]
    grounds = np.zeros((int(lengths.max(initial=0)), len(flights)), bool)
    for number, flight in enumerate(flights):
        for column, values in zip((*table, grounds), flight.columns, strict=True):
            column[: len(values), number] = values
    for step in range(int(lengths.max(initial=0))):
        slots = np.flatnonzero(lengths > step).astype("i4")
        at, lat, lon, alt, gs, track = (column[step, slots] for column in table)
        kept.append(thinner.step(slots, at, lat, lon, alt, gs, track, grounds[step, slots]))
    kept.append(thinner.open_ends())
    return np.concatenate(kept)


def _named(kept: Any, found: list[TracedFlight], ids: dict[int, int]) -> Points:
    """Kept points of new flights as they are stored."""
    kept = kept[np.isin(kept["slot"], list(ids))]
    if not len(kept):
        return no_points()
    codes = np.array([address_code(flight.address, flight.military) for flight in found], "u4")
    flights = np.array([ids.get(number, 0) for number in range(len(found))], "i8")
    points = np.zeros(len(kept), POINT)
    for name in KEPT.names or ():
        if name != "slot":
            points[name] = kept[name]
    points["aircraft"], points["flight"] = codes[kept["slot"]], flights[kept["slot"]]
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

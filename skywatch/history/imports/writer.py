"""Writes imported flights to the database, thinned like received ones, one transaction for some hundred of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes import service as airframes
from skywatch.airframes.military import record_reports
from skywatch.airports.imports import record_movements
from skywatch.airports.pressure import Track
from skywatch.airports.storage import Aircraft
from skywatch.archive.state import mark_changed
from skywatch.core import geo
from skywatch.core.arrays import distinct
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.history.flights.ids import new_flight_ids
from skywatch.history.imports.imported_points import ON_GROUND
from skywatch.history.imports.legs import ImportedFlight
from skywatch.history.imports.overlap import archived_times, new_flights, removed
from skywatch.history.models import Chunk, Flight
from skywatch.history.recorder.observations import OPERATOR_LENGTH
from skywatch.history.recorder.thinner import THINNED_POINT, Thinner
from skywatch.history.recorder.writer import chunk_rows
from skywatch.history.settings import HistorySettings
from skywatch.history.storage.points import GAP_S, POINT, Points, address_code, no_points
from skywatch.history.storage.shards import slices
from skywatch.picture.positions.plausibility import is_flown
from skywatch.picture.state.own_antenna import ELSEWHERE, ORIGIN_SHIFT


@dataclass
class Stored:
    """Counts of what was written."""

    flights: int = 0
    existing: int = 0
    positions: int = 0
    points: int = 0


@dataclass(frozen=True)
class Storing:
    """Where flights are written; ``reaching`` lets a session read the archive."""

    sessions: SessionFactory
    settings: HistorySettings
    reaching: Callable[[Session], Session] = lambda session: session

    def store(self, flights: Sequence[ImportedFlight], stored: Stored) -> None:
        """Write those that are new; raises Problem where the archive has to be read and cannot be."""
        if not flights:
            return
        # Thinning takes most of the time, so it is done before the transaction begins.
        thinned = thin(flights, self.settings.history_error_m, self.settings.history_altitude_error_ft)
        while not self._store(flights, thinned, stored):
            pass

    def _store(self, flights: Sequence[ImportedFlight], thinned: Any, stored: Stored) -> bool:
        """Whether it was done: not where a day was removed from the database while the archive was read."""
        with self.sessions() as session:
            past = removed(self.reaching(session), flights)
            archived = archived_times(session, past, flights)
        with writing(self.sessions) as session:
            if removed(self.reaching(session), flights).key != past.key:
                return False
            reported = {flight.address.upper() for flight in flights if flight.military}
            _complete(session, flights)
            new = new_flights(session, flights, archived)
            if reported := reported & {flights[index].address.upper() for index in new}:
                record_reports(session, reported)
            points = _write(session, flights, new, thinned) if new else no_points()
        stored.flights += len(new)
        stored.existing += len(flights) - len(new)
        stored.points += len(points)
        stored.positions += sum(len(flights[index].rows) for index in new)
        return True


def _write(session: Session, flights: Sequence[ImportedFlight], new: list[int], thinned: Any) -> Points:
    counts = np.bincount(thinned["slot"], minlength=len(flights))
    ids = new_flight_ids(session, len(new))
    rows = [
        {**flight_row(flights[index], int(counts[index])), "id": flight_id}
        for index, flight_id in zip(new, ids, strict=True)
    ]
    session.execute(sa.insert(Flight), rows)
    record_movements(session, (flown(flights[index], flight_id) for index, flight_id in zip(new, ids, strict=True)))
    points = _stored_points(thinned, flights, dict(zip(new, ids, strict=True)))
    begins = slices(points)
    chunks = [row for at in distinct(begins).tolist() for row in chunk_rows(at, points[begins == at])]
    if chunks:
        session.execute(sa.insert(Chunk), chunks)
    # Days that are archived are archived again.
    mark_changed(session, "flights", [row["first_seen_at"].date() for row in rows])
    mark_changed(session, "positions", [datetime.fromtimestamp(at, UTC).date() for at in distinct(begins).tolist()])
    return points


def flown(flight: ImportedFlight, flight_id: int) -> tuple[int, Aircraft, str | None, Track]:
    """A flight with all its positions, in which movements are looked for."""
    rows = flight.rows
    alt, geom, qnh = (rows[name].astype("f8") for name in ("alt", "geom", "qnh"))
    aircraft = Aircraft(
        flight.address.upper(), flight.callsign, flight.registration, flight.aircraft_type, flight.military
    )
    track = Track(
        rows["at"],
        rows["lat"],
        rows["lon"],
        alt,
        np.where(geom == 0, np.nan, geom),
        np.where(qnh == 0, np.nan, qnh),
        rows["gs"].astype("f8"),
        rows["track"].astype("f8"),
        (rows["flags"] & ON_GROUND) > 0,
    )
    return flight_id, aircraft, flight.category, track


def _complete(session: Session, flights: Sequence[ImportedFlight]) -> None:
    """What the imported airframes know of the aircraft, where the file does not say it."""
    by_address: dict[str, list[ImportedFlight]] = {}
    for flight in flights:
        by_address.setdefault(flight.address.upper(), []).append(flight)
    addresses = sorted(by_address)
    for begin in range(0, len(addresses), airframes.MAX_AT_ONCE):
        for address, airframe in airframes.find_many(session, addresses[begin : begin + airframes.MAX_AT_ONCE]).items():
            for flight in by_address[address]:
                flight.military = airframe.military or (flight.military and not airframe.decided)
                flight.registration = flight.registration or (airframe.registration or "")[:12] or None
                flight.aircraft_type = flight.aircraft_type or (airframe.type_code or "")[:4] or None
                flight.operator = (airframe.operator or "")[:OPERATOR_LENGTH] or None


def thin(flights: Sequence[ImportedFlight], error_m: float, altitude_error_ft: float) -> Any:
    """The thinned points of all flights; the slot is the flight's number."""
    thinner = Thinner(error_m, altitude_error_ft, len(flights))
    lengths = np.array([len(flight.rows) for flight in flights])
    begins = np.cumsum(lengths) - lengths
    rows = np.concatenate([flight.rows for flight in flights])
    columns = [rows[name].astype("f8") for name in ("at", "lat", "lon", "alt", "gs", "track")]
    ground = (rows["flags"] & ON_GROUND) > 0
    # Whose antenna heard it is not known.
    source = rows["source"] | np.uint8(ELSEWHERE << ORIGIN_SHIFT)
    thinned = [np.empty(0, THINNED_POINT)]
    # The k-th positions of all flights are one step.
    for step in range(int(lengths.max(initial=0))):
        slots = np.flatnonzero(lengths > step).astype("i4")
        chosen = begins[slots] + step
        at, lat, lon, alt, gs, track = (column[chosen] for column in columns)
        thinned.append(thinner.step(slots, at, lat, lon, alt, gs, track, ground[chosen], source[chosen]))
    thinned.append(thinner.open_ends())
    return np.concatenate(thinned)


def _stored_points(thinned: Any, flights: Sequence[ImportedFlight], ids: dict[int, int]) -> Points:
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


def flight_row(flight: ImportedFlight, points: int) -> dict[str, Any]:
    """The row of ``history_flights`` for an imported flight, without its ``id``."""
    at, lat, lon, alt, gs = (flight.rows[name] for name in ("at", "lat", "lon", "alt", "gs"))
    legs, waited = geo.distance_nm(lat[:-1], lon[:-1], lat[1:], lon[1:]), np.diff(at)
    low, high = (None, None) if np.isnan(alt).all() else (round(np.nanmin(alt)), round(np.nanmax(alt)))
    return {
        "icao_hex": flight.address.upper(),
        "callsign": flight.callsign,
        "registration": flight.registration,
        "aircraft_type": flight.aircraft_type,
        "operator": flight.operator,
        "category": flight.category,
        "squawk": flight.squawk,
        "military": flight.military,
        "emergency": flight.emergency,
        "active": False,
        "first_seen_at": datetime.fromtimestamp(flight.begin, UTC),
        "last_seen_at": datetime.fromtimestamp(flight.end, UTC),
        "messages": 0,
        "positions": len(at),
        "points": points,
        "min_altitude_ft": low,
        "max_altitude_ft": high,
        "max_speed_kt": None if np.isnan(gs).all() else float(np.nanmax(gs)),
        "distance_nm": float(legs[(waited <= GAP_S) & is_flown(legs, waited)].sum()),
        "min_distance_nm": None,
        "max_distance_nm": None,
        "first_lat": float(lat[0]),
        "first_lon": float(lon[0]),
        "last_lat": float(lat[-1]),
        "last_lon": float(lon[-1]),
    }

"""Writes what the recorder has gathered, one transaction a flush, and makes chunks of slices that are complete.

A flush adds one row to the tail: the new points, and where every open segment stands, so that a crash loses no more
than what came after it. When a slice is complete, its points become chunks and the tail is written anew with what
remains, in the same transaction: at every moment each point is in exactly one place.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.db import SessionFactory, writing
from skywatch.history.codec import encode
from skywatch.history.models import Chunk, Flight, Tail
from skywatch.history.points import AT_S, GAP_S, SLICE_S, Points, in_order, no_points
from skywatch.history.recording.batch import Batch
from skywatch.history.recording.recorder import Recorder
from skywatch.history.shards import divide, slices
from skywatch.history.tail import tail_points

log = logging.getLogger(__name__)
# So many rows of the tail become one, so that a reader has few of them to open.
TAIL_ROWS_MERGED = 12
# A slice is complete this long after its end: by then every segment that had a position in it has gone on or ended.
COMPLETE_AFTER_S = GAP_S + 30.0

_TEXTS = ("callsign", "registration", "aircraft_type", "squawk", "category")
_REALS = ("max_speed_kt", "min_distance_nm", "max_distance_nm", "first_lat", "first_lon", "last_lat", "last_lon")
_flights: Any = Flight.__table__
_UPDATE = (
    sa.update(_flights)
    .where(_flights.c.id == sa.bindparam("row_id"))
    .values({c.name: sa.bindparam(c.name) for c in _flights.c if c.name not in ("id", "icao_hex", "first_seen_at")})
)


class Written(NamedTuple):
    """What a transaction has written, to be taken over once it is committed."""

    ids: list[int]
    unsealed: list[Points]
    small: list[tuple[int, Points]]


class Writer:
    """The one writer of history; not for several threads.

    ``write`` runs in a transaction, perhaps several times for the same batch; ``committed`` follows the one that stays.
    """

    def __init__(self, sessions: SessionFactory, recorder: Recorder) -> None:
        self.sessions = sessions
        self.recorder = recorder
        self.unsealed: list[Points] = []
        self._small: list[tuple[int, Points]] = []  # rows of the tail that have not been merged
        self._batch: Batch | None = None

    def flush(self) -> None:
        """Write what has been gathered; raises what the database raises, and then the next one writes it."""
        if self._batch is None:
            self._batch = self.recorder.collect()
        with writing(self.sessions) as session:
            written = self.write(session, self._batch)
        self.committed(self._batch, written)
        self._batch = None

    def write(self, session: Session, batch: Batch) -> Written:
        """Write a batch; the caller commits."""
        sealed, remaining = self._complete(batch.now)
        chunks = [row for at in sealed for row in chunk_rows(at, sealed[at])]
        ids = self._write_flights(session, batch)
        points = self.recorder.stored(batch.points, batch, ids)
        ends = self.recorder.stored(batch.ends, batch, ids)
        if chunks:
            session.execute(sa.insert(Chunk), chunks)
        small = self._write_tail(session, points, ends, remaining if chunks else None)
        return Written(ids, [*remaining, points] if chunks else [*self.unsealed, points], small)

    def committed(self, batch: Batch, written: Written) -> None:
        """The batch is in the database."""
        self.recorder.committed(batch, written.ids)
        self.unsealed, self._small = written.unsealed, written.small

    def _complete(self, now: float) -> tuple[dict[int, Points], list[Points]]:
        """The points of slices that are complete, by slice, and the others."""
        if not self.unsealed:
            return {}, []
        points = np.concatenate(self.unsealed)
        begins = slices(points)
        complete = begins + SLICE_S + COMPLETE_AFTER_S <= now
        if not complete.any():
            return {}, []
        return {int(at): points[begins == at] for at in np.unique(begins[complete])}, [points[~complete]]

    def _write_flights(self, session: Any, batch: Batch) -> list[int]:
        rows = flight_rows(batch)
        ids: list[int] = []
        if len(batch.new):
            ids = _new_ids(session, len(batch.new))
            new = [{**rows[index], "id": flight} for index, flight in zip(batch.new.tolist(), ids, strict=True)]
            session.connection().execute(sa.insert(_flights), new)
        if len(batch.known):
            known = [{**rows[index], "row_id": int(batch.rows["id"][index])} for index in batch.known.tolist()]
            session.connection().execute(_UPDATE, known)
        return ids

    def _write_tail(
        self, session: Any, points: Points, ends: Points, remaining: list[Points] | None
    ) -> list[tuple[int, Points]]:
        """Add a row; returns the small rows there are then. ``remaining`` replaces the whole tail."""
        small = self._small
        if remaining is not None:
            session.execute(sa.delete(Tail))
            points, small = np.concatenate((*remaining, points)), []
        elif len(small) >= TAIL_ROWS_MERGED:
            session.execute(sa.delete(Tail).where(Tail.id.in_([row_id for row_id, _ in small])))
            points, small = np.concatenate((*(row for _, row in small), points)), []
            session.execute(sa.insert(Tail), [_tail_row(points, ends)])
            return []
        row_id = session.execute(sa.insert(Tail).returning(Tail.id), [_tail_row(points, ends)]).scalar_one()
        return small if remaining is not None else [*small, (row_id, points)]

    def recover(self) -> None:
        """Go on where the last process stopped, however it did: its tail and its flights in the air."""
        found: dict[str, tuple[dict[str, Any], str | None, Points]] = {}
        with writing(self.sessions) as session:
            tails = session.scalars(sa.select(Tail).order_by(Tail.id)).all()
            points = tail_points([(tail.points, tail.ends) for tail in tails])
            small = self._write_tail(session, no_points(), no_points(), [points]) if tails else []
            last = last_points(points)
            active = sa.select(Flight).where(Flight.active).order_by(Flight.first_seen_at.desc(), Flight.id.desc())
            for flight in session.scalars(active):
                address, mine = flight.icao_hex.lower(), last.get(flight.id, no_points())
                if len(mine):
                    at = datetime.fromtimestamp(float(mine["at"][0]) * AT_S, UTC)
                    flight.last_seen_at = max(flight.last_seen_at, at)
                if address in found or not self.recorder.goes_on(address, flight.last_seen_at.timestamp()):
                    flight.active = False
                    continue
                found[address] = slot_values(flight), flight.operator, mine
        for address, (values, operator, mine) in found.items():
            self.recorder.restore(address, values, operator, mine)
        self._small, self.unsealed = small, [points]
        if found:
            log.info("history goes on with %d flights and %d points of the last minutes", len(found), len(points))


def _new_ids(session: Any, count: int) -> list[int]:
    """Allocates identifiers up front: a bulk insert with known ones is many times faster than ``RETURNING``.

    SQLite's next one is as safe as if it chose: the transaction holds the lock that every writer needs.
    """
    if session.get_bind().dialect.name == "sqlite":
        highest = session.scalar(sa.select(sa.func.coalesce(sa.func.max(Flight.id), 0)))
        return list(range(highest + 1, highest + 1 + count))
    sequence = sa.func.pg_get_serial_sequence(_flights.name, "id").cast(postgresql.REGCLASS)
    numbers = sa.select(sa.func.nextval(sequence)).select_from(sa.func.generate_series(1, count))
    return list(session.execute(numbers).scalars())


def _tail_row(points: Points, ends: Points) -> dict[str, Any]:
    return {"written_at": utcnow(), "points": encode(in_order(points)), "ends": encode(in_order(ends))}


def last_points(points: Points) -> dict[int, Points]:
    """The last point of each flight, as arrays of one; ``points`` are in order."""
    if not len(points):
        return {}
    ends = np.append(np.flatnonzero(np.diff(points["flight"])), len(points) - 1)
    return {int(points["flight"][end]): points[end : end + 1] for end in ends}


def chunk_rows(slice_at: int, points: Points) -> list[dict[str, Any]]:
    """The rows of ``history_chunks`` for the points of one slice."""
    return [
        {"slice_at": slice_at, "shard": shard, "aircraft": aircraft, "points": len(chunk), "data": encode(chunk)}
        for shard, aircraft, chunk in divide(points)
    ]


def flight_rows(batch: Batch) -> list[dict[str, Any]]:
    """The rows of ``history_flights`` for a batch."""
    columns = {name: column.tolist() for name, column in batch.rows.items()}
    rows = []
    for index, address in enumerate(batch.addresses):
        row: dict[str, Any] = {
            "icao_hex": address.upper(),
            "operator": batch.operators[index],
            "active": not columns["ended"][index],
        }
        for name in _TEXTS:
            row[name] = columns[name][index].decode("ascii", "replace").strip() or None
        for name in _REALS:
            row[name] = _known(columns[name][index])
        for name in ("min_altitude_ft", "max_altitude_ft"):
            altitude = _known(columns[name][index])
            row[name] = None if altitude is None else round(altitude)
        for name in ("messages", "positions", "points", "military", "emergency", "distance_nm"):
            row[name] = columns[name][index]
        for name in ("first_seen_at", "last_seen_at"):
            row[name] = datetime.fromtimestamp(columns[name][index], UTC)
        rows.append(row)
    return rows


def slot_values(flight: Flight) -> dict[str, Any]:
    """The columns of a slot for a flight from the database."""
    values: dict[str, Any] = {name: (getattr(flight, name) or "").encode("ascii", "replace") for name in _TEXTS}
    for name in (*_REALS, "min_altitude_ft", "max_altitude_ft"):
        value = getattr(flight, name)
        values[name] = np.nan if value is None else value
    for name in ("id", "messages", "positions", "points", "military", "emergency", "distance_nm"):
        values[name] = getattr(flight, name)
    for name in ("first_seen_at", "last_seen_at"):
        values[name] = getattr(flight, name).timestamp()
    values["heard"] = -1
    values["has_flown"] = flight.max_altitude_ft is not None
    return values


def _known(value: float) -> float | None:
    return None if value != value else value

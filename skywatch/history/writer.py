"""Writes what the recorder has gathered, one transaction a flush, and makes chunks of slices that are complete.

A flush adds one row to the tail: the new points, and where every open segment stands, so that a crash loses no more
than what came after it. When a slice is complete, its points become chunks and the tail is written anew with what
remains, in the same transaction: at every moment each point is in exactly one place.
"""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from skywatch.core import metrics
from skywatch.core.clock import utcnow
from skywatch.core.db import SessionFactory, writing
from skywatch.history.codec import BrokenChunk, decode, encode
from skywatch.history.models import Chunk, Flight, Tail
from skywatch.history.points import AT_S, GAP_S, SLICE_S, Points, in_order, no_points
from skywatch.history.recorder import Batch, Recorder
from skywatch.history.shards import divide, slices

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


class Writer:
    """The one writer of history; not for several threads."""

    def __init__(self, sessions: SessionFactory, recorder: Recorder) -> None:
        self.sessions = sessions
        self.recorder = recorder
        self.unsealed: list[Points] = []
        self._small: list[tuple[int, Points]] = []  # rows of the tail that have not been merged
        self.committed_at = 0.0
        # A counter that appears with its first fault has not grown by it in Prometheus' eyes, and no alert comes.
        metrics.DATABASE_WRITE_ERRORS.labels("history")

    def flush(self) -> None:
        """Write what has been gathered; raises what the database raises, and then nothing is lost."""
        batch = self.recorder.collect()
        began = time.perf_counter()
        try:
            sealed, remaining = self._complete(batch.now)
            chunks = [row for at in sealed for row in chunk_rows(at, sealed[at])]
            with writing(self.sessions) as session:
                ids = self._write_flights(session, batch)
                points = self.recorder.stored(batch.points, batch, ids)
                ends = self.recorder.stored(batch.ends, batch, ids)
                if chunks:
                    session.execute(sa.insert(Chunk), chunks)
                small = self._write_tail(session, points, ends, remaining if chunks else None)
        except BaseException:
            self.recorder.failed(batch)
            metrics.DATABASE_WRITE_ERRORS.labels("history").inc()
            raise
        self.recorder.committed(batch, ids)
        self._small = small
        self.unsealed = [*remaining, points] if chunks else [*self.unsealed, points]
        self.committed_at = batch.now
        metrics.DATABASE_WRITES.labels("history").inc()
        metrics.DATABASE_WRITE_SECONDS.labels("history").observe(time.perf_counter() - began)

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
        with writing(self.sessions) as session:
            tails = session.scalars(sa.select(Tail).order_by(Tail.id)).all()
            points = tail_points([(tail.points, tail.ends) for tail in tails])
            if tails:
                self._small = self._write_tail(session, no_points(), no_points(), [points])
            last = last_points(points)
            restored: set[str] = set()
            active = sa.select(Flight).where(Flight.active).order_by(Flight.first_seen_at.desc(), Flight.id.desc())
            for flight in session.scalars(active):
                mine = last.get(flight.id, no_points())
                if flight.icao_hex in restored:
                    flight.active = False
                    continue
                restored.add(flight.icao_hex)
                if len(mine):
                    at = datetime.fromtimestamp(float(mine["at"][0]) * AT_S, UTC)
                    flight.last_seen_at = max(flight.last_seen_at, at)
                self.recorder.restore(flight.icao_hex.lower(), slot_values(flight), flight.operator, mine)
        self.unsealed = [points]
        if restored:
            log.info("history goes on with %d flights and %d points of the last minutes", len(restored), len(points))


def _new_ids(session: Any, count: int) -> list[int]:
    """Identifiers for new flights: with them rows go in as they are, many times faster than rows that tell theirs.

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


def tail_points(tails: list[tuple[bytes, bytes]]) -> Points:
    """All points of the tail in order, with the newest row's provisional ends."""
    parts = []
    for number, (points, ends) in enumerate(tails, 1):
        try:
            parts.append(decode(points))
            if number == len(tails):
                parts.append(decode(ends))
        except BrokenChunk as error:
            log.error("a row of the history's tail cannot be read: %s", error)
    return in_order(np.concatenate(parts)) if parts else no_points()


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

"""Writes the recorder's batches, one transaction a flush, and makes chunks of slices that are complete.

A flush adds one row to the tail: the new points, and the provisional end of every open segment, so that a crash loses
no more than what came after it. When a slice is complete, its points become chunks and the tail is rewritten with the
rest, in the same transaction: each point is in exactly one place at any time.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.arrays import distinct
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.history.flights.ids import new_flight_ids
from skywatch.history.models import Chunk, Flight, Tail
from skywatch.history.recorder.recorder import Batch, Recorder
from skywatch.history.storage.codec import decode, encode
from skywatch.history.storage.points import AT_S, GAP_S, SLICE_S, Points, in_order, join, no_points
from skywatch.history.storage.shards import divide, slices
from skywatch.history.storage.tail import tail_points

log = logging.getLogger(__name__)
# So many rows of the tail are merged into one, so that readers decode few of them.
TAIL_ROWS_MERGED = 12
# Rows of flights a statement: at a start thousands of flights are new, and each takes kilobytes until it is written.
FLIGHTS_AT_ONCE = 500
# A slice is complete this long after its end: by then every segment with a position in it has been continued or ended.
COMPLETE_AFTER_S = GAP_S + 30.0

_TEXTS = ("callsign", "registration", "aircraft_type", "squawk", "category")
_REALS = ("max_speed_kt", "min_distance_nm", "max_distance_nm", "first_lat", "first_lon", "last_lat", "last_lon")
_flights: Any = Flight.__table__
_UPDATE = (
    sa.update(_flights)
    .where(_flights.c.id == sa.bindparam("row_id"))
    .values({c.name: sa.bindparam(c.name) for c in _flights.c if c.name not in ("id", "icao_hex", "first_seen_at")})
)


class WriteResult(NamedTuple):
    """The state after a transaction, which becomes the writer's once it is committed."""

    ids: list[int]
    unsealed: list[bytes]
    oldest_slice: int | None
    small: list[tuple[int, bytes]]


class Writer:
    """The single writer of history; not thread-safe.

    ``write`` runs in a transaction, perhaps several times for the same batch; ``committed`` follows the successful one.
    """

    def __init__(self, sessions: SessionFactory, recorder: Recorder) -> None:
        self.sessions = sessions
        self.recorder = recorder
        # The points of the tail, encoded as in its rows: a fifth of what they take as arrays.
        self.unsealed: list[bytes] = []
        self._oldest_slice: int | None = None
        self._small: list[tuple[int, bytes]] = []  # rows of the tail that have not been merged
        self._batch: Batch | None = None

    def flush(self) -> None:
        """Write the pending batch. A database error is raised; the next flush writes the same batch."""
        if self._batch is None:
            self._batch = self.recorder.collect()
        with writing(self.sessions) as session:
            result = self.write(session, self._batch)
        self.committed(self._batch, result)
        self._batch = None

    def write(self, session: Session, batch: Batch) -> WriteResult:
        """Write a batch; the caller commits."""
        sealed, remaining = self._complete(batch.now)
        chunks = [row for at in sealed for row in chunk_rows(at, sealed[at])]
        ids = self._write_flights(session, batch)
        points = self.recorder.stored(batch.points, batch, ids)
        ends = self.recorder.stored(batch.ends, batch, ids)
        if chunks:
            session.execute(sa.insert(Chunk), chunks)
        packed, small = self._write_tail(session, points, ends, remaining if chunks else None)
        if chunks:
            return WriteResult(ids, [packed], _oldest_slice(remaining, points), small)
        return WriteResult(ids, [*self.unsealed, packed], _oldest_slice(points, before=self._oldest_slice), small)

    def committed(self, batch: Batch, result: WriteResult) -> None:
        """The batch is in the database."""
        self.recorder.committed(batch, result.ids)
        self.unsealed, self._oldest_slice, self._small = result.unsealed, result.oldest_slice, result.small

    def _complete(self, now: float) -> tuple[dict[int, Points], Points]:
        """The points of slices that are complete, by slice, and the others if there are any such slices."""
        if self._oldest_slice is None or self._oldest_slice + SLICE_S + COMPLETE_AFTER_S > now:
            return {}, no_points()
        points = join([decode(data) for data in self.unsealed])
        begins = slices(points)
        complete = begins + SLICE_S + COMPLETE_AFTER_S <= now
        return {int(at): points[begins == at] for at in distinct(begins[complete])}, points[~complete]

    def _write_flights(self, session: Any, batch: Batch) -> list[int]:
        connection = session.connection()
        ids = new_flight_ids(session, len(batch.new)) if len(batch.new) else []
        for begin in range(0, len(ids), FLIGHTS_AT_ONCE):
            some = slice(begin, begin + FLIGHTS_AT_ONCE)
            rows = flight_rows(batch, batch.new[some])
            connection.execute(
                sa.insert(_flights), [{**row, "id": flight} for row, flight in zip(rows, ids[some], strict=True)]
            )
        for begin in range(0, len(batch.existing), FLIGHTS_AT_ONCE):
            existing = batch.existing[begin : begin + FLIGHTS_AT_ONCE]
            rows, row_ids = flight_rows(batch, existing), batch.rows["id"][existing].tolist()
            connection.execute(_UPDATE, [{**row, "row_id": row_id} for row, row_id in zip(rows, row_ids, strict=True)])
        return ids

    def _write_tail(
        self, session: Any, points: Points, ends: Points, remaining: Points | None
    ) -> tuple[bytes, list[tuple[int, bytes]]]:
        """Add a row; returns its points, encoded, and the small rows afterwards.

        ``remaining`` replaces the whole tail; then the points are all of it.
        """
        small = self._small
        if remaining is not None:
            session.execute(sa.delete(Tail))
            packed = encode(in_order(join([remaining, points])))
            session.execute(sa.insert(Tail), [_tail_row(packed, ends)])
            return packed, []
        packed = encode(in_order(points))
        if len(small) >= TAIL_ROWS_MERGED:
            session.execute(sa.delete(Tail).where(Tail.id.in_([row_id for row_id, _ in small])))
            merged = encode(in_order(join([*(decode(data) for _, data in small), points])))
            session.execute(sa.insert(Tail), [_tail_row(merged, ends)])
            return packed, []
        row_id = session.execute(sa.insert(Tail).returning(Tail.id), [_tail_row(packed, ends)]).scalar_one()
        return packed, [*small, (row_id, packed)]

    def recover(self) -> None:
        """Restore the tail and the flights in the air of the last process, however it ended."""
        restored: dict[str, tuple[dict[str, Any], str | None, Points]] = {}
        with writing(self.sessions) as session:
            tails = session.scalars(sa.select(Tail).order_by(Tail.id)).all()
            points = tail_points([(tail.points, tail.ends) for tail in tails])
            packed = self._write_tail(session, no_points(), no_points(), points)[0] if tails else encode(points)
            last_by_flight = last_points(points)
            active = sa.select(Flight).where(Flight.active).order_by(Flight.first_seen_at.desc(), Flight.id.desc())
            for flight in session.scalars(active):
                address, last_point = flight.icao_hex.lower(), last_by_flight.get(flight.id, no_points())
                if len(last_point):
                    at = datetime.fromtimestamp(float(last_point["at"][0]) * AT_S, UTC)
                    flight.last_seen_at = max(flight.last_seen_at, at)
                last_seen_at = flight.last_seen_at.timestamp()
                if address in restored or not self.recorder.continues(address, last_seen_at, flight.simulated):
                    flight.active = False
                    continue
                restored[address] = slot_values(flight), flight.operator, last_point
        for address, (values, operator, last_point) in restored.items():
            self.recorder.restore(address, values, operator, last_point)
        self._small, self.unsealed, self._oldest_slice = [], [packed], _oldest_slice(points)
        if restored:
            log.info("history continues %d flights; %d points of the last minutes restored", len(restored), len(points))


def _oldest_slice(*parts: Points, before: int | None = None) -> int | None:
    """The begin of the first slice that has points in these parts, or had before."""
    begins = [int(slices(part).min()) for part in parts if len(part)]
    return min(begins if before is None else [*begins, before], default=None)


def _tail_row(points: bytes, ends: Points) -> dict[str, Any]:
    return {"written_at": utcnow(), "points": points, "ends": encode(in_order(ends))}


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


def flight_rows(batch: Batch, indexes: npt.NDArray[np.intp]) -> list[dict[str, Any]]:
    """The rows of ``history_flights`` for some rows of a batch."""
    columns = {name: column[indexes].tolist() for name, column in batch.rows.items()}
    rows = []
    for index, at in enumerate(indexes.tolist()):
        row: dict[str, Any] = {
            "icao_hex": batch.addresses[at].upper(),
            "operator": batch.operators[at],
            "active": not columns["ended"][index],
        }
        for name in _TEXTS:
            row[name] = columns[name][index].decode("ascii", "replace").strip() or None
        for name in _REALS:
            row[name] = _none_if_nan(columns[name][index])
        for name in ("min_altitude_ft", "max_altitude_ft"):
            altitude = _none_if_nan(columns[name][index])
            row[name] = None if altitude is None else round(altitude)
        for name in ("messages", "positions", "points", "military", "emergency", "simulated", "distance_nm"):
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
    for name in ("id", "messages", "positions", "points", "military", "emergency", "simulated", "distance_nm"):
        values[name] = getattr(flight, name)
    for name in ("first_seen_at", "last_seen_at"):
        values[name] = getattr(flight, name).timestamp()
    values["picture_messages"] = -1
    values["has_flown"] = flight.max_altitude_ft is not None
    return values


def _none_if_nan(value: float) -> float | None:
    return None if value != value else value

"""Puts points and flights of a test's own into a database, as the writer would have."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import sqlalchemy as sa

from skywatch.core.database.engine import writing
from skywatch.history.models import Chunk, Flight
from skywatch.history.recorder.writer import chunk_rows
from skywatch.history.storage.points import in_order
from skywatch.history.storage.shards import slices

T = 1_750_000_200


def row(flight, address, **fields):
    """A row of the flights' table."""
    begin = datetime.fromtimestamp(T, UTC)
    counts = {"messages": 1, "positions": 1, "points": 1, "distance_nm": 0.0}
    marks = {"military": False, "emergency": False, "active": False}
    times = {"first_seen_at": begin, "last_seen_at": begin + timedelta(hours=1)}
    return {"id": flight, "icao_hex": address, **counts, **marks, **times, **fields}


def store(sessions, points, rows):
    """Store points as chunks, and flights; returns the points in order."""
    points = in_order(points)
    at = slices(points)
    with writing(sessions) as session:
        session.execute(sa.insert(Flight), rows)
        for begin in np.unique(at).tolist():
            session.execute(sa.insert(Chunk), chunk_rows(begin, points[at == begin]))
    return points

"""Slices of which a part is in chunks and the other in the tail."""

from __future__ import annotations

import numpy as np
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.history.models import Tail
from skywatch.history.storage.codec import encode
from skywatch.history.storage.points import POINT, SLICE_S, no_points
from skywatch.history.storage.reader import Span, read_slices
from tests.unit.history.stored import T, row, store

BEGIN = T // SLICE_S * SLICE_S


def points(*seconds):
    """Points of one aircraft, so many seconds after the begin of the first slice."""
    made = np.zeros(len(seconds), POINT)
    made["aircraft"], made["flight"] = 0x4B1620, 7
    made["at"] = (BEGIN + np.array(seconds)) * 100
    return made


def test_a_slice_of_chunk_and_tail_comes_once_with_both(database_url):
    engine = create_engine(database_url)
    sessions = create_session_factory(engine)
    chunks, tail = points(10, 20, SLICE_S + 10, SLICE_S + 20), points(SLICE_S + 30, SLICE_S + 40, 2 * SLICE_S + 10)
    store(sessions, chunks, [row(7, "4B1620")])
    with writing(sessions) as session:
        packed = {"written_at": utcnow(), "points": encode(tail), "ends": encode(no_points())}
        session.execute(sa.insert(Tail), [packed])
    with sessions() as session:
        found = [(at - BEGIN, len(part)) for at, part in read_slices(session, Span(BEGIN, BEGIN + 3 * SLICE_S))]
    assert found == [(0, 2), (SLICE_S, 4), (2 * SLICE_S, 1)]
    engine.dispose()

"""The index of low tracks goes with the tracks, whatever limits them."""

from __future__ import annotations

import sqlalchemy as sa

from skywatch.core.database.engine import writing
from skywatch.core.storage.retention import Pruner
from skywatch.history.models import Chunk
from skywatch.overflights.models import Tile
from skywatch.overflights.retention import KINDS
from tests.unit.overflights.drawn import BEGIN, draw, store

BLOCK = int(BEGIN)


def test_tiles_go_once_the_tracks_of_their_hours_have_gone(make_runtime):
    runtime = make_runtime(retention_positions_days=0)
    (flight,) = draw(1, 4)
    with writing(runtime.sessions) as session:
        store(session, [flight._replace(points=[(BEGIN + 90.0, 47.0, 8.0, 1_000.0, True)])])
        for block in (-2, -1, 0):
            session.add(Tile(tile=1, block_at=BLOCK + block * 21_600, data=b""))

    def left():
        pruner = Pruner(runtime.engine, runtime.sessions, runtime.current, list(KINDS), lambda seconds: False)
        pruner.run()
        assert not pruner.faults
        with runtime.sessions() as session:
            return list(session.scalars(sa.select(Tile.block_at).order_by(Tile.block_at)))

    assert left() == [BLOCK]
    with writing(runtime.sessions) as session:
        session.execute(sa.delete(Chunk))
    assert left() == []

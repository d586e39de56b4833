"""Keeps the index of low tracks up to date: a thread of the tracker, which follows the chunks of history.

Chunks are followed by their numbers, whoever writes them: recording, or an import of older flights.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.database.engine import SessionFactory, insert_into, writing
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.history.models import Chunk
from skywatch.history.storage.codec import encode
from skywatch.history.storage.points import SLICE_S, Points, in_order, join
from skywatch.history.storage.reader import read_slices
from skywatch.history.storage.span import Span
from skywatch.overflights.models import IndexState, Tile
from skywatch.overflights.tiles import CEILING_FT, decoded_tile, merged, pieces

COMPONENT = "overflights_index"
EVERY_S = 60.0
# Chunks of one step, some slices of a busy sky, and tiles of one transaction.
CHUNKS_A_STEP, TILES_A_STEP = 400, 50
_ONLY = 1
_chunks: Any = Chunk.__table__
_tiles: Any = Tile.__table__


class Indexer:
    """Follows the chunks; ``run`` is called in its thread."""

    def __init__(self, sessions: SessionFactory) -> None:
        self._sessions = sessions
        # The newest chunk at the last run: an import's may be committed after later ones, within a minute.
        self._settled: int | None = None

    def run(self, is_stopping: Callable[[], bool] = lambda: False, *, at_once: bool = False) -> None:
        """Take all chunks that were there at the last run into the index; ``at_once``: all that are there."""
        with self._sessions() as session:
            newest = session.scalar(sa.select(sa.func.max(_chunks.c.id))) or 0
            after, newest_slice = state_of(session)
        if after > newest:
            # SQLite gives the numbers of the newest chunks again where these were removed.
            self._store_state(0, newest_slice)
        settled = min(after if self._settled is None else self._settled, newest)
        until, self._settled = newest if at_once else settled, newest
        while not is_stopping() and self._step(until):
            pass

    def _step(self, until: int) -> bool:
        """Take some slices; whether there were any."""
        with self._sessions() as session:
            after, newest_slice = state_of(session)
            query = sa.select(_chunks.c.id, _chunks.c.slice_at).where(_chunks.c.id > after, _chunks.c.id <= until)
            rows = session.execute(query.order_by(_chunks.c.id).limit(CHUNKS_A_STEP)).all()
        if not rows:
            return False
        if len(rows) == CHUNKS_A_STEP:
            rows = _without_last_slice(rows)
        begins = sorted({row.slice_at for row in rows})
        for first, last in _runs(begins):
            self._take(set(begins), first, last)
        self._store_state(rows[-1].id, max(newest_slice, begins[-1]))
        return True

    def _take(self, begins: set[int], first: int, last: int) -> None:
        """Take the slices from ``first`` to ``last``, with the lines that lead into them and out of them."""
        span = Span(first - SLICE_S, last + SLICE_S)
        with self._sessions() as session:
            parts = [points for _, points in read_slices(session, span)]
        points = parts[0] if len(parts) == 1 else in_order(join(parts)) if parts else None
        if points is None:
            return
        found = list(pieces(points, begins))
        for begin in range(0, len(found), TILES_A_STEP):
            with writing(self._sessions) as session:
                _add(session, found[begin : begin + TILES_A_STEP])

    def _store_state(self, chunk_id: int, slice_at: int) -> None:
        with writing(self._sessions) as session:
            values = {"chunk_id": chunk_id, "slice_at": slice_at, "ceiling_ft": int(CEILING_FT)}
            statement = insert_into(session, IndexState).values(id=_ONLY, **values)
            session.execute(statement.on_conflict_do_update(index_elements=["id"], set_=values))


def state_of(session: Session) -> tuple[int, int]:
    """The number of the last chunk in the index, and the begin of the newest slice; 0 where it is empty.

    An index up to a lower height counts as empty: to store the same again with what is higher completes it.
    """
    query = sa.select(IndexState.chunk_id, IndexState.slice_at).where(IndexState.ceiling_ft >= CEILING_FT)
    state = session.execute(query).one_or_none()
    return (0, 0) if state is None else (state[0], state[1])


def _without_last_slice(rows: Sequence[Any]) -> Sequence[Any]:
    """Rows without those of the last one's slice at their end, of which there may be more; all where none is left."""
    count = len(rows)
    while count and rows[count - 1].slice_at == rows[-1].slice_at:
        count -= 1
    return rows[:count] or rows


def _runs(begins: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of slices that follow each other."""
    runs: list[tuple[int, int]] = []
    for begin in begins:
        if runs and begin - runs[-1][1] == SLICE_S:
            runs[-1] = (runs[-1][0], begin)
        else:
            runs.append((begin, begin))
    return runs


def _add(session: Session, found: Sequence[tuple[int, int, Points]]) -> None:
    for tile, block, points in found:
        key = (_tiles.c.tile == tile) & (_tiles.c.block_at == block)
        stored = session.scalar(sa.select(_tiles.c.data).where(key))
        before = None if stored is None else decoded_tile(tile, block, stored)
        data = encode(points if before is None else merged(before, points))
        statement = insert_into(session, Tile).values(tile=tile, block_at=block, data=data)
        session.execute(statement.on_conflict_do_update(index_elements=["tile", "block_at"], set_={"data": data}))


class IndexService:
    """The indexer as a part of the tracker."""

    def __init__(self, runtime: Runtime) -> None:
        self._is_stopping = False
        self._indexer = Indexer(runtime.sessions)
        self._task = PeriodicTask(COMPONENT, EVERY_S, self._run)

    async def start(self) -> None:
        """Start the thread."""
        self._task.start()

    async def stop(self) -> None:
        """Stop after the present step."""
        self._is_stopping = True
        await asyncio.to_thread(self._task.close)

    def _run(self) -> None:
        self._indexer.run(lambda: self._is_stopping)


def create(runtime: Runtime) -> IndexService:
    """The part of this installation."""
    return IndexService(runtime)

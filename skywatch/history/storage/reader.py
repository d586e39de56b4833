"""Reads stored points back: slice by slice, for all aircraft or for one, chunks and tail together.

The tail is read first: points that become a chunk meanwhile are then read twice, which ``in_order`` corrects, and never
missed. Chunks are read in pages, so that a query over years needs the memory of a few slices only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.archive.reader.archive_reader import reach_of
from skywatch.core.arrays import distinct
from skywatch.history.models import Chunk
from skywatch.history.storage import archived_points
from skywatch.history.storage.codec import BrokenChunk, decode, decode_all
from skywatch.history.storage.points import SLICE_S, Points, in_order, join, no_points
from skywatch.history.storage.shards import shards_of, slice_of, slices
from skywatch.history.storage.span import Span as Span
from skywatch.history.storage.tail import read_tail

log = logging.getLogger(__name__)
CHUNKS_A_PAGE = 64
# One by one, NumPy's overhead dominates; with too many at once the data no longer fits the processor's cache.
CHUNKS_AT_ONCE = 8


def read_slices(
    session: Session, span: Span, between_pages: Callable[[], None] | None = None, every: int = 1
) -> Iterator[tuple[int, Points]]:
    """(begin of the slice, its points in order) for each slice that has any, in order of time.

    ``between_pages`` is called where the reader may end its transaction. With ``every`` above 1 only one slice in so
    many is read. Where the session reaches into the archive, slices that the database no longer has come from there;
    raises Problem (503) where they cannot be read.
    """
    stored = _stored_slices(session, span, between_pages, every)
    return archived_points.with_archive(session, span, stored, every) if reach_of(session) is not None else stored


def _stored_slices(
    session: Session, span: Span, between_pages: Callable[[], None] | None, every: int
) -> Iterator[tuple[int, Points]]:
    """What the database has."""
    first, last = slice_of(span.begin), slice_of(span.end)
    tail = span.pick(read_tail(session, span.aircraft))
    recent = slices(tail)
    tail_begins = {int(at) for at in distinct(recent) if first <= at <= last and not at % (every * SLICE_S)}
    for at, parts in _chunk_slices(session, span, first, last, between_pages, every):
        for earlier in sorted(begin for begin in tail_begins if begin < at):
            tail_begins.discard(earlier)
            yield earlier, tail[recent == earlier]
        if at in tail_begins:
            tail_begins.discard(at)
            parts.append(tail[recent == at])
        points = parts[0] if len(parts) == 1 else in_order(join(parts))
        if len(points):
            yield at, points
    for at in sorted(tail_begins):
        yield at, tail[recent == at]


def one_slice_in(session: Session, span: Span, most_chunks: int) -> int:
    """One slice in how many a reader of at most so many chunks can read: 1 where it can read the whole span."""
    first, last = slice_of(span.begin), slice_of(span.end)
    count = sa.select(sa.func.count()).select_from(Chunk).where(Chunk.slice_at.between(first, last))
    chunks = session.scalar(count) or 0
    if reach_of(session) is not None:
        chunks += archived_points.chunks_of(session, first, last + SLICE_S)
    return max(1, -(-chunks // most_chunks))


def read(session: Session, span: Span) -> Points:
    """All points of the slices that the span touches, in order; for spans that fit into memory."""
    parts = [points for _, points in read_slices(session, span)]
    if not parts:
        return no_points()
    return parts[0] if len(parts) == 1 else in_order(join(parts))


def read_aircraft(session: Session, span: Span, periods: Iterable[tuple[float, float]]) -> Points:
    """The points of the span's one aircraft, in order, of the whole slices of ``periods``, each (begin, end)."""
    if span.aircraft is None:
        raise ValueError("the span names no aircraft")
    begins = sorted({at for begin, end in periods for at in range(slice_of(begin), slice_of(end) + 1, SLICE_S)})
    tail = span.pick(read_tail(session, span.aircraft))
    parts = [tail[np.isin(slices(tail), begins)]]
    query = sa.select(Chunk.id, Chunk.data).where(Chunk.shard.in_(shards_of(span.aircraft)))
    for number in range(0, len(begins), CHUNKS_A_PAGE):
        page_begins = begins[number : number + CHUNKS_A_PAGE]
        page = query.where(Chunk.slice_at.between(page_begins[0], page_begins[-1]))
        if len(page_begins) <= (page_begins[-1] - page_begins[0]) // SLICE_S:
            page = page.where(Chunk.slice_at.in_(page_begins))
        parts += [span.pick(points) for points in _decode_chunks(session.execute(page).all(), span.aircraft)]
    if reach_of(session) is not None:
        parts.append(archived_points.aircraft_points(session, span, begins))
    return in_order(join(parts))


def _chunk_slices(
    session: Session, span: Span, first: int, last: int, between_pages: Callable[[], None] | None, every: int
) -> Iterator[tuple[int, list[Points]]]:
    """The points of chunks, by slice."""
    query = sa.select(Chunk.slice_at, Chunk.id, Chunk.data).where(Chunk.slice_at <= last)
    if every > 1:
        query = query.where(Chunk.slice_at % (every * SLICE_S) == 0)
    if span.aircraft is not None:
        query = query.where(Chunk.shard.in_(shards_of(span.aircraft)))
    query = query.order_by(Chunk.slice_at, Chunk.id).limit(CHUNKS_A_PAGE)
    at, parts = first, list[Points]()
    page = session.execute(query.where(Chunk.slice_at >= first)).all()
    while page:
        decoded = _decode_chunks([(row.id, row.data) for row in page], span.aircraft)
        for row, points in zip(page, decoded, strict=True):
            if row.slice_at != at and parts:
                yield at, parts
                parts = []
            at = row.slice_at
            parts.append(span.pick(points))
        if len(page) < CHUNKS_A_PAGE:
            break
        if between_pages is not None:
            between_pages()
        slice_at, chunk_id = page[-1][:2]
        after = (Chunk.slice_at > slice_at) | ((Chunk.slice_at == slice_at) & (Chunk.id > chunk_id))
        page = session.execute(query.where(Chunk.slice_at >= slice_at, after)).all()
    if parts:
        yield at, parts


def _decode_chunks(chunks: Sequence[Any], aircraft: int | None) -> list[Points]:
    """The points of each (id, data); damaged ones are logged and have none."""
    decoded: list[Points] = []
    for begin in range(0, len(chunks), CHUNKS_AT_ONCE):
        batch = chunks[begin : begin + CHUNKS_AT_ONCE]
        try:
            decoded += decode_all([data for _, data in batch], aircraft)
        except BrokenChunk:
            decoded += [_decode_chunk(chunk_id, data, aircraft) for chunk_id, data in batch]
    return decoded


def _decode_chunk(chunk_id: int, data: bytes, aircraft: int | None) -> Points:
    try:
        return decode(data, aircraft)
    except BrokenChunk as error:
        log.error("chunk %d of history cannot be read: %s", chunk_id, error)
        return no_points()

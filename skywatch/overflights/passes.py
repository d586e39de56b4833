"""Reads the tracks over an area, and finds the flights that were within it below a height."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airports.corrections import Corrections
from skywatch.archive.reader.archive_reader import reach_of
from skywatch.core.clock import earlier
from skywatch.history.flights.filter import MAX_FLIGHT
from skywatch.history.models import Chunk, Flight
from skywatch.history.storage import archived_points
from skywatch.history.storage.codec import BrokenChunk, decode_all
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    AT_S,
    DEGREES,
    SLICE_S,
    Points,
    in_order,
    join,
    no_points,
    real_points,
    starts_of,
)
from skywatch.history.storage.reader import read_slices
from skywatch.history.storage.span import Span, around
from skywatch.overflights.area import Area, Column, Crossings, Segments, crossings
from skywatch.overflights.indexer import state_of
from skywatch.overflights.models import Tile
from skywatch.overflights.tiles import BLOCK_S, CEILING_FT, decoded_tile, is_airborne, joins, tiles_of_box

# Of an area with more tiles all tracks are read.
MOST_TILES = 1_500
# Tiles that are decoded at once, which bounds the memory of a long span.
_TILES_AT_ONCE = 64
# Ranges of tiles of one statement: SQLite's conditions may be 1,000 deep.
_RANGES_AT_ONCE = 200
_tiles: Any = Tile.__table__.c


@dataclass(frozen=True)
class Question:
    """Flights that entered an area below a height over the sea, from ``begin`` on, before ``end`` (unix s)."""

    area: Area
    below_ft: float
    begin: float
    end: float


class Passes(NamedTuple):
    """One entry a flight, as columns: its track entered the area, left it, was this low and this near to its middle."""

    aircraft: Column
    flight: Column
    entered_at: Column
    left_at: Column
    lowest_ft: Column
    closest_nm: Column


def passes(session: Session, question: Question, span: Span, *, simulated: bool) -> Passes:
    """The flights that a question asks for, the newest first.

    ``span`` says which aircraft are hidden; its times are those of the question. ``simulated``: such aircraft count.
    """
    since = _first_begin(session, question)
    span = Span(since, question.end, hidden=span.hidden, box=around(question.area.box))
    corrections = Corrections(session, since, question.end, question.area.box)
    found: list[Passes] = []
    for points in _read(session, question, span, question.below_ft - corrections.lowest_ft):
        counted = points if simulated else real_points(points)
        segments = _segments(counted, corrections, question.end)
        part = _by_flight(segments, crossings(segments, question.area, question.below_ft))
        if len(part.flight):
            found.append(part)
    if not found:
        return _none()
    whole = _joined(Passes(*(np.concatenate(columns) for columns in zip(*found, strict=True))))
    # To the tenth of a second in which it was: a flight stays within the day that it is shown with.
    whole = whole._replace(entered_at=np.floor(whole.entered_at * 10.0 + 1e-3) / 10.0)
    # A flight that was there when the span began belongs to the one before.
    within = np.flatnonzero((whole.entered_at >= question.begin) & (whole.entered_at < question.end))
    within = within[np.lexsort((-whole.flight[within], -whole.entered_at[within]))]
    return Passes(*(column[within] for column in whole))


def _none() -> Passes:
    return Passes(np.empty(0, "u4"), np.empty(0, "i8"), *(np.empty(0) for _ in range(4)))


def _first_begin(session: Session, question: Question) -> float:
    """When the first flight began that was in the air at the begin of the span."""
    begin = datetime.fromtimestamp(question.begin, UTC)
    first = session.scalar(
        sa.select(sa.func.min(Flight.first_seen_at)).where(
            Flight.first_seen_at >= earlier(begin, MAX_FLIGHT),
            Flight.first_seen_at < begin,
            Flight.last_seen_at >= earlier(begin, timedelta(minutes=5)),
        )
    )
    return question.begin if first is None else min(question.begin, first.timestamp() - 120.0)


def _read(session: Session, question: Question, span: Span, below_ft: float) -> Iterator[Points]:
    """Points in order, part by part, with all lines that meet the area below a pressure altitude.

    Some of them come more than once.
    """
    tiles = tiles_of_box(question.area.box)
    is_indexed = below_ft <= CEILING_FT and sum(last - first + 1 for first, last in tiles) <= MOST_TILES
    if not is_indexed:
        yield from _following(points for _, points in read_slices(session, span))
        return
    direct_from = _direct_from(session)
    yield from _of_tiles(session, span, tiles)
    if reach_of(session) is not None:
        archived = archived_points.with_archive(session, span, iter(()), 1)
        yield from _following(points for _, points in archived)
    if direct_from <= span.end:
        direct = Span(max(span.begin, direct_from), span.end, hidden=span.hidden, box=span.box)
        yield from _following(points for _, points in read_slices(session, direct))


def _direct_from(session: Session) -> float:
    """From where on tracks are read as they are: they may not be in the index yet."""
    chunk_id, newest_slice = state_of(session)
    first = session.scalar(sa.select(sa.func.min(Chunk.slice_at)).where(Chunk.id > chunk_id))
    return float(newest_slice if first is None else min(newest_slice, first - SLICE_S))


def _of_tiles(session: Session, span: Span, tiles: list[tuple[int, int]]) -> Iterator[Points]:
    first, last = (int(at // BLOCK_S) * BLOCK_S for at in (span.begin, span.end))
    columns = _tiles.tile, _tiles.block_at, _tiles.data
    query = sa.select(*columns).where(_tiles.block_at.between(first, last)).order_by(_tiles.tile, _tiles.block_at)
    for begin in range(0, len(tiles), _RANGES_AT_ONCE):
        some = tiles[begin : begin + _RANGES_AT_ONCE]
        within = sa.or_(*(_tiles.tile.between(*each) if each[0] < each[1] else _tiles.tile == each[0] for each in some))
        rows = session.execute(query.where(within), execution_options={"yield_per": _TILES_AT_ONCE})
        for part in rows.partitions():
            points = _decoded(part)
            if points:
                yield span.pick(join(points))


def _decoded(rows: Sequence[Any]) -> list[Points]:
    """The points of tiles; damaged ones are logged and have none."""
    try:
        return decode_all([row.data for row in rows])
    except BrokenChunk:
        return [points for row in rows if (points := decoded_tile(row.tile, row.block_at, row.data)) is not None]


def _following(slices: Iterator[Points]) -> Iterator[Points]:
    """Slices with the last point of each track of the slice before, from which a line may lead on."""
    last = no_points()
    for points in slices:
        yield in_order(np.concatenate((last, points)))
        last = points[np.append(starts_of(points)[1:], len(points)) - 1] if len(points) else last


def _segments(points: Points, corrections: Corrections, end: float) -> Segments:
    """The lines between positions in the air, and positions to which none leads, at corrected heights."""
    airborne = is_airborne(points)
    line = joins(points) & airborne[:-1] & airborne[1:] if len(points) else np.empty(0, bool)
    alone = airborne & np.append(True, ~joins(points)) if len(points) else airborne
    first = np.concatenate((np.flatnonzero(line), np.flatnonzero(alone)))
    last = np.concatenate((np.flatnonzero(line) + 1, np.flatnonzero(alone)))
    at, lat, lon = points["at"] * AT_S, points["lat"] * DEGREES, points["lon"] * DEGREES
    before_end = at[first] < end
    first, last = first[before_end], last[before_end]
    height = points["alt"] * ALTITUDE_FT + corrections.at(at, lat, lon)
    aircraft = points["aircraft"]
    return Segments(
        aircraft[first],
        points["flight"][first],
        *(column[first] for column in (at, lat, lon, height)),
        *(column[last] for column in (at, lat, lon, height)),
    )


def _by_flight(segments: Segments, found: Crossings) -> Passes:
    rows = found.segment
    return _joined(Passes(segments.aircraft[rows], segments.flight[rows], *found[1:]))


def _joined(rows: Passes) -> Passes:
    """One entry a flight."""
    if not len(rows.flight):
        return rows
    order = np.argsort(rows.flight, kind="stable")
    aircraft, flight, entered, left, lowest, closest = (column[order] for column in rows)
    starts = np.append(0, np.flatnonzero(np.diff(flight)) + 1)
    return Passes(
        aircraft[starts],
        flight[starts],
        np.minimum.reduceat(entered, starts),
        np.maximum.reduceat(left, starts),
        np.minimum.reduceat(lowest, starts),
        np.minimum.reduceat(closest, starts),
    )

"""What of history is kept, and what of it is archived.

Tracks are removed on their own, flights never before the tracks that refer to them. Archived are flights that have
ended, and the points of all tracks, an hour a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.archive.contents.row_file import row_file
from skywatch.archive.kinds import Archived, ArchivedFile, ArchivedKind, span_of_day
from skywatch.core.arrays import distinct
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.storage.retention import Kind
from skywatch.history.models import Chunk, Flight
from skywatch.history.settings import HistorySettings
from skywatch.history.storage.codec import BrokenChunk, decode, encode
from skywatch.history.storage.points import SIMULATED, Points, identity, in_order, join, real_points
from skywatch.history.storage.reader import read
from skywatch.history.storage.shards import slice_of
from skywatch.history.storage.span import Span
from skywatch.settings import Settings

_chunks: Any = Chunk.__table__
_flights: Any = Flight.__table__
HOUR_S = 3600
# A step of the removal of simulated points: some tens of milliseconds.
CHUNKS_A_STEP, PAUSE_S = 20, 0.02


def _flight_days(settings: Settings) -> float:
    days = settings.of(HistorySettings).retention_flights_days, settings.of(HistorySettings).retention_positions_days
    return max(days) if all(days) else 0.0


KINDS: tuple[Kind, ...] = (
    Kind(
        name="positions",
        table=_chunks,
        column="slice_at",
        unix=True,
        days=lambda settings: settings.of(HistorySettings).retention_positions_days,
        megabytes=lambda settings: settings.of(HistorySettings).retention_positions_mb,
        yields=True,
    ),
    Kind(
        name="flights",
        table=_flights,
        column="first_seen_at",
        days=_flight_days,
        megabytes=lambda settings: settings.of(HistorySettings).retention_flights_mb,
        only=_flights.c.active.is_(False),
    ),
)


def remove_simulated_points(sessions: SessionFactory, since: float | None, pause: Callable[[float], object]) -> None:
    """Remove the points of simulated aircraft from the chunks, of slices from ``since`` on (unix s; None: all).

    Their flights are marked, so that those of releases that did not mark flights go as well.
    """
    last, begin = 0, 0 if since is None else slice_of(since)
    query = sa.select(_chunks.c.id, _chunks.c.data).where(_chunks.c.slice_at >= begin).order_by(_chunks.c.id)
    while True:
        with sessions() as session:
            rows = session.execute(query.where(_chunks.c.id > last).limit(CHUNKS_A_STEP)).all()
        if not rows:
            return
        last = rows[-1].id
        changed = [(row.id, left, gone) for row in rows for left, gone in _without_simulated(row.data)]
        if changed:
            with writing(sessions) as session:
                for chunk, left, gone in changed:
                    _replace(session, chunk, left)
                    is_unmarked = _flights.c.id.in_(sorted(gone)) & ~_flights.c.simulated
                    session.execute(sa.update(_flights).where(is_unmarked).values(simulated=True))
        pause(PAUSE_S)


def _without_simulated(data: bytes) -> Iterator[tuple[Points, set[int]]]:
    """What is left of a chunk with simulated points, and the flights of these; nothing of another one."""
    try:
        points = decode(data)
    except BrokenChunk:
        return
    left = real_points(points)
    if len(left) < len(points):
        yield left, set(points["flight"][points["flags"] & SIMULATED > 0].tolist())


def _replace(session: Session, chunk: int, points: Points) -> None:
    if not len(points):
        session.execute(sa.delete(_chunks).where(_chunks.c.id == chunk))
        return
    values = {"data": encode(points), "points": len(points), "aircraft": len(distinct(identity(points)))}
    session.execute(sa.update(_chunks).where(_chunks.c.id == chunk).values(**values))


def position_files(session: Session, day: date, archived: Archived) -> Iterator[ArchivedFile]:
    """The files ``positions-HH`` of a day; one hour is in memory at a time."""
    from skywatch.archive.contents.layout import POSITIONS, POSITIONS_OPTIONS
    from skywatch.history.storage.archive_columns import points_of, table_of

    midnight = span_of_day(day)[0].timestamp()
    for hour in range(24):
        begin, name = midnight + hour * HOUR_S, f"positions-{hour:02d}"
        points = read(session, Span(begin, begin + HOUR_S - 1))
        session.rollback()
        earlier = archived(name)
        if earlier is not None:
            # Of two with the same key the later one stays: that of the database.
            points = in_order(join([points_of(earlier), points]))
        if len(points):
            yield ArchivedFile(name, POSITIONS, iter([table_of(points)]), POSITIONS_OPTIONS)


ARCHIVED: tuple[ArchivedKind, ...] = (
    ArchivedKind(
        name="flights",
        table=_flights,
        column="first_seen_at",
        files=row_file("flights", "first_seen_at", _flights),
        retention="flights",
        unfinished=_flights.c.active.is_(True),
    ),
    ArchivedKind(
        name="positions",
        table=_chunks,
        column="slice_at",
        unix=True,
        files=position_files,
        retention="positions",
        amount="points",
    ),
)

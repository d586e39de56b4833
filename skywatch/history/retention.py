"""What of history is kept, and what of it is archived.

Tracks are removed on their own, flights never before the tracks that refer to them. Archived are flights that have
ended, and the points of all tracks, an hour a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from sqlalchemy.orm import Session

from skywatch.archive.contents.row_file import row_file
from skywatch.archive.kinds import Archived, ArchivedFile, ArchivedKind, span_of_day
from skywatch.core.storage.retention import Kind
from skywatch.history.models import Chunk, Flight
from skywatch.history.settings import HistorySettings
from skywatch.history.storage.points import in_order, join
from skywatch.history.storage.reader import read
from skywatch.history.storage.span import Span
from skywatch.settings import Settings

_chunks: Any = Chunk.__table__
_flights: Any = Flight.__table__
HOUR_S = 3600


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

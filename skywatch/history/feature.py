"""The feature declaration of history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.archive.hooks import ArchivedKinds, PastDays
from skywatch.core.batch import BatchJobs
from skywatch.core.feature import Feature
from skywatch.core.hooks import PartLabels, PastPictures, SimulatedRows, StoredFlights
from skywatch.history.settings import HistorySettings
from skywatch.picture.hooks import PictureMonitor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from sqlalchemy import FromClause
    from sqlalchemy.orm import Session

    from skywatch.archive.batch.archived_rows import ArchivedRows
    from skywatch.archive.kinds import ArchivedKind
    from skywatch.core.batch import BatchJob, PastDay
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind
    from skywatch.picture.monitor import Monitor
    from skywatch.security.visibility import Visibility


def _create_monitor(runtime: Runtime) -> Monitor | None:
    from skywatch.history.monitor import create

    return create(runtime)


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.history.retention import KINDS

    return KINDS


def _archived_kinds() -> tuple[ArchivedKind, ...]:
    from skywatch.history.retention import ARCHIVED

    return ARCHIVED


def _batch_jobs() -> tuple[BatchJob, ...]:
    from skywatch.history.batch.coverage import JOBS

    return JOBS


def _past_day(
    rows: ArchivedRows, day: date, station: tuple[float, float] | None, military: Mapping[str, bool]
) -> PastDay:
    from skywatch.history.batch.day import day_of_archive

    return day_of_archive(rows, day, station, military)


def _flights() -> FromClause:
    from skywatch.history.models import FLIGHTS

    return FLIGHTS


def _past_pictures(
    session: Session, begin: float, end: float, step_s: float, visibility: Visibility
) -> Iterator[bytes]:
    from skywatch.history.moments.service import past_pictures

    return past_pictures(session, begin, end, step_s, visibility)


FEATURE = Feature(
    name="history",
    title="history",
    settings=HistorySettings,
    metrics="skywatch.history.metrics",
    include="skywatch.history",
    retention=_retention_kinds,
    commands={"history": "skywatch.history.command:history"},
    tags={
        "history": "Flights, tracks, past pictures, replay, exports, heatmap, coverage and statistics.",
    },
    provides=(
        PartLabels({"history_writer": "Storage of flights"}),
        PictureMonitor(_create_monitor),
        StoredFlights(_flights),
        PastPictures(_past_pictures),
        ArchivedKinds(_archived_kinds),
        BatchJobs(_batch_jobs),
        PastDays(_past_day),
        SimulatedRows(
            title="Flights with their positions",
            rows="skywatch.history.models:Flight",
            clean="skywatch.history.retention:remove_simulated_points",
        ),
    ),
)

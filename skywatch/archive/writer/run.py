"""One run of archiving: every waiting day, then what is too old. At most one process of an installation does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime

from skywatch.archive import metrics
from skywatch.archive.contents.manifest import Station
from skywatch.archive.errors import ArchiveError, Cancelled, DayError
from skywatch.archive.hooks import kinds_of
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import open_storage
from skywatch.archive.writer.backlog import waiting_days
from skywatch.archive.writer.day import Archiver, DayOutcome, archive_day
from skywatch.archive.writer.expiry import expire
from skywatch.core.database.engine import SessionFactory
from skywatch.core.database.locks import LockHeldError, exclusive_lock
from skywatch.core.storage.retention_clock import RetentionClock
from skywatch.picture.settings import PictureSettings
from skywatch.settings import Settings

LOCK = CLOCK = "archive"


class Busy(ArchiveError):
    """Another process is archiving."""


@dataclass
class RunOutcome:
    """What a run did: the days archived, what still waits and why, and the bytes written."""

    days: list[DayOutcome] = field(default_factory=list)
    faults: dict[date, str] = field(default_factory=dict)
    expired: int = 0

    @property
    def written(self) -> int:
        """The bytes written."""
        return sum(outcome.written for outcome in self.days)

    @property
    def waiting(self) -> list[DayOutcome]:
        """The days of which a kind has rows that will still change."""
        return [outcome for outcome in self.days if outcome.waiting]


def open_archiver(
    sessions: SessionFactory, settings: Settings, is_cancelled: Callable[[], bool] = lambda: False
) -> Archiver:
    """What archives days of this installation; raises ArchiveError where it cannot."""
    require_extra()
    archive = settings.of(ArchiveSettings)
    station = settings.of(PictureSettings).station
    return Archiver(
        sessions=sessions,
        storage=open_storage(archive),
        kinds=kinds_of(settings.features, archive.archive_kinds),
        station=Station(*station) if station is not None else None,
        is_cancelled=is_cancelled,
    )


def require_extra() -> None:
    """Raise Uninstalled where the extra ``archive`` is not installed."""
    from skywatch.archive.errors import Uninstalled

    try:
        import duckdb  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError:
        raise Uninstalled() from None


@contextmanager
def only_writer(settings: Settings) -> Iterator[None]:
    """For as long as the context is open this process is the one that archives; raises Busy where another one is."""
    lock = exclusive_lock(settings.database_url, LOCK)
    try:
        lock.take()
    except LockHeldError as error:
        raise Busy(f"{error} is archiving already") from None
    try:
        yield
    finally:
        lock.close()


def run(
    archiver: Archiver,
    settings: ArchiveSettings,
    now: datetime,
    days: Sequence[date] | None = None,
    step: Callable[[int], None] = lambda done: None,
    clock: RetentionClock | None = None,
) -> RunOutcome:
    """Archive the waiting days, or again those that are given; ``step`` is called with how many are done.

    ``clock`` says how far ``now`` is believed where days are deleted.

    A day that is damaged does not keep the others waiting; raises ArchiveStorageError where the storage fails, and
    Cancelled.
    """
    outcome = RunOutcome()
    again = days is not None
    if days is None:
        days = find_waiting(archiver, settings, now)
    for number, day in enumerate(days, 1):
        archiver.check_cancelled()
        try:
            outcome.days.append(archive_day(archiver, day, again=again))
        except DayError as error:
            outcome.faults[day] = str(error)
        step(number)
        metrics.ARCHIVE_WAITING.set(len(days) - number if not again else 0)
    outcome.expired = expire(archiver.sessions, archiver.storage, settings, now, clock)
    return outcome


def find_waiting(archiver: Archiver, settings: ArchiveSettings, now: datetime) -> list[date]:
    """The days that wait."""
    with archiver.sessions() as session:
        return waiting_days(session, archiver.kinds, now, settings)


__all__ = ["Busy", "Cancelled", "RunOutcome", "find_waiting", "only_writer", "open_archiver", "require_extra", "run"]

"""One run of a job over days. At most one process of an installation runs the same job."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

import msgspec

from skywatch.archive.batch.planner import KINDS, Done, Planned, Planner, Stored, Unfit
from skywatch.archive.batch.pool import Result
from skywatch.archive.batch.task import Outcome
from skywatch.archive.contents.manifest import Station
from skywatch.archive.contents.results import results_of, write_result
from skywatch.archive.errors import ArchiveError
from skywatch.archive.hooks import kinds_of
from skywatch.archive.reader.archive_reader import opening_of
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import ArchiveStorage, open_storage
from skywatch.archive.writer.backlog import last_complete_day
from skywatch.archive.writer.run import require_extra
from skywatch.core.batch import BatchJob, Options
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory
from skywatch.core.database.locks import LockHeldError, exclusive_lock
from skywatch.picture.settings import PictureSettings
from skywatch.settings import Settings


class Workers(Protocol):
    """A pool or a cluster."""

    def run(self, tasks: Iterator[Planned]) -> Iterator[Result]:
        """The outcome of each task as it comes."""
        ...

    def close(self) -> None:
        """End it."""
        ...


@dataclass
class RunOutcome:
    """What a run did: days, rows, days that had a result before, faults, and days without the day after.

    ``left_out`` says of days that were done without one of their neighbours why it could not be read.
    """

    days: list[date] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0
    cpu_s: float = 0.0
    before: int = 0
    faults: dict[date, str] = field(default_factory=dict)
    incomplete: list[date] = field(default_factory=list)
    left_out: dict[date, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Batch:
    """What runs a job of an installation."""

    job: BatchJob
    planner: Planner
    results: ArchiveStorage

    def run(self, days: Sequence[date], workers: Workers, step: Callable[[int], None]) -> RunOutcome:
        """Do the days that have no result; ``step`` is called with how many are done or passed over.

        A day that cannot be done does not keep the others waiting; raises ArchiveStorageError where the storage fails.
        """
        outcome, finished = RunOutcome(), _Finished(step)
        renewed = self._round(self.planner.plan(days), workers, outcome, finished, may_renew=True)
        if renewed:
            # Files that were missing: their days may have been archived again meanwhile.
            again = (self.planner.look(day, again=True) for day in renewed)
            self._round(again, workers, outcome, finished, may_renew=False)
        return outcome

    def _round(
        self,
        items: Iterator[Planned | Done | Unfit],
        workers: Workers,
        outcome: RunOutcome,
        finished: _Finished,
        *,
        may_renew: bool,
    ) -> list[date]:
        """Do what is planned; the days that are to be looked at again."""
        renewed: list[date] = []

        def tasks() -> Iterator[Planned]:
            for item in items:
                if isinstance(item, Planned):
                    yield item
                    continue
                if isinstance(item, Unfit):
                    outcome.faults[item.day] = item.fault
                else:
                    outcome.before += 1
                finished.one()

        for planned, result in workers.run(tasks()):
            if result.is_renewed and may_renew:
                renewed.append(planned.day)
                continue
            if result.fault:
                outcome.faults[planned.day] = result.fault
            else:
                self._take(planned, result, outcome)
            finished.one()
        return renewed

    def _take(self, planned: Planned, result: Outcome, outcome: RunOutcome) -> None:
        """Write the result of a day."""
        write_result(
            self.results,
            self.job.name,
            planned.day,
            result.data,
            result.rows,
            # Without all that was planned it is not made of these, and the next run does it again.
            "" if result.left_out else planned.inputs,
            is_complete=planned.is_complete and not result.left_out and not planned.left_out,
        )
        outcome.days.append(planned.day)
        outcome.rows += result.rows
        outcome.bytes += len(result.data)
        outcome.cpu_s += result.cpu_s
        left_out = {**planned.left_out, **result.left_out}
        if left_out:
            outcome.left_out[planned.day] = "; ".join(why for _, why in sorted(left_out.items()))
        elif not planned.is_complete:
            outcome.incomplete.append(planned.day)


class _Finished:
    """Counts the days that are finished, by whichever thread."""

    def __init__(self, step: Callable[[int], None]) -> None:
        self._step = step
        self._count = 0
        self._lock = threading.Lock()

    def one(self) -> None:
        """One more."""
        with self._lock:
            self._count += 1
            self._step(self._count)


def open_batch(
    sessions: SessionFactory, settings: Settings, job: BatchJob, *, with_keys: bool
) -> tuple[Batch, Options]:
    """What runs a job of this installation, and the options of its days; raises ArchiveError where it cannot.

    Without keys tasks do not contain those of a bucket: their workers have their own.
    """
    require_extra()
    archive = settings.of(ArchiveSettings)
    missing = [kind for kind in KINDS if kind not in archive.archive_kinds]
    if missing:
        raise ArchiveError(f"setting archive_kinds: a batch reads flights and positions; {missing[0]} is missing")
    with sessions() as session:
        options: Options = job.prepare(session, settings) if job.prepare is not None else Options()
    opening = opening_of(archive)
    if not with_keys:
        opening = msgspec.structs.replace(opening, access_key="", secret_key="")
    storage, results = open_storage(archive), results_of(archive, job.name)
    station = settings.of(PictureSettings).station
    stored = Stored(kinds_of(settings.features, KINDS), last_complete_day(utcnow(), archive.archive_after_hours))
    planner = Planner(
        sessions, storage, results, job, options, opening, Station(*station) if station is not None else None, stored
    )
    return Batch(job, planner, results), options


@contextmanager
def only_runner(settings: Settings, job: str) -> Iterator[None]:
    """For as long as the context is open this process is the one that runs a job; raises ArchiveError otherwise."""
    lock = exclusive_lock(settings.database_url, f"batch-{job}")
    try:
        lock.take()
    except LockHeldError as error:
        raise ArchiveError(f"{error} is running batch {job} already") from None
    try:
        yield
    finally:
        lock.close()

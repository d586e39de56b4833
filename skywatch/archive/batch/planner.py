"""Which days of a span a job has to do: those without a result of what is archived now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import military_aircraft
from skywatch.archive.batch.task import Task
from skywatch.archive.contents.manifest import NAME, SCHEMA, DayFile, Manifest, Station, folder_of, read_manifest
from skywatch.archive.contents.results import read_result
from skywatch.archive.errors import DayError, MissingFile
from skywatch.archive.kinds import DAY, ArchivedKind, span_of_day
from skywatch.archive.models import ArchivedDay
from skywatch.archive.reader.questions import Opening
from skywatch.archive.state import states_of
from skywatch.archive.storage import ArchiveStorage
from skywatch.core.batch import BatchJob, Options
from skywatch.core.database.engine import SessionFactory
from skywatch.core.process.version import VERSION

# What a task reads of a day.
KINDS = ("flights", "positions")


@dataclass(frozen=True)
class Planned:
    """A day of a job: its task, the hash of what its result is made of, and whether the day after is there.

    ``left_out`` are days around it that cannot be read, and why.
    """

    task: Task
    inputs: str
    is_complete: bool
    left_out: dict[date, str]

    @property
    def day(self) -> date:
        """The day."""
        return self.task.day


@dataclass(frozen=True)
class Done:
    """A day with a result of what is archived now."""

    day: date


@dataclass(frozen=True)
class Unfit:
    """A day that cannot be done, and why."""

    day: date
    fault: str


@dataclass(frozen=True)
class Stored:
    """What the database may still have for the archive: rows of ``kinds`` until ``last``, the last complete day."""

    kinds: Sequence[ArchivedKind]
    last: date

    def is_silent(self, session: Session, day: date) -> bool:
        """Whether nothing was heard on a day: it is complete, the archive began before it, and there is no row of it.

        Such a day is not archived, since nothing waits for that.
        """
        first = session.scalar(sa.select(sa.func.min(ArchivedDay.day)).where(ArchivedDay.verified_at.is_not(None)))
        if first is None or not first < day <= self.last or states_of(session, day):
            return False
        return all(next(kind.days(session, day, day), None) is None for kind in self.kinds)


class Planner:
    """Looks at one day after the other; manifests of neighbours are read once."""

    def __init__(
        self,
        sessions: SessionFactory,
        storage: ArchiveStorage,
        results: ArchiveStorage,
        job: BatchJob,
        options: Options,
        opening: Opening,
        station: Station | None,
        stored: Stored,
    ) -> None:
        self._sessions = sessions
        self._storage = storage
        self._results = results
        self._job = job
        self._options = options
        self._opening = opening
        self._station = station
        self._stored = stored
        self._manifests: dict[date, Manifest | DayError | None] = {}
        self._aircraft: dict[date, list[tuple[str, bool]]] = {}
        with sessions() as session:
            self._military = military_aircraft(session)

    def plan(self, days: Sequence[date]) -> Iterator[Planned | Done | Unfit]:
        """What is to be done with each of these days; raises ArchiveStorageError where the storage fails."""
        for day in days:
            yield self.look(day)
            for other in [other for other in self._manifests if other < day]:
                del self._manifests[other]
                self._aircraft.pop(other, None)

    def look(self, day: date, *, again: bool = False) -> Planned | Done | Unfit:
        """What is to be done with a day; ``again``: manifests may have changed."""
        if again:
            self._manifests.clear()
            self._aircraft.clear()
        left_out: dict[date, str] = {}
        try:
            files = {day: self._files(day, is_required=True)}
        except DayError as error:
            return Unfit(day, str(error))
        for other, is_read in ((day - DAY, self._job.before), (day + DAY, self._job.after)):
            try:
                if is_read:
                    files[other] = self._files(other)
            except DayError as error:
                files[other], left_out[other] = None, str(error)
        manifest = self._manifest(day)
        station = manifest.station if isinstance(manifest, Manifest) else None
        station = station or self._station
        if self._job.needs_station and station is None:
            return Unfit(day, "the station's position is neither in its manifest nor set (station_lat, station_lon)")
        known = {other: some for other, some in files.items() if some is not None}
        is_complete = not self._job.after or files[day + DAY] is not None
        task = Task(
            job=self._job.name,
            day=day,
            opening=self._opening,
            files=known,
            station=station if self._job.needs_station else None,
            options=self._options.data,
            military=self._corrected(day),
        )
        inputs = self._hash(task)
        try:
            result = read_result(self._results, self._job.name, day)
        except DayError as error:
            if "newer release" in error.why:
                return Unfit(day, str(error))
            result = None
        if result is not None and result.inputs == inputs:
            return Done(day)
        return Planned(task, inputs, is_complete, left_out)

    def _corrected(self, day: date) -> dict[str, bool]:
        """Whether the aircraft are military of which the rows that a task reads say something else."""
        corrected: dict[str, bool] = {}
        # The flights of the day before go on.
        for around in (day - DAY, day, day + DAY)[: 3 if self._job.after else 2]:
            for address, was_marked in self._flown(around):
                is_military = self._military.includes(address, was_marked=was_marked)
                if is_military != was_marked:
                    corrected[address] = is_military
        return dict(sorted(corrected.items()))

    def _flown(self, day: date) -> list[tuple[str, bool]]:
        """The aircraft of the flights that began on a day, each with its mark; a task says what cannot be read."""
        if day not in self._aircraft:
            from skywatch.archive.batch.archived_rows import ArchivedRows

            try:
                rows = ArchivedRows(self._storage, {day: self._files(day) or ()})
                table = rows.flights(day, ["icao_hex", "military"])
            except (DayError, MissingFile):
                table = None
            pairs = () if table is None else zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
            self._aircraft[day] = sorted(set(pairs))
        return self._aircraft[day]

    def _files(self, day: date, *, is_required: bool = False) -> tuple[DayFile, ...] | None:
        """The files of a day that tasks read; None where it is not archived, which raises if it ``is_required``."""
        manifest = self._manifest(day)
        if isinstance(manifest, DayError):
            raise manifest
        if manifest is None:
            if is_required:
                raise DayError(day, "is not archived yet")
            return None
        return tuple(file for file in manifest.files if file.stem.split("-")[0] in KINDS)

    def _manifest(self, day: date) -> Manifest | DayError | None:
        """The manifest of a day, of one without rows an empty one; None where the day is not archived."""
        if day not in self._manifests:
            self._manifests[day] = self._read(day)
        return self._manifests[day]

    def _read(self, day: date) -> Manifest | DayError | None:
        try:
            return read_manifest(self._storage, day)
        except DayError as error:
            if NAME in self._storage.names(folder_of(day)):
                return error
            with self._sessions() as session:
                rows = _archived_rows(session, day)
                if rows is None and self._stored.is_silent(session, day):
                    rows = 0
            if rows is None:
                return None
            if rows:
                return error
            begin, end = span_of_day(day)
            return Manifest(schema=SCHEMA, files=(), begin=begin, end=end, station=None, release=VERSION)

    def _hash(self, task: Task) -> str:
        parts = {
            "release": task.release,
            "job": task.job,
            "day": task.day.isoformat(),
            "files": {day.isoformat(): [file.sha256 for file in files] for day, files in sorted(task.files.items())},
            "station": task.station,
            "options": hashlib.sha256(task.options).hexdigest(),
            "military": task.military,
        }
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _archived_rows(session: Session, day: date) -> int | None:
    """The rows of flights and positions that the database says are archived of a day; None where it is not archived."""
    states = [state for kind, state in states_of(session, day).items() if kind in KINDS]
    if not states or any(state.verified_at is None for state in states):
        return None
    return sum(state.rows for state in states)

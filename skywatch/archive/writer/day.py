"""Archives one day: its files, then its manifest; both are read back before the database notes that the day is there.

Whatever step a crash interrupts, the day has its earlier manifest or the new one, and the next run does the rest again.
Files of an earlier manifest are deleted last; a file with other content gets another name, so that who reads by the
earlier manifest finds what it says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from skywatch.archive import metrics
from skywatch.archive.contents.manifest import (
    FILE_NAME,
    NAME,
    SCHEMA,
    DayFile,
    Manifest,
    Station,
    folder_of,
    read_manifest,
)
from skywatch.archive.errors import ArchiveStorageError, Cancelled, DayError
from skywatch.archive.kinds import ArchivedKind, span_of_day
from skywatch.archive.models import ArchivedDay
from skywatch.archive.state import mark_archived, states_of
from skywatch.archive.storage.base import ArchiveStorage
from skywatch.archive.writer.verification import check_files
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.process.version import VERSION


@dataclass(frozen=True)
class Archiver:
    """What archives days: the database, the storage, all kinds that are archived, and the station of the manifest."""

    sessions: SessionFactory
    storage: ArchiveStorage
    kinds: Sequence[ArchivedKind]
    station: Station | None = None
    is_cancelled: Callable[[], bool] = lambda: False

    def check_cancelled(self) -> None:
        """Raise Cancelled where the process is being stopped."""
        if self.is_cancelled():
            raise Cancelled("stopped before it was complete")


@dataclass(frozen=True)
class DayOutcome:
    """What became of a day: its manifest (None: it has no rows), the kinds that wait, and the bytes written."""

    day: date
    manifest: Manifest | None
    waiting: tuple[str, ...]
    written: int


@dataclass(frozen=True)
class _Before:
    """What the database knew of a kind before its rows were read."""

    kind: ArchivedKind
    changes: int
    stored: int
    entries: int


def archive_day(archiver: Archiver, day: date, *, again: bool = False) -> DayOutcome:
    """Archive what of a day is not in the archive yet, with ``again`` all of it.

    Raises DayError where the archived day is damaged and the database no longer has its rows, ArchiveStorageError where
    the storage fails, and Cancelled.
    """
    with archiver.sessions() as session:
        states = states_of(session, day)
        complete = [kind for kind in archiver.kinds if kind.is_complete(session, day)]
        due = [kind for kind in complete if again or not _is_current(states.get(kind.name))]
        earlier = _earlier(archiver, day, states)
        if earlier is None and states:
            # Without a manifest nothing of the day is archived, whatever the database says.
            due = complete
        before = [_before(session, kind, day, states.get(kind.name)) for kind in due]
        session.rollback()
        waiting = tuple(kind.name for kind in archiver.kinds if kind not in complete)
        if not due:
            return DayOutcome(day, earlier, waiting, 0)
        manifest, written = _write(archiver, session, day, [item.kind for item in before], earlier)
    ids = {item.kind.name: _ids(archiver.storage, day, item.kind, manifest) for item in before}
    with writing(archiver.sessions) as session:
        for item in before:
            rows = sum(file.rows for file in manifest.files if item.kind.has(file.stem))
            mark_archived(
                session,
                item.kind.name,
                day,
                rows=rows,
                stored=item.stored,
                changes=item.changes,
                entries=item.entries,
                ids=ids.get(item.kind.name),
            )
    _delete_others(archiver.storage, day, manifest)
    metrics.ARCHIVE_DAYS.inc()
    return DayOutcome(day, manifest if manifest.files else None, waiting, written)


def _before(session: Session, kind: ArchivedKind, day: date, state: ArchivedDay | None) -> _Before:
    changes = state.changes if state is not None else 0
    return _Before(kind, changes, kind.stored(session, day), kind.entries(session, day))


def _ids(storage: ArchiveStorage, day: date, kind: ArchivedKind, manifest: Manifest) -> tuple[int, int] | None:
    """The least and the greatest identifier of the archived rows of a kind whose rows have one."""
    from skywatch.archive.writer.files import id_range

    file = next((file for file in manifest.files if file.stem == kind.name), None)
    return id_range(storage, day, file) if file is not None else None


def _is_current(state: ArchivedDay | None) -> bool:
    return state is not None and state.is_current


def _earlier(archiver: Archiver, day: date, states: dict[str, ArchivedDay]) -> Manifest | None:
    """The manifest that the day has; None for one that is not there, or not usable while the database has all rows."""
    is_needed = any(state.removed_at is not None and state.rows for state in states.values())
    if NAME not in archiver.storage.names(folder_of(day)) and not is_needed:
        return None
    try:
        manifest = read_manifest(archiver.storage, day)
        check_files(archiver.storage, day, manifest)
    except DayError as error:
        # What a newer release wrote is not replaced.
        if is_needed or "newer" in error.why:
            raise
        return None
    return manifest


def _write(
    archiver: Archiver, session: Session, day: date, due: Sequence[ArchivedKind], earlier: Manifest | None
) -> tuple[Manifest, int]:
    """Write the files of the kinds that are due and a manifest; the manifest, and the bytes that were written."""
    storage, files = archiver.storage, earlier.files if earlier is not None else ()
    by_stem = {file.stem: file for file in files}
    kept = [file for file in files if not any(kind.has(file.stem) for kind in due)]
    fresh: list[DayFile] = []
    written = 0
    with storage.staging() as staging:
        for kind in due:
            for local in _local_files(archiver, session, day, kind, staging, by_stem):
                file = _named(local, by_stem.get(local.stem))
                fresh.append(file)
                if file.name not in {other.name for other in files}:
                    storage.put(f"{folder_of(day)}/{file.name}", staging / local.name)
                    _read_back(storage, day, file)
                    written += file.bytes
                (staging / local.name).unlink(missing_ok=True)
        manifest = _manifest(archiver, day, [*kept, *fresh])
        if manifest.files and manifest != earlier:
            path = staging / NAME
            data = manifest.encode()
            path.write_bytes(data)
            storage.put(f"{folder_of(day)}/{NAME}", path)
            written += len(data)
    if manifest.files:
        if read_manifest(storage, day) != manifest:
            raise ArchiveStorageError("does not give back what was written", f"{storage.url}/{folder_of(day)}/{NAME}")
        check_files(storage, day, manifest)
    metrics.ARCHIVE_BYTES.inc(written)
    return manifest, written


def _local_files(
    archiver: Archiver,
    session: Session,
    day: date,
    kind: ArchivedKind,
    staging: Path,
    by_stem: dict[str, DayFile],
) -> Any:
    """Write the files of a kind into the local folder, one after the other."""
    from skywatch.archive.writer.files import read_table, write_file

    def archived(name: str) -> Any:
        return read_table(archiver.storage, day, by_stem[name]) if name in by_stem else None

    for file in kind.files(session, day, archived):
        local = write_file(staging, file, archiver.check_cancelled)
        if local is not None:
            yield local


def _named(local: DayFile, earlier: DayFile | None) -> DayFile:
    """The file under its name in the archive: that of the earlier one with the same content, or the next revision."""
    if earlier is None:
        return local
    if (earlier.sha256, earlier.bytes) == (local.sha256, local.bytes):
        return earlier
    parts = earlier.name.split(".")
    revision = int(parts[1][1:]) if len(parts) == 3 else 1
    return replace_name(local, f"{local.stem}.r{revision + 1}.parquet")


def replace_name(file: DayFile, name: str) -> DayFile:
    """The same file under another name."""
    return DayFile(name, file.rows, file.bytes, file.sha256)


def _read_back(storage: ArchiveStorage, day: date, file: DayFile) -> None:
    from skywatch.archive.writer.files import count_rows

    rows = count_rows(storage, day, file)
    if rows != file.rows:
        raise ArchiveStorageError(
            f"has {rows} rows instead of {file.rows}", f"{storage.url}/{folder_of(day)}/{file.name}"
        )


def _manifest(archiver: Archiver, day: date, files: Sequence[DayFile]) -> Manifest:
    begin, end = span_of_day(day)
    ordered = tuple(sorted(files, key=lambda file: file.name))
    return Manifest(schema=SCHEMA, files=ordered, begin=begin, end=end, station=archiver.station, release=VERSION)


def _delete_others(storage: ArchiveStorage, day: date, manifest: Manifest) -> None:
    """Delete files of the day that the manifest does not name: those of an earlier one or of a run that was killed."""
    names = {file.name for file in manifest.files}
    for name in storage.names(folder_of(day)):
        if FILE_NAME.fullmatch(name) and name not in names:
            storage.delete(f"{folder_of(day)}/{name}")

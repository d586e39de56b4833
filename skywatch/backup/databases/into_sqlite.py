"""Restores into an SQLite file: made complete under another name next to it, and renamed at the end."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.engine import URL

from skywatch.backup.contents.manifest import Manifest, sync_folder
from skywatch.backup.contents.target import SQLITE_FILE
from skywatch.backup.databases.completion import Completion
from skywatch.backup.databases.sqlite import QUICK_CHECK, WHOLE_CHECK, copy_checked, table_count
from skywatch.backup.errors import Refused, refusal_of
from skywatch.backup.progress import Progress
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import create_engine, create_session_factory, sqlite_file, writing
from skywatch.core.database.locks import FileLock, LockHeldError
from skywatch.core.database.migrations import upgrade
from skywatch.core.election.tracker_election import LOCK

ENDING = "-restoring"
JOURNALS = ("", "-wal", "-shm", "-journal")
PROC = Path("/proc")


@contextlib.contextmanager
def restored(url: URL, completion: Completion, progress: Progress) -> Iterator[None]:
    """Check the database of the backup, and put it in its place where the block does not raise.

    Raises Refused unless the file is unused, and empty or not there, and what ``sqlite.copy_checked`` raises.
    """
    database = _path(url)
    temporary = Path(f"{database}{ENDING}")
    with _reserved(database):
        _remove(temporary)
        try:
            copy_checked(completion.target, completion.manifest, temporary, progress, QUICK_CHECK)
            yield
            _complete(temporary, completion)
            for ending in JOURNALS[1:]:
                Path(f"{database}{ending}").unlink(missing_ok=True)
            os.replace(temporary, database)
            sync_folder(database.absolute().parent)
        except OSError as error:
            raise refusal_of(error, database) from None
        finally:
            _remove(temporary)


@contextlib.contextmanager
def _reserved(database: Path) -> Iterator[None]:
    """Keep trackers away meanwhile."""
    if not database.absolute().parent.is_dir():
        raise Refused("there is no such folder", database.parent)
    lock = FileLock(Path(f"{database}-{LOCK}.lock"))
    try:
        lock.take()
    except LockHeldError as error:
        raise Refused(f"is in use by {error}; stop it first", database) from None
    except OSError as error:
        raise refusal_of(error, database) from None
    try:
        check_unused(database)
        check_no_journal(database)
        if count := table_count(database):
            raise Refused(f"has {count} tables already; name another file, or move it away", database)
        yield
    finally:
        lock.close()


def trial(folder: Path, manifest: Manifest, progress: Progress) -> None:
    """Restore into a temporary file, and remove that; every page is checked."""
    try:
        with tempfile.TemporaryDirectory(prefix="skywatch-trial-") as place:
            copy_checked(folder, manifest, Path(place) / SQLITE_FILE, progress, WHOLE_CHECK)
    except OSError as error:
        raise refusal_of(error) from None


def _complete(file: Path, completion: Completion) -> None:
    engine = create_engine(URL.create("sqlite", database=str(file)).render_as_string())
    try:
        seal_columns(engine, completion.settings.secret)
        upgrade(engine)
        with writing(create_session_factory(engine)) as session:
            completion.complete(session)
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        engine.dispose()
    with open(file, "rb") as written:
        os.fsync(written.fileno())


def _path(url: URL) -> Path:
    path = sqlite_file(url)
    if path is None:
        raise Refused("a database in memory cannot be restored into")
    return path


def _remove(temporary: Path) -> None:
    for ending in JOURNALS:
        with contextlib.suppress(OSError):
            Path(f"{temporary}{ending}").unlink(missing_ok=True)


def check_unused(database: Path) -> None:
    """Raise Refused where a process has the file or one of its journals open.

    Without the rights of root only the processes of this user are visible.
    """
    names = {os.path.realpath(f"{database}{ending}") for ending in JOURNALS}
    for process in PROC.iterdir() if PROC.is_dir() else ():
        if process.name.isdigit() and int(process.name) != os.getpid() and _has_open(process, names):
            raise Refused(f"is in use by process {process.name}; stop it first", database)


def _has_open(process: Path, names: set[str]) -> bool:
    with contextlib.suppress(OSError):  # It has ended, or belongs to somebody else.
        for descriptor in os.scandir(process / "fd"):
            with contextlib.suppress(OSError):
                if os.readlink(descriptor.path).removesuffix(" (deleted)") in names:
                    return True
    return False


def check_no_journal(database: Path) -> None:
    """Raise Refused where a journal is left of a database that is gone: SQLite would apply it to the restored one."""
    left = [Path(f"{database}{ending}") for ending in JOURNALS[1:]]
    path = next((path for path in left if path.exists() and path.stat().st_size), None)
    if path is not None and not database.exists():
        raise Refused("is left of another database; remove it first", path)

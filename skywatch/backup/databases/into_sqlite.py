"""Restores into an SQLite file: made complete under another name next to it, and renamed at the end."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.engine import URL

from skywatch.backup.contents.files import copy_file
from skywatch.backup.contents.manifest import sync_folder
from skywatch.backup.contents.target import SQLITE_FILE
from skywatch.backup.databases import usage
from skywatch.backup.databases.completing import Completion
from skywatch.backup.databases.contents import check_rows
from skywatch.backup.databases.sqlite import QUICK_CHECK, contents_of, table_count
from skywatch.backup.errors import Refused, refusal_of
from skywatch.backup.progress import Progress
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import create_engine, create_session_factory, sqlite_file, writing
from skywatch.core.database.exclusive import FileLock, LockHeldError
from skywatch.core.database.migrations import upgrade
from skywatch.core.leading.only_tracker import LOCK

ENDING = "-restoring"
JOURNALS = ("", "-wal", "-shm", "-journal")


@contextlib.contextmanager
def reserved(url: URL) -> Iterator[None]:
    """Keep trackers away meanwhile; raises Refused unless the file is unused, and empty or not there."""
    database = _path(url)
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
        usage.check_unused(database)
        usage.check_no_journal(database)
        if count := table_count(database):
            raise Refused(f"has {count} tables already; name another file, or move it away", database)
        yield
    finally:
        lock.close()


def restore(url: URL, completion: Completion, progress: Progress) -> None:
    """Put the database of the backup in its place; raises Refused and Damaged."""
    database = _path(url)
    temporary = Path(f"{database}{ENDING}")
    source = completion.target / SQLITE_FILE
    _remove(temporary)
    try:
        free, needed = shutil.disk_usage(database.absolute().parent).free, source.stat().st_size
        if free < needed:
            raise Refused(f"needs {needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free", database.parent)
        copy_file(source, temporary, progress)
        check_rows(completion.manifest.rows, contents_of(temporary, progress, QUICK_CHECK, source).rows, source)
        _complete(temporary, completion)
        for ending in JOURNALS[1:]:
            Path(f"{database}{ending}").unlink(missing_ok=True)
        os.replace(temporary, database)
        sync_folder(database.absolute().parent)
    except OSError as error:
        raise refusal_of(error, database) from None
    finally:
        _remove(temporary)


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

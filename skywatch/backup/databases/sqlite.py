"""SQLite: copied by its backup API within one read transaction, so that no writer waits and nothing starts again.

Where another process writes between two steps, the API alone starts over each time; in WAL mode a reader's transaction
shows one state of the file for as long as it lasts. Meanwhile the journal grows by what is written.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from skywatch.backup.contents.files import copy_file
from skywatch.backup.contents.manifest import Manifest
from skywatch.backup.contents.target import SQLITE_FILE
from skywatch.backup.databases.contents import REVISION_TABLE, Contents, Schema, check_contents, check_schema
from skywatch.backup.errors import BackupError, Cancelled, Damaged, Refused, refusal_of
from skywatch.backup.progress import STOPPED, Progress
from skywatch.core.database.engine import create_engine
from skywatch.core.database.migrations import upgrade
from skywatch.core.private_files import create_private

# Pages of a step (8 MB with pages of 4 kB): between two of them a signal is looked at.
PAGES = 2048
BUSY_TIMEOUT_S = 15.0
# Steps of SQLite's machine between two looks at whether the process is being stopped.
STEPS = 1_000_000
# Pragmas: structure and every value of each page, and, four times as long, that each index has the rows of its table.
QUICK_CHECK, WHOLE_CHECK = "quick_check", "integrity_check"
# SQLite's own tables, which come and go with AUTOINCREMENT and ANALYZE.
_OWN = {"table sqlite_sequence", "table sqlite_stat1", "table sqlite_stat4"}
_TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|\S""")
# A table that was once renamed has its name in quotes.
_QUOTED = re.compile(r'\ACREATE TABLE "(\w+)"')
# Primary result codes of SQLite.
_INTERRUPTED, _FULL, _DAMAGED = 9, 13, (11, 24, 26)


def bytes_of(database: Path) -> int:
    """The size of the database as a backup has it (bytes); raises Refused where there is none."""
    if not database.is_file():
        raise Refused("there is no such database", database)
    with _translated(database), contextlib.closing(_open(database, "rw")) as connection:
        pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
        return pages * int(connection.execute("PRAGMA page_size").fetchone()[0])


def dump(database: Path, folder: Path, progress: Progress) -> Contents:
    """Copy the database into the backup's folder; raises Refused or, where the database itself is damaged, Damaged."""
    copy = folder / SQLITE_FILE
    with _translated(database):
        create_private(copy)
        with contextlib.closing(_open(database, "rw")) as source, contextlib.closing(_open(copy, "rw")) as target:
            # The backup is worthless until its manifest is there: one fsync at the end is enough.
            target.execute("PRAGMA synchronous=OFF")
            page_bytes: int = source.execute("PRAGMA page_size").fetchone()[0]
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            steps = _Steps(progress, page_bytes)
            source.backup(target, pages=PAGES, progress=steps.advance)
            # One file without journals, whoever opens it.
            target.execute("PRAGMA journal_mode=DELETE")
    _sync(copy)
    return contents_of(copy, progress, QUICK_CHECK, database)


def copy_checked(folder: Path, manifest: Manifest, copy: Path, progress: Progress, check: str) -> None:
    """Copy the database of a backup, and check the copy, which nobody else can change.

    ``check`` is the pragma for the pages. Raises Damaged where the copy is not what the manifest says, Refused where
    its schema is not that of the manifest's revision or there is no room.
    """
    source = folder / SQLITE_FILE
    try:
        free, needed = shutil.disk_usage(copy.parent).free, source.stat().st_size
        if free < needed:
            raise Refused(f"needs {needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free", copy.parent)
        _, sha256 = copy_file(source, copy, progress)
    except OSError as error:
        raise refusal_of(error, copy) from None
    if sha256 != next(file.sha256 for file in manifest.files if file.name == SQLITE_FILE):
        raise Damaged("was changed meanwhile", source)
    # Before anything runs that the schema may contain: even the check of the pages evaluates constraints.
    check_schema(schema_made(manifest.revision), _schema_of(copy, source), manifest.revision, source)
    check_contents(manifest, contents_of(copy, progress, check, source), source)


def _schema_of(file: Path, place: Path) -> Schema:
    with _translated(place), contextlib.closing(_open(file, "ro", immutable=True)) as connection:
        return _schema(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall(), place)


def schema_made(revision: str) -> Schema:
    """Return the schema that the migrations make in an empty database."""
    engine = create_engine("sqlite://")
    try:
        upgrade(engine, revision)
        with engine.connect() as connection:
            rows = connection.exec_driver_sql("SELECT type, name, tbl_name, sql FROM sqlite_master").all()
            return _schema(rows, "")
    finally:
        engine.dispose()


def _schema(rows: Iterable[Any], place: object) -> Schema:
    """Return the definitions of the catalogue word by word: their line breaks depend on what created them."""
    schema: dict[str, str | None] = {}
    for kind, name, table, sql in rows:
        key = f"{kind} {name}"
        if key in schema:
            raise Damaged(f"is damaged: its schema has {key} twice", place)
        if key not in _OWN:
            words = _TOKEN.findall(_QUOTED.sub(r"CREATE TABLE \1", sql or ""))
            schema[key] = f"{table}: {' '.join(words)}"
    return schema


class _Steps:
    """Tells a progress how many bytes each step has copied."""

    def __init__(self, progress: Progress, page_bytes: int) -> None:
        self._progress, self._page_bytes, self._done = progress, page_bytes, 0

    def advance(self, status: int, remaining: int, total: int) -> None:
        """Called after each step."""
        done = total - remaining
        self._progress.advance((done - self._done) * self._page_bytes)
        self._done = done


def contents_of(file: Path, progress: Progress, check: str, place: Path | None = None) -> Contents:
    """Check every page of a copy that nobody writes, and count its rows; ``check`` is the pragma that does it.

    Raises Damaged, which names ``place``.
    """
    place = place or file
    with _translated(place), contextlib.closing(_open(file, "ro", immutable=True)) as connection:
        connection.set_progress_handler(progress.is_cancelled, STEPS)
        result = connection.execute(f"PRAGMA {check}(1)").fetchone()[0]
        if result != "ok":
            raise Damaged(f"is damaged: {str(result).splitlines()[-1]}", place)
        names = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
                " ORDER BY name"
            )
        ]
        rows = {name: _row_count(connection, name) for name in names}
        revision = ""
        if REVISION_TABLE in rows:
            revisions = connection.execute("SELECT version_num FROM alembic_version").fetchall()
            revision = revisions[0][0] if len(revisions) == 1 else ""
        return Contents(revision, rows)


def table_count(database: Path) -> int:
    """The tables of a database that may be restored into; raises Refused where a process has it open or it is none."""
    if not database.exists() or database.stat().st_size == 0:
        return 0
    try:
        with contextlib.closing(_open(database, "rw", timeout_s=0.0)) as connection:
            # In this mode the lock is one on the whole file, which idle connections of others keep from us.
            connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            count: int = connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()[0]
            connection.execute("ROLLBACK")
            return count
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (5, 6):
            raise Refused("is in use: another process has it open", database) from None
        raise Refused(f"is there and cannot be opened: {error}", database) from None


def _open(path: Path, mode: str, *, immutable: bool = False, timeout_s: float = BUSY_TIMEOUT_S) -> Any:
    address = f"file:{quote(str(path.absolute()))}?mode={mode}" + ("&immutable=1" if immutable else "")
    connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=timeout_s)
    # The schema of a backup may be anybody's.
    connection.execute("PRAGMA trusted_schema=OFF")
    return connection


def _row_count(connection: Any, table: str) -> int:
    name = table.replace('"', '""')
    count: int = connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]  # noqa: S608 - of its own catalogue
    return count


def _sync(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())


@contextlib.contextmanager
def _translated(place: Path) -> Iterator[None]:
    """Errors of SQLite and the system as what an administrator reads."""
    try:
        yield
    except BackupError:
        raise
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == _INTERRUPTED:
            raise Cancelled(STOPPED) from None
        if code in _DAMAGED:
            raise Damaged(f"is damaged: {error}", place) from None
        raise Refused("the disk is full" if code == _FULL else f"SQLite: {error}", place) from None
    except OSError as error:
        raise refusal_of(error, place) from None

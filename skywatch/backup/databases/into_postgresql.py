"""Restores into an empty PostgreSQL database: the tables in one transaction, what makes them usable in a second one."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection
from sqlalchemy.orm import Session

from skywatch.backup.databases import postgresql
from skywatch.backup.databases.completing import Completion
from skywatch.backup.databases.contents import REVISION_TABLE, check_rows
from skywatch.backup.errors import Refused
from skywatch.backup.progress import Progress
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import reason
from skywatch.core.database.exclusive import LockHeldError, exclusive_lock
from skywatch.core.database.migrations import upgrade_within
from skywatch.core.leading.only_tracker import LOCK

log = logging.getLogger(__name__)


@contextlib.contextmanager
def reserved(url: URL) -> Iterator[None]:
    """Keep trackers away meanwhile; raises Refused unless the database is empty and nobody else is connected to it."""
    with postgresql.connected(url) as connection:
        postgresql.check_unused(connection)
    lock = exclusive_lock(url.render_as_string(hide_password=False), LOCK)
    try:
        lock.take()
    except LockHeldError as error:
        lock.close()
        raise Refused(f"the database is in use by {error}; stop it first", url.database) from None
    try:
        yield
    finally:
        lock.close()


def restore(url: URL, completion: Completion, progress: Progress) -> None:
    """Fill the database from the backup; raises Refused and Damaged."""
    postgresql.fill(url, completion.target, progress)
    with postgresql.connected(url) as connection:
        with connection.begin():
            _complete(connection, completion)
        _analyze(connection)


def _complete(connection: Connection, completion: Completion) -> None:
    """Compare, upgrade and mend; the row of the revision, without which no service starts, is written with it."""
    manifest = completion.manifest
    tables = [name for name in manifest.rows if name.rpartition(".")[2] == REVISION_TABLE]
    check_rows(manifest.rows, postgresql.contents_of(connection).rows, completion.target, but=tables)
    seal_columns(connection.engine, completion.settings.secret)
    connection.execute(sa.text(f"INSERT INTO {REVISION_TABLE} VALUES (:revision)"), {"revision": manifest.revision})  # noqa: S608
    upgrade_within(connection)
    with Session(connection, join_transaction_mode="create_savepoint") as session:
        completion.complete(session)
        session.commit()


def _analyze(connection: Connection) -> None:
    """Have the planner know the tables: a dump does not contain what it needs."""
    try:
        connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("ANALYZE")
    except sa.exc.DBAPIError as error:
        log.warning("the database is restored, but run ANALYZE yourself: %s", reason(error))

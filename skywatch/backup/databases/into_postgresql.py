"""Restores into an empty PostgreSQL database, in one transaction: it appears whole or not at all.

The migrations make the tables of the backup's revision, the rows of the dump are copied into them, and the migrations
go on to the newest revision. No statement of the dump is run.
"""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection
from sqlalchemy.orm import Session

from skywatch.backup.contents.manifest import Manifest
from skywatch.backup.contents.target import POSTGRESQL_FILE
from skywatch.backup.databases import dump, postgresql
from skywatch.backup.databases.completion import Completion
from skywatch.backup.databases.contents import check_contents, check_schema
from skywatch.backup.errors import Damaged, Refused
from skywatch.backup.progress import Progress
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import reason
from skywatch.core.database.locks import LockHeldError, exclusive_lock
from skywatch.core.database.migrations import upgrade_within
from skywatch.core.election.tracker_election import LOCK

log = logging.getLogger(__name__)
TRIAL_PREFIX = "skywatch_trial_"
# What drops and what makes each key and index, in the order in which they are made: rows are copied without them.
_KEYS = """
SELECT dropped, made FROM (
    SELECT CASE k.contype WHEN 'f' THEN 3 ELSE 1 END AS turn,
        format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname) AS dropped,
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid))
            AS made
    FROM pg_constraint k WHERE k.connamespace = current_schema()::regnamespace AND k.contype IN ('p', 'u', 'f')
    UNION ALL SELECT 2, format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relnamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)
) AS keys ORDER BY turn
"""
_COLUMNS = """
SELECT c.relname, array_agg(a.attname::text) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
GROUP BY c.relname
"""


@contextlib.contextmanager
def restored(url: URL, completion: Completion, progress: Progress) -> Iterator[None]:
    """Fill the database from the backup, and keep that only where the block does not raise.

    Raises Refused unless the database is empty and nobody else is connected to it, and what ``fill`` raises.
    """
    with _reserved(url), postgresql.connected(url) as connection:
        with connection.begin():
            fill(connection, completion.target, completion.manifest, progress)
            yield
            seal_columns(connection.engine, completion.settings.secret)
            upgrade_within(connection)
            with Session(connection, join_transaction_mode="create_savepoint") as session:
                completion.complete(session)
                session.commit()
        _analyze(connection)


@contextlib.contextmanager
def _reserved(url: URL) -> Iterator[None]:
    """Keep trackers away meanwhile."""
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


def fill(connection: Connection, folder: Path, manifest: Manifest, progress: Progress) -> None:
    """Make the tables of a backup's revision within the transaction, and copy its rows into them.

    Raises Refused where the backup's schema is not that of its revision, Damaged where the dump cannot be read or its
    contents are not those of the manifest.
    """
    place = folder / POSTGRESQL_FILE
    connection.execute(sa.text("SET LOCAL idle_in_transaction_session_timeout = 0"))
    if connection.scalar(sa.text("SELECT current_schema()")) is None:
        raise Refused(
            "there is no schema to restore into (search_path); create it first", connection.engine.url.database
        )
    before = postgresql.schema_of(connection)
    upgrade_within(connection, manifest.revision)
    schema, version = dump.schema_of(folder)
    expected = {name: text for name, text in postgresql.schema_of(connection).items() if name not in before}
    if version != connection.dialect.server_version_info[0]:  # type: ignore[index]
        # Another release may print the same definition in other words.
        schema = dict.fromkeys(schema)
    check_schema(expected, schema, manifest.revision, place)
    # A cursor of the driver: what follows is passed on as it is.
    with contextlib.closing(connection.connection.driver_connection.cursor()) as cursor:  # type: ignore[union-attr]
        _copy(cursor, folder, manifest, progress)
    check_contents(manifest, postgresql.contents_of(connection), place)


def _copy(cursor: Any, folder: Path, manifest: Manifest, progress: Progress) -> None:
    import psycopg
    from psycopg import sql

    tables = dict(cursor.execute(_COLUMNS).fetchall())
    keys = cursor.execute(_KEYS).fetchall()
    try:
        for dropped, _ in reversed(keys):
            cursor.execute(dropped)
        cursor.execute(sql.SQL("TRUNCATE {}").format(sql.SQL(", ").join(map(sql.Identifier, tables))))
        with dump.data_of(folder, manifest, progress) as data:
            for part in data:
                if isinstance(part, dump.SequenceValue):
                    values = (part.sequence, part.value, part.is_called)
                    cursor.execute("SELECT setval(quote_ident(%s)::regclass, %s, %s)", values)
                    continue
                if not set(part.columns) <= set(tables.get(part.table, ())):
                    raise dump.DumpError(f"contains rows of {part.table!a} that do not fit its revision")
                columns = sql.SQL(", ").join(map(sql.Identifier, part.columns))
                statement = sql.SQL("COPY {} ({}) FROM STDIN (ENCODING {})")
                with cursor.copy(statement.format(sql.Identifier(part.table), columns, part.encoding)) as copy:
                    for rows, _ in part.batches:
                        copy.write(rows)
        for _, made in keys:
            cursor.execute(made)
    except (psycopg.DataError, psycopg.IntegrityError) as error:
        place = folder / POSTGRESQL_FILE
        raise Damaged(f"contains rows that do not fit its revision ({reason(error)})", place) from None
    except psycopg.Error as error:
        raise Refused(f"PostgreSQL: {reason(error)}") from None


def trial(url: URL, folder: Path, manifest: Manifest, progress: Progress) -> None:
    """Restore into a temporary database of the server, and drop that."""
    name = f"{TRIAL_PREFIX}{secrets.token_hex(6)}"
    with postgresql.connected(url) as connection:
        admin = connection.execution_options(isolation_level="AUTOCOMMIT")
        admin.exec_driver_sql(f'CREATE DATABASE "{name}" TEMPLATE template0')
        try:
            with postgresql.connected(url.set(database=name)) as empty, empty.begin():
                fill(empty, folder, manifest, progress)
        finally:
            admin.exec_driver_sql(f'DROP DATABASE IF EXISTS "{name}"')


def _analyze(connection: Connection) -> None:
    """Have the planner know the tables: a dump does not contain what it needs."""
    try:
        connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("ANALYZE")
    except sa.exc.DBAPIError as error:
        log.warning("the database is restored, but run ANALYZE yourself: %s", reason(error))

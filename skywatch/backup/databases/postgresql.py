"""PostgreSQL: ``pg_dump`` in the custom format and ``pg_restore``, both through pipes of ours.

So the end of this process, however it comes, ends them as well: a restore whose input stops is rolled back.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection

from skywatch.backup.contents.target import POSTGRESQL_FILE
from skywatch.backup.databases.contents import REVISION_TABLE, Contents
from skywatch.backup.databases.programs import environment_of, program, pump, running
from skywatch.backup.errors import Damaged, Refused, refusal_of
from skywatch.backup.progress import Progress
from skywatch.core.database.engine import check_connection, create_engine, reason
from skywatch.core.process.private_files import private_opener

# How long pg_dump waits for a table that an upgrade or VACUUM FULL has locked (ms).
LOCK_WAIT_MS = 60_000
TRIAL_PREFIX = "skywatch_trial_"
_TABLES = sa.text(
    "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema' ORDER BY 1, 2"
)


@contextmanager
def connected(url: URL) -> Iterator[Connection]:
    """A connection without limits of time; raises DatabaseError where there is no such database."""
    engine = create_engine(url.render_as_string(hide_password=False))
    try:
        check_connection(engine)
        with engine.connect() as connection:
            yield connection
    except sa.exc.DBAPIError as error:
        raise Refused(f"PostgreSQL: {reason(error)}") from None
    finally:
        engine.dispose()


def dump(url: URL, folder: Path, progress: Progress) -> Contents:
    """Write the database's dump into the backup's folder; rows are counted in the snapshot that ``pg_dump`` reads."""
    command = [program("pg_dump"), "--format=custom", "--no-password", f"--lock-wait-timeout={LOCK_WAIT_MS}"]
    with connected(url) as connection:
        connection = connection.execution_options(isolation_level="REPEATABLE READ")
        connection.execute(sa.text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        snapshot = connection.scalar(sa.text("SELECT pg_export_snapshot()"))
        contents = contents_of(connection)
        path = folder / POSTGRESQL_FILE
        with running([*command, f"--snapshot={snapshot}"], environment_of(url), stdout=-1) as process:
            assert process.stdout is not None
            try:
                with open(path, "wb", opener=private_opener) as file:
                    pump(process.stdout.read, file.write, progress.advance)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise refusal_of(error, path) from None
        return contents


def contents_of(connection: Connection) -> Contents:
    """Count the rows of every table, by ``schema.table``."""
    rows: dict[str, int] = {}
    revision = ""
    quote = connection.dialect.identifier_preparer.quote
    for schema, table in connection.execute(_TABLES).all():
        name = f"{quote(schema)}.{quote(table)}"
        rows[f"{schema}.{table}"] = connection.scalar(sa.text(f"SELECT count(*) FROM {name}")) or 0  # noqa: S608 - of the catalogue, quoted
        if table == REVISION_TABLE:
            revision = connection.scalar(sa.text(f"SELECT version_num FROM {name}")) or ""  # noqa: S608
    return Contents(revision, rows)


def check_unused(connection: Connection) -> None:
    """Raise Refused where a database has tables, or any other session is connected to it."""
    name = connection.engine.url.database
    tables = connection.execute(_TABLES).all()
    if tables:
        raise Refused(f"the database has {len(tables)} tables already; name an empty one", name)
    others = connection.execute(
        sa.text(
            "SELECT coalesce(nullif(application_name, ''), 'session ' || pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
    ).all()
    if others:
        raise Refused(f"the database is in use by {len(others)} sessions ({others[0][0]})", name)


def fill(url: URL, folder: Path, progress: Progress) -> None:
    """Restore into an empty database in one transaction, without the row that says which schema it has.

    Until that row is there no service starts on the database.
    """
    path = folder / POSTGRESQL_FILE
    restore = program("pg_restore")
    with tempfile.TemporaryDirectory() as place:
        chosen = Path(place) / "list"
        chosen.write_bytes(b"\n".join(_chosen(_listed(restore, path))))
        command = [
            *(restore, "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", "--no-password"),
            *(f"--use-list={chosen}", f"--dbname={_database_argument(url)}"),
        ]
        with running(command, environment_of(url), stdin=-1) as process, open(path, "rb") as file:
            assert process.stdin is not None
            pump(file.read, process.stdin.write, progress.advance)


def _database_argument(url: URL) -> str:
    from psycopg.conninfo import make_conninfo

    return make_conninfo(dbname=url.database or "")


def _listed(restore: str, path: Path) -> list[bytes]:
    with running([restore, "--list", str(path)], os.environ, stdout=-1) as process:
        assert process.stdout is not None
        return process.stdout.read().splitlines()


def _chosen(lines: list[bytes]) -> Iterator[bytes]:
    """The entries to restore: no schema that every database has, no row of the schema's revision."""
    for line in lines:
        words = line.split()
        # ``215; 1259 16385 TABLE public users owner``, comments begin with a semicolon.
        kind = b" ".join(words[3:])
        is_revision = kind.startswith(b"TABLE DATA ") and len(words) > 6 and words[6] == REVISION_TABLE.encode()
        if not is_revision and not kind.startswith((b"SCHEMA - public ", b"COMMENT - SCHEMA public ")):
            yield line


def count_dumped(folder: Path, progress: Progress) -> dict[str, int]:
    """Decode the whole dump without a server, and count the rows of each table; raises Damaged."""
    rows: dict[str, int] = {}
    command = [program("pg_restore"), "--data-only", "--file=-", str(folder / POSTGRESQL_FILE)]
    try:
        with running(command, os.environ, stdout=-1) as process:
            assert process.stdout is not None
            table = ""
            for line in process.stdout:
                if table:
                    if line == b"\\.\n":
                        table = ""
                    else:
                        rows[table] += 1
                elif line.startswith(b"COPY ") and line.endswith(b" FROM stdin;\n"):
                    table = line[5:].partition(b" (")[0].decode().replace('"', "")
                    rows[table] = 0
    except Refused as error:
        raise Damaged(error.public, folder / POSTGRESQL_FILE) from None
    progress.advance(0)
    return rows


def trial(url: URL, folder: Path, progress: Progress) -> Contents:
    """Restore into a temporary database of the server, look into it, and drop it."""
    name = f"{TRIAL_PREFIX}{secrets.token_hex(6)}"
    with connected(url) as connection:
        admin = connection.execution_options(isolation_level="AUTOCOMMIT")
        admin.exec_driver_sql(f'CREATE DATABASE "{name}" TEMPLATE template0')
        try:
            fill(url.set(database=name), folder, progress)
            with connected(url.set(database=name)) as restored:
                return contents_of(restored)
        finally:
            admin.exec_driver_sql(f'DROP DATABASE IF EXISTS "{name}"')

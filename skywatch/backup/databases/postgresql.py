"""PostgreSQL: ``pg_dump`` in the custom format, through a pipe of ours; and what its catalogue says of a database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection

from skywatch.backup.contents.target import POSTGRESQL_FILE
from skywatch.backup.databases.contents import REVISION_TABLE, Contents, Schema
from skywatch.backup.databases.dump import comparable, without_schema
from skywatch.backup.databases.programs import environment_of, program, pump, running
from skywatch.backup.errors import Refused, refusal_of
from skywatch.backup.progress import Progress
from skywatch.core.database.engine import check_connection, create_engine, reason
from skywatch.core.private_files import private_opener

# How long pg_dump waits for a table that an upgrade or VACUUM FULL has locked (ms).
LOCK_WAIT_MS = 60_000
_TABLES = (
    "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'"
)
_ALL_TABLES = sa.text(f"{_TABLES} ORDER BY 1, 2")
# Those of extensions are no part of a dump of one schema.
_OUR_TABLES = sa.text(
    f"{_TABLES} AND n.nspname = current_schema() AND NOT EXISTS"  # noqa: S608 - of constants
    " (SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')"
    " ORDER BY 1, 2"
)
# The definitions of a schema, as pg_dump prints them. A table has a row for each column and condition.
_DEFINITIONS = sa.text("""
WITH ours AS (
    SELECT c.oid, CAST(c.relname AS text) AS relname, c.relkind FROM pg_class c
    WHERE c.relnamespace = CAST(:schema AS regnamespace)
), defaults AS (
    SELECT d.adrelid, d.adnum, pg_get_expr(d.adbin, d.adrelid) AS value FROM pg_attrdef d
), columns AS (
    SELECT t.relname, a.attname, d.value, quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod) AS type,
        CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS filled
    FROM ours t JOIN pg_attribute a ON a.attrelid = t.oid
    LEFT JOIN defaults d ON d.adrelid = t.oid AND d.adnum = a.attnum
    WHERE t.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
), conditions AS (
    SELECT t.relname, k.contype, k.conname, quote_ident(t.relname) AS quoted,
        'CONSTRAINT ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid) AS definition
    FROM ours t JOIN pg_constraint k ON k.conrelid = t.oid
)
SELECT 'TABLE', relname,
    type || CASE WHEN value NOT LIKE 'nextval(%' THEN ' DEFAULT ' || value ELSE '' END || filled FROM columns
UNION ALL SELECT 'TABLE', relname, definition FROM conditions WHERE contype = 'c'
UNION ALL SELECT 'DEFAULT', relname || ' ' || attname,
    'ALTER TABLE ONLY ' || quote_ident(relname) || ' ALTER COLUMN ' || quote_ident(attname) || ' SET DEFAULT ' || value
    FROM columns WHERE value LIKE 'nextval(%'
UNION ALL SELECT CASE contype WHEN 'f' THEN 'FK CONSTRAINT' ELSE 'CONSTRAINT' END, relname || ' ' || conname,
    'ALTER TABLE ONLY ' || quoted || ' ADD ' || definition FROM conditions WHERE contype IN ('p', 'u', 'x', 'f')
UNION ALL SELECT 'INDEX', i.relname, pg_get_indexdef(i.oid) FROM ours i WHERE i.relkind = 'i'
    AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.oid AND k.contype IN ('p', 'u', 'x'))
UNION ALL SELECT kind, s.relname, NULL FROM ours s, (VALUES ('SEQUENCE'), ('SEQUENCE OWNED BY')) AS v(kind)
    WHERE s.relkind = 'S'
UNION ALL SELECT 'FUNCTION', p.proname || '(' || oidvectortypes(p.proargtypes) || ')', '$' || p.prosrc || '$;'
    FROM pg_proc p WHERE p.pronamespace = CAST(:schema AS regnamespace)
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
""")


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
    # What else is in the database (extensions, other schemas) could not be restored.
    with connected(url) as connection:
        connection = connection.execution_options(isolation_level="REPEATABLE READ")
        connection.execute(sa.text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        snapshot = connection.scalar(sa.text("SELECT pg_export_snapshot()"))
        contents = contents_of(connection)
        schema = str(connection.scalar(sa.text("SELECT current_schema()"))).replace('"', '""')
        command += [f'--schema="{schema}"', f"--snapshot={snapshot}"]
        path = folder / POSTGRESQL_FILE
        with running(command, environment_of(url), stdout=-1) as process:
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
    """Count the rows of every table of Skywatch's schema, by ``schema.table``."""
    rows: dict[str, int] = {}
    revisions: list[str] = []
    quote = connection.dialect.identifier_preparer.quote
    for schema, table in connection.execute(_OUR_TABLES).all():
        name = f"{quote(schema)}.{quote(table)}"
        rows[f"{schema}.{table}"] = connection.scalar(sa.text(f"SELECT count(*) FROM {name}")) or 0  # noqa: S608 - of the catalogue, quoted
        if table == REVISION_TABLE:
            revisions = list(connection.scalars(sa.text(f"SELECT version_num FROM {name}")))  # noqa: S608
    return Contents(revisions[0] if len(revisions) == 1 else "", rows)


def schema_of(connection: Connection) -> Schema:
    """Return the definitions of Skywatch's schema in the form of ``dump.schema_of``.

    A migration that makes another kind of object adds that to the query.
    """
    schema, path = connection.execute(sa.text("SELECT current_schema(), current_setting('search_path')")).one()
    # As with pg_dump every name is qualified then.
    connection.execute(sa.text("SELECT set_config('search_path', '', true)"))
    rows = connection.execute(_DEFINITIONS, {"schema": quoted(connection, schema)}).all()
    connection.execute(sa.text("SELECT set_config('search_path', :path, true)"), {"path": path})
    result: dict[str, str | None] = {}
    columns: dict[str, list[str]] = {}
    for kind, name, definition in rows:
        text = without_schema(definition or "", schema)
        if kind == "TABLE":
            columns.setdefault(name, []).append(text)
        else:
            result[f"{kind} {name}"] = comparable(kind, text)
    return {**result, **{f"TABLE {name}": "\n".join(sorted(lines)) for name, lines in columns.items()}}


def quoted(connection: Connection, name: str) -> str:
    """Return a name as an identifier."""
    return connection.dialect.identifier_preparer.quote_identifier(name)


def check_unused(connection: Connection) -> None:
    """Raise Refused where a database has tables, or any other session is connected to it."""
    name = connection.engine.url.database
    tables = connection.execute(_ALL_TABLES).all()
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

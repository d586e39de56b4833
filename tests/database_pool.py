"""Databases of tests on PostgreSQL: copies of a template that are emptied and used again.

To create and to drop a database takes the server many times longer than to delete the few rows that a test wrote. A
database goes back to the state of its template under another name, so that nothing that an earlier test left running
finds it. One whose schema or size has changed is dropped.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from tests.servers import POSTGRESQL_URL, require

# A database that has grown by more is dropped rather than emptied.
MAX_GROWTH = 1 << 20
# Whatever changes the schema writes rows of these catalogs anew, under the number of its transaction. (What the server
# counts for itself it writes in place.) To read all definitions takes ten times longer.
_CATALOGS = ("attrdef", "attribute", "class", "constraint", "index", "namespace", "proc", "sequence", "trigger", "type")
_SCHEMA = f"""
SELECT concat_ws(' ',
    {", ".join(f"(SELECT concat(count(*), ' ', max(xmin::text::bigint)) FROM pg_{name})" for name in _CATALOGS)},
    (SELECT string_agg(setconfig::text, ' ') FROM pg_db_role_setting
        WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))
)
"""
_SEQUENCES = "SELECT sequencename, last_value, start_value FROM pg_sequences WHERE schemaname = 'public'"


@dataclass(frozen=True)
class _Template:
    """What a database is brought back to."""

    schema: str
    size: int
    tables: tuple[str, ...]
    rows: dict[str, list[dict[str, Any]]]
    sequences: dict[str, tuple[int | None, int]]


class DatabasePool:
    """Copies of the database ``template``; used by one test after the other."""

    def __init__(self, template: str) -> None:
        self._url = sa.make_url(require(POSTGRESQL_URL, "PostgreSQL"))
        self._name = template
        self._free: list[str] = []
        # One engine for all databases: each asks the server for its version and its settings.
        self._engine = sa.create_engine(self._url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        sa.event.listen(self._engine, "do_connect", self._choose_database)
        # One connection for all: a new one costs the server more than what it is made for.
        self._server = self._connected()
        with self._connected(template) as connection:
            self._template = _read(connection)

    def take(self) -> str:
        """The URL of a database that nobody else uses."""
        if self._free:
            name = self._free.pop()
        else:
            name = _new_name()
            self._server.exec_driver_sql(f'CREATE DATABASE "{name}" TEMPLATE "{self._name}"')
        return self._url.set(database=name).render_as_string(hide_password=False)

    def give_back(self, url: str) -> None:
        """End all connections to a database that was taken, and make it ready for the next test."""
        name, renamed = str(sa.make_url(url).database), _new_name()
        self._server.exec_driver_sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        ours = sa.text("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = :name")
        self._server.execute(ours, {"name": name})
        try:
            self._server.exec_driver_sql(f'ALTER DATABASE "{name}" RENAME TO "{renamed}"')
        except sa.exc.OperationalError:
            # A connection that was being made when the others were ended.
            self._drop(name)
            return
        self._server.exec_driver_sql(f'ALTER DATABASE "{renamed}" ALLOW_CONNECTIONS true')
        with self._connected(renamed) as connection:
            is_restored = self._restore(connection)
        if is_restored:
            self._free.append(renamed)
        else:
            self._drop(renamed)

    def close(self) -> None:
        """Drop all databases that were given back, and end the connection."""
        while self._free:
            self._drop(self._free.pop())
        self._server.close()

    def _restore(self, connection: sa.Connection) -> bool:
        """Bring the rows back to those of the template; False where that is not all that has changed."""
        template = self._template
        if connection.exec_driver_sql(_SCHEMA).scalar_one() != template.schema:
            return False
        if _size(connection) > template.size + MAX_GROWTH:
            return False
        # Neither foreign keys nor triggers: everything goes, and what comes back was consistent.
        connection.exec_driver_sql("SET session_replication_role = replica")
        filled = _filled(connection, template.tables)
        for table in {*filled, *template.rows}:
            connection.exec_driver_sql(f'DELETE FROM "{table}"')
        for table, rows in template.rows.items():
            _insert(connection, table, rows)
        for sequence, last, start in connection.exec_driver_sql(_SEQUENCES).all():
            if template.sequences[sequence] != (last, start):
                is_called = template.sequences[sequence][0] is not None
                value = template.sequences[sequence][0] or start
                move = sa.text("SELECT setval(CAST(:name AS regclass), :value, :is_called)")
                connection.execute(move, {"name": f'public."{sequence}"', "value": value, "is_called": is_called})
        return True

    def _drop(self, name: str) -> None:
        self._server.exec_driver_sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def _connected(self, database: str | None = None) -> sa.Connection:
        self._database = database or self._url.database
        return self._engine.connect()

    def _choose_database(self, dialect: Any, record: Any, arguments: Any, named: dict[str, Any]) -> None:
        named["dbname"] = self._database


def _new_name() -> str:
    return f"skywatch_test_{secrets.token_hex(6)}"


def _read(connection: sa.Connection) -> _Template:
    query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
    tables = tuple(connection.exec_driver_sql(query).scalars())
    rows = {
        table: [row[0] for row in connection.exec_driver_sql(f'SELECT to_jsonb(t) FROM "{table}" AS t')]
        for table in _filled(connection, tables)
    }
    sequences = {name: (last, start) for name, last, start in connection.exec_driver_sql(_SEQUENCES)}
    schema = connection.exec_driver_sql(_SCHEMA).scalar_one()
    return _Template(schema, _size(connection), tables, rows, sequences)


def _filled(connection: sa.Connection, tables: tuple[str, ...]) -> list[str]:
    """Those of the tables that have rows."""
    queries = (f"SELECT '{table}' WHERE EXISTS (SELECT FROM \"{table}\")" for table in tables)
    return list(connection.exec_driver_sql(" UNION ALL ".join(queries)).scalars())


def _insert(connection: sa.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    generated = sa.text(
        "SELECT attname FROM pg_attribute WHERE attrelid = CAST(:table AS regclass) AND attnum > 0"
        " AND attgenerated = '' AND NOT attisdropped"
    )
    names = ", ".join(f'"{name}"' for name in connection.execute(generated, {"table": f'public."{table}"'}).scalars())
    statement = sa.text(
        f'INSERT INTO "{table}" ({names}) OVERRIDING SYSTEM VALUE'
        f' SELECT {names} FROM jsonb_populate_recordset(NULL::"{table}", CAST(:rows AS jsonb))'
    ).bindparams(sa.bindparam("rows", type_=sa.JSON))
    connection.execute(statement, {"rows": rows})


def _size(connection: sa.Connection) -> int:
    return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())

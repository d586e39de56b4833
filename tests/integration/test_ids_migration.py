"""The migration with which SQLite gives each id once: rows, what refers to them and the schema stay as they were."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys

import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import create_engine
from skywatch.core.database.migrations import downgrade, upgrade

BEFORE, AFTER = "0027", "0028"
CHANGED = (
    "alert_rules", "alert_geofences", "alert_watchlists", "alerts",
    "cannonball_known_aircraft", "cannonball_sessions", "cannonball_patterns", "cannonball_alerts",
)  # fmt: skip
ROWS = 3
VALUES = {"INTEGER": "{n}", "BIGINT": "{n}", "SMALLINT": "{n}", "BOOLEAN": "{n} % 2", "DOUBLE": "{n} / 3.0"}
VALUES |= {"JSON": '\'["{n}",  "Zürich"]\'', "DATETIME": "'2026-05-0{n} 12:00:00.000000'", "BLOB": "x'00ff0{n}'"}
# What an administrator may have added.
OWN = (
    "CREATE VIEW busy_rules AS SELECT rule_id, count(*) FROM alerts JOIN alert_rules r ON r.id = rule_id GROUP BY 1",
    "CREATE INDEX own_index ON alerts (callsign) WHERE callsign IS NOT NULL",
    "CREATE TABLE own_log (text)",
    "CREATE TRIGGER own_trigger AFTER DELETE ON alert_rules BEGIN INSERT INTO own_log VALUES (old.name || '?%'); END",
)


@pytest.fixture(scope="module")
def release_before(tmp_path_factory):
    """A database of the release before, with rows in every table, each referring to one of its own number."""
    path = tmp_path_factory.mktemp("before") / "skywatch.sqlite"
    engine = create_engine(f"sqlite:///{path}")
    upgrade(engine, BEFORE)
    with engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
        for table in tables(connection):
            fill(connection, table)
        for statement in OWN:
            connection.exec_driver_sql(statement)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    engine.dispose()
    return path


@pytest.fixture
def engine(release_before, tmp_path):
    """A copy of it."""
    path = shutil.copy(release_before, tmp_path)
    engine = create_engine(f"sqlite:///{path}")
    yield engine
    engine.dispose()


def tables(connection):
    names = "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    return [name for name in connection.exec_driver_sql(names).scalars() if name != "alembic_version"]


def fill(connection, table):
    connection.exec_driver_sql(f"DELETE FROM {table}")
    columns = connection.exec_driver_sql(f"PRAGMA table_info({table})").all()
    for n in range(1, ROWS + 1):
        values = [VALUES.get(column.type, f"'{n}'").format(n=n) for column in columns]
        names = ", ".join(f'"{column.name}"' for column in columns)
        connection.exec_driver_sql(f"INSERT INTO {table} ({names}) VALUES ({', '.join(values)})")


def contents(engine):
    """All rows of all tables as SQL literals, which tell types and bytes apart."""
    with engine.connect() as connection:
        rows = {}
        for table in tables(connection):
            columns = connection.exec_driver_sql(f"PRAGMA table_info({table})").all()
            literals = ", ".join(f'quote("{column.name}")' for column in columns)
            rows[table] = connection.exec_driver_sql(f"SELECT {literals} FROM {table} ORDER BY 1").all()
        return rows


def schema(engine):
    """The definitions of everything in the database, without quotation marks, which renaming adds."""
    query = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name != 'alembic_version'"
    with engine.connect() as connection:
        return {
            (kind, name, table): (sql or "").replace('"', "")
            for kind, name, table, sql in connection.exec_driver_sql(query)
        }


def scalars(engine, query):
    with engine.connect() as connection:
        return connection.exec_driver_sql(query).scalars().all()


def is_sound(engine):
    return scalars(engine, "PRAGMA foreign_key_check") == [] and scalars(engine, "PRAGMA integrity_check") == ["ok"]


def add_row(engine, table):
    """The id of a new row, which refers to the first rows of other tables."""
    with engine.begin() as connection:
        columns = connection.exec_driver_sql(f"PRAGMA table_info({table})").all()[1:]
        values = [
            VALUES.get(column.type, "'x'").format(n=9 if column.name == "revision" else 1)
            if column.type != "VARCHAR(6)" and column.name != "key"
            else "hex(randomblob(3))"
            for column in columns
        ]
        names = ", ".join(f'"{column.name}"' for column in columns)
        insert = f"INSERT INTO {table} ({names}) VALUES ({', '.join(values)}) RETURNING id"
        return connection.exec_driver_sql(insert).scalar_one()


def test_rows_and_schema_stay_as_they_were(engine):
    rows, before = contents(engine), schema(engine)
    assert all(len(rows[table]) == ROWS for table in rows if table != "own_log")
    upgrade(engine, AFTER)
    assert contents(engine) == rows
    after = schema(engine)
    assert {key for key in after if after[key] != before.get(key)} == {("table", name, name) for name in CHANGED}
    for table in CHANGED:
        (left, right) = after["table", table, table].split("(id AUTOINCREMENT)")
        assert f"{left}(id){right}" == before["table", table, table]
    assert before.keys() == after.keys()
    assert is_sound(engine)
    downgrade(engine, BEFORE)
    assert (contents(engine), schema(engine)) == (rows, before)
    assert is_sound(engine)
    assert set(scalars(engine, "SELECT name FROM sqlite_sequence")).isdisjoint(CHANGED)


def test_references_and_triggers_work_afterwards(engine):
    upgrade(engine, AFTER)
    with engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM alert_rules WHERE id = 3")
        connection.exec_driver_sql("DELETE FROM cannonball_sessions WHERE id = 3")
    assert scalars(engine, "SELECT rule_id FROM alert_matches") == [1, 2]
    assert scalars(engine, "SELECT rule_id FROM alerts ORDER BY id") == [1, 2, None]
    assert scalars(engine, "SELECT session_id FROM cannonball_alerts") == [1, 2]
    assert scalars(engine, "SELECT text FROM own_log") == ["3?%"]
    assert scalars(engine, "SELECT rule_id FROM busy_rules") == [1, 2]


@pytest.mark.parametrize("table", CHANGED)
def test_the_id_of_the_newest_row_is_not_given_again(engine, table):
    upgrade(engine, AFTER)
    newest = add_row(engine, table)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"DELETE FROM {table}")
    assert newest > ROWS
    assert add_row(engine, table) > newest


@pytest.mark.parametrize(
    ("table", "name"),
    [
        ("alert_rules", "UPDATE notify_deliveries SET rule_id = 77 WHERE id = 2"),
        ("alert_rules", "UPDATE notify_publishers SET announced = '[\"9\", \"77\"]' WHERE name = '2'"),
        ("alerts", "UPDATE notify_deliveries SET kind = 'alert', subject_id = 77 WHERE id = 2"),
        ("alerts", "UPDATE alert_matches SET alert_id = 77 WHERE rule_id = 2"),
        ("alerts", "UPDATE notify_publishers SET position = 77 WHERE name = '2'"),
        ("cannonball_alerts", "UPDATE notify_deliveries SET kind = 'cannonball', subject_id = 77 WHERE id = 2"),
        ("cannonball_sessions", "UPDATE notify_deliveries SET kind = 'cannonball', body = '{\"session\": 77}'"),
        ("cannonball_patterns", "UPDATE notify_deliveries SET kind = 'cannonball', body = '{\"pattern\": 77}'"),
    ],
)
@pytest.mark.parametrize("is_empty", [False, True], ids=["rows", "empty"])
def test_ids_that_are_still_named_are_not_given_again(engine, table, name, is_empty):
    with engine.begin() as connection:
        if is_empty:
            connection.exec_driver_sql(f"DELETE FROM {table}")
        connection.exec_driver_sql(name)
    upgrade(engine, AFTER)
    assert add_row(engine, table) == 78


KILLED = """
import os, signal, sys
import sqlalchemy as sa
from skywatch.core.database.engine import create_engine
from skywatch.core.database.migrations import upgrade

engine = create_engine(sys.argv[1])

@sa.event.listens_for(engine, "before_cursor_execute")
def _kill(connection, cursor, statement, *rest):
    if statement.startswith(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

upgrade(engine, "0028")
"""


@pytest.mark.parametrize("at", ["ALTER TABLE cannonball_sessions_new", "UPDATE alembic_version"])
def test_a_migration_that_is_killed_leaves_the_old_state(engine, at):
    rows, before = contents(engine), schema(engine)
    engine.dispose()
    ended = subprocess.run([sys.executable, "-c", KILLED, str(engine.url), at], env=os.environ, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert (contents(engine), schema(engine)) == (rows, before)
    assert scalars(engine, "SELECT version_num FROM alembic_version") == [BEFORE]
    assert is_sound(engine)
    upgrade(engine, AFTER)
    assert contents(engine) == rows


def test_tables_are_not_dropped_while_foreign_keys_are_on(engine, monkeypatch):
    rows = contents(engine)
    monkeypatch.setattr("skywatch.core.database.engine.without_foreign_keys", contextlib.nullcontext)
    with pytest.raises(RuntimeError, match="foreign keys are on"):
        upgrade(engine, AFTER)
    assert contents(engine) == rows


def test_foreign_keys_are_on_after_a_migration_and_after_one_that_fails(engine):
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE alerts_new (id)")
    with pytest.raises(sa.exc.OperationalError, match="alerts_new already exists"):
        upgrade(engine, AFTER)
    assert scalars(engine, "PRAGMA foreign_keys") == [1]
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE alerts_new")
    upgrade(engine, AFTER)
    assert scalars(engine, "PRAGMA foreign_keys") == [1]
    assert scalars(engine, "PRAGMA legacy_alter_table") == [0]


def test_a_reference_that_was_broken_before_is_no_hindrance(engine):
    # As with the command sqlite3, which follows no foreign keys.
    raw = engine.raw_connection()
    raw.driver_connection.execute("PRAGMA foreign_keys=OFF")
    raw.driver_connection.execute("DELETE FROM users WHERE id = 2")
    raw.driver_connection.execute("PRAGMA foreign_keys=ON")
    raw.close()
    rows = contents(engine)
    upgrade(engine, AFTER)
    assert contents(engine) == rows

"""The pool of test databases: what a test leaves behind does not reach the next."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from tests.database_pool import DatabasePool
from tests.servers import POSTGRESQL_URL

pytestmark = pytest.mark.deep("starts servers or programs of its own")


@pytest.fixture
def pool(migrated_postgresql):
    pool = DatabasePool(migrated_postgresql)
    yield pool
    pool.close()


def everything(url):
    """All rows of all tables, and where all sequences are."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        tables = connection.exec_driver_sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").scalars()
        rows = {
            table: sorted(connection.exec_driver_sql(f'SELECT t::text FROM "{table}" AS t').scalars())
            for table in tables.all()
        }
        places = connection.exec_driver_sql("SELECT sequencename, last_value FROM pg_sequences").all()
        return rows, sorted(places, key=str)


def execute(url, *statements):
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def test_rows_and_sequences_are_those_of_the_template_again(pool):
    first = pool.take()
    before = everything(first)
    assert before[0], "there are tables"
    execute(
        first,
        "DELETE FROM roles",
        "INSERT INTO alert_revision (id, revision) VALUES (7, 3)",
        "SELECT nextval('events_id_seq')",
    )
    assert everything(first) != before
    pool.give_back(first)
    second = pool.take()
    assert second != first
    assert everything(second) == before
    pool.give_back(second)


@pytest.mark.parametrize("change", ["ALTER TABLE roles ADD COLUMN colour text", "DROP TABLE alert_matches"])
def test_a_changed_schema_is_not_used_again(pool, change):
    first = pool.take()
    execute(first, change)
    pool.give_back(first)
    assert not pool._free


def test_a_database_that_has_grown_is_not_used_again(pool):
    first = pool.take()
    execute(
        first,
        "INSERT INTO alert_revision SELECT n, 1 FROM generate_series(10, 100000) AS n",
        "DELETE FROM alert_revision",
    )
    pool.give_back(first)
    assert not pool._free


def test_a_connection_that_is_left_open_is_ended(pool):
    first = pool.take()
    with sa.create_engine(first).connect() as connection:
        connection.exec_driver_sql("SELECT 1")
        pool.give_back(first)
        with pytest.raises(sa.exc.OperationalError):
            connection.exec_driver_sql("SELECT 1")


def test_a_database_that_somebody_has_just_connected_to_is_dropped(pool):
    first = pool.take()
    engine = sa.create_engine(first, poolclass=sa.NullPool)
    late = []

    def connect(connection, cursor, statement, *rest):
        if "RENAME TO" in statement and not late:
            execute(POSTGRESQL_URL, f'ALTER DATABASE "{sa.make_url(first).database}" ALLOW_CONNECTIONS true')
            late.append(engine.connect())

    sa.event.listen(pool._engine, "before_cursor_execute", connect)
    pool.give_back(first)
    assert not pool._free
    with pytest.raises(sa.exc.OperationalError):
        late[0].exec_driver_sql("SELECT 1")
    late[0].close()
    second = pool.take()
    assert everything(second)[0]
    pool.give_back(second)

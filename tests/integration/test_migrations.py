"""Migrations go up and down on both databases and agree with the models."""

import os
import signal
import subprocess
import sys

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from skywatch.core.database.engine import Base, DatabaseError, create_engine
from skywatch.core.database.migrations import check_schema, configuration, downgrade, upgrade
from tests.servers import postgresql_database


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_engine(request, tmp_path):
    if request.param == "sqlite":
        engine = create_engine(f"sqlite:///{tmp_path}/empty.sqlite")
        yield engine
        engine.dispose()
    else:
        with postgresql_database() as url:
            engine = create_engine(url)
            yield engine
            engine.dispose()


def tables(engine):
    found = set(sa.inspect(engine).get_table_names()) - {"alembic_version"}
    return {name for name in found if _is_modelled(name, "table", None)}


def test_every_step_goes_up_and_down_again(empty_engine):
    revisions = [s.revision for s in ScriptDirectory.from_config(configuration()).walk_revisions()]
    for revision in reversed(revisions):
        upgrade(empty_engine, revision)
    assert tables(empty_engine) == set(Base.metadata.tables)
    for revision in [*revisions[1:], "base"]:
        downgrade(empty_engine, revision)
    assert tables(empty_engine) == set()
    upgrade(empty_engine)
    check_schema(empty_engine)


def _is_modelled(name, kind, parents):
    """The full-text index of ACARS messages is each database's own and stands in no model."""
    return not (
        str(name).startswith(("acars_search", "ix_acars_messages_words")) or (kind, name) == ("column", "words")
    )


def test_the_schema_is_the_one_the_models_say(empty_engine):
    upgrade(empty_engine)
    with empty_engine.connect() as connection:
        opts = {"compare_type": True, "include_name": _is_modelled}
        context = MigrationContext.configure(connection, opts=opts)
        assert compare_metadata(context, Base.metadata) == []


# See docs/architecture.md, "Ids are given once".
GIVEN_AGAIN = {
    "audit_entries", "health_changes", "cannonball_known_removals", "history_flights", "history_chunks", "history_tail",
}  # fmt: skip


def test_sqlite_gives_ids_again_only_where_the_models_say_so(tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path}/empty.sqlite")
    upgrade(engine)
    with engine.connect() as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'"
        given_once = set(connection.exec_driver_sql(query).scalars())
    engine.dispose()
    numbered = {table.name: table for table in Base.metadata.tables.values() if table.autoincrement_column is not None}
    assert given_once == {name for name, table in numbered.items() if table.dialect_options["sqlite"]["autoincrement"]}
    assert numbered.keys() - given_once == GIVEN_AGAIN


def test_a_database_without_a_schema_says_what_to_do(empty_engine):
    with pytest.raises(DatabaseError, match=r"run `skywatch init FILE\.ini`"):
        check_schema(empty_engine)


@pytest.mark.parametrize(
    ("revision", "advice"),
    [
        ("9999", r"revision 9999\) is newer than this version of Skywatch"),
        (
            "0027",
            r"revision 0027\) is older than revision 0028: run `skywatch init FILE\.ini` of Skywatch 0\.1\.0 first",
        ),
    ],
)
def test_a_schema_from_which_no_migration_leads_on_is_refused(empty_engine, revision, advice):
    upgrade(empty_engine)
    with empty_engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")
    for step in (check_schema, upgrade):
        with pytest.raises(DatabaseError, match=advice):
            step(empty_engine)


KILLED = """
import os, signal, sys
import sqlalchemy as sa
from skywatch.core.database.engine import create_engine
from skywatch.core.database.migrations import upgrade

engine = create_engine(sys.argv[1])

@sa.event.listens_for(engine, "before_cursor_execute")
def _kill(connection, cursor, statement, *rest):
    if statement.startswith("UPDATE alembic_version"):
        os.kill(os.getpid(), signal.SIGKILL)

upgrade(engine)
"""


def schema(engine):
    with engine.connect() as connection:
        return connection.exec_driver_sql("SELECT name, sql FROM sqlite_master ORDER BY name").all()


def scalars(engine, query):
    with engine.connect() as connection:
        return connection.exec_driver_sql(query).scalars().all()


@pytest.fixture
def released(tmp_path):
    """A SQLite database with the oldest schema that this version upgrades."""
    engine = create_engine(f"sqlite:///{tmp_path}/released.sqlite")
    upgrade(engine, "0028")
    yield engine
    engine.dispose()


def test_a_migration_that_is_killed_leaves_the_old_schema(released):
    before = schema(released)
    released.dispose()
    ended = subprocess.run([sys.executable, "-c", KILLED, str(released.url)], env=os.environ, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert schema(released) == before
    assert scalars(released, "SELECT version_num FROM alembic_version") == ["0028"]
    upgrade(released)
    check_schema(released)


def test_foreign_keys_are_off_during_migrations_and_on_afterwards(released):
    seen = []

    @sa.event.listens_for(released, "before_cursor_execute")
    def _look(connection, cursor, statement, *rest):
        if statement.startswith("ALTER TABLE"):
            seen.extend(cursor.execute("PRAGMA foreign_keys").fetchone())

    upgrade(released)
    assert set(seen) == {0}
    assert scalars(released, "PRAGMA foreign_keys") == [1]


def test_foreign_keys_are_on_after_a_migration_that_fails(released):
    with released.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE handover_codes (id)")
    with pytest.raises(sa.exc.OperationalError, match="handover_codes already exists"):
        upgrade(released)
    assert scalars(released, "PRAGMA foreign_keys") == [1]

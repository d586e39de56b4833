"""Migrations go up and down on both databases and agree with the models."""

import os
import signal
import subprocess
import sys
import threading

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy.orm import Session

from release.migrations import problems_of
from release.record import read
from skywatch.cannonball.models import derived_columns
from skywatch.core.clock import utcnow
from skywatch.core.database import migrations
from skywatch.core.database.engine import Base, DatabaseError, create_engine
from skywatch.core.database.migrations import check_schema, compatible_from, configuration, downgrade, upgrade
from skywatch.core.database.models import AuditEntry, SchemaProperty
from tests.conftest import ROOT
from tests.waiting import PATIENCE_S, until


# Every step of every release on a server that other tests use: eight minutes where a machine is very busy.
@pytest.mark.timeout(1800)
def test_every_step_leaves_what_the_release_before_it_uses(empty_engine):
    assert problems_of(configuration(empty_engine), empty_engine, read(ROOT)) == []
    with empty_engine.connect() as connection:
        assert compatible_from(connection) == "0028"


def tables(engine):
    found = set(sa.inspect(engine).get_table_names()) - {"alembic_version"}
    return {name for name in found if not name.startswith("acars_search")}


@pytest.mark.smoke
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


@pytest.mark.smoke
def test_the_schema_is_the_one_the_models_say(empty_engine):
    upgrade(empty_engine)
    command.check(configuration(empty_engine))


# See docs/architecture.md, "Ids are given once".
GIVEN_AGAIN = {
    "airport_approaches", "audit_entries", "health_changes", "cannonball_known_removals",
    "history_flights", "history_chunks", "history_tail",
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


def set_revision(engine, revision, compatible_from):
    """As a migration of another release leaves the schema."""
    with engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")
        connection.exec_driver_sql(f"UPDATE schema_properties SET value = '{compatible_from}'")


HEAD = max(ScriptDirectory.from_config(configuration()).get_heads())


@pytest.mark.parametrize("oldest", ["0028", HEAD])
def test_a_schema_ahead_that_names_this_release_is_accepted_and_left_alone(empty_engine, oldest):
    upgrade(empty_engine)
    set_revision(empty_engine, "9999", compatible_from=oldest)
    check_schema(empty_engine)
    assert upgrade(empty_engine) is False
    assert scalars(empty_engine, "SELECT version_num FROM alembic_version") == ["9999"]


@pytest.mark.parametrize("row", [f"DELETE FROM {SchemaProperty.__tablename__}", "DROP TABLE schema_properties"])
def test_a_schema_ahead_that_names_no_release_is_refused(empty_engine, row):
    upgrade(empty_engine)
    set_revision(empty_engine, "9999", compatible_from=HEAD)
    with empty_engine.begin() as connection:
        connection.exec_driver_sql(row)
    with pytest.raises(DatabaseError, match=r"revision 9999\) is newer than this version of Skywatch$"):
        check_schema(empty_engine)


@pytest.mark.parametrize(
    ("revision", "advice"),
    [
        ("9999", r"revision 9999\) is newer than this version of Skywatch, and needs a release of revision 9999"),
        (
            "0027",
            r"revision 0027\) is older than revision 0028: run `skywatch init FILE\.ini` of Skywatch 0\.1\.0 first",
        ),
    ],
)
def test_a_schema_from_which_no_migration_leads_on_is_refused(empty_engine, revision, advice):
    upgrade(empty_engine)
    set_revision(empty_engine, revision, compatible_from=revision)
    for step in (check_schema, upgrade):
        with pytest.raises(DatabaseError, match=advice):
            step(empty_engine)


KILLED = """
import os, signal, sys
import sqlalchemy as sa
from skywatch.core.database.engine import create_engine
from skywatch.core.database.models import AuditEntry, SchemaProperty
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


def test_a_migration_lets_processes_go_first_that_work_on_a_table(postgresql_url, monkeypatch):
    engine = create_engine(postgresql_url)
    downgrade(engine, "0030")
    monkeypatch.setattr(migrations, "LOCK_PAUSE_S", 0.05)
    with engine.connect() as reader:
        reader.exec_driver_sql("SELECT count(*) FROM users")
        migrating = threading.Thread(target=upgrade, args=(engine,))
        migrating.start()
        # Whoever comes meanwhile is not kept waiting for the long transaction before the migration.
        with engine.connect() as other:
            other.exec_driver_sql("SET lock_timeout = '20s'")
            until(lambda: other.exec_driver_sql(WAITING).scalar())
            assert other.exec_driver_sql("SELECT count(*) FROM users").scalar() is not None
        assert migrating.is_alive()
    migrating.join(PATIENCE_S)
    check_schema(engine)
    engine.dispose()


UPGRADES = """
import sys
from skywatch.core.database.engine import create_engine
from skywatch.core.database.migrations import upgrade
upgrade(create_engine(sys.argv[1]))
"""


def test_two_migrations_at_once_are_made_one_after_the_other(postgresql_url):
    engine = create_engine(postgresql_url)
    downgrade(engine, "0028")
    command = [sys.executable, "-c", UPGRADES, postgresql_url]
    started = [subprocess.Popen(command, env=os.environ) for _ in range(2)]
    assert [process.wait(5 * PATIENCE_S) for process in started] == [0, 0]
    check_schema(engine)
    engine.dispose()


WAITING = (
    "SELECT count(*) FROM pg_locks WHERE NOT granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


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


def test_service_accounts_get_the_owners_that_the_audit_log_names(empty_engine):
    upgrade(empty_engine, "0037")
    users = sa.Table("users", sa.MetaData(), autoload_with=empty_engine)
    entries = sa.Table("audit_entries", sa.MetaData(), autoload_with=empty_engine)
    now = utcnow()
    with empty_engine.begin() as connection:
        for number, kind in ((1, "person"), (2, "service"), (3, "service")):
            texts = dict.fromkeys(("username", "username_key", "display_name"), f"user{number}")
            values = {"id": number, "kind": kind, "email": "", "is_active": True, "auth_provider": "none", **texts}
            connection.execute(users.insert().values(preferences={}, created_at=now, updated_at=now, **values))
        for number in (1, 2):
            target = {"target_type": "user", "target_id": str(number), "target_name": f"user{number}"}
            actor = {"actor_id": 1, "actor_name": "user1", "method": "jwt"}
            connection.execute(entries.insert().values(at=now, action="user.created", **actor, **target))
    upgrade(empty_engine, "0038")
    with empty_engine.connect() as connection:
        rows = connection.execute(sa.text("SELECT id, owner_id FROM users ORDER BY id")).all()
    assert [tuple(row) for row in rows] == [(1, None), (2, 1), (3, None)]


def test_stored_write_levels_that_had_no_effect_get_none(empty_engine, capsys):
    upgrade(empty_engine, "0041")
    access = sa.Table("feature_access", sa.MetaData(), autoload_with=empty_engine)
    before = {
        "aircraft": "authenticated",
        "alerts": "authenticated",
        "audio": "public",
        "cannonball": "authenticated",
        "feeders": "public",
        "safety": "permission",
    }
    with empty_engine.begin() as connection:
        for feature, level in before.items():
            values = {"feature": feature, "read_access": "authenticated", "write_access": level, "is_enabled": True}
            connection.execute(access.insert().values(**values, updated_at=utcnow()))
        connection.execute(sa.text("UPDATE access_version SET version = 7"))
    capsys.readouterr()
    upgrade(empty_engine, "0042")
    with empty_engine.connect() as connection:
        after = dict(connection.execute(sa.select(access.c.feature, access.c.write_access)).all())
        assert connection.scalar(sa.text("SELECT version FROM access_version")) == 8
    assert after == before | {"alerts": "permission", "feeders": "permission"}
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Write access of")]
    assert [line.split()[3] for line in lines] == ["alerts", "feeders"]
    with Session(empty_engine) as session:
        entries = session.scalars(sa.select(AuditEntry).order_by(AuditEntry.id)).all()
    assert [(entry.target_id, entry.before, entry.after, entry.method) for entry in entries] == [
        (name, {"write_access": before[name]}, {"write_access": "permission"}, "cli") for name in ("alerts", "feeders")
    ]


def test_entries_of_the_list_of_known_aircraft_get_what_is_derived_from_them(empty_engine):
    upgrade(empty_engine, "0043")
    known = sa.Table("cannonball_known_aircraft", sa.MetaData(), autoload_with=empty_engine)
    texts = {
        column.name: ""
        for column in known.columns
        if isinstance(column.type, sa.String | sa.Text) and column.name != "icao_hex"
    }
    now = utcnow()
    rows = [
        ("ADF7C8", "N1", " Straße\u2122 Police "),
        ("A00002", "", "Policía de Córdoba"),
        ("3C0001", "D-HBPA", "x" * 160),
    ]
    values = texts | {"verified": False, "times_detected": 0, "created_at": now, "updated_at": now, "edited_fields": []}
    with empty_engine.begin() as connection:
        for icao_hex, registration, agency in rows:
            own = {"icao_hex": icao_hex, "registration": registration, "agency_name": agency, "revision": 1}
            connection.execute(known.insert().values(values | own))

    def derived():
        with empty_engine.connect() as connection:
            query = "SELECT icao_hex, military, search_text FROM cannonball_known_aircraft"
            return {
                row[0]: {"military": bool(row[1]), "search_text": row[2]} for row in connection.execute(sa.text(query))
            }

    expected = {icao_hex: derived_columns(icao_hex, registration, agency) for icao_hex, registration, agency in rows}
    assert expected["ADF7C8"] == {"military": True, "search_text": "adf7c8\nn1\nstrassetm police"}
    upgrade(empty_engine, "0044")
    assert derived() == expected
    downgrade(empty_engine, "0043")
    upgrade(empty_engine, "0044")
    assert derived() == expected

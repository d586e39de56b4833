"""Migrations go up and down on both databases and agree with the models."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.orm import Session

from skywatch.core.database.engine import Base, DatabaseError, create_engine
from skywatch.core.database.migrations import check_schema, configuration, downgrade, upgrade
from skywatch.history.models import Flight
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


def test_flights_keep_what_they_say_while_their_columns_change(empty_engine):
    began = datetime(2026, 5, 1, 23, 59, 59, 123000, UTC)
    known = {"callsign": "SWR1", "max_speed_kt": 451.6, "distance_nm": 105.93, "min_distance_nm": 0.0}
    known |= {"first_lat": -46.948211, "first_lon": 8.119953, "last_seen_at": began + timedelta(hours=3)}
    unknown = dict.fromkeys(known) | {"distance_nm": 0.0, "last_seen_at": began}
    upgrade(empty_engine, "0008")
    flights = sa.Table("history_flights", sa.MetaData(), autoload_with=empty_engine)
    counts = {"messages": 1, "positions": 1, "points": 1, "military": False, "emergency": False, "active": False}
    zone = {"tzinfo": None} if empty_engine.dialect.name == "sqlite" else {}
    with empty_engine.begin() as connection:
        for number, said in enumerate((known, unknown), 1):
            row = {"id": number, "icao_hex": "4B1620", "first_seen_at": began, **counts, **said}
            row |= {name: row[name].replace(**zone) for name in ("first_seen_at", "last_seen_at")}
            connection.execute(sa.insert(flights), row)
    before = rows_of(empty_engine)
    upgrade(empty_engine)
    with Session(empty_engine) as session:
        for number, said in enumerate((known, unknown), 1):
            flight = session.get(Flight, number)
            assert flight.first_seen_at == began
            assert {name: getattr(flight, name) for name in said} == said
    downgrade(empty_engine, "0008")
    assert rows_of(empty_engine) == before


def rows_of(engine):
    with engine.connect() as connection:
        return connection.exec_driver_sql("SELECT * FROM history_flights ORDER BY id").mappings().all()


def test_a_database_without_a_schema_says_what_to_do(empty_engine):
    with pytest.raises(DatabaseError, match=r"run `skywatch init FILE\.ini`"):
        check_schema(empty_engine)


def test_a_schema_newer_than_the_code_is_refused(empty_engine):
    upgrade(empty_engine)
    with empty_engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    for step in (check_schema, upgrade):
        with pytest.raises(DatabaseError, match=r"revision 9999.* newer than this version"):
            step(empty_engine)

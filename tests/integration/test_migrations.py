"""Migrations go up and down on both databases and agree with the models."""

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from skywatch.core.db import Base, DatabaseError, create_engine
from skywatch.core.migrations import check_schema, configuration, downgrade, upgrade
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
    return set(sa.inspect(engine).get_table_names()) - {"alembic_version"}


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


def test_the_schema_is_the_one_the_models_say(empty_engine):
    upgrade(empty_engine)
    with empty_engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


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

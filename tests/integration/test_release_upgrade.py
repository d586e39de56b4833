"""`skywatch init` upgrades the database of every release, and of the tree before the first one, with all its rows."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys

import pytest
import sqlalchemy as sa

from release.checks import schema_revisions
from release.record import read
from skywatch.core.database.migrations import check_schema, upgrade
from tests.conftest import ROOT
from tests.processes import ENVIRONMENT
from tests.waiting import PATIENCE_S

# The schema of installations from before the first release.
UNRELEASED = "0028"
REVISIONS = sorted({UNRELEASED, *(release.revision for release in read(ROOT)), schema_revisions()[0]})
ROWS = 3
BEGIN = dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)


def tables(engine):
    """The tables of the database, those that others refer to first."""
    reflected = sa.MetaData()
    reflected.reflect(engine, only=lambda name, _: name != "alembic_version" and not name.startswith("acars_search"))
    return reflected.sorted_tables


def value(column, n):
    """Something that the column takes, which differs from row to row."""
    kind = column.type
    if isinstance(kind, sa.Boolean):
        return n % 2 == 0
    if isinstance(kind, sa.Integer):
        return n
    if isinstance(kind, sa.Float):
        return n / 3.0
    if isinstance(kind, sa.DateTime):
        return BEGIN + dt.timedelta(days=n)
    if isinstance(kind, sa.Date):
        return (BEGIN + dt.timedelta(days=n)).date()
    if isinstance(kind, sa.JSON):
        return [str(n), "Zürich"]
    if isinstance(kind, sa.LargeBinary):
        return bytes([0, 255, n])
    return str(n)


def fill(connection, table):
    """Rows that each refer to those of the same number in other tables."""
    for n in range(1, ROWS + 1):
        values = {column.name: value(column, n) for column in table.columns if column.computed is None}
        connection.execute(table.insert().values(values))
    numbered = table.autoincrement_column
    if connection.dialect.name == "postgresql" and numbered is not None:
        # What init adds comes behind these rows.
        sequence = sa.func.pg_get_serial_sequence(table.name, numbered.name)
        connection.execute(sa.select(sa.func.setval(sequence, ROWS)))


def counts(engine):
    with engine.connect() as connection:
        return {
            table.name: connection.scalar(sa.select(sa.func.count()).select_from(table)) for table in tables(engine)
        }


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_released_schema_is_upgraded_with_its_rows(tmp_path, empty_engine, revision):
    upgrade(empty_engine, revision)
    every = tables(empty_engine)
    with empty_engine.begin() as connection:
        for table in reversed(every):
            connection.execute(table.delete())
        for table in every:
            fill(connection, table)
    before = counts(empty_engine)
    empty_engine.dispose()
    ini = tmp_path / "skywatch.ini"
    url = empty_engine.url.render_as_string(hide_password=False).replace("%", "%%")
    ini.write_text(f"[app:main]\nuse = egg:skywatch\nenvironment = development\ndatabase_url = {url}\n")
    done = subprocess.run(
        [sys.executable, "-m", "skywatch", "init", str(ini)],
        cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=5 * PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    check_schema(empty_engine)
    after = counts(empty_engine)
    assert min(before.values()) > 0
    # What init itself adds (built-in roles, access settings, keys) comes to the rows that were there.
    assert [table for table, count in before.items() if after.get(table, 0) < count] == []

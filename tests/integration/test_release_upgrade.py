"""`skywatch init` upgrades the database of every release, and of the tree before the first one, with all its rows."""

from __future__ import annotations

import subprocess
import sys

import pytest

from release.record import read
from skywatch.core.database.engine import create_engine
from skywatch.core.database.migrations import check_schema, upgrade
from tests.conftest import ROOT
from tests.processes import ENVIRONMENT
from tests.waiting import PATIENCE_S

# The schema of installations from before the first release.
UNRELEASED = "0028"
REVISIONS = sorted({UNRELEASED, *(release.revision for release in read(ROOT))})


ROWS = 3
VALUES = {"INTEGER": "{n}", "BIGINT": "{n}", "SMALLINT": "{n}", "BOOLEAN": "{n} % 2", "DOUBLE": "{n} / 3.0"}
VALUES |= {"JSON": '\'["{n}",  "Zürich"]\'', "DATETIME": "'2026-05-0{n} 12:00:00.000000'", "BLOB": "x'00ff0{n}'"}


def tables(connection):
    names = "SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    return [name for name in connection.exec_driver_sql(names).scalars() if name != "alembic_version"]


def fill(connection, table):
    """Rows that each refer to those of the same number in other tables."""
    connection.exec_driver_sql(f"DELETE FROM {table}")
    columns = connection.exec_driver_sql(f"PRAGMA table_info({table})").all()
    for n in range(1, ROWS + 1):
        values = [VALUES.get(column.type, f"'{n}'").format(n=n) for column in columns]
        names = ", ".join(f'"{column.name}"' for column in columns)
        connection.exec_driver_sql(f"INSERT INTO {table} ({names}) VALUES ({', '.join(values)})")


def counts(engine):
    with engine.connect() as connection:
        return {
            table: connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar_one()
            for table in tables(connection)
        }


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_released_schema_is_upgraded_with_its_rows(tmp_path, revision):
    engine = create_engine(f"sqlite:///{tmp_path}/skywatch.sqlite")
    upgrade(engine, revision)
    with engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
        for table in tables(connection):
            fill(connection, table)
    before = counts(engine)
    engine.dispose()
    ini = tmp_path / "skywatch.ini"
    ini.write_text(
        "[app:main]\nuse = egg:skywatch\nenvironment = development\n"
        f"database_url = sqlite:///{tmp_path}/skywatch.sqlite\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "skywatch", "init", str(ini)],
        cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=5 * PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    engine = create_engine(f"sqlite:///{tmp_path}/skywatch.sqlite")
    check_schema(engine)
    after = counts(engine)
    engine.dispose()
    assert min(before.values()) > 0
    # What init itself adds (built-in roles, access settings, keys) comes to the rows that were there.
    assert [table for table, count in before.items() if after.get(table, 0) < count] == []

"""``skywatch batch``: what it prints, its exit codes, and what it refuses with one line."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from skywatch.cli import group
from skywatch.features import load_origins
from tests.accounts import TEST_SECRET
from tests.archives import archive
from tests.batches import rows_of
from tests.unit.archive.batch.conftest import install

pytestmark = pytest.mark.deep("starts servers or programs of its own")


def run(*arguments):
    return CliRunner().invoke(group, ["batch", *map(str, arguments)], obj=load_origins)


@pytest.fixture
def ini(migrated_sqlite, tmp_path):
    made = install(migrated_sqlite, tmp_path, station_lat=50.0, station_lon=8.5)
    archive(made.sessions, made.settings)
    path = tmp_path / "skywatch.ini"
    settings = {
        "secret": TEST_SECRET,
        "database_url": made.settings.database_url,
        "archive_url": f"file://{tmp_path}/archive",
        "station_lat": 50.0,
        "station_lon": 8.5,
    }
    path.write_text("[app:main]\nuse = egg:skywatch\n" + "".join(f"{k} = {v}\n" for k, v in settings.items()))
    return path


def test_days_are_done_in_processes_and_a_fault_is_exit_code_1(ini, tmp_path):
    file = tmp_path / "archive/day=2026-03-02/positions-12.parquet"
    file.write_bytes(file.read_bytes()[:-9])
    result = run(ini, "coverage", "2026-03-01", "2026-03-04", "--workers", "2")
    assert result.exit_code == 1
    assert "coverage: 2 days done" in result.output
    assert "skywatch: 2026-03-02: " in result.output
    assert len(rows_of(tmp_path / "archive", "coverage")) > 0


def test_what_cannot_run_is_one_line(ini, monkeypatch):
    monkeypatch.setattr("skywatch.archive.batch.cluster.CONNECT_S", 0.5)
    for arguments, words in (
        (("coverage", "2026-03-02", "2026-03-01"), "FROM must be before TO"),
        (("coverage", "2026-03-01", "2026-03-02", "--scheduler", "tcp://127.0.0.1:1"), "no Dask scheduler at tcp://"),
        (("coverage", "2026-03-01", "2026-03-02", "--scheduler", "tcp://h:1", "--workers", "1"), "either --scheduler"),
    ):
        result = run(ini, *arguments)
        assert result.exit_code == 1
        assert result.output.startswith("skywatch: ")
        assert words in result.output
        assert result.output.count("\n") == 1

"""The secret of an installation that names none."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from skywatch.core.process.secret_file import path_of, with_secret
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.settings import SettingsError

DEVELOPMENT = {"environment": "development", "bus": "memory"}


@pytest.fixture
def settings(tmp_path):
    return load({**DEVELOPMENT, "database_url": f"sqlite:///{tmp_path}/sky.sqlite"}, {})


def test_the_secret_is_the_same_after_a_restart_and_only_its_owner_may_read_it(settings, tmp_path):
    first = Runtime.open(settings)
    first.close()
    second = Runtime.open(settings)
    second.close()
    assert first.settings.secret == second.settings.secret
    assert len(first.settings.secret) >= 32
    assert stat.S_IMODE((tmp_path / "sky.sqlite.secret").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*.secret*")] == ["sky.sqlite.secret"]


def test_a_secret_of_the_settings_wins_and_no_file_is_written(settings, tmp_path):
    named = load(
        {
            **DEVELOPMENT,
            "database_url": settings.database_url,
            "secret": "a secret that the ini file names, long enough",
        },
        {},
    )
    assert with_secret(named) is named
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("url", ["sqlite://", "postgresql+psycopg://localhost/skywatch"])
def test_without_a_database_file_nothing_is_kept(url):
    settings = load({**DEVELOPMENT, "database_url": url}, {})
    assert path_of(settings) is None
    assert with_secret(settings) is settings


def test_starts_at_the_same_moment_have_one_secret(settings):
    starts = 8
    together = Barrier(starts)

    def start(_):
        together.wait()
        return with_secret(settings).secret

    with ThreadPoolExecutor(starts) as pool:
        assert len(set(pool.map(start, range(starts)))) == 1


@pytest.mark.parametrize("content", [b"short\n", b"\xff\xfe" * 40])
def test_a_file_that_holds_no_secret_stops_the_start(settings, tmp_path, content):
    (tmp_path / "sky.sqlite.secret").write_bytes(content)
    with pytest.raises(SettingsError, match=r"sky\.sqlite\.secret is shorter than 32 characters; remove the file"):
        with_secret(settings)


def test_a_file_that_cannot_be_read_stops_the_start(settings, tmp_path):
    (tmp_path / "sky.sqlite.secret").mkdir()
    with pytest.raises(SettingsError, match="cannot be used: Is a directory"):
        with_secret(settings)

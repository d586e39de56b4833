"""Files of the service are for its user alone, whatever the umask."""

from __future__ import annotations

import os
import stat

import pytest
import sqlalchemy as sa

from skywatch.audio.recordings.store import RecordingStore
from skywatch.core.database.engine import create_engine, sqlite_file
from skywatch.core.database.locks import exclusive_lock
from skywatch.core.private_files import create_private, wider
from skywatch.core.runtime import Runtime
from skywatch.features import load


@pytest.fixture(params=[0o000, 0o022, 0o077])
def _umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("_umask")
def test_a_new_database_its_journals_secret_and_lock(tmp_path):
    settings = load(
        {"environment": "development", "bus": "memory", "database_url": f"sqlite:///{tmp_path}/sky.sqlite"}, {}
    )
    runtime = Runtime.open(settings)
    lock = exclusive_lock(settings.database_url, "tracker")
    lock.take()
    with runtime.engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE t (x INTEGER)"))
        seen = modes(tmp_path)
    lock.close()
    runtime.close()
    names = {"sky.sqlite", "sky.sqlite-wal", "sky.sqlite-shm", "sky.sqlite.secret", "sky.sqlite-tracker.lock"}
    assert seen == dict.fromkeys(names, 0o600)


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_a_recording(tmp_path, umask):
    settings = load({"environment": "development", "bus": "memory", "audio_directory": str(tmp_path)}, {})
    store = RecordingStore(settings)
    before = os.umask(umask)
    try:
        with store.incoming() as incoming:
            incoming.write(b"sound")
            assert set(modes(tmp_path).values()) == {0o600}
            incoming.finish()
            store.move(incoming, "2026-01-01/a.wav")
    finally:
        os.umask(before)
    assert modes(tmp_path) == {"a.wav": 0o600}


def test_a_file_that_is_there_keeps_its_mode_and_is_named(tmp_path):
    path = tmp_path / "sky.sqlite"
    path.write_bytes(b"")
    path.chmod(0o640)
    engine = create_engine(f"sqlite:///{path}")
    engine.connect().close()
    engine.dispose()
    create_private(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(wider([path, tmp_path / "none", tmp_path])) == [path]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("sqlite:////srv/sky.sqlite", "/srv/sky.sqlite"),
        ("sqlite:////srv/file:a?uri=true", "/srv/file:a"),
        ("sqlite:///file:/srv/sky.sqlite?uri=true", "/srv/sky.sqlite"),
        ("sqlite:///file:shared?mode=memory&uri=true", None),
        ("sqlite://", None),
        ("sqlite:///:memory:", None),
        ("postgresql+psycopg://localhost/skywatch", None),
    ],
)
def test_the_file_of_a_database(url, name):
    path = sqlite_file(url)
    assert (None if path is None else str(path)) == name

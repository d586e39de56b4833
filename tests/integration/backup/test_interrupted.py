"""Backups and restores in processes of their own: killed at any moment, two at once, on a disk that becomes full."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time

import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine
from skywatch.core.database.models import StoredEvent
from tests import prefork
from tests.backups import Installation, refused, skywatch
from tests.processes import ENVIRONMENT, SKYWATCH
from tests.servers import postgresql_database, skip_or_fail
from tests.waiting import PATIENCE_S, until

KILLS = 5
EVENTS, EVENT_BYTES = 150, 200_000


def start(*arguments):
    """A command in a process of its own; what it writes is shown where the test fails."""
    with open(os.devnull, "rb") as nothing:
        return prefork.start([str(argument) for argument in arguments], ENVIRONMENT, [nothing, 2, 2])


def grow(here, events=EVENTS):
    """Rows that nothing compresses, 30 MB of them."""
    rows = [
        {"id": number, "at": utcnow(), "topic": "t", "event": "e", "message": os.urandom(EVENT_BYTES)}
        for number in range(1, events + 1)
    ]
    with here.session() as session:
        session.execute(sa.insert(StoredEvent), rows)
    return here


@pytest.fixture
def here(tmp_path, migrated_sqlite):
    here = Installation(tmp_path / "here", f"sqlite:///{tmp_path}/here/a.sqlite")
    shutil.copy(migrated_sqlite, here.folder / "a.sqlite")
    return grow(here.fill())


@pytest.fixture
def there(tmp_path):
    return Installation(tmp_path / "there", f"sqlite:///{tmp_path}/there/b.sqlite")


@pytest.fixture
def two_servers(tmp_path, migrated_postgresql):
    with postgresql_database(migrated_postgresql) as one, postgresql_database() as other:
        yield grow(Installation(tmp_path / "here", one).fill()), Installation(tmp_path / "there", other)


def moments(duration_s):
    """When to kill: spread over the time that the whole takes, each time elsewhere."""
    chance = random.Random(16)
    return [duration_s * (number + chance.random()) / KILLS for number in range(KILLS)]


def timed(*arguments):
    begun = time.monotonic()
    process = start(*arguments)
    assert process.wait(PATIENCE_S) == 0
    return time.monotonic() - begun


def kill_after(seconds, *arguments, begun=lambda: True):
    """Kill it so long after it was started, and not before it has begun."""
    process = start(*arguments)
    time.sleep(seconds)
    until(lambda: begun() or process.poll() is not None, every_s=0.001)
    process.kill()
    process.wait()


def test_killed_backup_is_never_taken_for_a_whole_one(here, tmp_path):
    def command(target):
        return "backup", here.ini, target, "--passphrase-file", here.passphrase

    whole = tmp_path / "whole"
    duration_s = timed(*command(whole))
    target, unfinished = tmp_path / "target", 0
    for seconds in moments(duration_s):
        kill_after(seconds, *command(target), begun=(target / "unfinished").exists)
        if not (target / "manifest.json").exists():
            if target.exists():
                unfinished += 1
                assert skywatch("backup", "--verify", target).exit_code == 2
            # Begins again where it was killed.
            assert skywatch(*command(target)).exit_code == 0
        assert skywatch("backup", "--verify", target).exit_code == 0
        assert (target / "database.sqlite").read_bytes() == (whole / "database.sqlite").read_bytes()
        assert not (target / "unfinished").exists()
        shutil.rmtree(target)
    assert unfinished


def test_killed_restore_leaves_a_whole_database_or_none(here, there, tmp_path):
    target = tmp_path / "backup"
    here.back_up(target)
    command = ("restore", target, there.ini, "--passphrase-file", here.passphrase)
    duration_s = timed(*command)
    expected, interrupted = there.rows()["events"], 0
    for seconds in moments(duration_s):
        for path in there.folder.glob("b.sqlite*"):
            path.unlink()
        shutil.rmtree(there.audio)
        kill_after(seconds, *command)
        if not (there.folder / "b.sqlite").exists():
            interrupted += 1
            assert skywatch(*command).exit_code == 0
        assert there.rows()["events"] == expected
        assert there.rows()["logins"][0][-1] == "restored from a backup"
        assert there.recordings() == here.recordings()
        assert not list(there.folder.glob("*restoring*"))
    assert interrupted


def test_killed_restore_on_a_server_leaves_nothing_that_a_service_starts_on(two_servers, tmp_path):
    here, there = two_servers
    here.back_up(tmp_path / "backup")
    command = ("restore", tmp_path / "backup", there.ini, "--passphrase-file", here.passphrase)
    duration_s = timed(*command)
    name = sa.make_url(there.url).database
    admin = create_engine(here.url).execution_options(isolation_level="AUTOCOMMIT")

    def recreate():
        with admin.connect() as connection:
            connection.exec_driver_sql(f'DROP DATABASE "{name}" WITH (FORCE)')
            connection.exec_driver_sql(f'CREATE DATABASE "{name}"')
        shutil.rmtree(there.audio, ignore_errors=True)

    def sessions():
        with admin.connect() as connection:
            query = sa.text("SELECT count(*) FROM pg_stat_activity WHERE datname = :name")
            return connection.scalar(query, {"name": name})

    interrupted = 0
    for seconds in moments(duration_s):
        recreate()
        kill_after(seconds, *command)
        until(lambda: sessions() == 0, "the server has ended the sessions of the process that was killed")
        tables = there.rows()
        if tables.get("alembic_version"):
            assert tables["logins"][0][-1] == "restored from a backup"
            continue
        interrupted += 1
        assert skywatch("doctor", there.ini, "--seconds", "0.1").exit_code == 1
        if tables:
            assert "tables already" in refused(1, *command)
        else:
            assert skywatch(*command).exit_code == 0
    admin.dispose()
    assert interrupted


def test_second_backup_at_once_is_refused(here, tmp_path):
    first = start("backup", here.ini, tmp_path / "first", "--without-secret")
    until(lambda: (tmp_path / "first" / "unfinished").exists() or first.poll() is not None, every_s=0.001)
    os.kill(first.pid, 19)
    try:
        for target in ("first", "second"):
            line = refused(1, "backup", here.ini, tmp_path / target, "--without-secret")
            assert line == f"another backup of this database is being made by process {first.pid}"
        # That of another database into the same folder.
        other = Installation(tmp_path / "other", f"sqlite:///{tmp_path}/other.sqlite")
        shutil.copy(here.folder / "a.sqlite", tmp_path / "other.sqlite")
        line = refused(1, "backup", other.ini, tmp_path / "first", "--without-secret")
        assert "another backup is being written there" in line
    finally:
        os.kill(first.pid, 18)
    assert first.wait(PATIENCE_S) == 0
    assert skywatch("backup", "--verify", tmp_path / "first").exit_code == 0
    assert not (tmp_path / "second").exists()


def on_small_disk(folder, megabytes, *arguments):
    """Run a command where ``folder`` is a disk of its own; its result, and what is left on that disk."""
    words = [*SKYWATCH, *(str(argument) for argument in arguments)]
    script = f'mount -t tmpfs -o size={megabytes}m tmpfs "$0" || exit 99; "$@"; code=$?; find "$0" -type f; exit $code'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, str(folder), *words]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=2 * PATIENCE_S, check=False)
    if done.returncode == 99 or "unshare" in done.stderr:
        skip_or_fail("no disk can be mounted here (unshare --mount)")
    return done


@pytest.fixture
def disk(tmp_path):
    if sys.platform != "linux" or shutil.which("unshare") is None:
        skip_or_fail("there is no unshare here")
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


def test_disk_without_room_is_refused_before(here, disk):
    done = on_small_disk(disk, 18, "backup", here.ini, disk / "backup", "--without-secret")
    assert (done.returncode, done.stdout) == (1, "")
    assert "and 19 MB are free" in done.stderr


def test_disk_that_becomes_full_is_named_and_left_empty(two_servers, disk):
    """Nobody knows before how large a dump is going to be."""
    here, _ = two_servers
    done = on_small_disk(disk, 24, "backup", here.ini, disk / "backup", "--without-secret")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"skywatch: {disk}/backup/database.dump: the disk is full\n"


def test_restore_to_a_disk_without_room_is_refused(here, disk, tmp_path):
    here.back_up(tmp_path / "backup", "--without-secret")
    there = Installation(tmp_path / "there", f"sqlite:///{disk}/b.sqlite")
    done = on_small_disk(disk, 18, "restore", tmp_path / "backup", there.ini)
    assert done.returncode == 1
    assert "and 19 MB are free" in done.stderr
    assert done.stdout.split() == [f"{disk}/b.sqlite-tracker.lock"]

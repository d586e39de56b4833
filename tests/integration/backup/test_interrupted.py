"""Backups and restores in processes of their own: killed at every point of their work, on a disk that becomes full."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys

import pytest
import sqlalchemy as sa

from skywatch.backup.contents.manifest import read_manifest
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine
from skywatch.core.database.models import StoredEvent
from tests import prefork
from tests.backups import Installation, skywatch
from tests.processes import ENVIRONMENT, SKYWATCH
from tests.servers import postgresql_database, program, skip_or_fail
from tests.waiting import PATIENCE_S, until

EVENTS, EVENT_BYTES = 15, 200_000


def kill(point, *arguments):
    """Run a command that ends at this point of its work (``killed``), as at a power cut."""
    with open(os.devnull, "rb") as nothing:
        words = [point, *(str(argument) for argument in arguments)]
        process = prefork.start(words, ENVIRONMENT, [nothing, 2, 2], "tests.integration.backup.killed")
    assert process.wait(PATIENCE_S) == -signal.SIGKILL


def grow(here, first=1, events=EVENTS):
    """Rows that nothing compresses, 3 MB of them."""
    rows = [
        {"id": number, "at": utcnow(), "topic": "t", "event": "e", "message": os.urandom(EVENT_BYTES)}
        for number in range(first, first + events)
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
    program("pg_dump")
    with postgresql_database(migrated_postgresql) as one, postgresql_database() as other:
        yield grow(Installation(tmp_path / "here", one).fill()), Installation(tmp_path / "there", other)


def at_bytes(total):
    """Points from the first byte to the last."""
    return [f"bytes:{int(total * share)}" for share in (0, 0.2, 0.45, 0.7, 0.95)]


def test_killed_backup_is_never_taken_for_a_whole_one(here, tmp_path):
    def command(target):
        return "backup", here.ini, target, "--passphrase-file", here.passphrase

    whole, target = tmp_path / "whole", tmp_path / "target"
    assert skywatch(*command(whole)).exit_code == 0
    # Everything is copied and then compared; the manifest is the only file that is renamed.
    for point in (*at_bytes(2 * read_manifest(whole).bytes), "replace:1"):
        kill(point, *command(target))
        assert not (target / "manifest.json").exists()
        assert skywatch("backup", "--verify", target).exit_code == 2
        # Begins again where it was killed.
        assert skywatch(*command(target)).exit_code == 0
        assert skywatch("backup", "--verify", target).exit_code == 0
        assert (target / "database.sqlite").read_bytes() == (whole / "database.sqlite").read_bytes()
        assert not (target / "unfinished").exists()
        shutil.rmtree(target)


def test_killed_restore_leaves_a_whole_database_or_none(here, there, tmp_path):
    target = tmp_path / "backup"
    here.back_up(target)
    command = ("restore", target, there.ini, "--passphrase-file", here.passphrase)
    # Two recordings, the settings and the database are renamed.
    for point in (*at_bytes(2 * read_manifest(target).bytes), "replace:1", "replace:3", "complete", "replace:4"):
        kill(point, *command)
        assert not (there.folder / "b.sqlite").exists(), point
        assert skywatch(*command).exit_code == 0
        assert there.rows()["events"] == here.rows()["events"]
        assert there.rows()["logins"][0][-1] == "restored from a backup"
        assert there.recordings() == here.recordings()
        assert not list(there.folder.glob("*restoring*"))
        for path in there.folder.glob("b.sqlite*"):
            path.unlink()
        shutil.rmtree(there.audio)


def test_killed_restore_on_a_server_leaves_a_whole_database_or_none(two_servers, tmp_path):
    here, there = two_servers
    here.back_up(tmp_path / "backup")
    command = ("restore", tmp_path / "backup", there.ini, "--passphrase-file", here.passphrase)
    name = sa.make_url(there.url).database
    admin = create_engine(here.url)

    def sessions():
        with admin.connect() as connection:
            query = sa.text("SELECT count(*) FROM pg_stat_activity WHERE datname = :name")
            return connection.scalar(query, {"name": name})

    for point in (*at_bytes(2 * read_manifest(tmp_path / "backup").bytes), "replace:2", "complete"):
        kill(point, *command)
        until(lambda: sessions() == 0, "the server has ended the sessions of the process that was killed")
        assert there.rows() == {}, point
        assert skywatch("doctor", there.ini, "--seconds", "0.1").exit_code == 1
    admin.dispose()
    # The same command goes on, without anything to be removed before.
    assert skywatch(*command).exit_code == 0
    assert there.rows()["events"] == here.rows()["events"]
    assert there.rows()["logins"][0][-1] == "restored from a backup"
    assert there.recordings() == here.recordings()


def on_small_disk(folder, megabytes, *arguments):
    """Run a command where ``folder`` is a disk of its own; its result, and what is left on that disk."""
    words = [*SKYWATCH, *(str(argument) for argument in arguments)]
    script = f'mount -t tmpfs -o size={megabytes}m tmpfs "$0" || exit 99; "$@"; code=$?; find "$0" -type f; exit $code'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, str(folder), *words]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=2 * PATIENCE_S, check=False)
    if done.returncode == 99 or "unshare" in done.stderr:
        skip_or_fail("small disk", "unshare --mount is refused")
    return done


@pytest.fixture
def disk(tmp_path):
    if sys.platform != "linux" or shutil.which("unshare") is None:
        skip_or_fail("unshare")
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


def test_disk_without_room_is_refused_before(here, disk):
    done = on_small_disk(disk, 18, "backup", here.ini, disk / "backup", "--without-secret")
    assert (done.returncode, done.stdout) == (1, "")
    assert "and 19 MB are free" in done.stderr


def test_disk_that_becomes_full_is_named_and_left_empty(two_servers, disk):
    """Nobody knows before how large a dump is going to be."""
    here, _ = two_servers
    grow(here, EVENTS + 1, 110)
    done = on_small_disk(disk, 24, "backup", here.ini, disk / "backup", "--without-secret")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"skywatch: {disk}/backup/database.dump: the disk is full\n"


def test_restore_to_a_disk_without_room_is_refused(here, disk, tmp_path):
    here.back_up(tmp_path / "backup", "--without-secret")
    there = Installation(tmp_path / "there", f"sqlite:///{disk}/b.sqlite")
    done = on_small_disk(disk, 2, "restore", tmp_path / "backup", there.ini, "--unauthenticated")
    assert done.returncode == 1
    assert "and 2 MB are free" in done.stderr
    assert done.stdout.split() == [f"{disk}/b.sqlite-tracker.lock"]

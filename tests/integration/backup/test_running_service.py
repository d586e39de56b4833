"""A busy service is backed up while it writes, by command and by schedule, and comes back in another place."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import urllib.error

import pytest
import sqlalchemy as sa

from skywatch.backup.contents.manifest import read_manifest
from skywatch.backup.schedule.rotation import whole_backups
from skywatch.core.database.engine import create_engine
from tests.backups import PASSPHRASE, Installation, skywatch
from tests.processes import Service, run_command
from tests.servers import postgresql_database, program
from tests.waiting import PATIENCE_S, until

# What a restore changes on purpose.
MENDED = {"access_version", "audit_entries", "fencing_tokens", "logins", "notify_deliveries", "password_resets"}
AIRCRAFT = 300


@pytest.fixture(params=["sqlite", "postgresql"])
def places(request, tmp_path):
    """Where the service's database is and where it is restored."""
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    if request.param == "sqlite":
        yield [f"sqlite:///{tmp_path}/{name}/skywatch.sqlite" for name in ("here", "there")]
        return
    program("pg_dump")
    with postgresql_database() as one, postgresql_database() as other:
        yield [one, other]


def health_of(service, name="backup"):
    """A part of health, whatever its status; None where it is not there."""
    try:
        health = service.get("/api/v1/system/health")
    except urllib.error.HTTPError as error:
        health = json.load(error)
    return next((c for c in health["checks"] if c["name"] == name), None)


def count(url, table):
    engine = create_engine(url)
    with engine.connect() as connection:
        rows = connection.scalar(sa.text(f"SELECT count(*) FROM {table}"))
    engine.dispose()
    return rows


def test_backup_of_a_service_that_writes(places, tmp_path):
    here, there = places
    passphrase = tmp_path / "passphrase"
    passphrase.write_text(PASSPHRASE + "\n")
    service = Service(
        tmp_path / "here",
        database_url=here,
        receiver__demo=f"simulate aircraft={AIRCRAFT}",
        audio_directory=tmp_path / "audio",
    )
    service.init().start()
    try:
        until(lambda: count(here, "history_flights") > AIRCRAFT // 2, "flights are stored")
        for number in range(3):
            done = run_command(
                "backup", str(service.ini), str(tmp_path / str(number)), "--passphrase-file", str(passphrase)
            )
            assert done.returncode == 0, done.stderr
        points = count(here, "history_tail") + count(here, "history_chunks")
        # It goes on writing.
        until(lambda: count(here, "history_tail") + count(here, "history_chunks") != points, "more is stored")
        until(lambda: (health_of(service, "history_writer") or {}).get("ok"), "a writer that is well")
    finally:
        service.stop()
    log = service.log.read_text()
    assert "locked" not in log
    assert "Traceback" not in log
    _check_restored(tmp_path, there, passphrase)


def copied_rows(*command):
    """The rows of each table in a script of pg_dump or pg_restore, in the order of their text."""
    script = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout
    tables = re.findall(r"^COPY (?:public\.)?(\w+) \(.*?\) FROM stdin;\n(.*?)^\\\.$", script, re.MULTILINE | re.DOTALL)
    return {name: sorted(rows.splitlines()) for name, rows in tables}


def rows_of(place):
    """All rows of an SQLite file, a server's database or a dump."""
    text = str(place)
    if text.endswith(".sqlite"):
        with sqlite3.connect(text) as connection:
            names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: sorted(map(repr, connection.execute(f"SELECT * FROM {name}"))) for name in names}
    if text.endswith(".dump"):
        return copied_rows("pg_restore", "--data-only", "--file=-", text)
    return copied_rows("pg_dump", "--data-only", text.replace("postgresql+psycopg", "postgresql"))


def _check_restored(tmp_path, there, passphrase):
    """The last of the backups comes back row by row, and a service starts on it."""
    restored = Service(tmp_path / "there", database_url=there, audio_directory=tmp_path / "audio-there")
    done = run_command("restore", str(tmp_path / "2"), str(restored.ini), "--passphrase-file", str(passphrase))
    assert done.returncode == 0, done.stderr
    [copy] = (tmp_path / "2").glob("database.*")
    before, after = rows_of(copy), rows_of(there.removeprefix("sqlite:///"))
    assert before.keys() == after.keys()
    assert len(before["history_flights"]) > AIRCRAFT // 2
    assert {name for name in before if before[name] != after[name]} <= MENDED
    assert {name.rpartition(".")[2]: number for name, number in read_manifest(tmp_path / "2").rows.items()} == {
        name: len(rows) for name, rows in before.items() if not name.startswith("sqlite_")
    }
    restored.start()
    try:
        assert restored.get("/api/v1/history/flights?limit=1")["flights"]
    finally:
        assert restored.stop() == 0


def test_schedule_of_a_service(tmp_path):
    """The worker makes one at its start, shows it in health, and names a failure there."""
    passphrase, folder = tmp_path / "passphrase", tmp_path / "backups"
    passphrase.write_text(PASSPHRASE + "\n")
    folder.mkdir()
    service = Service(
        tmp_path,
        receiver__demo="simulate aircraft=5",
        audio_directory=tmp_path / "audio",
        backup_target=folder,
        backup_passphrase_file=passphrase,
        # No second one is under way when the folder goes, which would be tried again minutes later.
        backup_every="1h",
        backup_keep=2,
    )
    service.init().start()
    try:
        until(lambda: whole_backups(folder), "the first backup")
        until(lambda: (health_of(service) or {}).get("ok"), "health shows it")
        until(lambda: (health_of(service) or {}).get("detail", "").startswith("the newest is of "))
        folder.rename(tmp_path / "unplugged")
        until(
            lambda: "backup_target is not there" in (health_of(service) or {}).get("detail", ""), "the folder is gone"
        )
        assert str(tmp_path) not in json.dumps(health_of(service))
        (tmp_path / "unplugged").rename(folder)
        until(lambda: (health_of(service) or {}).get("ok"), "health shows that it is there again")
    finally:
        assert service.stop() == 0
    [first, *_] = whole_backups(folder)
    there = Installation(tmp_path / "there", f"sqlite:///{tmp_path}/there.sqlite", "")
    done = skywatch("restore", first.folder, there.ini, "--passphrase-file", passphrase)
    assert done.exit_code == 0, done.output
    assert (there.folder / "skywatch.ini.restored").read_text() == service.ini.read_text()
    assert (tmp_path / "there.sqlite.secret").read_text() == (tmp_path / "skywatch.sqlite.secret").read_text()
    assert "locked" not in service.log.read_text()

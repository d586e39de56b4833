"""A backup comes back in another place, row by row and file by file, on both databases."""

from __future__ import annotations

import json
import os
import shutil

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import Login
from skywatch.backup.schedule.state import read_state, request_backup
from skywatch.core.database.engine import create_engine
from skywatch.core.database.migrations import upgrade
from skywatch.core.database.models import AuditEntry, FencingToken
from skywatch.core.process.version import VERSION
from skywatch.core.storage.audit import Actor
from skywatch.notify.models import Channel, Delivery
from skywatch.web.region.cut import Region
from skywatch.web.region.job import ask_size, read_job
from tests.backups import PASSPHRASE, SECRET, Installation, modes, refused, skywatch
from tests.servers import postgresql_database, program

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

# What a restore changes on purpose.
MENDED = {"access_version", "audit_entries", "fencing_tokens", "logins", "notify_deliveries", "password_resets"}


@pytest.fixture(params=["sqlite", "postgresql"])
def both(request, tmp_path):
    """An installation with rows and recordings, and an empty one of the same kind."""
    if request.param == "sqlite":
        urls = [f"sqlite:///{tmp_path}/here/a.sqlite", f"sqlite:///{tmp_path}/there/b.sqlite"]
        yield [Installation(tmp_path / name, url) for name, url in zip(("here", "there"), urls, strict=True)]
        return
    program("pg_dump")
    with postgresql_database(request.getfixturevalue("migrated_postgresql")) as one, postgresql_database() as other:
        yield [Installation(tmp_path / "here", one), Installation(tmp_path / "there", other)]


@pytest.fixture
def here(both, migrated_sqlite):
    if both[0].url.startswith("sqlite"):
        shutil.copy(migrated_sqlite, both[0].folder / "a.sqlite")
    return both[0].fill()


@pytest.fixture
def there(both):
    return both[1]


def test_all_comes_back(here, there, tmp_path):
    target = tmp_path / "backup"
    made = here.back_up(target)
    assert str(target) in made.stdout
    before = here.rows()
    assert modes(target) == {0o600}
    restored = skywatch("restore", target, there.ini, "--passphrase-file", here.passphrase)
    assert (restored.exit_code, restored.stderr) == (0, "")
    after = there.rows()
    assert after.keys() == before.keys()
    assert {name for name in before if before[name] != after[name]} == MENDED
    assert here.recordings() == there.recordings() != {}
    assert not (there.audio / "incoming").exists()
    assert modes(there.audio) == {0o600}
    with there.session() as session:
        assert session.scalar(sa.select(Channel.address)) == "https://example.org/secret-hook"
    # The service accepts it.
    assert "is up to date" in skywatch("doctor", there.ini, "--seconds", "0.1").stdout


def test_manifest_says_what_there_is(here, tmp_path):
    here.back_up(tmp_path / "backup")
    manifest = json.loads((tmp_path / "backup" / "manifest.json").read_text())
    rows = here.rows()
    counts = {name.removeprefix("public."): count for name, count in manifest["rows"].items()}
    assert counts == {name: len(entries) for name, entries in rows.items()}
    assert (manifest["format"], manifest["release"]) == (2, VERSION)
    assert manifest["revision"] == rows["alembic_version"][0][0]
    kind = "sqlite" if here.url.startswith("sqlite") else "dump"
    assert [file["name"] for file in manifest["files"]] == [
        f"database.{kind}",
        "files/audio/2026/11/24/one.wav",
        "files/audio/2026/11/25/two.mp3",
        "settings.sealed",
    ]
    assert manifest["left_out"] == []


def test_what_must_not_go_on_is_mended(here, there, tmp_path):
    with here.session() as session:
        request_backup(session, Actor("root", "console"))
        ask_size(session, Actor("root", "console"), Region(47.0, 8.0, 50, 11), "https://maps.example/a.pmtiles")
    here.back_up(tmp_path / "backup")
    assert skywatch("restore", tmp_path / "backup", there.ini, "--passphrase-file", here.passphrase).exit_code == 0
    with there.session() as session:
        assert read_state(session).requested_at is None
        assert read_job(session) is None
        assert session.scalars(sa.select(Login.ended_reason)).all() == ["restored from a backup"]
        assert session.scalar(sa.select(FencingToken.token)) != "before"
        states = {row.message_id: row.state for row in session.scalars(sa.select(Delivery))}
        assert [states[f"msg_{number}"] for number in range(5)] == ["held", "held", "held", "delivered", "dead"]
        waiting = sa.select(Delivery.next_at).where(Delivery.state == "held")
        assert set(session.scalars(waiting)) == {None}
        audit = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "backup.restored")).one()
        assert audit.actor_name == "command line"
        assert audit.after["release"] == VERSION
    assert there.rows()["password_resets"] == []


def test_logins_and_notifications_go_on_by_choice(here, there, tmp_path):
    here.back_up(tmp_path / "backup")
    done = skywatch(
        *("restore", tmp_path / "backup", there.ini, "--passphrase-file", here.passphrase, "--keep-logins", "--send")
    )
    assert done.exit_code == 0
    for table in ("logins", "notify_deliveries"):
        assert there.rows()[table] == here.rows()[table]


def test_verify_changes_nothing(here, tmp_path):
    target = tmp_path / "backup"
    here.back_up(target)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in tmp_path.rglob("*")}
    done = skywatch("backup", "--verify", target, "--passphrase-file", here.passphrase)
    assert done.exit_code == 0
    assert "is complete and authenticated" in done.stdout
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in tmp_path.rglob("*")} == before


def test_trial_restore_on_the_server_leaves_no_database(here, tmp_path):
    here.back_up(tmp_path / "backup")
    done = skywatch("backup", "--verify", here.ini, tmp_path / "backup")
    assert done.exit_code == 0
    assert "restored into a temporary database" in done.stdout
    if here.url.startswith("postgresql"):
        engine = create_engine(here.url)
        with engine.connect() as connection:
            names = connection.scalars(sa.text("SELECT datname FROM pg_database")).all()
        engine.dispose()
        assert not [name for name in names if name.startswith("skywatch_trial_")]


def test_without_secret_nothing_of_the_settings_is_there(here, there, tmp_path):
    target = tmp_path / "backup"
    here.back_up(target, "--without-secret")
    manifest = json.loads((target / "manifest.json").read_text())
    assert manifest["left_out"] == ["settings", "secret"]
    assert not [path for path in target.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert not (target / "settings.sealed").exists()
    restored = skywatch("restore", target, there.ini, "--unauthenticated")
    assert restored.exit_code == 0
    assert "those of FILE.ini" in restored.stdout


def test_nothing_readable_of_secret_and_passphrase_is_in_a_backup(here, tmp_path):
    here.back_up(tmp_path / "backup")
    for path in (tmp_path / "backup").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert SECRET.encode() not in data
            assert PASSPHRASE.encode() not in data


def test_older_schema_is_upgraded(both, tmp_path):
    here, there = both
    if here.url.startswith("sqlite"):
        _restore_older(here, there, tmp_path)
        return
    with postgresql_database() as url:
        _restore_older(Installation(tmp_path / "here", url), there, tmp_path)


def _restore_older(here, there, tmp_path):
    engine = create_engine(here.url)
    upgrade(engine, "0029")
    engine.dispose()
    here.back_up(tmp_path / "backup")
    assert json.loads((tmp_path / "backup" / "manifest.json").read_text())["revision"] == "0029"
    assert skywatch("backup", "--verify", tmp_path / "backup").exit_code == 0
    assert skywatch("restore", tmp_path / "backup", there.ini, "--passphrase-file", here.passphrase).exit_code == 0
    assert there.rows()["alembic_version"] > [("0029",)]
    assert "is up to date" in skywatch("doctor", there.ini, "--seconds", "0.1").stdout


def test_target_that_has_tables_is_refused(here, there, tmp_path):
    here.back_up(tmp_path / "backup")
    command = ("restore", tmp_path / "backup", there.ini, "--passphrase-file", here.passphrase)
    assert skywatch(*command).exit_code == 0
    before = there.rows()
    assert "tables already" in refused(1, *command)
    assert there.rows() == before


def test_database_without_a_schema_is_refused(there, tmp_path):
    engine = create_engine(there.url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE something (id INTEGER)")
    engine.dispose()
    assert "no Skywatch schema" in refused(1, "backup", there.ini, tmp_path / "backup", "--without-secret")
    assert not (tmp_path / "backup").exists()


def test_password_of_the_database_is_in_no_argument(tmp_path, monkeypatch, migrated_postgresql):
    """Programs that log their arguments and their environment take the place of PostgreSQL's."""
    programs = tmp_path / "bin"
    programs.mkdir()
    with postgresql_database(migrated_postgresql) as url:
        given = sa.make_url(url).set(password="pa=ss 'word\\").render_as_string(hide_password=False)
        here = Installation(tmp_path / "here", given, "").fill()
        for name in ("pg_dump", "pg_restore"):
            program = programs / name
            program.write_text(
                f'#!/bin/sh\nprintf "%s\\n" "$@" >>{tmp_path}/arguments\nenv >>{tmp_path}/environment\nexit 7\n'
            )
            program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        line = refused(1, "backup", here.ini, tmp_path / "backup", "--without-secret")
    assert line.startswith("pg_dump failed")
    assert "'word" not in (tmp_path / "arguments").read_text() + line
    assert "PGPASSWORD=pa=ss 'word\\" in (tmp_path / "environment").read_text()
    assert not (tmp_path / "backup").exists()

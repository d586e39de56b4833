"""A backup that somebody has changed: with the passphrase it is damage, without it only who asks for it restores it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import time

import msgspec
import pytest
import sqlalchemy as sa

from skywatch.accounts.models import User
from skywatch.backup.contents import manifest as manifests
from skywatch.core.database.models import AuditEntry
from tests.backups import Installation, listed_anew, read_document, refused, skywatch, write_unauthenticated

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

TRIGGER = (
    "CREATE TRIGGER forget AFTER INSERT ON audit_entries WHEN new.action LIKE 'auth.%'"
    " BEGIN DELETE FROM audit_entries WHERE id = new.id; END"
)


def restoring(target, there, *options):
    return "restore", target, there.ini, "--passphrase-file", there.passphrase, *options


def nothing_restored(there):
    return not (there.folder / "b.sqlite").exists() and there.recordings() == {}


def execute(target, *statements):
    with sqlite3.connect(target / "database.sqlite") as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def resigned(target, **members):
    """The manifest with files as they are now and a right checksum, but its old MAC: nobody else has the key."""
    document = listed_anew(target, json.loads((target / "manifest.json").read_text()))
    del document["checksum"]
    document.update(members)
    document["mac"] = document.pop("mac")
    write_unauthenticated(target, document)


def as_earlier_release(target):
    """The manifest as a release without MACs writes it, for the files as they are now."""
    write_unauthenticated(target, listed_anew(target, {**read_document(target), "format": 1}))


@pytest.fixture
def second(origin, tmp_path):
    """Another backup of the same installation with the same passphrase."""
    folder = tmp_path / "second"
    (origin.audio / "2026/11/24/one.wav").write_bytes(b"another recording")
    try:
        with origin.session() as session:
            session.execute(sa.update(User).values(display_name="Somebody else"))
        origin.back_up(folder)
    finally:
        shutil.copy(origin.folder.parent / "backup/files/audio/2026/11/24/one.wav", origin.audio / "2026/11/24/one.wav")
    return folder


def test_who_changes_the_database_does_not_become_superadmin(target, there):
    execute(target, "UPDATE users SET username = 'mallory'")
    resigned(target)
    for command in (("backup", "--verify", target, "--passphrase-file", there.passphrase), restoring(target, there)):
        assert "the manifest was changed: its MAC is another one" in refused(2, *command)
    assert "its MAC is another one" in refused(2, *restoring(target, there, "--unauthenticated"))
    assert nothing_restored(there)


def test_changed_backup_as_an_earlier_release_writes_it_is_restored_by_choice_alone(target, there):
    execute(target, "UPDATE users SET username = 'mallory'")
    as_earlier_release(target)
    line = refused(1, *restoring(target, there))
    assert "is not authenticated" in line
    assert "format 1" in line
    assert "--unauthenticated" in line
    assert nothing_restored(there)
    verified = skywatch("backup", "--verify", target, "--passphrase-file", there.passphrase)
    assert verified.exit_code == 0
    assert "is complete, not authenticated" in verified.stdout


def test_backup_of_an_earlier_release_is_restored_by_choice(origin, target, there):
    as_earlier_release(target)
    done = skywatch(*restoring(target, there, "--unauthenticated"))
    assert done.exit_code == 0, done.output
    assert there.rows()["users"] == origin.rows()["users"]
    assert there.recordings() == origin.recordings()
    with there.session() as session:
        assert restored_entry(session).after["authenticated"] is False


def restored_entry(session):
    return session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "backup.restored")).one()


def test_authentic_backup_says_so_in_the_audit_log(target, there):
    assert skywatch(*restoring(target, there)).exit_code == 0
    with there.session() as session:
        assert restored_entry(session).after["authenticated"] is True


def test_backup_without_a_passphrase_is_restored_by_choice_alone(origin, there, tmp_path):
    target = tmp_path / "plain"
    origin.back_up(target, "--without-secret")
    verified = skywatch("backup", "--verify", target)
    assert verified.exit_code == 0
    assert "is complete, not authenticated" in verified.stdout
    assert "made without a passphrase" in verified.stdout
    assert "made without a passphrase" in refused(1, "restore", target, there.ini)
    assert nothing_restored(there)
    assert skywatch("restore", target, there.ini, "--unauthenticated").exit_code == 0


def test_without_the_passphrase_file_nothing_is_authenticated(target, there):
    verified = skywatch("backup", "--verify", target)
    assert verified.exit_code == 0
    assert "is complete, not authenticated" in verified.stdout
    assert "--passphrase-file" in refused(1, "restore", target, there.ini)
    assert nothing_restored(there)
    assert skywatch("restore", target, there.ini, "--unauthenticated").exit_code == 0


MEMBERS = {
    "format": 2.0,
    "release": "9.9.9",
    "revision": "0028",
    "database": "postgresql",
    "began_at": "2020-01-01T00:00:00Z",
    "rows": {},
    "files": [],
    "left_out": ["secret"],
    "mac": "0" * 64,
}


@pytest.mark.parametrize("member", MEMBERS)
def test_every_member_of_the_manifest_is_authenticated(target, there, member):
    resigned(target, **{member: MEMBERS[member]})
    refused(2, *restoring(target, there))
    assert nothing_restored(there)


@pytest.mark.parametrize("change", [{"cost": 2}, {"passes": 2}, {"salt": "AAAAAAAAAAAAAAAAAAAAAA=="}, {"check": ""}])
def test_what_says_how_the_key_is_derived_is_authenticated(target, there, change):
    authentication = json.loads((target / "manifest.json").read_text())["authentication"]
    resigned(target, authentication={**authentication, **change})
    refused(2, *restoring(target, there))
    assert nothing_restored(there)


@pytest.mark.parametrize(
    "change",
    [
        {"cost": 2**31},
        {"cost": 2**40},
        {"block": 2**20},
        {"passes": 2**30},
        {"cost": 3},
        {"cost": 0},
        {"block": -8},
        {"salt": ""},
        {"salt": "AAAA" * 100_000},
    ],
    ids=lambda change: next(iter(change)),
)
def test_key_that_would_take_all_memory_or_time_is_damage(target, there, change):
    authentication = json.loads((target / "manifest.json").read_text())["authentication"]
    resigned(target, authentication={**authentication, **change})
    began = time.process_time()
    assert "scrypt parameters" in refused(2, *restoring(target, there))
    assert time.process_time() - began < 2


def test_mac_without_what_it_follows_from_authenticates_nothing(target, there):
    resigned(target, authentication=None)
    assert "is not authenticated" in refused(1, *restoring(target, there))
    document = read_document(target)
    write_unauthenticated(target, document)
    assert "is not authenticated" in refused(1, *restoring(target, there))


@pytest.mark.parametrize(
    "name", ["database.sqlite", "files/audio/2026/11/24/one.wav", "settings.sealed", "manifest.json"]
)
def test_file_of_another_backup_of_the_same_passphrase_is_damage(target, second, there, name):
    shutil.copy(second / name, target / name)
    refused(2, *restoring(target, there))
    refused(2, "backup", "--verify", target, "--passphrase-file", there.passphrase)
    assert nothing_restored(there)


def test_wrong_passphrase_is_not_taken_for_a_change(target, there):
    there.passphrase.write_text("another passphrase\n")
    assert refused(1, *restoring(target, there)) == "the passphrase is wrong"


def test_settings_of_another_passphrase_are_damage(target, there, tmp_path):
    """The manifest is not from who wrote them, although its hash is theirs."""
    other = tmp_path / "other-passphrase"
    other.write_text("another passphrase\n")
    here = Installation(tmp_path / "other", f"sqlite:///{target}/database.sqlite")
    here.back_up(tmp_path / "foreign", "--passphrase-file", other)
    shutil.copy(tmp_path / "foreign/settings.sealed", target / "settings.sealed")
    resigned(target)
    assert "its MAC is another one" in refused(2, *restoring(target, there))


ADDED = {
    "trigger": TRIGGER,
    "view": "CREATE VIEW everything AS SELECT * FROM users",
    "table": "CREATE TABLE notes (id INTEGER)",
    "index": "CREATE INDEX mine ON users (created_at)",
    "virtual table": "CREATE VIRTUAL TABLE words USING fts5(text)",
}
CHANGED = {
    "trigger": (
        "DROP TRIGGER acars_search_insert",
        "CREATE TRIGGER acars_search_insert AFTER INSERT ON users BEGIN DELETE FROM audit_entries; END",
    ),
    "index": ("DROP INDEX ix_alerts_triggered_at",),
    "column": ("ALTER TABLE users ADD COLUMN note TEXT DEFAULT 'x'",),
    "lost table": ("DROP TABLE feeders",),
}


@pytest.mark.parametrize("kind", [*ADDED, *(f"changed {kind}" for kind in CHANGED)])
def test_schema_that_the_migrations_do_not_make_is_refused(target, there, kind):
    execute(target, *CHANGED[kind.removeprefix("changed ")] if kind.startswith("changed ") else (ADDED[kind],))
    as_earlier_release(target)
    for command in (("backup", "--verify", target), restoring(target, there, "--unauthenticated")):
        assert "does not have the schema of revision" in refused(1, *command)
    assert nothing_restored(there)


def test_definition_that_loses_rows_silently_is_refused(target, there):
    """No list of SQLite has it: it is in the text of the table alone."""
    with sqlite3.connect(target / "database.sqlite") as connection:
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'action VARCHAR(64) NOT NULL',"
            " 'action VARCHAR(64) NOT NULL ON CONFLICT IGNORE') WHERE name = 'audit_entries'"
        )
        assert connection.execute("SELECT changes()").fetchone() == (1,)
    connection.close()
    as_earlier_release(target)
    assert "table audit_entries was changed" in refused(1, *restoring(target, there, "--unauthenticated"))
    assert nothing_restored(there)


def test_trigger_of_the_database_that_was_backed_up_is_refused_although_authentic(tmp_path, migrated_sqlite, there):
    here = Installation(tmp_path / "here", f"sqlite:///{tmp_path}/here/a.sqlite")
    shutil.copy(migrated_sqlite, here.folder / "a.sqlite")
    here.fill()
    with sqlite3.connect(here.folder / "a.sqlite") as connection:
        connection.execute(TRIGGER)
    connection.close()
    here.back_up(tmp_path / "backup")
    line = refused(1, "backup", "--verify", tmp_path / "backup", "--passphrase-file", here.passphrase)
    assert "trigger forget was added" in line
    assert "trigger forget was added" in refused(1, *restoring(tmp_path / "backup", there))
    assert nothing_restored(there)


def test_database_of_another_revision_than_the_manifest_says_is_damage(target, there):
    execute(target, "UPDATE alembic_version SET version_num = '0028'")
    as_earlier_release(target)
    assert "is of revision '0028'" in refused(2, *restoring(target, there, "--unauthenticated"))
    assert nothing_restored(there)


def test_analysed_database_is_as_good_as_any(tmp_path, migrated_sqlite, there):
    here = Installation(tmp_path / "here", f"sqlite:///{tmp_path}/here/a.sqlite")
    shutil.copy(migrated_sqlite, here.folder / "a.sqlite")
    here.fill()
    with sqlite3.connect(here.folder / "a.sqlite") as connection:
        connection.execute("ANALYZE")
    connection.close()
    here.back_up(tmp_path / "backup")
    assert skywatch(*restoring(tmp_path / "backup", there)).exit_code == 0


@pytest.mark.parametrize("name", ["database.sqlite", "files/audio/2026/11/24/one.wav", "settings.sealed"])
def test_link_instead_of_a_file_is_damage(target, there, tmp_path, name):
    shutil.move(target / name, tmp_path / "elsewhere")
    (target / name).symlink_to(tmp_path / "elsewhere")
    assert "is not a file" in refused(2, *restoring(target, there))
    assert nothing_restored(there)


@pytest.mark.parametrize("name", ["files", "files/audio", "files/audio/2026/11"])
def test_link_instead_of_a_folder_is_damage(target, there, tmp_path, name):
    shutil.move(target / name, tmp_path / "elsewhere")
    (target / name).symlink_to(tmp_path / "elsewhere")
    assert "is a link to another folder" in refused(2, *restoring(target, there))
    assert nothing_restored(there)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_manifest_that_is_no_file_is_damage(target, there, tmp_path, kind):
    path = target / "manifest.json"
    shutil.move(path, tmp_path / "elsewhere")
    {"link": lambda: path.symlink_to(tmp_path / "elsewhere"), "pipe": lambda: os.mkfifo(path), "folder": path.mkdir}[
        kind
    ]()
    assert "is no manifest" in refused(2, *restoring(target, there))


@pytest.mark.parametrize("name", ["manifest.json", "settings.sealed"])
def test_file_of_absurd_size_is_damage(target, there, name):
    """It takes no room on the disk, and would take all memory."""
    with open(target / name, "r+b") as file:
        file.truncate(10**13)
    refused(2, *restoring(target, there, "--unauthenticated"))
    refused(2, "backup", "--verify", target, "--passphrase-file", there.passphrase)


def test_file_that_is_renamed_is_missing(target, there):
    (target / "files/audio/2026/11/24/one.wav").rename(target / "files/audio/2026/11/24/other.wav")
    assert "one.wav: is missing" in refused(2, *restoring(target, there))
    assert nothing_restored(there)


def test_file_named_twice_is_damage(target, there):
    document = read_document(target)
    write_unauthenticated(target, {**document, "files": [*document["files"], document["files"][1]]})
    assert "names a file twice" in refused(2, *restoring(target, there, "--unauthenticated"))


@pytest.mark.parametrize(
    "change",
    [
        {"bytes": -1},
        {"sha256": "0"},
        {"sha256": "x" * 64},
        {"name": "files/audio/\x1b]0;owned\x07"},
        {"name": "database.sqlite/below"},
        {"name": "x" * 5000},
    ],
    ids=str,
)
def test_hostile_entry_of_a_file_is_one_plain_line(target, there, change):
    document = read_document(target)
    entry = {"name": "files/audio/new", "bytes": 0, "sha256": hashlib.sha256(b"").hexdigest(), **change}
    write_unauthenticated(target, {**document, "files": [*document["files"], entry]})
    result = skywatch(*restoring(target, there, "--unauthenticated"))
    assert result.exit_code in (1, 2)
    assert result.stderr.count("\n") == 1
    assert result.stderr.rstrip("\n").isprintable()
    assert nothing_restored(there)


def test_words_of_a_backup_do_not_reach_the_terminal_as_commands(target, there):
    write_unauthenticated(target, {**read_document(target), "format": 9, "release": "\x1b[2J\x9b31m"})
    line = refused(1, *restoring(target, there))
    assert "\\x1b[2J" in line
    assert line.isprintable()


def test_time_without_a_zone_is_damage(target, there):
    write_unauthenticated(target, {**read_document(target), "began_at": "2026-01-01T00:00:00"})
    assert "cannot be read" in refused(2, *restoring(target, there, "--unauthenticated"))


def test_files_that_do_not_fit_the_disk_are_refused_before_anything_is_written(target, there, monkeypatch):
    free = {there.folder.name: 1000}
    usage = shutil.disk_usage
    monkeypatch.setattr(
        "shutil.disk_usage",
        lambda path: type("Usage", (), {"free": free[path.name]})() if path.name in free else usage(path),
    )
    assert "needs 0 MB, and 0 MB are free" in refused(1, *restoring(target, there))
    assert nothing_restored(there)


def test_manifest_with_any_byte_changed_is_not_authentic(target):
    """Whatever byte is changed, and whether or not the checksum is made right again."""
    path = target / "manifest.json"
    passphrase = "correct horse battery"
    data = path.read_bytes()
    assert manifests.read_authentic(target, passphrase)[1]
    end = data.index(b',\n  "checksum"')
    for at in range(0, end, 37):
        changed = bytearray(data[:end])
        changed[at] ^= 0x10
        path.write_bytes(bytes(changed) + b',\n  "checksum": "%s"\n}\n' % hashlib.sha256(changed).hexdigest().encode())
        # A manifest that no longer says that it has a MAC is like one of an earlier release.
        with contextlib.suppress(manifests.Damaged):
            assert not manifests.read_authentic(target, passphrase)[1]


def test_manifest_states_the_cost_of_its_key(target):
    authentication = msgspec.json.decode((target / "manifest.json").read_bytes())["authentication"]
    assert set(authentication) == {"cost", "block", "passes", "salt", "check"}

"""What is refused, with which exit code and line, and that nothing was written then."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from skywatch.backup.contents import manifest as manifests
from skywatch.backup.contents import passphrase, sealed
from skywatch.backup.creation import Order, make_backup, only_backup
from skywatch.backup.progress import Progress
from skywatch.core.database.engine import create_engine
from tests.backups import Installation, read_document, refused, skywatch, write_unauthenticated
from tests.unit.backup.conftest import COST_OF_THE_SERVICE
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.deep("archives, backups and their worker processes")

OTHER_SECRET = "another-secret-0123456789-abcdef-0123"


def restoring(target, there, *options):
    return "restore", target, there.ini, "--passphrase-file", there.passphrase, *options


def nothing_restored(there):
    return not (there.folder / "b.sqlite").exists() and there.recordings() == {}


def rewrite(target, **members):
    """A manifest with other members and the right checksum, as anybody can write it."""
    write_unauthenticated(target, {**read_document(target), "format": 1, **members})


FILES = ("database.sqlite", "files/audio/2026/11/24/one.wav", "settings.sealed", "manifest.json")


@pytest.mark.parametrize("place", ["first", "middle", "last"])
@pytest.mark.parametrize("name", FILES)
def test_one_changed_byte_is_damage(target, there, name, place):
    path = target / name
    data = bytearray(path.read_bytes())
    data[{"first": 0, "middle": len(data) // 2, "last": -1}[place]] ^= 1
    path.write_bytes(data)
    assert name.rpartition("/")[2] in refused(2, "backup", "--verify", target)
    refused(2, *restoring(target, there))
    assert nothing_restored(there)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("left", [0, 0.5])
def test_cut_short_is_damage(target, there, name, left):
    path = target / name
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * left)])
    refused(2, "backup", "--verify", target)
    refused(2, *restoring(target, there))
    assert nothing_restored(there)


@pytest.mark.parametrize("name", FILES)
def test_missing_file_is_damage(target, there, name):
    (target / name).unlink()
    line = refused(2, *restoring(target, there))
    assert ("not completed" if name == "manifest.json" else "is missing") in line
    assert nothing_restored(there)


def test_settings_are_sealed_at_the_cost_that_owasp_asks_for(monkeypatch):
    cost, block, passes = COST_OF_THE_SERVICE
    assert (cost * passes, block) >= (2**17, 8)
    for name, value in (("COST", cost), ("BLOCK", block), ("PASSES", passes)):
        monkeypatch.setattr(passphrase, name, value)
    private = sealed.PrivatePart({"skywatch.ini": "secret = x"}, "x")
    data = sealed.seal(private, "correct horse battery")
    assert sealed.unseal(data, "correct horse battery") == private
    assert msgspec.json.decode(data)["cost"] == cost


def test_every_byte_of_the_manifest_counts(target):
    path = target / "manifest.json"
    data = path.read_bytes()
    for at in range(0, len(data), 7):
        changed = bytearray(data)
        changed[at] ^= 0x10
        path.write_bytes(changed)
        with pytest.raises(manifests.Damaged):
            manifests.read_manifest(target)


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", "files/audio/../../../outside", "files/audio/./x"])
def test_manifest_that_leads_out_of_the_folder_is_damage(target, there, name):
    entry = {"name": name, "bytes": 0, "sha256": hashlib.sha256(b"").hexdigest()}
    rewrite(target, files=[*read_document(target)["files"], entry])
    assert "outside" in refused(2, *restoring(target, there, "--unauthenticated"))
    assert nothing_restored(there)


def test_counts_other_than_the_database_has_are_damage(target, there):
    rows = read_document(target)["rows"]
    rewrite(target, rows={**rows, "users": rows["users"] + 1})
    assert "users 1 of 2" in refused(2, "backup", "--verify", target)
    assert "users 1 of 2" in refused(2, *restoring(target, there, "--unauthenticated"))
    assert not (there.folder / "b.sqlite").exists()


def test_newer_format_or_schema_is_refused(target, there):
    rewrite(target, revision="9999")
    assert "newer than this version" in refused(1, *restoring(target, there, "--unauthenticated"))
    assert "newer than this version" in refused(1, "backup", "--verify", target)
    rewrite(target, format=3, release="7.0.0", files="in another form")
    assert "newer release (7.0.0, format 3)" in refused(1, *restoring(target, there))
    assert nothing_restored(there)


def test_older_schema_than_can_be_upgraded_is_refused(target, there):
    rewrite(target, revision="0003")
    assert "is older than revision" in refused(1, *restoring(target, there, "--unauthenticated"))


def test_wrong_passphrase_is_refused(target, there, tmp_path):
    there.passphrase.write_text("not the passphrase\n")
    assert refused(1, *restoring(target, there)) == "the passphrase is wrong"
    assert refused(1, "backup", "--verify", target, "--passphrase-file", there.passphrase) == "the passphrase is wrong"
    assert nothing_restored(there)


@pytest.mark.parametrize(
    ("text", "why"),
    [(None, "No such file"), (b"", "contains no passphrase"), (b"\n", "no passphrase"), (b"\xff\xfe", "not UTF-8")],
)
def test_passphrase_file_that_is_none(origin, tmp_path, text, why):
    if text is not None:
        (tmp_path / "passphrase").write_bytes(text)
    line = refused(1, "backup", origin.ini, tmp_path / "new", "--passphrase-file", tmp_path / "passphrase")
    assert why in line
    assert not (tmp_path / "new").exists()


def test_short_passphrase_is_refused(origin, tmp_path):
    (tmp_path / "passphrase").write_text("short\n")
    line = refused(1, "backup", origin.ini, tmp_path / "new", "--passphrase-file", tmp_path / "passphrase")
    assert "fewer than 8 characters" in line


@pytest.mark.parametrize(
    "arguments",
    [
        ["backup"],
        ["backup", "{ini}", "{new}"],
        ["backup", "{ini}", "{new}", "--without-secret", "--passphrase-file", "{passphrase}"],
        ["backup", "{ini}", "--without-secret"],
        ["backup", "--verify"],
        ["backup", "{ini}", "{new}", "--no-such-option"],
        ["backup", "{new}", "{new}", "--without-secret"],
        ["backup", "--verify", "{new}"],
        ["restore", "{backup}"],
        ["restore", "{new}", "{ini}"],
        ["restore", "{backup}", "{new}", "--passphrase-file", "{passphrase}"],
        ["restore", "{folder}", "{ini}"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_one_line(origin, tmp_path, arguments):
    places = {
        "ini": origin.ini,
        "new": tmp_path / "new",
        "passphrase": origin.passphrase,
        "backup": origin.folder.parent / "backup",
        "folder": tmp_path,
    }
    refused(1, *(argument.format(**places) for argument in arguments))
    assert not (tmp_path / "new").exists()


def test_folder_of_backups_names_one(origin, tmp_path):
    assert "name one of them, such as backup" in refused(1, "backup", "--verify", origin.folder.parent)


def test_backup_does_not_touch_what_is_in_its_folder(origin, target, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in target.rglob("*")}
    assert "a backup already" in refused(1, "backup", origin.ini, target, "--without-secret")
    assert {path: path.stat().st_mtime_ns for path in target.rglob("*")} == before
    other = tmp_path / "photos"
    other.mkdir()
    (other / "photo.jpg").write_text("x")
    assert "is not empty" in refused(1, "backup", origin.ini, other, "--without-secret")
    (other / "unfinished").touch()
    assert "photo.jpg" in refused(1, "backup", origin.ini, other, "--without-secret")
    assert (other / "photo.jpg").exists()


@pytest.mark.parametrize("place", ["{ini}", "{ini}/below", "/proc/skywatch"])
def test_target_that_cannot_be_written(origin, place):
    refused(1, "backup", origin.ini, place.format(ini=origin.ini), "--without-secret")


def test_no_room_is_refused_before_anything_is_written(origin, tmp_path, monkeypatch):
    free = os.statvfs(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 1000})())
    assert free.f_bavail > 0
    assert "are free" in refused(1, "backup", origin.ini, tmp_path / "new", "--without-secret")
    assert not (tmp_path / "new").exists()


def test_damaged_database_makes_no_backup(origin, tmp_path):
    path = tmp_path / "a.sqlite"
    data = bytearray((origin.folder / "a.sqlite").read_bytes())
    data[4096 * 20 : 4096 * 24] = os.urandom(4096 * 4)
    path.write_bytes(data)
    here = Installation(tmp_path / "here", f"sqlite:///{path}")
    line = refused(2, "backup", here.ini, tmp_path / "new", "--without-secret")
    assert "a.sqlite: is damaged" in line
    assert not (tmp_path / "new").exists()


def test_database_that_is_not_there(tmp_path):
    here = Installation(tmp_path / "here", f"sqlite:///{tmp_path}/none.sqlite")
    assert "no such database" in refused(1, "backup", here.ini, tmp_path / "new", "--without-secret")
    assert not (tmp_path / "none.sqlite").exists()


def test_another_kind_of_database_is_refused(target, tmp_path):
    there = Installation(tmp_path / "there", "postgresql://nobody@127.0.0.1:1/none")
    assert "one of sqlite" in refused(1, *restoring(target, there))


def test_journal_of_a_database_that_is_gone_is_refused(target, there):
    """SQLite would apply it to the restored database."""
    (there.folder / "b.sqlite-wal").write_bytes(b"left over")
    assert "b.sqlite-wal: is left of another database" in refused(1, *restoring(target, there))


def test_empty_database_that_is_open_is_refused(target, there):
    path = there.folder / "b.sqlite"
    engine = create_engine(there.url)
    with engine.connect() as connection:
        connection.exec_driver_sql("SELECT * FROM sqlite_master")
        # It is this process that has it open: SQLite's own lock is what tells.
        assert "in use" in refused(1, *restoring(target, there))
    engine.dispose()
    assert path.stat().st_size
    assert skywatch(*restoring(target, there)).exit_code == 0


def test_empty_database_of_another_process_is_refused(target, there):
    """One that has read nothing yet holds no lock."""
    path = there.folder / "b.sqlite"
    read = "c.execute('PRAGMA page_count').fetchone()"
    code = f"import sqlite3; c = sqlite3.connect({str(path)!r}); print({read}, flush=True); input()"
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout.readline()
    assert f"in use by process {holder.pid}" in refused(1, *restoring(target, there))
    holder.communicate(b"\n")
    assert skywatch(*restoring(target, there)).exit_code == 0


def test_file_that_is_no_database_is_refused(target, there):
    (there.folder / "b.sqlite").write_text("my thesis" * 1000)
    assert "cannot be opened" in refused(1, *restoring(target, there))
    assert (there.folder / "b.sqlite").read_text() == "my thesis" * 1000


def test_other_recordings_are_refused_and_own_ones_are_no_obstacle(target, there):
    path = there.audio / "2026/11/24/one.wav"
    path.parent.mkdir(parents=True)
    path.write_text("another recording")
    assert "differs from the backup's" in refused(1, *restoring(target, there))
    assert path.read_text() == "another recording"
    # As a restore that was ended early leaves it.
    path.write_bytes((target / "files/audio/2026/11/24/one.wav").read_bytes())
    path.with_name("two.mp3.restoring").write_bytes(b"half")
    (there.audio / "2026/11/25").mkdir()
    (there.audio / "2026/11/25/two.mp3.restoring").write_bytes(b"half")
    path.with_name("two.mp3.restoring").unlink()
    (there.audio / "mine.wav").write_bytes(b"mine")
    assert "mine.wav" in refused(1, *restoring(target, there))
    (there.audio / "mine.wav").unlink()
    assert skywatch(*restoring(target, there)).exit_code == 0
    assert set(there.recordings()) == {"2026/11/24/one.wav", "2026/11/25/two.mp3"}


def test_secret_that_differs_is_refused(target, tmp_path):
    there = Installation(tmp_path / "there", f"sqlite:///{tmp_path}/there/b.sqlite", OTHER_SECRET)
    line = refused(1, *restoring(target, there))
    assert line.startswith("setting secret: differs")
    assert OTHER_SECRET not in line
    (there.folder / "b.sqlite.secret").write_text(OTHER_SECRET)
    bare = Installation(tmp_path / "there", there.url, "")
    assert "setting secret: differs" in refused(1, *restoring(target, bare))


@pytest.mark.parametrize("environment", ["development", "production"])
def test_secret_that_is_missing_is_written_for_its_owner(origin, target, tmp_path, environment):
    there = Installation(tmp_path / "there", f"sqlite:///{tmp_path}/there/b.sqlite", "", environment=environment)
    refused(1, "restore", target, there.ini)
    without = refused(1, "restore", target, there.ini, "--unauthenticated")
    assert "give --passphrase-file" in without or environment == "production"
    done = skywatch(*restoring(target, there))
    assert done.exit_code == 0, done.output
    path = there.folder / "b.sqlite.secret"
    assert path.read_text().strip() == origin.secret
    assert path.stat().st_mode & 0o777 == 0o600
    assert str(path) in done.stdout
    assert origin.secret not in done.output


def test_settings_come_back_beside_the_file(origin, target, there):
    done = skywatch(*restoring(target, there))
    path = there.folder / "skywatch.ini.restored"
    assert path.read_text() == origin.ini.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    assert str(path) in done.stdout


def test_settings_go_elsewhere_where_the_folder_is_of_root(origin, target, there, tmp_path, monkeypatch):
    """As with the Debian package: /etc/skywatch is root's, and the command runs as the service's user."""
    etc = tmp_path / "etc"
    etc.mkdir()
    there.ini = shutil.move(there.ini, etc / "skywatch.ini")
    access = os.access
    monkeypatch.setattr("os.access", lambda path, mode: path != etc and access(path, mode))
    done = skywatch(*restoring(target, there))
    assert done.exit_code == 0, done.output
    restored = there.folder / "skywatch.ini.restored"
    assert restored.read_text() == origin.ini.read_text()
    assert str(restored) in done.stdout
    assert [path.name for path in etc.iterdir()] == ["skywatch.ini"]


def test_files_that_the_settings_take_over_come_back(tmp_path, migrated_sqlite):
    here = Installation(tmp_path / "here", f"sqlite:///{tmp_path}/here/a.sqlite")
    (here.folder / "a.sqlite").write_bytes(migrated_sqlite.read_bytes())
    (here.folder / "secret.ini").write_text(f"[app:main]\nuse = egg:skywatch\nsecret = {here.secret}\n")
    text = here.ini.read_text().replace("use = egg:skywatch", "use = config:secret.ini")
    here.ini.write_text("\n".join(line for line in text.splitlines() if not line.startswith("secret =")) + "\n")
    here.back_up(tmp_path / "backup")
    there = Installation(tmp_path / "there", f"sqlite:///{tmp_path}/there/b.sqlite", "")
    assert skywatch(*restoring(tmp_path / "backup", there)).exit_code == 0
    assert (there.folder / "skywatch.ini.restored").read_text() == here.ini.read_text()
    assert here.secret in (there.folder / "secret.ini.restored").read_text()
    assert (there.folder / "b.sqlite.secret").read_text().strip() == here.secret


def test_second_backup_at_once_is_refused(origin, tmp_path):
    """The first stands still half-way until the second has been refused."""
    is_under_way, may_go_on = threading.Event(), threading.Event()

    def stand_still(done):
        is_under_way.set()
        assert may_go_on.wait(PATIENCE_S)

    order = Order(origin.settings(), origin.ini, tmp_path / "first", None)
    with ThreadPoolExecutor(1) as threads, only_backup(order.settings):
        first = threads.submit(make_backup, order, Progress(stand_still))
        try:
            assert is_under_way.wait(PATIENCE_S)
            for target in ("first", "second"):
                line = refused(1, "backup", origin.ini, tmp_path / target, "--without-secret")
                assert line == f"another backup of this database is being made by process {os.getpid()}"
            # That of another database into the same folder.
            other = Installation(tmp_path / "other", f"sqlite:///{tmp_path}/other.sqlite")
            shutil.copy(origin.folder / "a.sqlite", tmp_path / "other.sqlite")
            line = refused(1, "backup", other.ini, tmp_path / "first", "--without-secret")
            assert "another backup is being written there" in line
        finally:
            may_go_on.set()
        first.result()
    assert skywatch("backup", "--verify", tmp_path / "first").exit_code == 0
    assert not (tmp_path / "second").exists()


def test_backup_that_has_the_database_locked_is_named(tmp_path, migrated_sqlite):
    """One that is stopped while it closes the database has it locked, and SQLite would say no more than that."""
    here = Installation(tmp_path / "here", f"sqlite:///{tmp_path}/here/a.sqlite")
    shutil.copy(migrated_sqlite, here.folder / "a.sqlite")
    holder = sqlite3.connect(here.folder / "a.sqlite", isolation_level=None)
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    with only_backup(here.settings()):
        line = refused(1, "backup", here.ini, tmp_path / "second", "--without-secret")
    holder.close()
    assert line.startswith("another backup of this database is being made")


def test_copy_is_one_file_that_anybody_can_open(target):
    with sqlite3.connect(target / "database.sqlite") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("SELECT count(*) FROM users").fetchone() == (1,)

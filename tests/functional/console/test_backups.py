"""The page of backups: the passphrase is made and shown once, a backup is asked for and downloaded by who signed in."""

import dataclasses
import shutil
import stat
from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine

from skywatch.backup.download import opened
from skywatch.backup.schedule.rotation import whole_backups
from skywatch.backup.schedule.service import create
from skywatch.backup.settings import BackupSettings
from skywatch.console.views.service import backups
from skywatch.core.clock import utcnow
from tests.functional.console.visitor import ORIGIN, alert, populate


@pytest.fixture
def visitor(make_visitor, tmp_path, migrated_sqlite):
    shutil.copy(migrated_sqlite, tmp_path / "a.sqlite")
    ini = tmp_path / "a.ini"
    ini.write_text("[app:main]\nuse = egg:skywatch\n")
    found = make_visitor(auth_mode="hybrid", database_url=f"sqlite:///{tmp_path}/a.sqlite")
    found.runtime.settings = dataclasses.replace(found.runtime.settings, ini=str(ini))
    populate(found.runtime, "superadmin")
    found.sign_in("superadmin")
    return found


def press(visitor, do, status=303):
    forms = visitor.get("/backups").forms.values()
    form = next(form for form in forms if any(b.value_if_submitted() == do for b in form.fields.get("do", [])))
    return form.submit("do", value=do, headers=ORIGIN, status=status)


def begin(visitor):
    """The passphrase, and the backup that the worker makes."""
    passphrase = press(visitor, "begin", status=200).html.find(class_="copy").find("code").text
    create(visitor.runtime).look(utcnow())
    return passphrase


def test_a_passphrase_is_made_shown_once_and_the_first_backup_is_asked_for(visitor, tmp_path):
    passphrase = press(visitor, "begin", status=200).html.find(class_="copy").find("code").text
    path = tmp_path / "a.sqlite.backup-passphrase"
    assert (path.read_text().strip(), stat.S_IMODE(path.stat().st_mode)) == (passphrase, 0o600)
    page = visitor.get("/backups")
    assert passphrase not in page
    assert "A backup is being made." in page
    token = visitor.token
    assert "already" in alert(visitor.post("/backups", {"csrf_token": token, "do": "begin"}, status=409))
    create(visitor.runtime).look(utcnow())
    page = visitor.get("/backups")
    assert "A backup is being made." not in page
    assert [one.folder.name for one in whole_backups(tmp_path / "backups")] == [page.html.table.code.text]


@pytest.mark.deep("derives keys")
def test_a_download_is_the_backup_for_whoever_has_the_passphrase(visitor, tmp_path):
    passphrase = begin(visitor)
    answer = press(visitor, "download", status=200)
    assert answer.headers["Content-Disposition"].endswith('.skywatch-backup"')
    file = tmp_path / "downloaded"
    file.write_bytes(answer.body)
    [whole] = whole_backups(tmp_path / "backups")
    with opened(file, passphrase) as folder:
        for path in whole.folder.rglob("*"):
            if path.is_file():
                assert (folder / path.relative_to(whole.folder)).read_bytes() == path.read_bytes()
    with time_machine.travel(utcnow() + timedelta(minutes=16)):
        page = press(visitor, "download", status=403)
        assert "Sign in again first" in alert(page)
        assert page.html.find("a", string="Sign in again")


@pytest.mark.parametrize("name", ["", "..", "../a.sqlite", "skywatch-20260501T020000Z"])
def test_nothing_but_a_backup_of_the_folder_is_downloaded(visitor, name):
    begin(visitor)
    visitor.post("/backups", {"csrf_token": visitor.token, "do": "download", "name": name}, status=404)


@pytest.mark.deep("derives keys")
def test_the_schedule_is_set_and_a_failure_is_shown(visitor, tmp_path):
    begin(visitor)
    page = visitor.get("/backups")
    send_form = next(form for form in page.forms.values() if "backup_keep" in form.fields)
    send_form["backup_every"], send_form["backup_keep"] = "never", "3"
    send_form.submit(headers=ORIGIN, status=303)
    settings = visitor.runtime.current.of(BackupSettings)
    assert (settings.backup_every, settings.backup_keep) == ("never", 3)
    press(visitor, "make")
    (tmp_path / "a.sqlite.backup-passphrase").write_text("short\n")
    create(visitor.runtime).look(utcnow())
    assert "The last try failed" in visitor.get("/backups").html.find(class_="problem").text


def test_a_folder_that_the_settings_name_has_no_backups_before_there_is_a_passphrase(visitor, tmp_path):
    object.__setattr__(visitor.runtime.settings.of(BackupSettings), "backup_target", str(tmp_path / "elsewhere"))
    page = visitor.post("/backups", {"csrf_token": visitor.token, "do": "make"}, status=409)
    assert "no passphrase" in alert(page)
    assert press(visitor, "begin", status=200).html.find(class_="copy")


def test_a_passphrase_file_that_the_settings_name_is_not_made_here(visitor, tmp_path):
    object.__setattr__(visitor.runtime.settings.of(BackupSettings), "backup_passphrase_file", str(tmp_path / "named"))
    assert "Make a passphrase" not in visitor.get("/backups")


def test_no_passphrase_remains_that_nobody_was_shown(visitor, tmp_path, monkeypatch):
    path = tmp_path / "a.sqlite.backup-passphrase"

    def fail(*args):
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(backups, "request_backup", fail)
        press(visitor, "begin", status=500)
    assert not path.exists()

    def fail_with_one(connection):
        if path.exists():
            fail()

    engine = visitor.runtime.sessions.kw["bind"]
    sa.event.listen(engine, "commit", fail_with_one)
    press(visitor, "begin", status=500)
    assert not path.exists()
    sa.event.remove(engine, "commit", fail_with_one)
    press(visitor, "begin", status=200)


def test_without_a_file_of_a_database_the_lines_of_the_ini_file_are_shown(visitor, monkeypatch):
    for name in ("folder_of", "passphrase_file_of"):
        monkeypatch.setattr(backups, name, lambda settings: None)
    assert "backup_target = /backup" in visitor.get("/backups")
    page = visitor.post("/backups", {"csrf_token": visitor.token, "do": "make"}, status=409)
    assert "no passphrase" in alert(page)


def test_the_overview_names_an_old_backup_with_the_page(visitor):
    begin(visitor)
    assert "older than a week" not in visitor.get("")
    with time_machine.travel(utcnow() + timedelta(days=8)):
        visitor = visitor.another_browser()
        visitor.sign_in("superadmin")
        page = visitor.get("")
        assert "The last backup is older than a week." in page
        assert page.html.find("a", href="/console/backups")

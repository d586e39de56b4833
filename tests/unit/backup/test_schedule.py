"""Backups by schedule: when one is made, what is removed, and what health and administrators are told."""

from __future__ import annotations

import dataclasses
import shutil
import stat
from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.accounts.defaults import install
from skywatch.accounts.models import Role, UserRole
from skywatch.backup import creation as making
from skywatch.backup.contents.manifest import read_authentic
from skywatch.backup.places import create_passphrase, passphrase_file_of
from skywatch.backup.schedule.rotation import name_at, remove_old, whole_backups
from skywatch.backup.schedule.service import RETRY, BackupSchedule, create
from skywatch.backup.schedule.state import read_state, request_backup
from skywatch.backup.settings import duration_s, parse_interval
from skywatch.core import stored_settings
from skywatch.core.bus import open_bus
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import Actor
from skywatch.core.telemetry import health
from skywatch.features import load
from skywatch.notify.models import Delivery
from skywatch.notify.user_rights import UserRights
from skywatch.settings import SettingsError
from tests.backups import Installation, read_document, skywatch, write_unauthenticated
from tests.notifying import add_channel, add_user


@pytest.fixture
def here(tmp_path, migrated_sqlite):
    here = Installation(tmp_path / "here", f"sqlite:///{tmp_path}/here/a.sqlite")
    shutil.copy(migrated_sqlite, here.folder / "a.sqlite")
    return here


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


@pytest.fixture
def runtime(here, folder):
    settings = load(
        {
            "environment": "development",
            "database_url": here.url,
            "secret": here.secret,
            "audio_directory": str(here.audio),
            "backup_target": str(folder),
            "backup_passphrase_file": str(here.passphrase),
            "backup_every": "1h",
            "backup_keep": "2",
        }
    )
    settings = dataclasses.replace(settings, ini=str(here.ini))
    engine = create_engine(here.url)
    runtime = Runtime(settings, engine, create_session_factory(engine), open_bus("memory"))
    yield runtime
    runtime.close()
    health.withdraw("backup")


@pytest.fixture
def schedule(runtime):
    return BackupSchedule(runtime)


@pytest.fixture
def channel(runtime):
    """A channel with the source ``system``."""
    return add_channel(runtime.sessions, add_user(runtime.sessions), sources=["system"])


def state():
    return next((part for part in health.components() if part.name == "backup"), None)


def sent(runtime):
    with runtime.sessions() as session:
        return session.scalars(sa.select(Delivery).order_by(Delivery.id)).all()


def test_one_is_made_when_there_is_none_and_when_it_is_time(schedule, folder):
    now = utcnow()
    schedule.look(now)
    assert len(whole_backups(folder)) == 1
    assert state().ok
    assert state().figures["bytes"] > 0
    schedule.look(now + timedelta(minutes=59))
    assert len(whole_backups(folder)) == 1
    schedule.look(now + timedelta(minutes=61))
    assert len(whole_backups(folder)) == 2


def test_backup_made_by_schedule_can_be_restored(schedule, folder, here, tmp_path):
    schedule.look(utcnow())
    [backup] = whole_backups(folder)
    there = Installation(tmp_path / "there", f"sqlite:///{tmp_path}/there/b.sqlite")
    done = skywatch("restore", backup.folder, there.ini, "--passphrase-file", here.passphrase)
    assert done.exit_code == 0, done.output
    assert (there.folder / "skywatch.ini.restored").read_text() == here.ini.read_text()


def test_the_newest_stay_and_unfinished_ones_go(schedule, folder):
    now = utcnow()
    unfinished = folder / name_at(now - timedelta(days=3))
    unfinished.mkdir()
    (unfinished / "unfinished").touch()
    (unfinished / "database.sqlite").write_bytes(b"half")
    (folder / "skywatch-notes").mkdir()
    for hours in range(4):
        schedule.look(now + timedelta(hours=2 * hours))
    names = {path.name for path in folder.iterdir()}
    assert names == {"skywatch-notes", *(name_at(now + timedelta(hours=hours)) for hours in (4, 6))}


def test_damaged_ones_do_not_count_and_stay(schedule, folder):
    now = utcnow()
    schedule.look(now)
    [damaged] = whole_backups(folder)
    with (damaged.folder / "database.sqlite").open("ab") as file:
        file.write(b"more")
    assert whole_backups(folder) == []
    for hours in range(1, 4):
        schedule.look(now + timedelta(hours=2 * hours))
    assert len(whole_backups(folder)) == 2
    assert damaged.folder.exists()


def test_folder_that_only_looks_like_a_backup_keeps_none_from_being_made(schedule, folder, here):
    """Whoever can write there could make the schedule wait for ever."""
    forged = folder / name_at(utcnow())
    here.back_up(forged, "--without-secret")
    assert len(whole_backups(folder)) == 1
    schedule.look(utcnow() + timedelta(seconds=2))
    assert len(whole_backups(folder)) == 2
    assert state().ok


@pytest.mark.parametrize("name", ["x\0y", "../../etc/passwd", "x" * 5000])
def test_hostile_manifest_does_not_stop_the_schedule(schedule, folder, here, name):
    hostile = folder / name_at(utcnow() - timedelta(hours=3))
    here.back_up(hostile, "--without-secret")
    document = read_document(hostile)
    write_unauthenticated(hostile, {**document, "files": [{"name": name, "bytes": 1, "sha256": "0" * 64}]})
    schedule.look(utcnow())
    assert state().ok
    assert len(whole_backups(folder)) == 1


def test_what_a_link_leads_to_is_not_removed(schedule, folder, tmp_path):
    """It has the name of an interrupted backup, and what is in it has the names of a backup's files."""
    mine = tmp_path / "mine"
    (mine / "files").mkdir(parents=True)
    (mine / "files" / "thesis").write_text("x")
    (mine / "database.sqlite").write_text("x")
    (folder / name_at(utcnow() - timedelta(days=3))).symlink_to(mine)
    schedule.look(utcnow())
    assert state().ok
    assert (mine / "files" / "thesis").exists()
    assert (mine / "database.sqlite").exists()


def test_what_others_put_into_an_old_backup_does_not_stop_backups(schedule, folder):
    now = utcnow()
    schedule.look(now)
    old = whole_backups(folder)[0].folder
    (old / "@eaDir").mkdir()
    for hours in range(1, 5):
        schedule.look(now + timedelta(hours=2 * hours))
        assert state().ok
    assert len(whole_backups(folder)) == 2
    assert [path.name for path in old.iterdir()] == ["@eaDir"]


def test_changed_passphrase_gets_a_backup_at_once(schedule, folder, here):
    now = utcnow()
    schedule.look(now)
    here.passphrase.write_text("another passphrase\n")
    schedule.look(now + timedelta(minutes=1))
    assert len(whole_backups(folder)) == 2


def test_clock_that_was_wrong_does_not_stop_backups(schedule, folder):
    schedule.look(utcnow() + timedelta(days=400))
    now = utcnow()
    [backup] = whole_backups(folder)
    text = (backup.folder / "manifest.json").read_text()
    assert str(now.year) in text
    # Made an hour in the future: only what is clearly of another clock is not believed.
    schedule.look(now - timedelta(hours=1))
    assert len(whole_backups(folder)) == 2


def test_clock_that_leaps_ahead_costs_one_backup_and_no_loop(schedule, folder, monkeypatch):
    now = utcnow()

    def look(at):
        monkeypatch.setattr(making, "utcnow", lambda: at)
        schedule.look(at)
        return [backup.manifest.began_at for backup in whole_backups(folder)]

    look(now)
    second = look(now + timedelta(hours=1))[-1]
    ahead = now + timedelta(days=1100)
    assert look(ahead) == [second, ahead]
    # The clock is right again: the next one comes in its time, in the place of the one from the future.
    for seconds in (5, 10, 15):
        assert look(second + timedelta(seconds=seconds)) == [second, ahead]
    third = second + timedelta(hours=1)
    assert look(third) == [second, third]
    assert look(third + timedelta(seconds=5)) == [second, third]


def test_failure_is_in_health_and_sent_once_to_administrators(schedule, runtime, folder, channel):
    now = utcnow()
    schedule.look(now)
    newest = whole_backups(folder)[0].manifest.began_at
    (folder.parent / "here" / "passphrase").write_text("")
    for minutes in (61, 62, 75, 90):
        schedule.look(now + timedelta(minutes=minutes))
    assert not state().ok
    assert state().detail == f"failed: contains no passphrase; the newest is of {newest:%Y-%m-%dT%H:%M:%SZ}"
    assert str(folder) not in state().detail
    [delivery] = sent(runtime)
    assert (delivery.kind, delivery.event, delivery.priority) == ("system", "backup.failed", "critical")
    assert delivery.channel_id == channel
    assert "contains no passphrase" in delivery.text
    (folder.parent / "here" / "passphrase").write_text("a passphrase again\n")
    schedule.look(now + timedelta(minutes=90) + RETRY)
    assert state().ok
    assert [delivery.event for delivery in sent(runtime)] == ["backup.failed", "backup.recovered"]


def test_folder_that_is_not_mounted_is_a_failure(schedule, runtime, folder, channel):
    folder.rmdir()
    schedule.look(utcnow())
    assert "backup_target is not there" in state().detail
    assert not folder.exists()
    assert len(sent(runtime)) == 1
    folder.mkdir()
    schedule.look(utcnow())
    assert state().ok


def test_notification_reaches_administrators_alone(schedule, runtime, folder, channel):
    """Whoever lost the permission, or never had it, gets nothing: it is decided when something is sent."""
    folder.rmdir()
    schedule.look(utcnow())
    [delivery] = sent(runtime)
    with runtime.sessions() as session:
        assert not UserRights(session, runtime.settings, delivery.user_id).may_receive(delivery)
    with writing(runtime.sessions) as session:
        install(session)
        session.flush()
        role = session.scalars(sa.select(Role).where(Role.name == "admin")).one()
        session.add(UserRole(user_id=delivery.user_id, role_id=role.id))
    with runtime.sessions() as session:
        assert UserRights(session, runtime.settings, delivery.user_id).may_receive(delivery)


def test_stop_gives_a_backup_up(schedule, folder):
    schedule._worker.stopping.set()
    schedule.look(utcnow())
    assert list(folder.iterdir()) == []
    assert state() is None


def test_of_two_workers_one_makes_backups(runtime, schedule):
    other = BackupSchedule(runtime)
    assert schedule._leads()
    assert not other._leads()
    schedule._lock.close()
    assert other._leads()
    other._lock.close()


def test_removal_is_safe_to_repeat(schedule, folder):
    schedule.look(utcnow())
    assert remove_old(folder, 1, utcnow()) == []
    assert len(whole_backups(folder)) == 1


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("30m", 1800), ("24h", 86_400), ("7d", 604_800)])
def test_durations(text, seconds):
    assert duration_s(parse_interval(text)) == seconds


@pytest.mark.parametrize("text", ["", "24", "h", "-1h", "1.5h", "24 h", "59s", "0h", "400d", "9999999999d", "24H"])
def test_no_durations(text):
    with pytest.raises(SettingsError, match="setting backup_every: expected a duration"):
        load({"environment": "development", "backup_every": text})


def test_schedule_needs_a_passphrase_file():
    with pytest.raises(SettingsError, match="setting backup_passphrase_file: must be set where backup_target is"):
        load({"environment": "development", "database_url": "postgresql:///a", "backup_target": "/backup"})


def test_doctor_looks_at_the_schedule(here, folder):
    def lines(**settings):
        installation = Installation(
            here.folder, here.url, backup_target=folder, backup_passphrase_file=here.passphrase, **settings
        )
        text = skywatch("doctor", installation.ini, "--seconds", "0.1").stdout
        return "\n".join(line for line in text.splitlines() if "backup" in line)

    assert "there is no backup in" in lines()
    here.passphrase.chmod(0o644)
    assert f"{here.passphrase} can be read by other users" in lines()
    here.back_up(folder / name_at(utcnow()))
    assert "the newest is of" in lines()
    folder.rename(folder.with_name("elsewhere"))
    assert "is not there" in lines()


@pytest.fixture
def beside(here):
    """A runtime whose settings name neither a folder nor a passphrase."""
    settings = load({"environment": "development", "database_url": here.url, "secret": here.secret})
    settings = dataclasses.replace(settings, ini=str(here.ini))
    engine = create_engine(here.url)
    runtime = Runtime(settings, engine, create_session_factory(engine), open_bus("memory"))
    yield runtime
    runtime.close()
    health.withdraw("backup")


def ask_for_one(runtime):
    with writing(runtime.sessions) as session:
        request_backup(session, Actor("somebody", "console"))


def test_without_a_passphrase_nothing_is_made_and_with_one_beside_the_database_it_is(beside, here):
    schedule = create(beside)
    schedule.look(utcnow())
    assert state() is None
    assert not (here.folder / "backups").exists()
    path = passphrase_file_of(beside.settings)
    passphrase = create_passphrase(path)
    assert (path, stat.S_IMODE(path.stat().st_mode)) == (here.folder / "a.sqlite.backup-passphrase", 0o600)
    with pytest.raises(FileExistsError):
        create_passphrase(path)
    assert path.read_text().strip() == passphrase
    schedule.look(utcnow())
    [backup] = whole_backups(here.folder / "backups")
    assert read_authentic(backup.folder, passphrase)[1]
    with beside.sessions() as session:
        assert read_state(session).made_at == backup.manifest.began_at


def test_one_is_made_when_somebody_asks_and_never_by_schedule_where_that_is_set(beside, here):
    create_passphrase(passphrase_file_of(beside.settings))
    with writing(beside.sessions) as session:
        stored_settings.change(session, beside.settings, Actor("somebody", "console"), {"backup_every": "never"})
    beside.stored.expire()
    schedule, folder = create(beside), here.folder / "backups"
    schedule.look(utcnow())
    assert whole_backups(folder) == []
    ask_for_one(beside)
    with pytest.raises(Problem, match="being made already"):
        ask_for_one(beside)
    schedule.look(utcnow())
    assert len(whole_backups(folder)) == 1
    schedule.look(utcnow() + timedelta(days=3))
    assert len(whole_backups(folder)) == 1


def test_what_was_asked_for_and_failed_is_said_and_asked_for_no_more(schedule, runtime, folder):
    folder.rename(folder.with_name("elsewhere"))
    ask_for_one(runtime)
    schedule.look(utcnow())
    with runtime.sessions() as session:
        remembered = read_state(session)
    assert remembered.requested_at is None
    assert "backup_target is not there" in remembered.reason

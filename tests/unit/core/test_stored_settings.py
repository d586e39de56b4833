"""Settings in the database: behind the ini file and the environment, checked like these, audited and sealed."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from skywatch.core import stored_settings
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry, StoredSetting
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Actor
from skywatch.history.settings import HistorySettings
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.settings import ReceiverSettings
from skywatch.settings import SettingsError, origins_of

ROOT = Actor("root", "console", 1)


def store(runtime, **values):
    with writing(runtime.sessions) as session:
        named = {name.replace("__", "."): value for name, value in values.items()}
        stored_settings.change(session, runtime.settings, ROOT, named)
    runtime.stored.expire()


def faults_of(runtime, **values):
    with pytest.raises(Problem) as raised:
        store(runtime, **values)
    errors = raised.value.errors or []
    return raised.value.kind.status, {error["name"]: error["detail"] for error in errors} or raised.value.detail


def test_a_stored_setting_is_in_force_and_says_where_it_comes_from(make_runtime, database_url):
    runtime = make_runtime(database_url=database_url)
    assert runtime.current is runtime.settings
    store(runtime, retention_flights_days="30", station_lat="47.5", station_lon="8.5", receiver__roof="beast pi:30005")
    current = runtime.current
    assert current.of(HistorySettings).retention_flights_days == 30.0
    assert current.of(PictureSettings).station == (47.5, 8.5)
    assert current.of(ReceiverSettings).receivers == {"roof": "beast pi:30005"}
    assert runtime.settings.of(ReceiverSettings).receivers == {}
    sources = {origin.name: origin.source for origin in origins_of(current)}
    assert sources["station_lat"] == sources["receiver.roof"] == "database"
    assert (sources["database_url"], sources["listen"]) == ("ini", "default")
    assert runtime.current is current
    store(runtime, retention_flights_days=None, receiver__roof=None)
    assert runtime.current.of(HistorySettings).retention_flights_days == 730.0
    assert runtime.current.of(ReceiverSettings).receivers == {}


def test_the_ini_file_wins_and_cannot_be_changed(make_runtime, sqlite_url):
    runtime = make_runtime()
    store(runtime, retention_flights_days="30", receiver__roof="beast pi:30005")
    other = make_runtime(retention_flights_days=7, receiver__roof="beast attic:30005")
    assert other.current.of(HistorySettings).retention_flights_days == 7
    assert other.current.of(ReceiverSettings).receivers == {"roof": "beast attic:30005"}
    with other.sessions() as session:
        faults = {row.name: row.fault for row in stored_settings.listed(session, other.settings)}
    assert faults == dict.fromkeys(faults, "the ini file sets it as well, and wins")
    refusal = "retention_flights_days is set by the ini file and cannot be changed here."
    assert faults_of(other, retention_flights_days="30") == (409, refusal)
    # What is of no use any more can be removed.
    store(other, receiver__roof=None)
    with other.sessions() as session:
        assert [row.name for row in stored_settings.listed(session, other.settings)] == ["retention_flights_days"]


def test_wrong_texts_are_refused_with_the_reasons_of_the_ini_file(make_runtime):
    runtime = make_runtime()
    assert faults_of(runtime, retention_flights_days="-1", station_name="x" * 65) == (
        400,
        {"retention_flights_days": "must be at least 0", "station_name": "expected at most 64 printable characters"},
    )
    assert faults_of(runtime, station_lat="47.5") == (
        400,
        {"station_lon": "station_lat and station_lon belong together; one is missing"},
    )
    assert faults_of(runtime, jwt_secret_key="x" * 40) == (404, "There is no such setting.")
    assert faults_of(runtime, output__x="json-lines 0.0.0.0:30003") == (404, "There is no such setting.")
    assert faults_of(runtime, receiver__roof="beats pi:30005")[1] == {
        "receiver.roof": "unknown kind of receiver 'beats' (did you mean beast?)"
    }
    for name in ("Roof", "roof.x", "1", "x" * 33):
        assert faults_of(runtime, **{f"receiver__{name}": "beast pi:30005"})[0] == 400
    assert faults_of(runtime, receiver__roof="beast pi:30005\nlisten = 0.0.0.0:80")[0] == 400
    assert runtime.current is runtime.settings


def test_files_and_listeners_are_for_the_ini_file_alone(make_runtime, tmp_path):
    runtime = make_runtime()
    for text in (
        "replay /etc/passwd",
        "readsb /etc/passwd",
        "readsb /run/readsb/aircraft.json",
        "listen 0.0.0.0:30004",
    ):
        assert faults_of(runtime, receiver__roof=text)[0] == 400
    for text in ("file /etc/passwd", "udp 127.0.0.1:5550", "listen 127.0.0.1:5550"):
        assert faults_of(runtime, acars__vhf=text)[0] == 400
    store(runtime, receiver__roof="readsb http://pi/data/aircraft.json", acars__vhf="tcp pi:15550")


def test_addresses_are_sealed_and_never_in_the_audit_log(make_runtime, database_url):
    runtime = make_runtime(database_url=database_url)
    store(runtime, receiver__net="readsb http://me:hunter2@pi/data/aircraft.json?key=hunter3", station_name="Roof")
    with runtime.sessions() as session:
        values = {row.name: row.value for row in session.scalars(sa.select(StoredSetting))}
        entries = {entry.target_name: entry for entry in session.scalars(sa.select(AuditEntry))}
    assert "hunter" not in values["receiver.net"]
    assert values["station_name"] == "Roof"
    assert (entries["station_name"].action, entries["station_name"].method) == ("setting.changed", "console")
    assert (entries["station_name"].before, entries["station_name"].after) == ({"value": None}, {"value": "Roof"})
    assert "hunter" not in str(entries["receiver.net"].after)
    assert "pi/data/aircraft.json" in str(entries["receiver.net"].after)


def test_another_secret_leaves_sealed_settings_unused_and_says_so(make_runtime):
    store(make_runtime(), receiver__roof="beast pi:30005", station_name="Roof")
    other = make_runtime(secret="another-secret-0123456789abcdef0123456789")
    assert other.current.of(ReceiverSettings).receivers == {}
    assert other.current.of(PictureSettings).station_name == "Roof"
    with other.sessions() as session:
        (row,) = stored_settings.listed(session, other.settings, "receiver.")
    assert (row.text, row.fault) == (None, "cannot be decrypted: the installation's secret is another one")


def test_a_stored_value_that_no_longer_parses_is_left_out_alone(make_runtime):
    runtime = make_runtime()
    store(runtime, retention_flights_days="30", station_lat="47.5", station_lon="8.5", station_name="Roof")
    with writing(runtime.sessions) as session:
        session.get_one(StoredSetting, "retention_flights_days").value = "always"
        session.delete(session.get_one(StoredSetting, "station_lon"))
    runtime.stored.expire()
    assert runtime.current.of(HistorySettings).retention_flights_days == 730.0
    assert runtime.current.of(PictureSettings).station is None
    with runtime.sessions() as session:
        faults = {row.name: row.fault for row in stored_settings.listed(session, runtime.settings)}
    assert faults["retention_flights_days"] == "expected a number"
    assert "belong together" in faults["station_lat"]
    assert set(faults) == {"retention_flights_days", "station_lat", "station_name"}
    assert runtime.current.of(PictureSettings).station_name == faults["station_name"] + "Roof"
    # Neither keeps others from being changed.
    store(runtime, retention_events_hours="5", receiver__roof="beast pi:30005")
    assert runtime.current.of(ReceiverSettings).receivers == {"roof": "beast pi:30005"}
    assert faults_of(runtime, station_lat="91", station_lon="8.5")[0] == 400
    store(runtime, station_lon="8.5")
    assert runtime.current.of(PictureSettings).station == (47.5, 8.5)


def test_of_two_faulty_combinations_only_the_culprits_are_left_out(make_runtime, monkeypatch):
    runtime = make_runtime()
    store(runtime, station_lat="47.5", station_lon="8.5", station_name="Roof", receiver__roof="beast pi:30005")
    with writing(runtime.sessions) as session:
        session.delete(session.get_one(StoredSetting, "station_lon"))
    plain = stored_settings._with_texts

    def also_refuses_names(settings, texts):
        merged = plain(settings, texts)
        if "station_name" in texts:
            raise SettingsError("auth_mode", "does not go with a name")
        return merged

    monkeypatch.setattr(stored_settings, "_with_texts", also_refuses_names)
    runtime.stored.expire()
    assert runtime.current.of(ReceiverSettings).receivers == {"roof": "beast pi:30005"}
    with runtime.sessions() as session:
        faulty = {row.name for row in stored_settings.listed(session, runtime.settings) if row.fault}
    assert faulty == {"station_lat", "station_name"}


def test_there_is_a_bound_for_inputs(make_runtime, monkeypatch):
    monkeypatch.setattr(stored_settings, "MAX_INPUTS", 2)
    runtime = make_runtime()
    store(runtime, receiver__a="beast a:1", receiver__b="beast b:1")
    assert faults_of(runtime, receiver__c="beast c:1")[0] == 409
    store(runtime, receiver__a="beast a:2")


def test_what_was_read_stays_in_force_while_the_database_is_away(make_runtime):
    runtime = make_runtime()
    store(runtime, station_name="Roof")
    assert runtime.current.of(PictureSettings).station_name == "Roof"
    with runtime.engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE stored_settings RENAME TO away")
    runtime.stored.expire()
    assert runtime.current.of(PictureSettings).station_name == "Roof"


def test_commands_see_what_is_stored_and_create_no_database(make_runtime, make_settings, tmp_path):
    store(make_runtime(), station_name="Roof")
    settings, fault = stored_settings.look_up(make_settings())
    assert (settings.of(PictureSettings).station_name, fault) == ("Roof", "")
    nowhere = make_settings(database_url=f"sqlite:///{tmp_path}/none.sqlite")
    assert stored_settings.look_up(nowhere) == (nowhere, "")
    assert not (tmp_path / "none.sqlite").exists()
    (tmp_path / "empty.sqlite").touch()
    _, fault = stored_settings.look_up(make_settings(database_url=f"sqlite:///{tmp_path}/empty.sqlite"))
    assert fault == "no such table: stored_settings"


def test_settings_that_cannot_be_merged_leave_those_in_force_and_are_tried_again(make_runtime, monkeypatch, caplog):
    runtime = make_runtime()
    before = runtime.current
    merge = stored_settings.merge

    def broken(settings, rows):
        raise ValueError("a fault of the program")

    monkeypatch.setattr(stored_settings, "merge", broken)
    store(runtime, retention_flights_days="30")
    assert runtime.current is before
    assert "stored settings cannot be read: a fault of the program" in caplog.text
    monkeypatch.setattr(stored_settings, "merge", merge)
    monkeypatch.setattr(stored_settings, "RETRY_S", 0.0)
    runtime.stored.expire()
    assert runtime.current.of(HistorySettings).retention_flights_days == 30.0


def test_what_expires_during_a_read_is_read_once_more(make_runtime, monkeypatch):
    runtime = make_runtime()
    read = stored_settings.read

    def read_before_the_change(session, settings):
        monkeypatch.setattr(stored_settings, "read", read)
        rows = read(session, settings)
        store(runtime, retention_flights_days="30")
        return rows

    monkeypatch.setattr(stored_settings, "read", read_before_the_change)
    assert runtime.current.of(HistorySettings).retention_flights_days == 730.0
    assert runtime.current.of(HistorySettings).retention_flights_days == 30.0

"""``skywatch doctor FILE.ini``."""

from __future__ import annotations

import socket
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

from skywatch.audio.recordings import checks as recordings
from skywatch.cli import group
from skywatch.cli.doctor import means
from skywatch.core.database import engine as db
from skywatch.core.terminal import checks
from tests.ports import free_port
from tests.processes import add_user


@pytest.fixture
def write(tmp_path):
    def make(**values):
        defaults = {
            "environment": "development",
            "database_url": f"sqlite:///{tmp_path}/sky.sqlite",
            "audio_directory": tmp_path / "audio",
            "listen": f"127.0.0.1:{free_port()}",
            "realtime_listen": f"127.0.0.1:{free_port()}",
            "receiver.demo": "simulate aircraft=5",
            "station_lat": 47.45,
            "station_lon": 8.56,
        }
        lines = [f"{name} = {value}" for name, value in {**defaults, **values}.items() if value is not None]
        path = tmp_path / "sky.ini"
        path.write_text("[app:main]\nuse = egg:skywatch\n" + "\n".join(lines) + "\n")
        path.chmod(0o600)
        return path

    return make


def run(*arguments):
    return CliRunner().invoke(group, list(map(str, arguments)))


def examine(path, seconds=20):
    done = run("doctor", path, "--seconds", seconds)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.output
    return done


@pytest.fixture
def installed(write):
    path = write()
    assert run("init", path).exit_code == 0
    add_user(f"sqlite:///{path.parent}/sky.sqlite", "root", "superadmin")
    return path


def test_all_is_well(installed, monkeypatch):
    monkeypatch.setattr(means, "is_synchronised", lambda: True)
    monkeypatch.setattr(recordings, "PROGRAM", "sh")  # in the place of ffmpeg, which need not be here
    done = examine(installed)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1] == "All is well.", done.output
    parts = ("settings", "database", "files", "bus", "clock", "disk", "audio", "listen", "realtime_listen")
    for part in (*parts, "receiver.demo"):
        assert f"ok     {part}: " in done.output, part


def test_a_database_without_a_schema_and_one_without_users(write):
    path = write()
    done = examine(path)
    assert done.exit_code == 1
    assert f"FAULT  database: the database has no Skywatch schema yet\n       -> skywatch init {path}" in done.output
    assert run("init", path).exit_code == 0
    done = examine(path)
    assert done.exit_code == 0
    assert "warn   users: there is none, so that nobody can log in" in done.output


def test_a_database_that_cannot_be_opened_names_no_server_where_there_is_none(write, tmp_path):
    done = examine(write(database_url=f"sqlite:///{tmp_path}/nowhere/sky.sqlite"))
    assert "FAULT  database: sqlite:///" in done.output
    assert "       -> mend database_url, or make room, or give the folder to this user\n" in done.output


def test_a_database_that_another_program_locks(installed, tmp_path, monkeypatch):
    monkeypatch.setattr(db, "SQLITE_BUSY_TIMEOUT_S", 0.1)
    with closing(sqlite3.connect(tmp_path / "sky.sqlite")) as other:
        other.execute("BEGIN EXCLUSIVE")
        done = examine(installed)
    assert done.exit_code == 1
    assert "cannot be written: database is locked" in done.output


def test_a_port_of_another_program(write):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        path = write(listen=f"127.0.0.1:{port}")
        done = examine(path)
    assert done.exit_code == 1
    assert f"FAULT  listen: port {port} is in use by another program" in done.output


def test_an_address_of_another_machine(write):
    done = examine(write(realtime_listen="192.0.2.7:6544"))
    assert "FAULT  realtime_listen: 192.0.2.7 is no address of this machine" in done.output


def test_receivers_that_do_not_answer_are_told_from_those_that_are_silent(write):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        gone, port = free_port(), silent.getsockname()[1]
        path = write(**{
            "receiver.gone": f"beast 127.0.0.1:{gone}", "receiver.quiet": f"sbs 127.0.0.1:{port}",
            "receiver.tape": "replay /no/such/file",
        })  # fmt: skip
        done = examine(path, seconds=3)
    assert done.exit_code == 1
    assert f"FAULT  receiver.gone: 127.0.0.1:{gone}: " in done.output
    assert f"warn   receiver.quiet: 127.0.0.1:{port}: connected, nothing received yet" in done.output
    assert "FAULT  receiver.tape: " in done.output


def test_no_receiver_at_all(write):
    done = examine(write(**{"receiver.demo": None}))
    assert "FAULT  receiver: none is named" in done.output


def test_secrets_that_others_can_read(write):
    path = write(secret="x" * 40)
    path.chmod(0o644)
    done = examine(path)
    assert "warn   settings: secret can be read by other users of this machine\n       -> chmod 600" in done.output
    assert "x" * 40 not in done.output


def test_a_file_of_roots_may_be_read_by_the_services_group(write, monkeypatch):
    path = write(secret="x" * 40)
    monkeypatch.setattr("os.geteuid", lambda: path.stat().st_uid + 1)
    monkeypatch.setattr("os.getegid", lambda: path.stat().st_gid)
    path.chmod(0o640)
    assert "can be read by other users" not in examine(path).output
    path.chmod(0o644)
    assert f"-> chmod 640 {path}" in examine(path).output


def test_files_that_others_can_read(installed, tmp_path):
    database, recording = tmp_path / "sky.sqlite", tmp_path / "audio" / "2026-01-01" / "a.wav"
    recording.parent.mkdir(parents=True)
    recording.write_bytes(b"sound")
    database.chmod(0o644)
    recording.chmod(0o604)
    done = examine(installed)
    assert done.exit_code == 0
    assert f"warn   files: {database} can be read by other users of this machine\n       -> chmod 600 {database}" in (
        done.output
    )
    assert f"warn   audio: 1 recordings in {tmp_path / 'audio'} can be read by other users" in done.output
    assert "secret can be read" not in done.output


def test_a_bus_that_does_not_answer(write):
    done = examine(write(bus=f"redis://127.0.0.1:{free_port()}/0", secret="y" * 40))
    assert done.exit_code == 1
    assert "FAULT  bus: " in done.output


def test_a_wrong_setting_is_one_line(write):
    done = examine(write(auth_mode="open"))
    assert done.exit_code == 1
    assert "setting auth_mode: expected one of public, private, hybrid" in done.output


def test_what_features_check_comes_last_in_their_order(installed, monkeypatch):
    monkeypatch.setattr(means, "is_synchronised", lambda: True)
    parts = [line.split(": ")[0].split()[-1] for line in examine(installed).output.splitlines() if ": " in line]
    assert parts.index("receiver.demo") > parts.index("realtime_listen")
    assert parts.index("audio") > parts.index("receiver.demo")


def test_a_folder_without_room_and_a_clock_that_was_never_set(tmp_path, monkeypatch):
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 50e6}))
    finding = checks.check_room("disk", tmp_path / "not" / "yet")
    assert (finding.level, finding.part) == ("fault", "disk")
    (finding,) = means.check_clock(60.0)
    assert (finding.level, finding.text) == ("fault", "says 1970-01-01")


def test_mode_public_on_an_address_that_others_reach(installed, write):
    path = write(auth_mode="public", listen=f"0.0.0.0:{free_port()}")
    line = next(line for line in examine(path).output.splitlines() if "auth_mode" in line)
    assert line.startswith("warn   auth_mode: auth_mode = public with listen = 0.0.0.0:")
    assert "realtime_listen" not in line
    assert "auth_mode" not in examine(write(auth_mode="public")).output
    assert "auth_mode" not in examine(write(auth_mode="hybrid", listen=f"0.0.0.0:{free_port()}")).output


def test_a_secret_that_looks_like_several_is_named_without_its_value(write):
    output = examine(write(jwt_secret_key=f"{'a' * 20} {'b' * 20}"), seconds=0.1).output
    assert "jwt_secret_key" in output
    assert "jwt_secret_key_previous" in output
    assert "a" * 20 not in output


def test_what_everybody_may_read_on_an_address_that_others_reach(installed, write):
    path = write(listen=f"0.0.0.0:{free_port()}")
    assert "may read" not in examine(path).output
    with closing(sqlite3.connect(path.parent / "sky.sqlite")) as connection, connection:
        connection.execute("UPDATE feature_access SET read_access = 'public' WHERE feature = 'aircraft'")
    line = next(line for line in examine(path).output.splitlines() if "may read" in line)
    assert line.startswith("warn   access: everybody who reaches listen = 0.0.0.0:")
    assert line.rstrip().endswith("may read aircraft")
    assert "may read" not in examine(write(listen=f"127.0.0.1:{free_port()}")).output


def test_a_bus_that_returns_what_was_there_before_is_a_fault(make_settings, monkeypatch):
    class Replica:
        """Takes writes and forgets them, as a server that is behind."""

        def put(self, key, value, ttl_s):
            pass

        def get(self, key):
            return b"of an earlier minute"

        def delete(self, key):
            pass

        def close(self):
            pass

    monkeypatch.setattr(means, "open_bus", lambda address, prefix: Replica())
    (finding,) = means.check_bus(make_settings(bus="redis://127.0.0.1:6379/0"))
    assert "does not return what was written" in finding.text

"""``skywatch init --new FILE.ini``."""

from __future__ import annotations

import stat

import pytest
from click.testing import CliRunner

from skywatch.cli import group, new_file
from skywatch.core.terminal.command import Loader, parse_uri
from skywatch.features import load


def run(*arguments, answers=None):
    return CliRunner().invoke(group, ["init", "--new", *map(str, arguments)], input=answers)


def settings_of(path):
    return load(Loader(parse_uri(f"file+ini://{path}")).get_wsgi_app_settings("main"), {})


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(new_file, "is_interactive", lambda: True)


def test_without_a_terminal_the_options_and_defaults_decide(tmp_path):
    path = tmp_path / "sky.ini"
    done = run(path, "--receiver", "beast localhost:30005", "--station", "47.45, 8.56", "--listen", "0.0.0.0:8080")
    assert done.exit_code == 0, done.output
    assert "without TLS" in done.output
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    settings = settings_of(path)
    assert settings.environment == "production"
    assert len(settings.secret) >= 32
    assert settings.secret not in done.output
    assert settings.receivers == {"roof": "beast localhost:30005"}
    assert (settings.station_lat, settings.station_lon) == (47.45, 8.56)
    assert (settings.listen, settings.realtime_listen) == ("0.0.0.0:8080", "0.0.0.0:8081")
    assert settings.database_url == f"sqlite:///{tmp_path}/skywatch.sqlite"
    assert settings.audio_directory == f"{tmp_path}/audio"


def test_every_file_has_a_secret_of_its_own(tmp_path):
    for name in ("a", "b"):
        assert run(tmp_path / f"{name}.ini").exit_code == 0
    assert settings_of(tmp_path / "a.ini").secret != settings_of(tmp_path / "b.ini").secret


def test_on_a_terminal_it_asks_again_until_an_answer_is_right(tmp_path, terminal):
    path = tmp_path / "sky.ini"
    answers = "baest localhost:30005\nsbs localhost:30003\n95, 8\n-33.9, 151.2\nhere\n[::1]:7000\n"
    done = run(path, answers=answers)
    assert done.exit_code == 0, done.output
    assert "did you mean beast?" in done.output
    assert "not on this planet" in done.output
    assert "expected host:port" in done.output
    settings = settings_of(path)
    assert settings.receivers == {"roof": "sbs localhost:30003"}
    assert (settings.station_lat, settings.station_lon) == (-33.9, 151.2)
    assert settings.realtime_listen == "[::1]:7001"


def test_on_a_terminal_empty_answers_take_the_defaults(tmp_path, terminal):
    path = tmp_path / "sky.ini"
    assert run(path, answers="\n\n\n").exit_code == 0
    settings = settings_of(path)
    assert settings.receivers == {"demo": "simulate aircraft=200"}
    assert settings.station_lat is None
    assert settings.listen == "127.0.0.1:6543"


def test_a_percent_sign_of_an_address_survives_the_file(tmp_path):
    path = tmp_path / "sky.ini"
    assert run(path, "--receiver", "readsb http://localhost/a%20b/aircraft.json").exit_code == 0
    assert settings_of(path).receivers == {"roof": "readsb http://localhost/a%20b/aircraft.json"}


def test_a_file_that_exists_is_left_as_it_is(tmp_path):
    path = tmp_path / "sky.ini"
    path.write_text("mine")
    done = run(path)
    assert done.exit_code == 1
    assert "exists already" in done.output
    assert path.read_text() == "mine"


def test_a_folder_that_does_not_exist_is_one_line(tmp_path):
    done = run(tmp_path / "nowhere" / "sky.ini")
    assert done.exit_code == 1
    assert done.output.strip().splitlines()[-1].endswith("cannot be written: No such file or directory")


@pytest.mark.parametrize("listen", ["127.0.0.1:0", "127.0.0.1:65535", "127.0.0.1", "host:99999"])
def test_a_port_without_a_next_one_is_refused(tmp_path, listen):
    done = run(tmp_path / "sky.ini", "--listen", listen)
    assert done.exit_code == 2
    assert "--listen" in done.output


def test_its_options_belong_to_it(tmp_path):
    done = CliRunner().invoke(group, ["init", str(tmp_path / "sky.ini"), "--listen", "127.0.0.1:80"])
    assert done.exit_code == 2
    assert "belong to --new" in done.output

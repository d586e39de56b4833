"""``web/make.py``: which packages a build and a check install, and how a build waits for the service."""

from __future__ import annotations

import importlib.util
import socket
import threading
import time

import pytest

from tests.conftest import ROOT
from tests.ports import free_port
from tests.waiting import PATIENCE_S


@pytest.fixture
def web(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("web_make", ROOT / "web" / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.delenv("LISTEN", raising=False)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "package-lock.json").write_text("{}")
    return module


@pytest.fixture
def commands(web, monkeypatch):
    commands = []
    monkeypatch.setattr(web, "run", lambda *command: commands.append(command[1:]))
    return commands


def test_a_build_installs_no_checks_and_a_check_adds_them_once(web, commands):
    web.install()
    web.install()
    assert ["--omit=dev" in command for command in commands] == [True]
    web.install(with_checks=True)
    web.install(with_checks=True)
    web.install()
    assert ["--omit=dev" in command for command in commands] == [True, False]


def test_another_lock_file_is_installed_again(web, commands, tmp_path):
    web.install()
    (tmp_path / "package-lock.json").write_text('{"lockfileVersion": 3}')
    web.install()
    assert len(commands) == 2


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("[app:main]\nlisten = 127.0.0.1:7001\n", ("127.0.0.1", 7001)),
        ("[app:main]\nlisten = 0.0.0.0:7001\n", ("127.0.0.1", 7001)),
        ("[app:main]\nlisten = [::1]:7001 127.0.0.1:7002\n", ("::1", 7001)),
        ("[app:main]\n", ("127.0.0.1", 6543)),
        ("[app:main]\nlisten = nowhere\n", None),
        ("no section\n", None),
    ],
)
def test_the_address_is_that_of_the_ini_file(web, tmp_path, text, address):
    (tmp_path / "sky.ini").write_text(text)
    assert web.listen_address(tmp_path / "sky.ini") == address


def test_the_environment_names_the_address_first(web, tmp_path, monkeypatch):
    monkeypatch.setenv("LISTEN", "127.0.0.1:7003")
    assert web.listen_address(tmp_path / "absent.ini") == ("127.0.0.1", 7003)


def test_a_build_waits_until_the_service_listens(web, tmp_path):
    port = free_port()
    (tmp_path / "sky.ini").write_text(f"[app:main]\nlisten = 127.0.0.1:{port}\n")
    waiting = threading.Thread(target=web.wait_for_service, args=(tmp_path / "sky.ini",))
    waiting.start()
    time.sleep(0.4)
    assert waiting.is_alive()
    with socket.create_server(("127.0.0.1", port)):
        waiting.join(PATIENCE_S)
    assert not waiting.is_alive()


def test_a_build_waits_for_a_limited_time(web, tmp_path, monkeypatch):
    monkeypatch.setattr(web, "MAX_WAIT_S", 0.3)
    port = free_port()
    (tmp_path / "sky.ini").write_text(f"[app:main]\nlisten = 127.0.0.1:{port}\n")
    web.wait_for_service(tmp_path / "sky.ini")

"""The Home Assistant add-on: its manifest follows the rules, and its options give settings that the service takes."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import struct
import subprocess
import sys
from contextlib import suppress

import httpx
import jsonschema
import pytest
import yaml

from skywatch.core.network.addresses import TrustedProxies
from skywatch.core.process.version import VERSION
from tests.accounts import PASSWORD
from tests.conftest import ROOT
from tests.ports import free_port
from tests.processes import run_command
from tests.servers import program
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.deep("starts servers or programs of its own")

ADDON = ROOT / "deploy" / "home-assistant"
RULES = json.loads((ROOT / "tests" / "home_assistant.json").read_text(encoding="utf-8"))
MANIFEST = yaml.safe_load((ADDON / "config.yaml").read_text(encoding="utf-8"))
OPTIONS = runpy.run_path(str(ADDON / "options.py"))
settings_of, OptionError = OPTIONS["settings_of"], OPTIONS["OptionError"]
administrator_of, add_administrator = OPTIONS["administrator_of"], OPTIONS["add_administrator"]
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
SECRET = "s" * 40
ROOF = {"name": "roof", "input": "beast 192.0.2.7:30005"}


def test_the_manifest_follows_the_rules():
    jsonschema.Draft202012Validator.check_schema(RULES)
    jsonschema.validate(MANIFEST, RULES)
    assert MANIFEST["version"] == VERSION
    assert f"## {VERSION}\n" in (ADDON / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"listen {MANIFEST['ingress_port']};" in (ADDON / "nginx.conf").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [{"slug": "sky watch"}, {"arch": ["riscv"]}, {"timeout": 5}, {"panel_icon": "radar"}, {"colour": "blue"},
     {"schema": {"a": "string"}}, {"schema": {"a": ["str", "int"]}}, {"schema": {"a": "float(-90,90)?"}},
     {"schema": {"a": "str(1,100)"}}, {"watchdog": "http://localhost"}],
)  # fmt: skip
def test_the_rules_refuse(change):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**MANIFEST, **change}, RULES)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_every_option_has_its_texts(language):
    texts = yaml.safe_load((ADDON / "translations" / f"{language}.yaml").read_text(encoding="utf-8"))["configuration"]
    assert set(texts) == set(MANIFEST["schema"])
    assert all(text["name"] and text["description"] for text in texts.values())
    page = (ADDON / "DOCS.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in MANIFEST["schema"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (MANIFEST["options"], ["receiver.demo", "environment development"]),
        ({"receivers": [ROOF], "station_lat": 47.45, "station_lon": -8.5, "auth_mode": "private", "tls": True},
         ["receiver.roof", "environment production", "station_lat 47.45", "station_lon -8.5", "auth_mode private"]),
    ],
)  # fmt: skip
def test_the_service_takes_the_settings(tmp_path, options, expected):
    (tmp_path / "options.json").write_text(json.dumps(options), encoding="utf-8")
    ini = tmp_path / "skywatch.ini"
    for _ in range(2):
        command = [sys.executable, ADDON / "options.py", tmp_path / "options.json", ini]
        subprocess.run(command, check=True, timeout=PATIENCE_S)
    secret = (tmp_path / "secret.txt").read_text(encoding="utf-8")
    assert f"\nsecret = {secret}\n" in ini.read_text(encoding="utf-8")
    assert [path.stat().st_mode & 0o777 for path in (ini, tmp_path / "secret.txt")] == [0o600, 0o600]
    done = run_command("settings", str(ini))
    assert done.returncode == 0, done.stderr
    shown = [" ".join(line.split()) for line in done.stdout.splitlines()]
    for line in expected:
        assert any(line in text for text in shown), line


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "name at least one"),
        ({"receivers": [{"name": "Roof", "input": "beast a:1"}]}, "'Roof'"),
        ({"receivers": [ROOF, ROOF]}, "twice"),
        ({"receivers": [{"name": "roof", "input": "beast a:1\nsecret = mine"}]}, "one line"),
        ({"receivers": [{"name": "roof", "input": " "}]}, "one line"),
        ({"receivers": [{"name": "roof", "input": "beast " + "a" * 1000}]}, "1000 characters"),
        ({"receivers": [ROOF], "station_lat": 47.0}, "both or none"),
        ({"receivers": [ROOF], "station_lat": 90.5, "station_lon": 8.5}, "station_lat: 90.5 is not from -90 to 90"),
        ({"receivers": [ROOF], "station_lat": 47.0, "station_lon": -181}, "station_lon: -181 is not from -180 to 180"),
        ({"receivers": [ROOF], "auth_mode": "open"}, "auth_mode"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(options, reason):
    with pytest.raises(OptionError, match=reason):
        settings_of(options, SECRET)


@pytest.mark.parametrize(
    "options",
    [{"admin_username": "ada"}, {"admin_password": "secret"}, {"admin_username": "-x", "admin_password": "secret"}],
)
def test_half_an_administrator_is_refused(options):
    with pytest.raises(OptionError, match="admin_username"):
        administrator_of(options)


@pytest.fixture
def installed(tmp_path):
    """The add-on's ini file with its database, and the command of Skywatch as a program."""
    ini = tmp_path / "skywatch.ini"
    ini.write_text(settings_of(MANIFEST["options"], SECRET))
    assert run_command("init", str(ini)).returncode == 0
    program = tmp_path / "skywatch"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m skywatch "$@"\n')
    program.chmod(0o755)
    return str(ini), str(program)


def test_the_first_administrator_comes_from_the_options_once(installed):
    assert "There is no user yet" in add_administrator({}, *installed)
    with pytest.raises(OptionError, match="password"):
        add_administrator({"admin_username": "ada", "admin_password": "short"}, *installed)
    options = {"admin_username": "ada", "admin_password": PASSWORD}
    assert add_administrator(options, *installed) == (
        "Added ada (superadmin). Remove admin_password from the options now."
    )
    assert "not read" in add_administrator({**options, "admin_username": "eve"}, *installed)
    assert add_administrator({}, *installed) == ""
    users = run_command("user", "list", installed[0]).stdout
    assert "ada" in users
    assert "eve" not in users


def test_the_pictures_have_the_sizes_that_home_assistant_shows():
    for name, size in (("icon.png", (128, 128)), ("logo.png", (250, 100))):
        data = (ADDON / name).read_bytes()
        assert data.startswith(b"\x89PNG\r\n")
        assert struct.unpack(">II", data[16:24]) == size


def test_the_base_is_in_the_dockerfile_alone():
    """Supervisors warn of a build.yaml; without one, those before April 2026 give BUILD_FROM a base of their own."""
    assert not (ADDON / "build.yaml").exists()
    assert "BUILD_FROM" not in re.sub("(?m)^#.*", "", (ADDON / "Dockerfile").read_text(encoding="utf-8"))


def test_the_newest_wheel_is_installed(tmp_path):
    for version in ("1.9.0", "1.10.0", "1.10.0rc1", "0.12.1"):
        (tmp_path / f"skywatch-{version}-py3-none-any.whl").touch()
    text = (ADDON / "Dockerfile").read_text(encoding="utf-8").replace("/tmp/", f"{tmp_path}/")
    choice = re.search(r"\$\((ls .*?)\)", text)[1]
    chosen = subprocess.run(["sh", "-c", choice], capture_output=True, text=True, check=True).stdout.strip()
    assert chosen == f"{tmp_path}/skywatch-1.10.0-py3-none-any.whl"


def test_a_client_behind_home_assistant_has_its_own_address():
    proxies = TrustedProxies(
        re.search(r"\ntrusted_proxy = (.+)\n", settings_of(MANIFEST["options"], SECRET))[1].split()
    )
    # The browser; Home Assistant, which the Supervisor sees at the gateway; the Supervisor, which nginx sees.
    assert proxies.client_address("127.0.0.1", "192.0.2.7, 172.30.32.1, 172.30.32.2") == "192.0.2.7"


def test_inputs_are_written_as_they_are():
    assert "receiver.roof = readsb http://a/%%20b" in settings_of(
        {"receivers": [{"name": "roof", "input": "readsb http://a/%20b"}]}, SECRET
    )


def test_until_the_service_listens_a_page_says_so_and_loads_again(tmp_path):
    port = free_port()
    text = (ADDON / "nginx.conf").read_text().replace("/run/skywatch-nginx.pid", f"{tmp_path}/pid")
    text = text.replace("listen 8099", f"listen 127.0.0.1:{port}").replace("172.30.32.2", "127.0.0.1")
    (tmp_path / "nginx.conf").write_text(text.replace("127.0.0.1:6543", f"127.0.0.1:{free_port()}"))
    command = [program("nginx"), "-c", tmp_path / "nginx.conf", "-p", tmp_path, "-g", "daemon off;"]
    with subprocess.Popen(command) as nginx:
        try:
            answer = until(lambda: get(f"http://127.0.0.1:{port}/"))
        finally:
            nginx.terminate()
    assert (answer.status_code, answer.headers["retry-after"]) == (502, "2")
    assert 'http-equiv="refresh"' in answer.text
    assert "Skywatch is starting" in answer.text


def get(url):
    with suppress(httpx.ConnectError):
        return httpx.get(url, timeout=PATIENCE_S)


def test_nginx_and_the_shell_take_their_files(tmp_path):
    nginx = program("nginx")
    config = tmp_path / "nginx.conf"
    config.write_text((ADDON / "nginx.conf").read_text().replace("/run/skywatch-nginx.pid", f"{tmp_path}/pid"))
    done = subprocess.run([nginx, "-t", "-c", config, "-p", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert subprocess.run(["sh", "-n", ADDON / "run.sh"], check=False).returncode == 0

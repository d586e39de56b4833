"""The container image and the Debian package: their files agree with the service, and with each other.

``make drill NAME=image`` and ``make drill NAME=deb`` build and run them.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import re
import shutil
import stat
import subprocess
from configparser import ConfigParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from skywatch.features import SETTINGS, load
from skywatch.settings import ROLES, names_of
from tests.conftest import ROOT
from tests.drills import home_assistant
from tests.drills.booted import BEGIN, INNER
from tests.drills.deb import BOOTED, WALK
from tests.drills.debian import SHOWN
from tests.drills.image import CHECKS, PRODUCTION, START, interpolated

IMAGE, DEBIAN = ROOT / "deploy/image", ROOT / "deploy/debian"
SCRIPTS = [IMAGE / "entrypoint", DEBIAN / "skywatch", *(DEBIAN / name for name in ("postinst", "prerm", "postrm"))]
COMPOSE = [ROOT / "compose.yaml", ROOT / "compose.production.yaml"]


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("deb_build", DEBIAN / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their words."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    lines = [line.partition(" ") for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, words.strip()) for name, _, words in lines]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_those_of_a_posix_shell(path):
    assert path.read_text().startswith("#!/bin/sh\n")
    shell = shutil.which("dash") or "sh"
    done = subprocess.run([shell, "-n", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


SCRIPTS_OF_DRILLS = {
    "deb": SHOWN + WALK,
    "deb-booted": BOOTED,
    "booted": BEGIN + INNER,
    "image": START + CHECKS,
    "image-production": START + PRODUCTION,
    "home-assistant": SHOWN + home_assistant.WALK,
}


@pytest.mark.parametrize("script", SCRIPTS_OF_DRILLS.values(), ids=SCRIPTS_OF_DRILLS)
def test_the_drills_are_scripts_of_bash(script):
    done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_image_runs_without_root_and_has_a_health_check():
    final = instructions()
    names = [name for name, _ in final]
    assert final[0] == ("ARG", "BASE=docker.io/library/debian:trixie-slim")
    assert names.count("FROM") == 2
    users = [words for name, words in final if name == "USER"]
    assert users == ["6543:6543"]
    assert "--uid 6543 --gid 6543" in (ROOT / "Dockerfile").read_text()
    assert ("VOLUME", "/var/lib/skywatch") in final
    assert any(name == "HEALTHCHECK" and "healthcheck" in words for name, words in final)
    for name in ("entrypoint", "healthcheck"):
        assert (IMAGE / name).stat().st_mode & stat.S_IXUSR


def test_everything_that_the_image_is_built_of_is_in_its_context():
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert all((ROOT / name).exists() for name in allowed)
    # What setup.py and the Makefile read.
    assert {"LICENSE", "README.md", "Makefile", "alembic", "pyproject.toml", "setup.py", "skywatch", "web"} <= allowed
    assert set(re.findall(r"deploy/\w+\.py", (ROOT / "Makefile").read_text())) <= allowed
    for name, words in instructions():
        if name == "COPY" and "--from" not in words and words != ". /source":
            for source in [word for word in words.split()[:-1] if not word.startswith("--")]:
                assert any(source.startswith(one) for one in allowed), source


def test_no_source_is_kept_out_of_the_context():
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] not in "#!*"]
    command = ["git", "ls-files", "skywatch", "web"]
    files = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert "skywatch/web/built.py" in files
    for rule in rules:
        assert not [name for name in files if fnmatch.fnmatch(name, rule) or name.startswith(rule)], rule


@pytest.mark.parametrize("folder", [IMAGE, DEBIAN], ids=["image", "debian"])
def test_the_configuration_is_hybrid_and_needs_the_secret_file(folder, tmp_path):
    ini = ConfigParser(interpolation=None)
    ini.read(folder / "skywatch.ini")
    section = dict(ini["app:main"])
    secret = section.pop("use").removeprefix("config:")
    assert secret in "".join(path.read_text() for path in SCRIPTS).replace("$state", "/var/lib/skywatch")
    settings = load({**section, "secret": "s" * 32}, {})
    assert (settings.environment, settings.auth_mode, settings.roles) == ("production", "hybrid", ROLES)
    assert "secret" not in section
    host = "0.0.0.0" if folder == IMAGE else "127.0.0.1"
    assert (section["listen"], section["realtime_listen"]) == (f"{host}:6543", f"{host}:6544")
    assert ini["server:main"]["use"] == "egg:skywatch"


def compose(path: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(path.read_text()))


@pytest.mark.parametrize("path", COMPOSE, ids=lambda path: path.stem)
def test_compose_gives_containers_no_privilege_and_known_settings(path):
    document = compose(path)
    names = names_of(SETTINGS)
    known = {name.upper() for name in names.single}
    families = tuple(prefix.upper().replace(".", "_") for prefix in names.families)
    ours = {name: one for name, one in document["services"].items() if one["image"].startswith("skywatch")}
    for name, service in ours.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"]
        assert service["tmpfs"] == "/tmp"
        assert service["volumes"] == ["data:/var/lib/skywatch"]
        for variable in service["environment"]:
            assert variable.removesuffix("_FILE") in known or variable.startswith(families), variable
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:")
    assert "data" in document["volumes"]


def test_production_has_a_container_for_each_role_and_files_of_secrets():
    document = compose(COMPOSE[1])
    services = document["services"]
    for role in ROLES:
        assert services[role]["command"] == ["serve", "--role", role]
        assert services[role]["depends_on"]["init"] == {"condition": "service_completed_successfully"}
        environment = services[role]["environment"]
        assert not {"SECRET", "DATABASE_URL"} & set(environment)
        for variable in ("SECRET_FILE", "DATABASE_URL_FILE"):
            name = environment[variable].removeprefix("/run/secrets/")
            assert name in services[role]["secrets"]
            assert name in document["secrets"]


def test_what_the_compose_files_say_is_accepted_as_settings(tmp_path):
    ini = ConfigParser(interpolation=None)
    ini.read(IMAGE / "skywatch.ini")
    section = {name: text for name, text in ini["app:main"].items() if name != "use"}
    (tmp_path / "secret").write_text("5" * 64 + "\n")
    (tmp_path / "database_url").write_text("postgresql+psycopg://skywatch:word@postgresql/skywatch\n")
    for role in ROLES:
        given = compose(COMPOSE[1])["services"][role]["environment"]
        environ = {name: interpolated(str(text), "https://sky.example.org") for name, text in given.items()}
        assert not [text for text in environ.values() if "$" in text]
        environ = {name: text.replace("/run/secrets", str(tmp_path)) for name, text in environ.items()}
        settings = load(section, environ)
        assert settings.secret == "5" * 64
        assert settings.database_url == "postgresql+psycopg://skywatch:word@postgresql/skywatch"
        assert settings.bus == "redis://redis:6379/0"
    given = compose(COMPOSE[0])["services"]["skywatch"]["environment"]
    environ = {name: interpolated(str(text), "") for name, text in given.items()}
    assert load({**section, "secret": "5" * 64}, environ).database_url.startswith("sqlite:////var/lib/skywatch/")


def test_units_of_the_package_name_its_program_and_configuration():
    build = builder()
    for path in sorted((ROOT / "deploy/systemd").glob("*.service")):
        text = build.unit(path.read_text())
        start = re.search(r"^ExecStart=(.*)$", text, re.M)
        assert start is not None
        assert start[1].startswith("/usr/bin/skywatch serve /etc/skywatch/skywatch.ini")
        assert not re.search(r"/opt/|/usr/local|sky\.ini$|production\.ini|EnvironmentFile=/", text)
        assert path.name in (DEBIAN / "postinst").read_text()
        assert path.name in (DEBIAN / "postrm").read_text()


def test_the_package_depends_on_the_python_that_it_was_built_for():
    text = builder().control_text("0.2.0-1~deb13", "arm64", "3.13", 1234)
    fields = dict(re.findall(r"^([\w-]+): (.*)$", text, re.M))
    assert "python3.13" in fields["Depends"].split(", ")
    assert (fields["Version"], fields["Architecture"], fields["Installed-Size"]) == ("0.2.0-1~deb13", "arm64", "1234")
    # dpkg reads a line that begins with a blank as a part of the field above.
    assert all(line.startswith(" ") for line in text.partition("Description: ")[2].splitlines()[1:])


def test_a_wheel_that_is_not_there_is_named(tmp_path, monkeypatch, capsys):
    build = builder()
    monkeypatch.setattr(build, "release", lambda: "13")
    monkeypatch.setattr("sys.argv", ["build.py", str(tmp_path / "none.whl")])
    assert build.main() == 1
    assert "there is no such wheel; `make wheel` builds one" in capsys.readouterr().err


def test_every_override_of_lintian_has_a_reason():
    lines = (DEBIAN / "lintian-overrides").read_text().splitlines()
    assert lines
    for number, line in enumerate(lines):
        if line and not line.startswith("#"):
            assert number > 0, line
            assert lines[number - 1].startswith("# "), line

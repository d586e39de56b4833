"""The manual's pages on deployment: their commands are a shell's, and what they install is what systemd and nginx take.

``make drill NAME=deployment`` runs the pages themselves.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from skywatch.cli import COMMANDS
from skywatch.features import FEATURES
from skywatch.settings import ROLES
from tests.conftest import ROOT
from tests.drills.deployment import CHECKS, DOWNLOADS
from tests.drills.pages import blocks
from tests.ports import free_port
from tests.servers import program
from tests.waiting import PATIENCE_S

PAGES = [ROOT / "docs" / f"{name}.md" for name in CHECKS]
UNITS = ROOT / "deploy" / "systemd"
OPENSSL = re.compile(r"openssl req (.*?)-keyout (\S+) -out (\S+)", re.S)


def run(*command: object) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_are_a_shells_and_ours(page):
    every = blocks(page)
    assert len(every) >= 4
    assert {block.heading for block in every} & set(DOWNLOADS)
    script = "\n".join(block.text for block in every)
    checked = run("bash", "-n", "-c", script)
    assert (checked.returncode, checked.stderr) == (0, "")
    ours = set(re.findall(r"(?:^|-- |>|> |\.pem )skywatch (\w+)", script, re.M))
    assert ours <= {*COMMANDS, *FEATURES.commands}
    assert ours & {"init", "user"}
    for path in re.findall(r"deploy/[\w./*-]+", script):
        assert list(ROOT.glob(path)), f"{page.name} names {path}, which is not there"


def test_there_is_a_unit_for_each_role():
    for role in ROLES:
        assert f"--role {role}\n" in (UNITS / f"skywatch-{role}.service").read_text()
        assert f"skywatch-{role}.service" in (UNITS / "skywatch.target").read_text()
    page = PAGES[0].read_text(encoding="utf-8")
    for path in UNITS.iterdir():
        assert f"| `{path.name}` |" in page


# Whose roles may generate machine code: transcription by faster-whisper.
GENERATES_CODE = {"skywatch.service", "skywatch-worker.service"}


@pytest.mark.parametrize("path", sorted(UNITS.glob("*.service")), ids=lambda path: path.name)
def test_units_bound_what_a_fault_may_take(path):
    lines = path.read_text().splitlines()
    settings = [line.partition("=")[::2] for line in lines if "=" in line and not line.startswith("#")]
    one = dict(settings)
    assert re.fullmatch(r"[1-9]G", one["MemoryMax"])
    # The web server's threads, and children that decode and notify.
    assert 64 <= int(one["TasksMax"]) <= 1024
    assert [value for name, value in settings if name == "SystemCallFilter"] == ["@system-service", "~@privileged"]
    assert one["SystemCallErrorNumber"] == "EPERM"
    assert (one.get("MemoryDenyWriteExecute") == "true") == (path.name not in GENERATES_CODE)
    assert ("faster-whisper" in path.read_text()) == (path.name in GENERATES_CODE)


# So that glibc keeps nothing that was freed for each thread.
NO_THREAD_CACHES = "GLIBC_TUNABLES=glibc.malloc.tcache_count=0"


def test_no_thread_of_a_service_keeps_what_was_freed():
    for path in UNITS.glob("*.service"):
        assert f"\nEnvironment={NO_THREAD_CACHES}\n" in path.read_text(), path.name
    assert f"\nENV {NO_THREAD_CACHES}\n" in (ROOT / "Dockerfile").read_text()


def test_systemd_takes_the_units(tmp_path):
    program("systemd-analyze")
    copies = []
    for path in UNITS.iterdir():
        # The program has to be there for systemd to be content.
        copies.append(tmp_path / path.name)
        copies[-1].write_text(path.read_text().replace("/opt/skywatch/bin/skywatch", sys.executable))
    done = run("systemd-analyze", "verify", "--man=no", *copies)
    ours = [line for line in done.stderr.splitlines() if "skywatch" in line]
    assert (done.returncode, ours) == (0, [])
    wrong = tmp_path / "skywatch-wrong.service"
    wrong.write_text((tmp_path / "skywatch-api.service").read_text().replace("Restart=always", "Restart=allways"))
    assert "allways" in run("systemd-analyze", "verify", "--man=no", wrong).stderr


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::", 0))
    except OSError:
        return False
    return True


def site(folder: Path, text: str) -> Path:
    """A configuration of nginx with the page's certificate and our site, on other ports."""
    found = OPENSSL.search("\n".join(block.text for block in blocks(PAGES[0])))
    assert found is not None
    (folder / "tls").mkdir()
    (folder / "nginx.d").mkdir()
    shutil.copy(ROOT / "deploy/nginx/tar1090.conf", folder / "nginx.d")
    words = found[0].replace("/etc/skywatch", str(folder)).replace("\\\n", " ").split()
    program(words[0])
    made = run(*words)
    assert made.returncode == 0, made.stderr
    text = text.replace("/etc/skywatch", str(folder))
    text = re.sub(r"(listen (?:\[::\]:)?)(\d+)", lambda m: f"{m[1]}{free_port()}", text)
    if not has_ipv6():
        text = re.sub(r".*listen \[::\].*\n", "", text)
    config = folder / "nginx.conf"
    config.write_text(f"pid {folder}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{text}\n}}\n")
    return config


def test_nginx_takes_the_site(tmp_path):
    nginx = program("nginx")
    text = (ROOT / "deploy/nginx/skywatch.conf").read_text()
    assert text.count("proxy_pass http://skywatch_realtime;") == 2
    done = run(nginx, "-t", "-c", site(tmp_path, text), "-p", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "warn" not in done.stderr

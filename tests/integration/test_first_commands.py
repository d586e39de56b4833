"""Every command of README.md and docs/first-steps.md is run as it stands, in the order of the pages.

Only the ports are replaced. A copy of the checkout stands in for a clone, with the packages that are installed.
"""

from __future__ import annotations

import gzip
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.conftest import ROOT
from tests.drills.first_aircraft import COMMANDS
from tests.every_receiver import beast
from tests.ports import free_port
from tests.processes import ENVIRONMENT
from tests.servers import program
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.nightly("runs what a newcomer runs")

PAGES = ("README.md", "docs/first-steps.md")
BLOCK = re.compile(r"^```console\n(.*?)^```", re.M | re.S)
PROMPT = re.compile(r"^\$ (.*)", re.M)
# A command in a sentence, on a line of its own or not.
INLINE = re.compile(r"`((?:printf |AUTH_MODE=|\.venv/bin/|make )[^`]+)`")
# What is not run here, and who runs it.
ELSEWHERE = {
    "git clone <the repository> && cd skywatch": "whoever runs the tests",
    "make test": "continuous integration (.ci/run)",
    "make wheel": "test_wheel.py, and the drill first-aircraft",
    **{command: "the drill first-aircraft" for way, command in COMMANDS.items() if way != "checkout"},
}
# A fault is shown on purpose: the database has no schema, and nothing answers at the receiver.
FAILS = ("skywatch doctor sky.ini",)
AIRFRAMES = "4b1620;HB-IJS;A320;00;Airbus A320;;Swiss\n"


def commands(page: str) -> list[str]:
    """The commands of a page in their order, without what is behind ``#``."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [(m.start() + line.start(), line[1]) for m in BLOCK.finditer(text) for line in PROMPT.finditer(m[0])]
    found += [(m.start(), m[1]) for m in INLINE.finditer(text) if "FILE" not in m[1]]
    in_order = [re.split(r"\s{2,}#", line)[0].strip() for _, line in sorted(found)]
    # A sentence may name a command of make again.
    return [one for n, one in enumerate(in_order) if not one.startswith("make ") or one not in in_order[:n]]


class Newcomer:
    """A copy of the checkout and a service that ``make run`` starts in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("Makefile", "setup.py", "development.ini"):
            shutil.copy2(ROOT / name, folder)
        shutil.copytree(ROOT / "web", folder / "web", ignore=shutil.ignore_patterns("node_modules", ".installing"))
        (folder / ".venv").mkdir()
        (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
        (folder / ".venv" / ".runtime").touch()
        self._pretend_that_the_web_application_is_built()
        (folder / "aircraft.csv.gz").write_bytes(gzip.compress(AIRFRAMES.encode()))
        (folder / "recording.beast").write_bytes(beast("4b1620"))
        self.ports = {"6543": str(free_port()), "6544": str(free_port())}
        self.environment = {
            **ENVIRONMENT,
            "HOME": str(folder),
            "PATH": f"{Path(sys.executable).parent}:{ENVIRONMENT['PATH']}",
            "LISTEN": f"127.0.0.1:{self.ports['6543']}",
            "REALTIME_LISTEN": f"127.0.0.1:{self.ports['6544']}",
        }
        self.service: subprocess.Popen[bytes] | None = None

    def _pretend_that_the_web_application_is_built(self) -> None:
        spec = importlib.util.spec_from_file_location("make", self.folder / "web" / "make.py")
        make = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(make)
        make.BUILT.mkdir(parents=True)
        (make.BUILT / make.MARK).write_text(make.sources())

    def run(self, command: str) -> None:
        for port, own in self.ports.items():
            command = command.replace(port, own)
        if command.endswith("make run"):
            self.stop()
            self.service = subprocess.Popen(
                ["bash", "-c", command], cwd=self.folder, env=self.environment, start_new_session=True
            )
            until(self._answers)
            return
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=2 * PATIENCE_S, check=False,
        )  # fmt: skip
        assert done.returncode == (1 if command in FAILS else 0), (command, done.stdout, done.stderr)

    def _answers(self) -> bool:
        try:
            url = f"http://{self.environment['LISTEN']}/api/v1/aircraft"
            return httpx.get(url, timeout=PATIENCE_S).status_code in (200, 401)
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        if self.service is not None:
            os.killpg(self.service.pid, signal.SIGTERM)
            self.service.wait(PATIENCE_S)
            self.service = None


@pytest.fixture
def newcomer(tmp_path):
    program("make")
    made = Newcomer(tmp_path)
    yield made
    made.stop()


def test_every_command_is_run(newcomer):
    found = [command for page in PAGES for command in commands(page)]
    assert set(ELSEWHERE) | {"make run", *FAILS} <= set(found)
    # Whoever closes the sky in the last of the lines meant for a choice opens it again.
    last = [command for command in found if command.startswith("AUTH_MODE=")]
    for command in [one for one in found if one not in {*ELSEWHERE, *last}] + last:
        newcomer.run(command)


def test_the_lines_for_development_ini_are_settings(tmp_path):
    lines = re.findall(r"```ini\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    text = (ROOT / "development.ini").read_text(encoding="utf-8").replace("[app:main]\n", f"[app:main]\n{lines[0]}", 1)
    text = re.sub(r"(?m)^receiver\.demo.*\n", "", text)
    (tmp_path / "development.ini").write_text(text)
    command = [sys.executable, "-m", "skywatch", "settings", "development.ini"]
    shown = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True).stdout
    assert "beast localhost:30005" in shown

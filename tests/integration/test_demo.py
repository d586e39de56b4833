"""``skywatch demo``: from nothing to aircraft in a temporary folder, which is gone at the end."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.ports import free_port
from tests.processes import ENVIRONMENT, SKYWATCH
from tests.waiting import PATIENCE_S, until

Start = Callable[..., "Demo"]


class Demo:
    """A demonstration with a temporary folder of its own."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        self.output = folder / "output"
        # Demonstrations that start at the same moment would find the same port free.
        ports = {"REALTIME_LISTEN": f"127.0.0.1:{free_port()}"} if "LISTEN" in environment else {}
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [*SKYWATCH, "demo", *arguments],
                env={**ENVIRONMENT, "TMPDIR": str(self.temporary), **ports, **environment},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def page(self) -> str:
        """The printed address of the page, as soon as it is printed."""
        return until(lambda: re.search(r"http://\S+/", self.output.read_text()))[0]

    def folders(self) -> list[Path]:
        return [path for path in self.temporary.iterdir() if path.name.startswith("skywatch-demo-")]

    def aircraft(self) -> list[dict[str, object]]:
        try:
            with urllib.request.urlopen(f"{self.page()}api/v1/aircraft", timeout=PATIENCE_S) as answer:
                return json.load(answer)["aircraft"]
        except OSError:
            return []

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    demos: list[Demo] = []

    def begin(*arguments: str, **environment: str) -> Demo:
        demos.append(Demo(tmp_path, *arguments, **environment))
        return demos[-1]

    yield begin
    for demo in demos:
        demo.process.kill()
        demo.process.wait()


@pytest.mark.smoke
@pytest.mark.usefixtures("built")
def test_it_shows_aircraft_opens_the_page_and_leaves_nothing(start: Start, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >{opened}\n')
    browser.chmod(0o755)
    listen = f"127.0.0.1:{free_port()}"
    # A real installation's settings are none of the demonstration's.
    other = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "RECEIVER_ROOF": "beast 127.0.0.1:1"}
    demo = start(LISTEN=listen, DISPLAY=":99", BROWSER=str(browser), **other)
    assert len(until(demo.aircraft)) > 0
    assert demo.page() == f"http://{listen}/"
    until(lambda: opened.is_file() and opened.read_text() == f"http://{listen}/\n")
    assert len(demo.folders()) == 1
    assert demo.end(signal.SIGTERM) == 0
    assert not demo.folders()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_start_leaves_nothing(start: Start, number: int) -> None:
    demo = start("--no-browser", LISTEN=f"127.0.0.1:{free_port()}")
    until(demo.folders)
    assert demo.end(number) == 0
    assert not demo.folders()


def test_without_listen_it_takes_a_free_port(start: Start) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 6543))
            taken.listen()
        except OSError:
            # Something listens there already, which is as well.
            pass
        demo = start("--no-browser")
        until(demo.aircraft)
        assert not demo.page().endswith(":6543/")
        assert demo.end(signal.SIGINT) == 0


def test_a_fault_of_the_start_is_one_line(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        demo = start("--no-browser", LISTEN=f"127.0.0.1:{taken.getsockname()[1]}")
        assert demo.process.wait(3 * PATIENCE_S) == 1
    assert not demo.folders()
    last = demo.output.read_text().splitlines()[-1]
    assert last.startswith("skywatch: setting listen: ")


def test_an_address_that_is_none_is_one_line_and_no_folder(start: Start) -> None:
    demo = start("--no-browser", LISTEN="6543")
    assert demo.process.wait(PATIENCE_S) == 1
    assert demo.output.read_text() == "skywatch: setting listen: expected host:port, such as 127.0.0.1:6543\n"
    assert not demo.folders()

"""``skywatch radar`` against a running service: over the channel, over REST where that is closed, and refused."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import waitress
from click.testing import CliRunner

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.cli.radar.columns import plain
from skywatch.cli.radar.command import base_address, channel_addresses, radar
from skywatch.core.runtime import Runtime
from tests.app_templates import make_app
from tests.ports import free_port
from tests.processes import ENVIRONMENT
from tests.realtime import Skies, publish_sky, serving
from tests.waiting import PATIENCE_S, until

AIRCRAFT = {
    "4b1620": {"flight": "SWR12\x1b[2J ", "lat": 46.9, "lon": 7.4, "alt_baro": 12025, "gs": 301.4, "squawk": "7700"},
    "3c6444": {"flight": "DLH9", "lat": 48.8, "lon": 2.3, "alt_baro": "ground"},
}


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch):
    for name in ("SKYWATCH_API_KEY", "SKYWATCH_TOKEN", "SKYWATCH_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Waits longer for a service that is there than a user would."""
    monkeypatch.setattr("skywatch.cli.radar.command.TIMEOUT_S", PATIENCE_S)


@contextlib.contextmanager
def api(runtime: Runtime) -> Iterator[str]:
    """The REST API in a thread: its address."""
    server = waitress.create_server(make_app(runtime), listen="127.0.0.1:0", threads=2)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}"
    finally:
        server.close()
        thread.join(PATIENCE_S)


@contextlib.contextmanager
def channel(runtime: Runtime) -> Iterator[int]:
    """The real-time channel on a loop of its own: its port. While it is open nothing else is looked for."""
    started: Any = threading.Event()
    found: dict[str, Any] = {}

    def run() -> None:
        async def serve() -> None:
            async with serving(runtime, Authenticator(runtime)) as server:
                found["port"], found["loop"], found["stop"] = server.port, asyncio.get_running_loop(), asyncio.Event()
                started.set()
                await found["stop"].wait()

        asyncio.run(serve())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(PATIENCE_S)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("skywatch.cli.radar.command.CHANNEL_PATIENCE_S", PATIENCE_S)
            yield found["port"]
    finally:
        found["loop"].call_soon_threadsafe(found["stop"].set)
        thread.join(PATIENCE_S)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(radar, list(arguments), env={"COLUMNS": "160", "TERM": "dumb"})


@pytest.mark.smoke
def test_the_list_is_shown_over_the_channel(make_runtime):
    port = free_port()
    runtime = make_runtime(realtime_listen=f"127.0.0.1:{port}", realtime_url=f"ws://127.0.0.1:{port}")
    publish_sky(runtime, Skies().next(AIRCRAFT))
    with api(runtime) as address, channel(runtime):
        done = run(address, "--once")
        assert done.exit_code == 0, done.output
        assert "2 aircraft (live)" in done.output
        assert "12,025 ft" in done.output
        assert "ground" in done.output
        assert "\x1b[2J" not in done.output
        only = run(address, "--bbox", "5,45,10,48")
        assert "1 aircraft (live)" in only.output
        assert "4b1620" in only.output


def test_where_the_channel_is_closed_the_list_is_asked_for(make_runtime):
    runtime = make_runtime(realtime_url=f"ws://127.0.0.1:{free_port()}")
    publish_sky(runtime, Skies().next(AIRCRAFT))
    with api(runtime) as address:
        done = run(address, "--once")
    assert done.exit_code == 0, done.output
    assert "aircraft (asked once a second)" in done.output


def test_who_asks_too_often_waits_as_long_as_the_service_says(make_runtime):
    closed = f"ws://127.0.0.1:{free_port()}"
    runtime = make_runtime(realtime_url=closed, default_throttle_rates__anon="1/second")
    publish_sky(runtime, Skies().next(AIRCRAFT))
    with api(runtime) as address:
        done = run(address, "--once")
    assert done.exit_code == 0, done.output
    assert "aircraft (asked once a second)" in done.output


def test_a_wrong_credential_is_one_line(make_runtime, monkeypatch):
    monkeypatch.setenv("SKYWATCH_API_KEY", "sk_wrong")
    port = free_port()
    runtime = make_runtime(
        realtime_listen=f"127.0.0.1:{port}", realtime_url=f"ws://127.0.0.1:{port}", auth_mode="hybrid"
    )
    with api(runtime) as address:
        with channel(runtime):
            done = run(address)
            assert (done.exit_code, done.output) == (1, "skywatch: Authentication failed\n")
        closed = run(address)
        assert closed.exit_code == 1
        assert "answered 401" in closed.output


def test_a_closed_service_asks_for_a_login(make_runtime):
    port = free_port()
    for mode in ("private", "hybrid"):
        runtime = make_runtime(
            realtime_listen=f"127.0.0.1:{port}", realtime_url=f"ws://127.0.0.1:{port}", auth_mode=mode
        )
        with api(runtime) as address:
            with channel(runtime):
                over_the_channel = run(address)
            over_rest = run(address)
        for done in (over_the_channel, over_rest):
            assert done.exit_code == 1
            assert done.output == (
                f"skywatch: {address} shows its aircraft to people who are logged in: log in with --username NAME, "
                "or put an API key into SKYWATCH_API_KEY\n"
            )


# The command in a process of its own, as patient as ``patient`` and ``channel`` make it in this one.
PATIENT = f"""
from skywatch.cli import main
from skywatch.cli.radar import command

command.TIMEOUT_S = command.CHANNEL_PATIENCE_S = {PATIENCE_S}
main()
"""


class Terminal:
    """A terminal of its own with a radar in it."""

    def __init__(self, address: str, *options: str, lines: int = 20, columns: int = 100) -> None:
        self._ours, theirs = pty.openpty()
        self.resize(lines, columns)
        self.before = termios.tcgetattr(theirs)
        self._theirs = theirs
        self._output = ""
        self.process = subprocess.Popen(
            [sys.executable, "-c", PATIENT, "radar", address, *options],
            stdin=theirs, stdout=theirs, stderr=theirs, env={**ENVIRONMENT, "TERM": "xterm-256color"},
            start_new_session=True,
        )  # fmt: skip

    def resize(self, lines: int, columns: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def screen(self) -> str:
        """The last whole screen, without colours."""
        while select.select([self._ours], [], [], 0)[0]:
            try:
                data = os.read(self._ours, 65536)
            except OSError:
                break
            self._output += data.decode(errors="replace")
        # Every screen is drawn from the upper left corner; the last one may still be under way.
        screens = self._output.split("\x1b[H")
        self._output = "\x1b[H".join(screens[-3:])
        return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", screens[-1])

    def wait_for(self, *texts: str) -> str:
        def shown() -> str | None:
            now = self.screen()
            return now if all(text in now for text in texts) and "q quit" in now else None

        return until(shown, f"{texts} on the screen")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        os.close(self._ours)
        os.close(self._theirs)


def test_keys_in_a_terminal(make_runtime):
    port = free_port()
    runtime = make_runtime(realtime_listen=f"127.0.0.1:{port}", realtime_url=f"ws://127.0.0.1:{port}")
    crowd = {
        f"4b{n:04x}": {
            "flight": f"SWR{n} ",
            "lat": 46.9,
            "lon": 7.4 + n / 100,
            "alt_baro": 1000 + 100 * n,
            "r": f"HB-{n}",
        }
        for n in range(50)
    }
    publish_sky(runtime, Skies().next(crowd))
    with api(runtime) as address, channel(runtime):
        terminal = Terminal(address, "--sort", "callsign")
        try:
            assert "SWR10" in terminal.wait_for("50 aircraft (live)", "↓ 35 more", "Callsign▲")
            terminal.press("\x1b[F")
            terminal.wait_for("↑ 35 more", "SWR9")
            terminal.press("s" * 5 + "r")
            terminal.press("\x1b[H")
            terminal.wait_for("Altitude▲", "1,000 ft", "↓ 35 more")
            terminal.press("/hb-49\r\r")
            terminal.wait_for("1 match “hb-49”", "Registration", "HB-49", "5,900 ft")
            terminal.press("\r\x1b")
            terminal.press("\x1b")
            terminal.press("u")
            terminal.wait_for("305 m", "↓ 35 more")
            terminal.resize(30, 100)
            terminal.wait_for("↓ 25 more")
            terminal.press("q")
            assert terminal.process.wait(PATIENCE_S) == 0
            assert termios.tcgetattr(terminal._theirs) == terminal.before
        finally:
            terminal.close()


@pytest.mark.parametrize("url", ["", "ftp://x", "http://", "http://host:port", "ws://x"])
def test_an_unusable_address_is_one_line(url):
    done = run(url)
    assert done.exit_code == 1
    assert done.output.startswith("skywatch: ")
    assert done.output.count("\n") == 1


def test_a_service_out_of_reach_is_one_line():
    done = run(f"http://127.0.0.1:{free_port()}")
    assert done.exit_code == 1
    assert "cannot be reached" in done.output


def test_where_the_channel_is_looked_for():
    assert channel_addresses("http://sky:6543", {"path": "/ws"}) == ["ws://sky:6544/ws", "ws://sky:6543/ws"]
    assert channel_addresses("https://sky.example", {})[0] == "wss://sky.example/ws"
    assert channel_addresses("http://sky", {"url": "wss://rt.example/", "path": "/live"}) == ["wss://rt.example/live"]
    assert base_address("sky.example:80/x/") == "http://sky.example:80/x"
    assert plain("A\x1b[31mB\n") == "A[31mB"

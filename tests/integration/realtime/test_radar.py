"""``skywatch radar`` against a running service: over the channel, over REST where that is closed, and refused."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import waitress
from click.testing import CliRunner

from skywatch import make_app
from skywatch.accounts.authenticator import Authenticator
from skywatch.cli.radar import base_address, channel_addresses, radar
from skywatch.cli.radar_table import plain
from skywatch.core.runtime import Runtime
from tests.ports import free_port
from tests.realtime import Skies, publish_sky, serving
from tests.waiting import PATIENCE_S

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
    monkeypatch.setattr("skywatch.cli.radar.TIMEOUT_S", PATIENCE_S)


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
            patch.setattr("skywatch.cli.radar.CHANNEL_PATIENCE_S", PATIENCE_S)
            yield found["port"]
    finally:
        found["loop"].call_soon_threadsafe(found["stop"].set)
        thread.join(PATIENCE_S)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(radar, list(arguments), env={"COLUMNS": "160", "TERM": "dumb"})


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

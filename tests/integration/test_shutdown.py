"""SIGTERM ends the process in time, whatever hangs; SIGHUP changes nothing."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from skywatch.serving.shutdown import STOP_WITHIN_S
from skywatch.serving.status_line import PLAIN_EVERY_S
from tests.processes import ENVIRONMENT, SKYWATCH, Service
from tests.relay import Relay
from tests.waiting import PATIENCE_S, until

# The interpreter's own end, on a machine that is busy with other tests.
SLACK_S = 12.0


@pytest.fixture
def database(postgresql_url: str) -> Iterator[tuple[str, Relay]]:
    """A database behind a relay that can fall silent: its address and the relay."""
    url = sa.make_url(postgresql_url)
    relay = Relay((url.host or "127.0.0.1", url.port or 5432))
    yield url.set(host="127.0.0.1", port=relay.port).render_as_string(hide_password=False), relay
    relay.close()


def ends_in_time(service: Service) -> int:
    """The exit code after a SIGTERM."""
    assert service.process is not None
    service.process.send_signal(signal.SIGTERM)
    try:
        return service.process.wait(STOP_WITHIN_S + SLACK_S)
    except subprocess.TimeoutExpired:
        service.kill()
        raise AssertionError(service.log.read_text()) from None


@pytest.mark.smoke
def test_a_healthy_service_ends_without_force(tmp_path: Path) -> None:
    service = Service(tmp_path, **{"receiver.demo": "simulate aircraft=50"}).init().start()
    until(service.aircraft)
    assert ends_in_time(service) == 0
    assert "ended by force" not in service.log.read_text()


def test_a_second_sigterm_interrupts_no_stop(tmp_path: Path) -> None:
    service = Service(tmp_path, **{"receiver.demo": "simulate aircraft=50"}).init().start()
    until(service.aircraft)
    process = service.process
    assert process is not None
    deadline = time.monotonic() + STOP_WITHIN_S + SLACK_S
    while process.poll() is None and time.monotonic() < deadline:
        process.send_signal(signal.SIGTERM)
        time.sleep(0.05)
    assert process.returncode == 0
    log = service.log.read_text()
    assert "KeyboardInterrupt" not in log, log
    assert "not stop" not in log, log


def test_sighup_changes_nothing_and_says_so(tmp_path: Path) -> None:
    service = Service(tmp_path, **{"receiver.demo": "simulate aircraft=50"}).init().start()
    assert service.process is not None
    for _ in range(3):
        service.process.send_signal(signal.SIGHUP)
    until(lambda: "SIGHUP has no effect" in service.log.read_text())
    until(service.aircraft)
    assert ends_in_time(service) == 0


@pytest.mark.parametrize("silent", ["while it runs", "while it starts"])
def test_a_database_that_is_silent(tmp_path: Path, database: tuple[str, Relay], silent: str) -> None:
    url, relay = database
    service = Service(tmp_path, database_url=url, **{"receiver.demo": "simulate aircraft=50"}).init()
    if silent == "while it starts":
        relay.fall_silent()
        service.start(wait=False)
        assert service.process is not None
        with pytest.raises(subprocess.TimeoutExpired):
            service.process.wait(3)
    else:
        service.start()
        until(service.aircraft)
        relay.fall_silent()
        # Requests that wait for the database hold workers.
        for _ in range(3):
            threading.Thread(target=ask, args=(service,), daemon=True).start()
        time.sleep(2)
    ends_in_time(service)


def ask(service: Service) -> None:
    with contextlib.suppress(Exception):
        service.get("/api/v1/history/flights")


def test_a_bus_that_is_silent(tmp_path: Path, redis_url: str, sqlite_url: str) -> None:
    url = sa.make_url(redis_url)
    relay = Relay((url.host or "127.0.0.1", url.port or 6379))
    address = redis_url.replace(f"{url.host}:{url.port}" if url.port else str(url.host), f"127.0.0.1:{relay.port}", 1)
    service = (
        Service(tmp_path, bus=address, secret="s" * 40, **{"receiver.demo": "simulate aircraft=50"}).init().start()
    )
    until(service.aircraft)
    relay.fall_silent()
    ends_in_time(service)
    relay.close()


@pytest.mark.parametrize("environment", [{"LC_ALL": "C"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_the_status_line_lives_in_any_locale(tmp_path: Path, environment: dict[str, str]) -> None:
    service = Service(tmp_path, **{"receiver.demo": "simulate aircraft=50"}).init()
    output = tmp_path / "output.txt"
    with output.open("wb") as log:
        process = subprocess.Popen(
            [*SKYWATCH, "serve", str(service.ini)], env={**ENVIRONMENT, **environment}, stdout=log, stderr=log
        )
    service.process = process
    try:
        # An interpreter of its own; and where the receiver was not there yet, the line comes again only so much later.
        until(lambda: b"1 of 1 receivers" in output.read_bytes(), wait_s=2 * PATIENCE_S + PLAIN_EVERY_S)
        assert b"Traceback" not in output.read_bytes()
    finally:
        ends_in_time(service)


def test_a_signal_in_the_middle_of_a_long_wait_of_the_main_thread(tmp_path: Path) -> None:
    """SQLite waits in its library for a lock; Python's handler runs only after it."""
    service = Service(tmp_path).init()
    locking = sqlite3.connect(tmp_path / "skywatch.sqlite", isolation_level=None)
    locking.execute("BEGIN EXCLUSIVE")
    try:
        service.start(wait=False)
        assert service.process is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            service.process.wait(3)
        if service.process.poll() is None:
            ends_in_time(service)
    finally:
        locking.close()

"""A database or bus that cannot be reached at the start: the process waits, answers probes, and goes on by itself."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from skywatch.core.database.models import FencingToken
from skywatch.serving.shutdown import STOP_WITHIN_S
from skywatch.serving.start import WaitingApp
from tests.feeds import FeedServer
from tests.processes import Service
from tests.redis_server import OwnRedis
from tests.relay import Relay
from tests.waiting import PATIENCE_S, until

HEALTH = "/api/v1/system/health"


def ask(service: Service, path: str) -> tuple[int, Any, dict[str, Any]]:
    """Status, headers and document; status 0 while nobody listens."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{service.port}{path}", timeout=PATIENCE_S) as answer:
            return answer.status, answer.headers, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.load(error)
    except OSError:
        return 0, {}, {}


def waits_for(service: Service, part: str) -> None:
    """The process lives, and says what it waits for in health and in one line of the log."""
    until(lambda: ask(service, f"{HEALTH}?probe=live")[0] == 200, "the liveness probe")
    status, headers, health = ask(service, HEALTH)
    assert (status, health["status"], health["live"], health["ready"]) == (503, "failing", True, False)
    assert [check["name"] for check in health["checks"] if not check["ok"]] == [part]
    assert headers["Retry-After"]
    status, headers, problem = ask(service, "/api/v1/aircraft")
    assert (status, headers["Content-Type"], problem["code"]) == (503, "application/problem+json", "unavailable")
    lines = service.log.read_text().splitlines()
    assert len(lines) == 1, lines
    assert "the start waits" in lines[0]


class Caller(threading.Thread):
    """Asks for the list of aircraft again and again, with a new connection each time."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self._service, self._closing = service, threading.Event()
        self.answers: list[tuple[int, Any, dict[str, Any]]] = []

    def run(self) -> None:
        while not self._closing.wait(0.02):
            self.answers.append(ask(self._service, "/api/v1/aircraft"))

    def close(self) -> None:
        self._closing.set()
        self.join(PATIENCE_S)


@contextmanager
def served_without_a_gap(service: Service) -> Iterator[None]:
    """No connection is refused or reset, and no picture is shown before there is one; then aircraft are seen."""
    caller = Caller(service)
    caller.start()
    yield
    # The first tick may come before the first report.
    until(lambda: caller.answers and caller.answers[-1][2].get("count"), "aircraft in the picture")
    caller.close()
    assert all(headers["Retry-After"] for status, headers, _ in caller.answers if status == 503)
    # A picture that is still empty is none once the tracker of a busy machine has been silent for seconds.
    begun = next(number for number, (_, _, document) in enumerate(caller.answers) if document.get("count"))
    empty = [answer for answer in caller.answers[:begun] if answer[2].get("detail_code") != "aircraft.no_picture_for"]
    answers = empty + caller.answers[begun:]
    statuses = [status for status, _, _ in answers]
    assert set(statuses) == {200, 503}
    assert statuses == sorted(statuses, reverse=True)
    first = next(document for status, _, document in answers if status == 200)
    assert first["now"] > 0  # The time of a tick: the sky before the first has none.


def test_health_of_a_start_that_waits_names_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered: list[str] = []
    app = WaitingApp(f"sqlite:///{tmp_path}/skywatch.sqlite")
    for least_bytes in (0, 2**62):
        monkeypatch.setattr("skywatch.system.health.checks.MIN_FREE_BYTES", least_bytes)
        (body,) = app({"PATH_INFO": HEALTH}, lambda status, headers: answered.append(status))
        failing = [check["name"] for check in json.loads(body)["checks"] if not check["ok"]]
        assert failing == (["database", "disk"] if least_bytes else ["database"])
    assert answered == ["503 Service Unavailable"] * 2


def test_a_receiver_that_comes_later(tmp_path: Path) -> None:
    line = b"MSG,3,1,1,4CA2D1,1,2024/01/01,00:00:00.000,2024/01/01,00:00:00.000,,36000,,,47.5,8.5,,,0,0,0,0\r\n"
    feed = FeedServer([(float(second), line) for second in range(3600)])
    feed.close_clients()
    service = Service(tmp_path, **{"receiver.feed": f"sbs 127.0.0.1:{feed.port}"}).init()
    try:
        service.start()
        assert service.aircraft() == {}

        def health_without_a_receiver() -> dict[str, Any] | None:
            """What else the checks find of a busy first second passes."""
            health = ask(service, HEALTH)[2]
            failing = [check["name"] for check in health.get("checks", ()) if not check["ok"]]
            return health if failing == ["receivers"] else None

        health = until(health_without_a_receiver, "the missing receiver alone in health")
        assert (health["status"], health["ready"]) == ("degraded", True)
        assert ("shared_limits", "works") in [(check["name"], check["detail"]) for check in health["checks"]]
        feed.open()
        feed.play()
        until(lambda: "4ca2d1" in service.aircraft(), "the aircraft of the receiver")
        until(lambda: ask(service, HEALTH)[2].get("status") == "ok", "health")
    finally:
        feed.close()
        assert service.stop() == 0


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(tmp_path)
    yield server
    server.stop()


def test_a_bus_that_comes_later(tmp_path: Path, redis: OwnRedis) -> None:
    service = Service(tmp_path, bus=redis.url, secret="s" * 40, **{"receiver.demo": "simulate aircraft=5"}).init()
    service.start(wait=False)
    try:
        waits_for(service, "bus")
        with served_without_a_gap(service):
            redis.start()
        assert "the start goes on" in service.log.read_text()
        # The picture is there a moment before the tracker has reported its first tick.
        until(lambda: ask(service, HEALTH)[0] == 200, "health")
    finally:
        assert service.stop() == 0


def test_a_database_that_comes_later_and_a_stop_before_it(tmp_path: Path, postgresql_url: str) -> None:
    url = sa.make_url(postgresql_url)
    relay = Relay((url.host or "127.0.0.1", url.port or 5432))
    address = url.set(host="127.0.0.1", port=relay.port).render_as_string(hide_password=False)
    service = Service(tmp_path, database_url=address, **{"receiver.demo": "simulate aircraft=5"})
    relay.cut()
    try:
        service.start(wait=False)
        waits_for(service, "database")
        assert service.process is not None
        service.process.terminate()
        assert service.process.wait(STOP_WITHIN_S + PATIENCE_S) == 0
        service.log.write_text("")
        service.start(wait=False)
        waits_for(service, "database")
        relay.mend()
        until(lambda: ask(service, "/api/v1/aircraft")[0] == 200, "the picture")
    finally:
        service.stop()
        relay.close()


def test_a_database_that_is_read_only_at_the_start(tmp_path: Path, postgresql_url: str) -> None:
    service = Service(
        tmp_path, database_url=postgresql_url, secret="s" * 40, **{"receiver.demo": "simulate aircraft=5"}
    )
    service.init()
    admin = sa.create_engine(postgresql_url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    database = sa.make_url(postgresql_url).database

    def read_only(value: str) -> None:
        with admin.connect() as connection:
            connection.exec_driver_sql("SET default_transaction_read_only = off")
            connection.exec_driver_sql(f'ALTER DATABASE "{database}" SET default_transaction_read_only = {value}')

    def failing() -> list[str]:
        return [check["name"] for check in ask(service, HEALTH)[2].get("checks", ()) if not check["ok"]]

    def stored() -> str | None:
        with admin.connect() as connection:
            return connection.scalar(sa.select(FencingToken.token))

    read_only("on")
    service.start(wait=False)
    try:
        until(lambda: ask(service, "/api/v1/aircraft")[0] == 200, "the picture")
        until(lambda: "history_writer" in failing(), "health names the writer")
        assert stored() is None
        read_only("off")
        until(lambda: ask(service, HEALTH)[0] == 200, "health")
        until(lambda: stored() is not None, "the tracker has taken over")
    finally:
        assert service.stop() == 0

"""A database or bus that cannot be reached at the start: the process waits, answers probes, and goes on by itself."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from skywatch.serving.shutdown import STOP_WITHIN_S
from tests.processes import Service
from tests.redis_server import OwnRedis
from tests.relay import Relay
from tests.servers import skip_or_fail
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
        try:
            redis.start()
        except FileNotFoundError:
            skip_or_fail("redis-server is not here")
        until(lambda: ask(service, "/api/v1/aircraft")[0] == 200, "the picture")
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
        assert service.process.wait(STOP_WITHIN_S) == 0
        service.log.write_text("")
        service.start(wait=False)
        waits_for(service, "database")
        relay.mend()
        until(lambda: ask(service, "/api/v1/aircraft")[0] == 200, "the picture")
    finally:
        service.stop()
        relay.close()

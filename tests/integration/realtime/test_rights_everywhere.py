"""Rights that are taken away end on every process, whether or not the bus brings the news.

Two real-time processes in processes of their own, the REST API here, one PostgreSQL and one Redis.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
import websockets
from webtest import TestApp

from skywatch.accounts.identity import cache
from skywatch.core.runtime import Runtime
from skywatch.realtime.subscribers import register
from tests.accounts import PASSWORD, Population
from tests.app_templates import make_app
from tests.processes import Service
from tests.realtime import Client
from tests.redis_server import OwnRedis
from tests.waiting import PATIENCE_S, until

WITHIN_S = 5.0
SECRET = "only-for-tests-0123456789-abcdefghij"


class Installation:
    """The REST API, two real-time processes, and the people."""

    def __init__(self, runtime: Runtime, processes: list[Service]) -> None:
        self.processes = processes
        people = Population(runtime)
        self.ann = people.user("ann", "analyst")
        people.user("root", "superadmin")
        self.api = TestApp(make_app(runtime), extra_environ={"REMOTE_ADDR": "127.0.0.1"})
        self.admin = self.bearer(self.login("root")["access"])

    def login(self, name: str) -> dict[str, str]:
        answer = self.api.post_json("/api/v1/auth/login", {"username": name, "password": PASSWORD}).json
        return {"access": answer["access"], "refresh": answer["refresh"]}

    @staticmethod
    def bearer(token: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {token}"}


@pytest.fixture
def installation(
    make_runtime: Callable[..., Runtime], own_redis: OwnRedis, postgresql_url: str, tmp_path_factory: Any
) -> Iterator[Installation]:
    shared = {"secret": SECRET, "bus": own_redis.url, "database_url": postgresql_url, "auth_mode": "hybrid"}
    runtime = make_runtime(**shared)
    processes = [Service(tmp_path_factory.mktemp(f"realtime{n}"), **shared) for n in range(2)]
    try:
        for process in processes:
            process.start("--role", "realtime", wait=False)
        for process in processes:
            until(lambda process=process: listens(process))
        yield Installation(runtime, processes)
    finally:
        for process in processes:
            process.stop()


def listens(process: Service) -> bool:
    assert process.process is not None
    assert process.process.poll() is None, process.log.read_text()
    return "listens on" in process.log.read_text()


@asynccontextmanager
async def everywhere(installation: Installation, token: str) -> Any:
    """A client of each process, let in."""
    async with AsyncExitStack() as stack:
        clients = []
        for process in installation.processes:
            url = f"ws://127.0.0.1:{process.realtime_port}/ws"
            connecting = websockets.connect(url, max_size=None, proxy=None, open_timeout=PATIENCE_S)
            client = Client(await stack.enter_async_context(connecting))
            await client.send(type="connect", auth={"token": token})
            assert (await client.receive())["type"] == "connected"
            joined = (await client.subscribe("military", "safety"))["joined"]
            assert joined == ["military", "safety"]
            clients.append(client)
        yield clients


async def ends(clients: list[Client], how: str) -> None:
    """Each is told that its subscription, or its connection, has ended."""

    async def one(client: Client) -> Any:
        if how == "closed":
            return (await client.closed())[0]
        return (await client.until("unsubscribed"))["topics"]

    heard = await asyncio.gather(*(one(client) for client in clients))
    assert heard == [4001 if how == "closed" else [how]] * len(clients)


def revoke(house: Installation, tokens: dict[str, str]) -> None:
    headers = house.bearer(tokens["access"])
    house.api.post_json("/api/v1/auth/logout", {"refresh": tokens["refresh"]}, headers=headers)


def withdraw(house: Installation, tokens: dict[str, str]) -> None:
    house.api.patch_json(f"/api/v1/users/{house.ann}", {"roles": ["viewer"]}, headers=house.admin)


def disable(house: Installation, tokens: dict[str, str]) -> None:
    house.api.patch_json("/api/v1/feature-access/safety", {"is_enabled": False}, headers=house.admin)


def test_at_worst_it_takes_as_long_as_both_looks_together():
    """How soon the tests below see it depends on the machine; it is tested elsewhere."""
    assert cache.BELIEVED_S + register.REVIEW_EVERY_S < WITHIN_S


@pytest.mark.parametrize("bus", ["redis is there", "redis is gone"])
@pytest.mark.parametrize(
    ("change", "how"),
    [
        pytest.param(revoke, "closed", id="a token revoked"),
        pytest.param(withdraw, "military", id="a role withdrawn"),
        pytest.param(disable, "safety", id="a feature disabled"),
    ],
)
def test_what_is_taken_away_ends_on_every_process(installation, own_redis, change, how, bus):
    async def scenario() -> None:
        tokens = await asyncio.to_thread(installation.login, "ann")
        async with everywhere(installation, tokens["access"]) as clients:
            if bus == "redis is gone":
                await asyncio.to_thread(own_redis.stop)
            await asyncio.to_thread(change, installation, tokens)
            await ends(clients, how)

    asyncio.run(scenario())

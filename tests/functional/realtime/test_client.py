"""The reference client over real sockets: it comes back, resumes, renews its token, and knows when it is not wanted."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from skywatch.client import Client, Refused
from skywatch.core.bus import Message
from skywatch.realtime.server import RealtimeServer
from tests.asyncapi import example
from tests.realtime import FakeAccounts, Skies, publish_sky, serving
from tests.waiting import PATIENCE_S, eventually

SWISS = {"lat": 46.9, "lon": 7.4}


class Tokens:
    """Tokens that a test hands out one after the other."""

    def __init__(self, *tokens: str, lifetime_s: float | None = None) -> None:
        self.tokens, self.lifetime_s, self.given = list(tokens), lifetime_s, 0
        self._renew_at: float | None = None

    async def token(self) -> str | None:
        token = self.tokens[min(self.given, len(self.tokens) - 1)]
        self.given += 1
        self._renew_at = time.time() + self.lifetime_s if self.lifetime_s is not None else None
        return token

    def renew_at(self) -> float | None:
        return self._renew_at


def url_of(server: RealtimeServer) -> str:
    return f"ws://127.0.0.1:{server.port}{server.path}"


async def collect(client: Client, into: list[Any]) -> None:
    async for event in client:
        into.append(event)


def test_it_comes_back_after_a_break_and_misses_nothing(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS}))
        async with serving(runtime) as server:
            client = Client(url_of(server), ["aircraft", "safety"], first_pause_s=0.05)
            heard: list[Any] = []
            task = asyncio.create_task(collect(client, heard))
            await eventually(lambda: len(heard) == 1)
            runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=1)))
            await eventually(lambda: len(heard) == 2)
            for connection in list(server.connections):
                connection.transport.abort()
            await eventually(lambda: not server.connections, "the break")
            runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=2)))
            publish_sky(runtime, skies.next({"3c6444": SWISS}))
            await eventually(lambda: len(heard) == 4)
            runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=3)))
            await eventually(lambda: len(heard) == 5)
            task.cancel()
            assert [e.data["id"] for e in heard if e.topic == "safety"] == [1, 2, 3]
            assert [e.seq for e in heard if e.topic == "safety"] == [1, 2, 3]
            assert [e.event for e in heard if e.topic == "aircraft"] == ["aircraft:snapshot", "aircraft:update"]
            assert set(client.lists["aircraft"].aircraft) == {"3c6444"}
            assert client.connects == 2

    asyncio.run(scenario())


def test_it_comes_back_when_the_service_says_so(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_return_s=0.2)
        publish_sky(runtime, Skies().next({"4b1620": SWISS}))
        async with serving(runtime) as server:
            port = server.port
            client = Client(url_of(server), ["aircraft"], first_pause_s=0.05)
            heard: list[Any] = []
            task = asyncio.create_task(collect(client, heard))
            await eventually(lambda: len(heard) == 1)
        again = make_runtime(realtime_listen=f"127.0.0.1:{port}")
        publish_sky(again, Skies("second").next({"3c6444": SWISS}))
        async with serving(again):
            await eventually(lambda: len(heard) == 2)
            assert set(client.lists["aircraft"].aircraft) == {"3c6444"}
            task.cancel()

    asyncio.run(scenario())


def test_it_shows_a_new_token_before_the_old_one_ends(make_runtime):
    async def scenario():
        accounts = FakeAccounts()
        accounts.add("first", "viewer", 1)
        accounts.add("second", "viewer", 1)
        shown: list[str] = []
        identify = accounts.identify
        accounts.identify = lambda credential: (shown.append(credential), identify(credential))[1]  # type: ignore[method-assign]
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts) as server:
            tokens = Tokens("first", "second", lifetime_s=0.3)
            client = Client(url_of(server), ["safety"], tokens=tokens)
            task = asyncio.create_task(collect(client, []))
            await eventually(lambda: shown[:2] == ["first", "second"], "the renewal")
            assert client.connects == 1
            task.cancel()

    asyncio.run(scenario())


def test_a_refused_client_stops_and_says_why(make_runtime):
    async def scenario():
        accounts = FakeAccounts()
        accounts.add("history", "viewer", 1, scopes=["history"])
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts) as server:
            for token, code in (("wrong", 4001), ("history", 4003)):
                with pytest.raises(Refused) as refused:
                    await asyncio.wait_for(
                        collect(Client(url_of(server), ["safety"], tokens=Tokens(token)), []), PATIENCE_S
                    )
                assert refused.value.code == code

    asyncio.run(scenario())


def test_a_token_that_ended_meanwhile_is_replaced(make_runtime):
    async def scenario():
        accounts = FakeAccounts()
        accounts.add("good", "viewer", 1)
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts) as server:
            client = Client(
                url_of(server), ["safety"], tokens=Tokens("ended", "good", lifetime_s=100), first_pause_s=0.05
            )
            task = asyncio.create_task(collect(client, []))
            await eventually(lambda: client.connects == 1)
            assert client.user == {"id": 1, "username": "user1"}
            task.cancel()

    asyncio.run(scenario())


def test_it_looks_at_another_area(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        publish_sky(runtime, Skies().next({"4b1620": SWISS, "3c6444": {"lat": 48.8, "lon": 2.3}}))
        async with serving(runtime) as server:
            client = Client(url_of(server), ["aircraft"], bbox=[5, 45, 10, 48])
            heard: list[Any] = []
            task = asyncio.create_task(collect(client, heard))
            await eventually(lambda: len(heard) == 1)
            assert set(client.lists["aircraft"].aircraft) == {"4b1620"}
            await client.move([0, 45, 5, 50])
            await eventually(lambda: len(heard) == 2)
            assert set(client.lists["aircraft"].aircraft) == {"3c6444"}
            task.cancel()

    asyncio.run(scenario())


class Hasty(Client):
    """Chooses another area after it has asked for one, and before that has come."""

    async def _receive(self, socket: Any, patience_s: float) -> dict[str, Any]:
        message = await super()._receive(socket, patience_s)
        if message["type"] == "subscribed" and not self.connected:
            await self.move([0, 45, 5, 50])
        return message


def test_it_looks_at_another_area_that_was_chosen_while_it_connected(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        publish_sky(runtime, Skies().next({"4b1620": SWISS, "3c6444": {"lat": 48.8, "lon": 2.3}}))
        async with serving(runtime) as server:
            client = Hasty(url_of(server), ["aircraft"], bbox=[5, 45, 10, 48])
            task = asyncio.create_task(collect(client, []))
            await eventually(lambda: set(client.lists["aircraft"].aircraft) == {"3c6444"})
            task.cancel()

    asyncio.run(scenario())


def test_it_asks_again_where_snapshots_came_too_fast(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_snapshots_per_s="100")
        publish_sky(runtime, Skies().next({"4b1620": SWISS, "3c6444": {"lat": 10.0, "lon": 10.0}}))
        async with serving(runtime) as server:
            client = Client(url_of(server), ["aircraft"])
            heard: list[Any] = []
            task = asyncio.create_task(collect(client, heard))
            await eventually(lambda: len(heard) == 1)
            # As much as the burst and a moment more.
            server.hub.snapshots.charge("network 127.0.0.0/24", 262_144 * 1520)
            await client.move([5, 45, 10, 48])
            await eventually(lambda: len(heard) == 2)
            task.cancel()
            assert set(client.lists["aircraft"].aircraft) == {"4b1620"}
            assert client.connects == 1

    asyncio.run(scenario())

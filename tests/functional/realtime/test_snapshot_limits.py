"""Snapshots of the channel cost what they weigh: who asks again and again is refused, and nobody else notices."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from skywatch.core import limits
from skywatch.realtime.settings import RealtimeSettings
from skywatch.realtime.wire.limits import Limits
from tests.realtime import FakeAccounts, Skies, connected, publish_sky, serving

# 300 kB as JSON.
SKY = {f"4b{number:04x}": {"lat": 46.9, "lon": 7.4, "text": "x" * 900} for number in range(320)}
BURST = 60


def accounts():
    fake = FakeAccounts()
    fake.add("greedy", "viewer", 1)
    fake.add("greedy's key", "viewer", 1, scopes=["aircraft"])
    fake.add("greedy's program", "viewer", 7, scopes=["aircraft"], owner_id=1)
    fake.add("other", "viewer", 2)
    return fake


def fast(runtime):
    """Limits under which the rate of messages is no bound."""
    return replace(Limits.of(runtime.settings.of(RealtimeSettings)), messages_per_s=10_000.0)


async def ask(client, **message):
    """Send one message; gives the answer and the number of bytes of what came with it."""
    await client.send(**message)
    answer, size = None, 0
    while True:
        text = await client.socket.recv()
        one = json.loads(text)
        if one["type"] == "event":
            return answer, len(text)
        answer, size = one, len(text)
        if one["type"] == "error" or one["type"] == "response":
            return answer, size


def test_repeated_subscriptions_of_one_person_end_and_others_have_theirs(make_runtime, capsys):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        publish_sky(runtime, Skies().next(SKY))
        async with serving(runtime, accounts(), fast(runtime)) as server, AsyncExitStack() as stack:
            asked = received = 0
            errors = []
            tokens = ["greedy", "greedy's key", "greedy's program"]
            clients = [await stack.enter_async_context(connected(server, tokens[n % 3])) for n in range(10)]
            for _ in range(20):
                for client in clients:
                    answer, size = await ask(client, type="subscribe", id=3, topics=["aircraft"])
                    asked += 1
                    received += size
                    if answer["type"] == "error":
                        errors.append(answer)
            with capsys.disabled():
                without = asked * len(json.dumps(SKY)) / 1e6
                print(f"\n{asked} subscriptions: {received / 1e6:.0f} MB, {without:.0f} MB without limits")
            assert errors
            assert errors[0]["code"] == "rate_limited"
            assert errors[0]["id"] == 3
            assert errors[0]["retry_after_s"] >= 1
            assert "realtime_snapshots_per_s" in errors[0]["detail"]
            # 60 at once; a few more for the time that the test takes.
            assert BURST <= asked - len(errors) < asked
            refused = {"type": ""}
            # One is allowed every quarter of a second.
            for _ in range(BURST):
                if refused["type"] != "error":
                    refused, _ = await ask(clients[0], type="request", id=4, method="snapshot", topic="aircraft")
            assert (refused["type"], refused["code"], refused["id"]) == ("error", "rate_limited", 4)
            # The subscription before it stays.
            assert (await clients[0].subscribe("safety"))["topics"] == ["aircraft", "safety"]
            other = await stack.enter_async_context(connected(server, "other"))
            answer, size = await ask(other, type="subscribe", topics=["aircraft"])
            assert answer["type"] == "subscribed"
            assert size > 300_000
            figures = limits.state().figures
            assert figures["snapshots_refused"] >= len(errors) + 1

    asyncio.run(scenario())


def test_clients_that_come_back_and_maps_that_move_notice_nothing(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        publish_sky(runtime, Skies().next(SKY))
        async with serving(runtime, accounts(), fast(runtime)) as server, AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(connected(server, "other")) for _ in range(50)]
            for client in clients:
                answer, _ = await ask(client, type="subscribe", topics=["aircraft"])
                assert answer["type"] == "subscribed"
            columns = {"topics": ["aircraft"], "format": "columns", "fields": ["lat", "lon", "track"]}
            for number in range(100):
                box = [number / 10, 40, 20 + number / 10, 50]
                answer, _ = await ask(clients[0], type="subscribe", bbox=box, **columns)
                assert answer["type"] == "subscribed"

    asyncio.run(scenario())


@pytest.mark.parametrize("token", ["greedy", None])
def test_connections_again_and_again_are_refused_with_a_time(make_runtime, token):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="public")
        publish_sky(runtime, Skies().next(SKY))
        async with serving(runtime, accounts()) as server:
            # As much as a hundred whole pictures.
            server.hub.snapshots.charge("user 1" if token else "network 127.0.0.0/24", 30_000_000)
            async with connected(server, token, greet=False) as client:
                await client.send(type="connect", **({"auth": {"token": token}} if token else {}))
                refusal = await client.receive()
                assert refusal["type"] == "connect_error"
                assert refusal["data"]["code"] == "rate_limited"
                assert "come back in" in refusal["data"]["detail"]
                assert await client.closed() == (4029, "Too many snapshots")
            async with connected(server, "other") as client:
                answer, _ = await ask(client, type="subscribe", topics=["aircraft"])
                assert answer["type"] == "subscribed"

    asyncio.run(scenario())

"""Several real-time processes behind Redis: one picture, every event once, and what a gap of the bus swallowed."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from skywatch.core.bus import Message
from skywatch.core.bus.redis import RedisBus
from tests.realtime import Skies, connected, publish_sky, serving
from tests.waiting import eventually

SWISS = {"lat": 46.9, "lon": 7.4}


@pytest.fixture
def redis_runtimes(make_runtime, redis_url):
    """Runtimes over one Redis, as processes have them."""
    return lambda: make_runtime(realtime_listen="127.0.0.1:0", bus=redis_url)


def test_every_process_has_the_picture_and_every_event_arrives_once(redis_runtimes):
    async def scenario():
        tracker, one, two = redis_runtimes(), redis_runtimes(), redis_runtimes()
        skies = Skies()
        publish_sky(tracker, skies.next({"4b1620": SWISS}))
        async with serving(one) as first, serving(two) as second:
            async with connected(first) as a, connected(second) as b:
                for client in (a, b):
                    await client.subscribe("aircraft", "safety")
                    snapshot = await client.receive()
                    assert [x["hex"] for x in snapshot["data"]["aircraft"]] == ["4b1620"]
                await asyncio.to_thread(tracker.bus.publish, Message("safety", "safety:event", b'{"id":1}'))
                await asyncio.to_thread(publish_sky, tracker, skies.next({}))
                for client in (a, b):
                    heard = [await client.receive() for _ in range(2)]
                    assert sorted(e["event"] for e in heard) == ["aircraft:update", "safety:event"]
                # Nothing is there twice.
                await asyncio.to_thread(tracker.bus.publish, Message("safety", "safety:event", b'{"id":2}'))
                assert [(await c.receive())["data"] for c in (a, b)] == [{"id": 2}, {"id": 2}]
                point = {"epoch": snapshot["epoch"], "seq": snapshot["seq"]}
            # The picture's numbers are the tracker's: another process continues them.
            async with connected(second) as moved:
                await moved.subscribe("aircraft", since=point)
                missed = await moved.receive()
                assert (missed["event"], missed["data"]["removed"]) == ("aircraft:update", ["4b1620"])

    asyncio.run(scenario())


class Table:
    """An event source as a feature would offer it: rows with the time they were committed."""

    topic = "safety"

    def __init__(self) -> None:
        self.rows: list[tuple[float, Message]] = []

    def commit(self, number: int) -> Message:
        message = Message("safety", "safety:event", json.dumps({"id": number}).encode())
        self.rows.append((time.time(), message))
        return message

    def key(self, message: Message) -> str | None:
        return f"{message.event} {json.loads(message.data)['id']}"

    def since(self, at: float) -> Sequence[Message]:
        return [message for committed, message in self.rows if committed > at]


def test_when_redis_returns_clients_have_a_fresh_picture_and_all_events_once(make_runtime, own_redis):
    async def scenario():
        base = make_runtime(realtime_listen="127.0.0.1:0")
        tracker, runtime = replace(base, bus=RedisBus(own_redis.url)), replace(base, bus=RedisBus(own_redis.url))
        table, skies = Table(), Skies()

        def happens(number: int) -> None:
            tracker.bus.publish(table.commit(number))

        await asyncio.to_thread(publish_sky, tracker, skies.next({"4b1620": SWISS}))
        async with serving(runtime, sources=[table]) as server, connected(server) as client:
            await client.subscribe("aircraft", "safety")
            assert (await client.receive())["event"] == "aircraft:snapshot"
            await asyncio.to_thread(happens, 1)
            assert (await client.receive())["data"] == {"id": 1}
            own_redis.stop()
            await asyncio.to_thread(happens, 2)
            await asyncio.to_thread(publish_sky, tracker, skies.next({"3c6444": SWISS}))
            own_redis.start()
            heard = await client.receive()
            assert (heard["event"], heard["data"], heard["seq"]) == ("safety:event", {"id": 2}, 2)
            await asyncio.to_thread(publish_sky, tracker, skies.next({"3c6444": SWISS}))
            snapshot = await client.receive()
            assert (snapshot["event"], snapshot["seq"]) == ("aircraft:snapshot", 3)
            assert [a["hex"] for a in snapshot["data"]["aircraft"]] == ["3c6444"]
            # The second look at the table finds 3 as well, and must not say it twice.
            await asyncio.to_thread(happens, 3)
            assert (await client.receive())["data"] == {"id": 3}
            fill = server.hub._catch_up._task
            assert fill is not None
            await eventually(fill.done, "the second look")
            await asyncio.to_thread(happens, 4)
            last = await client.receive()
            assert (last["data"], last["seq"]) == ({"id": 4}, 4)
        tracker.bus.close()
        runtime.bus.close()

    asyncio.run(scenario())

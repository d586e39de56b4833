"""Several real-time processes over one bus: one picture, every event once, and what a gap of the bus swallowed."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy.exc import OperationalError

from skywatch.client import AircraftList
from skywatch.core import events
from skywatch.core.bus import Message
from skywatch.core.bus.redis.bus import RedisBus
from skywatch.core.database.engine import create_session_factory, writing
from skywatch.core.events import EventReader
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health
from skywatch.realtime.topics import backfill
from tests.asyncapi import example
from tests.realtime import Skies, connected, publish_sky, serving
from tests.waiting import eventually

SWISS = {"lat": 46.9, "lon": 7.4}


def safety_event(number):
    return Message("safety", "safety:event", example("safety:event", id=number))


@pytest.fixture
def runtime(make_runtime):
    return make_runtime(realtime_listen="127.0.0.1:0")


@pytest.fixture(params=["redis_url", "nats_url"])
def shared_runtimes(make_runtime, request):
    """Runtimes over one server, as processes have them."""
    bus = request.getfixturevalue(request.param)
    return lambda: make_runtime(realtime_listen="127.0.0.1:0", bus=bus)


def test_every_process_has_the_picture_and_every_event_arrives_once(shared_runtimes):
    async def scenario():
        tracker, one, two = shared_runtimes(), shared_runtimes(), shared_runtimes()
        skies = Skies()
        publish_sky(tracker, skies.next({"4b1620": SWISS}))
        async with serving(one) as first, serving(two) as second:
            # What is published travels on its own.
            await eventually(lambda: all(server.hub.live.state.sky.seq == 1 for server in (first, second)))
            async with connected(first) as a, connected(second) as b:
                for client in (a, b):
                    await client.subscribe("aircraft", "safety")
                    snapshot = await client.receive()
                    assert [x["hex"] for x in snapshot["data"]["aircraft"]] == ["4b1620"]
                await asyncio.to_thread(tracker.bus.publish, safety_event(1))
                await asyncio.to_thread(publish_sky, tracker, skies.next({}))
                for client in (a, b):
                    heard = [await client.receive() for _ in range(2)]
                    assert sorted(e["event"] for e in heard) == ["aircraft:update", "safety:event"]
                # Nothing is there twice.
                await asyncio.to_thread(tracker.bus.publish, safety_event(2))
                assert [(await c.receive())["data"]["id"] for c in (a, b)] == [2, 2]
                point = {"epoch": snapshot["epoch"], "seq": snapshot["seq"]}
            # The picture's numbers are the tracker's: another process continues them.
            async with connected(second) as moved:
                await moved.subscribe("aircraft", since=point)
                missed = await moved.receive()
                assert (missed["event"], missed["data"]["removed"]) == ("aircraft:update", ["4b1620"])

    asyncio.run(scenario())


def test_when_redis_returns_clients_have_a_fresh_picture_and_all_events_once(make_runtime, own_redis):
    async def scenario():
        base = make_runtime(realtime_listen="127.0.0.1:0")
        tracker, runtime = (
            Runtime(base.settings, base.engine, create_session_factory(base.engine), RedisBus(own_redis.url))
            for _ in range(2)
        )
        skies = Skies()

        def happens(number: int) -> None:
            with writing(tracker.sessions) as session:
                events.publish(session, safety_event(number))

        await asyncio.to_thread(publish_sky, tracker, skies.next({"4b1620": SWISS}))
        async with serving(runtime) as server, connected(server) as client:
            await eventually(lambda: server.hub.live.state.sky.seq == 1)
            await client.subscribe("aircraft", "safety")
            snapshot, held = await client.receive(), AircraftList()
            held.apply(snapshot["event"], snapshot["epoch"], snapshot["seq"], snapshot["data"])
            assert list(held.aircraft) == ["4b1620"]
            await asyncio.to_thread(happens, 1)
            assert (await client.receive())["data"]["id"] == 1
            own_redis.stop()
            await asyncio.to_thread(happens, 2)
            heard = await client.receive()
            assert (heard["event"], heard["data"]["id"], heard["seq"]) == ("safety:event", 2, 2)
            await asyncio.to_thread(publish_sky, tracker, skies.next({"3c6444": SWISS}))
            own_redis.start()
            await asyncio.to_thread(publish_sky, tracker, skies.next({"3c6444": SWISS}))
            # Whichever was back first, the tracker or this process: as one snapshot or tick by tick.
            while held.seq != 3:
                tick = await client.receive()
                assert tick["topic"] == "aircraft"
                held.apply(tick["event"], tick["epoch"], tick["seq"], tick["data"])
            assert list(held.aircraft) == ["3c6444"]
            await asyncio.to_thread(happens, 3)
            assert (await client.receive())["data"]["id"] == 3
            # A look at the table finds all of them, and must not deliver them again.
            await server.hub._backfill._look()
            await asyncio.to_thread(happens, 4)
            last = await client.receive()
            assert (last["data"]["id"], last["seq"]) == (4, 4)
        tracker.bus.close()
        runtime.bus.close()

    asyncio.run(scenario())


def test_an_event_whose_publisher_died_after_the_commit_arrives_all_the_same(runtime, monkeypatch):
    monkeypatch.setattr(backfill, "LOOK_EVERY_S", 0.1)

    def happens(number: int) -> None:
        with create_session_factory(runtime.engine).begin() as session:  # It publishes nothing.
            events.publish(session, safety_event(number))

    async def scenario():
        await asyncio.to_thread(happens, 1)
        async with serving(runtime) as server, connected(server) as client:
            await client.subscribe("safety")
            await asyncio.to_thread(happens, 2)
            event = await client.receive()
            # What was before the start is no news: it is in the snapshot for those who come back.
            assert (event["data"]["id"], event["seq"]) == (2, 1)
            await client.send(type="request", id="r", method="snapshot", topic="safety")
            snapshot = await client.receive()
            assert [e["data"]["id"] for e in snapshot["data"]["events"]] == [1, 2]

    asyncio.run(scenario())


def test_a_database_that_is_away_at_the_start_is_shown_and_missed_events_come_later(runtime, monkeypatch):
    monkeypatch.setattr(backfill, "LOOK_EVERY_S", 0.1)
    broken = [True]
    real = EventReader.missed, EventReader.recent

    def unless_broken(method):
        def call(*args):
            if broken:
                raise OperationalError("SELECT", {}, Exception("the server is away"))
            return method(*args)

        return call

    monkeypatch.setattr(EventReader, "missed", unless_broken(real[0]))
    monkeypatch.setattr(EventReader, "recent", unless_broken(real[1]))

    def state():
        return next(c for c in health.components() if c.name == backfill.COMPONENT)

    async def scenario():
        async with serving(runtime) as server, connected(server) as client:
            assert (state().ok, state().detail) == (False, "missed events cannot be looked up: the server is away")
            await client.subscribe("safety")
            with create_session_factory(runtime.engine).begin() as session:
                events.publish(session, safety_event(1))
            broken.clear()
            assert (await client.receive())["data"]["id"] == 1
            await eventually(lambda: state().ok)
        assert backfill.COMPONENT not in {c.name for c in health.components()}

    asyncio.run(scenario())

"""A fault of the program with one view, event or subscriber costs the others nothing."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from skywatch.core.bus import Message
from tests.asyncapi import example
from tests.realtime import Skies, connected, publish_sky, serving

AREA = [8.0, 47.0, 9.0, 48.0]


class ProgramFaultError(Exception):
    """What no code expects."""


class Scene:
    """A server with subscribers of two views, and ticks that change an aircraft in both."""

    def __init__(self, runtime):
        self.runtime, self.skies = runtime, Skies()
        self.tick()

    def tick(self):
        altitude = 0 if self.skies.last is None else self.skies.last.seq
        publish_sky(self.runtime, self.skies.next({"4b1620": {"lat": 47.5, "lon": 8.5, "alt_geom": altitude}}))

    async def updated(self, *clients):
        """A tick that all of these get as an update."""
        self.tick()
        for client in clients:
            event = await client.receive()
            assert (event["event"], event["seq"]) == ("aircraft:update", self.skies.last.seq)


@pytest.fixture
def play(make_runtime):
    def run(scenario):
        async def all_of_it():
            runtime = make_runtime(realtime_listen="127.0.0.1:0")
            scene = Scene(runtime)
            async with AsyncExitStack() as stack:
                server = await stack.enter_async_context(serving(runtime))
                clients = []
                for more in ({}, {"bbox": AREA}, {}):
                    client = await stack.enter_async_context(connected(server))
                    await client.subscribe("aircraft", **more)
                    assert (await client.receive())["event"] == "aircraft:snapshot"
                    clients.append(client)
                await scene.updated(*clients)
                await scenario(scene, server, *clients)

        asyncio.run(all_of_it())

    return run


def test_a_view_that_cannot_be_made_gets_a_snapshot_with_the_next_tick(play, monkeypatch):
    async def scenario(scene, server, first, viewer, last):
        state = server.hub.live.state
        update = state.update

        def faulty(view, since):
            if view.area is not None:
                raise ProgramFaultError
            return update(view, since)

        with monkeypatch.context() as patched:
            patched.setattr(state, "update", faulty)
            await scene.updated(first, last)
        await scene.updated(first, last)
        event = await viewer.receive()
        assert (event["event"], event["seq"]) == ("aircraft:snapshot", scene.skies.last.seq)
        await scene.updated(first, viewer, last)

    play(scenario)


def test_an_event_that_cannot_be_handled_is_lost_and_the_next_one_arrives(play, monkeypatch):
    async def scenario(scene, server, *clients):
        log = server.hub.events.logs["safety"]
        publish = log.publish

        def faulty(message):
            if b"odd" in message.data:
                raise ProgramFaultError
            return publish(message)

        monkeypatch.setattr(log, "publish", faulty)
        for client in clients:
            await client.subscribe("safety")
        for text in ("before", "odd", "after"):
            data = example("safety:event", message=text)
            scene.runtime.bus.publish(Message("safety", "safety:event", data))
        for client in clients:
            messages = [(await client.until("event", topic="safety"))["data"] for _ in range(2)]
            assert [data["message"] for data in messages] == ["before", "after"]
        await scene.updated(*clients)

    play(scenario)


def test_a_subscriber_that_cannot_be_written_to_is_dropped_alone(play, monkeypatch):
    async def scenario(scene, server, first, viewer, last):
        unwritable = next(iter(server.hub.sessions)).outbox
        flush = type(unwritable).flush

        def faulty(outbox):
            if outbox is unwritable:
                raise ProgramFaultError
            flush(outbox)

        monkeypatch.setattr(type(unwritable), "flush", faulty)
        await scene.updated(viewer, last)
        await first.closed()
        await scene.updated(viewer, last)

    play(scenario)

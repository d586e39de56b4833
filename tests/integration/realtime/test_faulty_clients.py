"""One client whose connection dies while a turn is written must not silence any other."""

from __future__ import annotations

import asyncio
import socket

from skywatch.core.telemetry import health
from skywatch.realtime.server import COMPONENT
from tests.drills.clients import drill
from tests.faulty_clients import die, read_what_is_there, stall
from tests.realtime import Skies, connected, publish_sky, serving
from tests.waiting import eventually

CLIENTS = 5


def test_every_tick_reaches_the_others_while_faulty_clients_come_and_die(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        skies = Skies()
        aircraft = {f"{i:06x}": {"desc": "x" * 500, "alt_geom": 0} for i in range(200)}
        publish_sky(runtime, skies.next(aircraft))
        async with serving(runtime) as server, connected(server) as early:
            await early.subscribe("aircraft")
            faulty = [await stall(server.port, "aircraft") for _ in range(CLIENTS)]
            await eventually(lambda: len(server.hub.sessions) == 1 + CLIENTS)
            # Who has come later stands behind the faulty ones in each turn.
            async with connected(server) as late:
                await late.subscribe("aircraft")
                for client in (early, late):
                    assert (await client.receive())["event"] == "aircraft:snapshot"

                def tick() -> None:
                    nonlocal aircraft
                    aircraft = {h: a | {"alt_geom": a["alt_geom"] + 1} for h, a in aircraft.items()}
                    publish_sky(runtime, skies.next(aircraft))

                async def everybody_has_it() -> None:
                    for client in (early, late):
                        update = await client.receive()
                        assert (update["event"], update["seq"]) == ("aircraft:update", skies.last.seq)

                while sum(session.outbox.congested for session in server.hub.sessions) < CLIENTS:
                    tick()
                    await everybody_has_it()
                for left, client in enumerate(reversed(faulty), start=-CLIENTS):
                    client.shutdown(socket.SHUT_WR)
                    await eventually(lambda left=left: len(server.hub.sessions) == 1 - left, "the end of its session")
                    # The server writes the rest and finds the connection closed, in the turn in which a tick comes.
                    read_what_is_there(client)
                    asyncio.get_running_loop().call_soon(tick)
                    await everybody_has_it()
                    await die(client)
                tick()
                await everybody_has_it()
                await eventually(lambda: len(server.connections) == 2, "the end of the faulty connections")
                state = next(c for c in health.components() if c.name == COMPONENT)
                assert state.ok, state.detail

    asyncio.run(scenario())


def test_a_short_form_of_the_drill(make_runtime, caplog):
    """The long one, with a service in a process of its own, is ``make drill NAME=clients``."""

    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_connections_per_address=1000)
        skies = Skies()
        # The subscribers watch few of them: in one process with the server they must not be slow themselves.
        aircraft = {
            f"{i:06x}": {"desc": "x" * 500, "alt_geom": 0, "lat": 47.5 if i < 20 else 10.5, "lon": 8.5}
            for i in range(1500)
        }

        async def tick_forever() -> None:
            while True:
                publish_sky(runtime, skies.next({h: a | {"alt_geom": skies.last.seq} for h, a in aircraft.items()}))
                await asyncio.sleep(0.2)

        publish_sky(runtime, skies.next(aircraft))
        async with serving(runtime) as server:
            ticks = asyncio.create_task(tick_forever())
            result = await drill(server.port, seconds=2, bbox=[8, 47, 9, 48])
            ticks.cancel()
        assert (result.faulty, result.missed) == (50, 0)

    asyncio.run(scenario())
    assert len(caplog.records) < 20


def test_viewers_are_told_that_the_tracker_is_silent_and_see_aircraft_leave(make_runtime, monkeypatch):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", picture_timeout_s=300)
        skies = Skies()
        sky = skies.next({"4b1620": {"alt_geom": 1}, "4b1621": {"alt_geom": 2}})
        sky.columns["seen_at"][:] = [sky.now, sky.now - 299.9]
        publish_sky(runtime, sky)
        async with serving(runtime) as server, connected(server) as client, connected(server) as listener:
            await client.subscribe("aircraft")
            await listener.subscribe("safety")
            live = await client.receive()
            assert live["data"]["count"] == 2
            monkeypatch.setattr("skywatch.picture.distribution.follower.SILENT_AFTER_S", 0.3)
            monkeypatch.setattr("skywatch.realtime.subscribers.hub.AGE_EVERY_S", 0.1)
            old = await client.receive()
            assert (old["event"], [a["hex"] for a in old["data"]["aircraft"]]) == ("aircraft:snapshot", ["4b1620"])
            told = await client.until("picture")
            assert told["state"] == "stale"
            assert told["age_s"] > 0
            # Whoever comes now is told, too, and a view of one moment says the same.
            async with connected(server) as newcomer:
                await newcomer.subscribe("aircraft")
                assert (await newcomer.until("picture"))["state"] == "stale"
            # As if it had been silent for longer.
            server.hub.picture._received_at -= 400
            left = await client.until("event", event="aircraft:update")
            while not left["data"]["removed"]:
                left = await client.until("event", event="aircraft:update")
            assert left["data"]["removed"] == ["4b1620"]
            monkeypatch.setattr("skywatch.picture.distribution.follower.SILENT_AFTER_S", 6000.0)
            publish_sky(runtime, skies.next({"4b1620": {"alt_geom": 3}}))
            assert (await client.until("picture"))["state"] == "live"
            assert len(server.hub.sessions) == 2

    asyncio.run(scenario())

"""No client can hurt another: those who do not read, do not finish, send too much, or send nonsense.

The same with a thousand of each is ``python -m benchmarks.realtime hostile``.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import socket
import time
from typing import Any

import pytest

from skywatch.core.bus import Message
from skywatch.realtime.topics.picture_state import PictureState
from skywatch.realtime.wire.limits import Limits
from tests.asyncapi import example
from tests.raw_websocket import HANDSHAKE, close_code_of, frame, open_raw
from tests.realtime import Skies, connected, publish_sky, serving
from tests.waiting import PATIENCE_S, eventually

EMPTY_FRAGMENTS = frame(b"", 0x01) + frame(b"", 0x00) * 20_000
ATTACKS = {
    "a frame of 100 MB": (b"\x81\xff" + (100_000_000).to_bytes(8, "big") + bytes(4) + bytes(300_000), 1009),
    "many tiny frames": (frame(b"{}") * 20_000, 4029),
    "many pings": (frame(b"", 0x89) * 20_000, 4029),
    "many pongs": (frame(b"", 0x8A) * 20_000, 4029),
    "empty fragments": (EMPTY_FRAGMENTS, 4029),
    "a long message in fragments": (frame(b"x" * 60_000, 0x01) + frame(b"x" * 60_000, 0x00), 1009),
    "text that is not UTF-8": (frame(b"\xff\xfe{}"), 1007),
    "a binary message": (frame(b"{}", 0x82), 1003),
    "a reserved bit": (frame(b"{}", 0xC1), 1002),
    "an unknown opcode": (frame(b"{}", 0x83), 1002),
    "an unmasked frame": (b"\x81\x02{}", 1002),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attacker_is_gone_and_knows_why_and_the_others_go_on(make_runtime, name):
    poison, expected = ATTACKS[name]

    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        async with serving(runtime) as server, connected(server) as good:
            await good.subscribe("safety")
            reader, writer = await open_raw(server.port)
            writer.write(frame(b'{"type":"connect"}') + poison)
            began_s = time.process_time()
            runtime.bus.publish(Message("safety", "safety:event", example("safety:event")))
            await good.receive()
            # The processor's time, of which a busy machine takes none away: the attack keeps nobody else from theirs.
            assert time.process_time() - began_s < 5
            assert await close_code_of(reader) == expected
            await eventually(lambda: len(server.connections) == 1, "the end of the attacker")
            writer.close()

    asyncio.run(scenario())


def test_those_who_never_read_are_closed_and_hold_a_bounded_amount(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        # Nobody goes before all have come, however long that takes.
        limits = Limits(1000, 65536, 100, queue_frames=50, queue_bytes=1_000_000, stall_s=PATIENCE_S)
        skies = Skies()
        aircraft = {f"{i:06x}": {"lat": 47.0, "lon": 8.0, "desc": "x" * 400, "alt_geom": 0} for i in range(3000)}
        publish_sky(runtime, skies.next(aircraft))
        async with serving(runtime, limits=limits) as server, connected(server) as good:
            await good.subscribe("aircraft", "safety")
            lazy = []
            for _ in range(40):
                sock = socket.socket()
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                sock.setblocking(False)
                await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", server.port))
                subscribe = json.dumps({"type": "subscribe", "topics": ["aircraft", "safety"]}).encode()
                await asyncio.get_running_loop().sock_sendall(
                    sock, HANDSHAKE + frame(b'{"type":"connect"}') + frame(subscribe)
                )
                lazy.append(sock)
            await eventually(lambda: len(server.hub.sessions) == 41)
            worst = 0
            for number in range(1, 8):
                aircraft = {h: a | {"alt_geom": number} for h, a in aircraft.items()}
                publish_sky(runtime, skies.next(aircraft))
                runtime.bus.publish(Message("safety", "safety:event", example("safety:event")))
                seen = {(await good.receive())["event"] for _ in range(2)}
                assert seen <= {"aircraft:update", "aircraft:snapshot", "safety:event"}
                for connection in server.connections:
                    if connection.outbox is not None:
                        # What the connection alone holds; the frames that wait are shared by all.
                        worst = max(worst, connection.transport.get_write_buffer_size())
            assert worst <= 2 * 64 * 1024 + 4096
            server._shared.limits = dataclasses.replace(limits, stall_s=1.0)
            await eventually(lambda: len(server.hub.sessions) == 1, "the end of those who never read")
            await eventually(lambda: len(server.connections) == 1, "the end of their connections")
            for sock in lazy:
                sock.close()

    asyncio.run(scenario())


def test_a_slow_listener_of_events_is_closed_with_4008_once_its_queue_is_full(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        limits = Limits(1000, 65536, 100, queue_frames=1000, queue_bytes=300_000)
        async with serving(runtime, limits=limits) as server:
            reader, writer = await open_raw(server.port)
            writer.write(frame(b'{"type":"connect"}') + frame(b'{"type":"subscribe","topics":["safety"]}'))
            await eventually(lambda: server.hub.sessions and next(iter(server.hub.sessions)).subscriptions != {})
            data = json.dumps({"text": "x" * 10_000}).encode()
            session = next(iter(server.hub.sessions))
            for _ in range(3000):
                runtime.bus.publish(Message("safety", "safety:event", data))
                await asyncio.sleep(0)
                if session.state == "ended":
                    break
            assert session.state == "ended"
            assert await close_code_of(reader) == 4008
            writer.close()

    asyncio.run(scenario())


@pytest.mark.deep("costs over a processor second")
def test_a_slow_viewer_gets_the_newest_state_instead_of_a_backlog(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        skies = Skies()
        aircraft = {f"{i:06x}": {"desc": "x" * 500, "alt_geom": 0} for i in range(4000)}
        publish_sky(runtime, skies.next(aircraft))
        async with serving(runtime) as server, connected(server, max_queue=1) as client:
            await client.subscribe("aircraft")
            await client.receive()
            # The client reads nothing while forty ticks of two megabytes pass by.
            for number in range(1, 41):
                aircraft = {h: a | {"alt_geom": number} for h, a in aircraft.items()}
                publish_sky(runtime, skies.next(aircraft))
                await asyncio.sleep(0.01)
            held, received = {}, 0
            while not held or held["seq"] < 41:
                held = await client.receive()
                received += 1
            assert received < 40
            assert {a["alt_geom"] for a in held["data"]["aircraft"]} == {40}

    asyncio.run(scenario())


def test_handshakes_that_never_end_are_cut(make_runtime, monkeypatch):
    monkeypatch.setattr("skywatch.realtime.server.HANDSHAKE_S", 1.0)

    async def scenario():
        async with serving(make_runtime(realtime_listen="127.0.0.1:0")) as server:
            streams = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(50)]
            for _, writer in streams:
                writer.write(HANDSHAKE[:40])
            endless, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(b"GET /ws HTTP/1.1\r\n" + b"X-Filler: 0123456789\r\n" * 2000)
            assert await close_code_of(endless) is None
            await eventually(lambda: not server.connections, "the end of unfinished handshakes")
            for _, each in streams:
                each.close()

    asyncio.run(scenario())


def test_a_stop_tells_clients_to_come_back_at_different_moments(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_return_s=60)
        files = len(os.listdir("/proc/self/fd"))
        async with serving(runtime) as server:
            sockets: list[Any] = [connected(server) for _ in range(8)]
            clients = [await each.__aenter__() for each in sockets]
            await server.stop()
            pauses = [(await client.until("reconnect"))["after_s"] for client in clients]
            assert len(set(pauses)) > 4
            assert all(0 <= pause <= 60 for pause in pauses)
            assert [(await client.closed())[0] for client in clients] == [1012] * 8
            for each in sockets:
                await each.__aexit__(None, None, None)
        runtime.engine.dispose()  # The database stays open between looks for missed events.
        await eventually(lambda: len(os.listdir("/proc/self/fd")) <= files + 1, "closing of all files")

    asyncio.run(scenario())


def test_compressed_frames_are_made_once_and_read_by_every_client(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_compression="true")
        aircraft = {f"{i:06x}": {"lat": 47.0, "lon": 8.0, "desc": "x" * 100} for i in range(200)}
        skies = Skies()
        publish_sky(runtime, skies.next(aircraft))
        async with (
            serving(runtime) as server,
            connected(server, compression="deflate") as packed,
            connected(server, compression="deflate") as other,
            connected(server, compression=None) as plain,
        ):
            for client in (packed, other, plain):
                await client.subscribe("aircraft")
                assert (await client.receive())["data"]["count"] == 200
            publish_sky(runtime, skies.next({h: a | {"alt_geom": 1} for h, a in aircraft.items()}))
            updates = [await client.receive() for client in (packed, other, plain)]
            assert updates[0] == updates[1] == updates[2]
            sessions = [s for s in server.hub.sessions if s.link.deflate]
            assert len(sessions) == 2
            event = server.hub.live.state.update(next(iter(sessions[0].subscriptions.values())), 1)
            assert len(event.frame(sessions[0].variant)) < len(event.frame((sessions[0].variant[0], False))) / 4
            assert event.frame(sessions[0].variant) is event.frame(sessions[1].variant)

    asyncio.run(scenario())


def test_one_breath_of_subscriptions_costs_one_snapshot(make_runtime, monkeypatch):
    made: list[object] = []
    make = PictureState.snapshot_data
    monkeypatch.setattr(PictureState, "snapshot_data", lambda self, view: (made.append(view), make(self, view))[1])

    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        publish_sky(runtime, Skies().next({"4b1620": {"lat": 47.0, "lon": 8.0}}))
        async with serving(runtime) as server:
            reader, writer = await open_raw(server.port)
            boxes = [{"type": "subscribe", "topics": ["aircraft"], "bbox": [0, 40, 10, 50 - n / 10]} for n in range(20)]
            writer.write(frame(b'{"type":"connect"}'))
            await eventually(lambda: len(server.hub.sessions) == 1)
            writer.write(b"".join(frame(json.dumps(box).encode()) for box in boxes))
            await eventually(lambda: made != [])
            await asyncio.sleep(0.1)
            assert len(made) < 5
            for number in range(20):
                request = {"type": "request", "id": number, "method": "snapshot", "topic": "aircraft"}
                writer.write(frame(json.dumps(request).encode()))
            assert await close_code_of(reader) == 4029
            writer.close()

    asyncio.run(scenario())

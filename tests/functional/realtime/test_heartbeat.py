"""Silent connections are asked for a sign of life: who answers stays, who does not is gone."""

from __future__ import annotations

import asyncio
import re

import socketio

from skywatch.realtime.metrics import REALTIME_CLOSED
from skywatch.realtime.wire.limits import Limits
from tests.faulty_clients import stall
from tests.raw_websocket import close_code_of, frame, open_raw
from tests.realtime import Skies, connected, publish_sky, serving
from tests.waiting import PATIENCE_S, eventually


def test_who_answers_pings_stays_and_who_does_not_is_gone(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_heartbeat_s=1)
        limits = Limits(100, 65536, 20, 256, 1 << 20, pong_s=4.0)
        async with serving(runtime, limits=limits) as server, connected(server) as native:
            heard: list[str] = []
            client = socketio.AsyncClient(reconnection=False)
            client.on("disconnect", lambda *reason: heard.append("disconnect"))
            await client.connect(f"http://127.0.0.1:{server.port}", transports=["websocket"], wait_timeout=PATIENCE_S)
            reader, writer = await open_raw(server.port)
            writer.write(frame(b'{"type":"connect"}'))
            await eventually(lambda: len(server.hub.sessions) == 3)
            silent = REALTIME_CLOSED.labels("no_pong", "1006")
            before = silent._value.get()
            # A raw socket that reads everything and never says anything, pongs included.
            assert await close_code_of(reader) is None
            await eventually(lambda: len(server.hub.sessions) == 2)
            assert silent._value.get() == before + 1
            writer.close()
            await native.send(type="ping")
            assert (await native.until("pong"))["timestamp"].endswith("Z")
            assert heard == []
            await client.disconnect()

    asyncio.run(scenario())


def test_a_ping_that_came_while_the_client_did_not_read_is_answered_once_it_reads(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        skies, loop = Skies(), asyncio.get_running_loop()
        # One snapshot that neither side's buffers hold.
        publish_sky(runtime, skies.next({f"{i:06x}": {"desc": "x" * 4000} for i in range(3000)}))
        async with serving(runtime) as server:
            client = await stall(server.port, "aircraft")
            await eventually(lambda: any(session.outbox.congested for session in server.hub.sessions))
            for payload in (b"first", b"second"):
                await loop.sock_sendall(client, frame(payload, 0x89))
            (connection,) = server.connections
            await eventually(lambda: connection._unanswered_ping == b"second")
            end = b""
            while not re.search(rb"\x8a\x06second$", end):
                end = end[-16:] + await asyncio.wait_for(loop.sock_recv(client, 1 << 20), PATIENCE_S)
            client.close()

    asyncio.run(scenario())

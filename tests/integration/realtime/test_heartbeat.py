"""Silent connections are asked for a sign of life: who answers stays, who does not is gone."""

from __future__ import annotations

import asyncio

import socketio

from skywatch.realtime.limits import Limits
from tests.integration.realtime.test_hostile import close_code_of, frame, open_raw
from tests.realtime import connected, serving
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
            # A raw socket that reads everything and never says anything, pongs included.
            assert await close_code_of(reader) is None
            await eventually(lambda: len(server.hub.sessions) == 2)
            writer.close()
            await native.send(type="ping")
            assert (await native.until("pong"))["timestamp"].endswith("Z")
            assert heard == []
            await client.disconnect()

    asyncio.run(scenario())

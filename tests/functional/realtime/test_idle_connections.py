"""A connection that only listens keeps no more than it needs, and still reads whatever comes.

How much that is: ``python -m benchmarks.realtime idle``.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

from skywatch.realtime.server import RealtimeServer
from skywatch.realtime.transports.websocket import WebSocketConnection
from skywatch.realtime.wire.outbox import NOTHING
from tests.raw_websocket import close_code_of, frame, open_raw
from tests.realtime import connected, serving
from tests.waiting import PATIENCE_S, eventually


def only_connection(server: RealtimeServer) -> Any:
    [connection] = server.connections
    assert isinstance(connection, WebSocketConnection)
    return connection


async def next_message(reader: asyncio.StreamReader) -> dict[str, Any]:
    first, size = await asyncio.wait_for(reader.readexactly(2), PATIENCE_S)
    assert first == 0x81, "a text frame"
    length = int.from_bytes(await reader.readexactly(2), "big") if size == 126 else size
    message: dict[str, Any] = json.loads(await reader.readexactly(length))
    return message


@pytest.mark.parametrize("deflate", [False, True])
def test_an_idle_connection_keeps_nothing_to_send(make_runtime, deflate):
    async def scenario():
        options = {"extensions": [ClientPerMessageDeflateFactory()], "compression": None} if deflate else {}
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_compression=str(deflate).lower())
        async with serving(runtime) as server, connected(server, **options) as client:
            await client.subscribe("safety")
            await client.send(type="ping")
            await client.until("pong")
            await (await client.socket.ping())
            connection = only_connection(server)
            assert connection.deflate is deflate
            assert connection.session._tasks is None
            outbox = connection.outbox
            assert outbox._backlog is outbox._receipts is NOTHING

    asyncio.run(scenario())


def test_the_options_of_the_server_hold_for_its_connections(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_max_message_bytes="70000")
        async with serving(runtime) as server, connected(server) as client:
            factory, connection = server._shared.new_web_socket, only_connection(server)
            for name in WebSocketConnection.CONFIG_ATTRS:
                assert getattr(connection, name) is getattr(factory, name), name
            assert connection.maxMessagePayloadSize == 70000
            await client.send(type="ping", timestamp="x" * 69_000)
            await client.until("pong")

    asyncio.run(scenario())


def test_a_character_may_be_cut_by_fragments_of_several_clients_at_once(make_runtime):
    async def scenario():
        text = '{"type":"ping","timestamp":"Zürich"}'.encode()
        cut = text.index(b"\xc3") + 1
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        async with serving(runtime) as server:
            clients = [await open_raw(server.port) for _ in range(3)]
            for reader, writer in clients:
                writer.write(frame(b'{"type":"connect"}'))
                assert (await next_message(reader))["type"] == "connected"
            for _, writer in clients:
                writer.write(frame(text[:cut], 0x01))
            await eventually(
                lambda: all(connection.inside_message for connection in server.connections),
                "the first fragments",
            )
            for _, writer in clients[:2]:
                writer.write(frame(text[cut:], 0x80))
            clients[2][1].write(frame(b'"}', 0x80))
            for reader, _ in clients[:2]:
                assert (await next_message(reader))["type"] == "pong"
            assert await close_code_of(clients[2][0]) == 1007
            for _, writer in clients:
                writer.close()

    asyncio.run(scenario())

"""Real Socket.IO clients, in JavaScript and in Python: connect, be refused, subscribe, hear, and go."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import socketio
import websockets

from skywatch.core.bus import Message
from tests.asyncapi import example
from tests.realtime import Skies, connected, publish_sky, serving
from tests.socket_io import SWISS, JavaScript, accounts, hear
from tests.waiting import PATIENCE_S

CONNECT: dict[str, Any] = {"transports": ["websocket"], "wait_timeout": PATIENCE_S}


def test_the_javascript_client_subscribes_and_hears(make_runtime, socket_io_modules):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS}))
        async with serving(runtime, accounts()) as server:
            client = await JavaScript.start(socket_io_modules, server.port, {"token": "viewer"}, "aircraft,safety")
            try:
                welcome = await client.until("connected")
                assert welcome["user"]["username"] == "user1"
                subscribed = await client.until("subscribed")
                assert subscribed["joined"] == ["aircraft", "safety"]
                assert (await client.until("ack"))["topics"] == ["aircraft", "safety"]
                snapshot = await client.until("aircraft:snapshot")
                assert (snapshot["topic"], snapshot["seq"], snapshot["count"]) == ("aircraft", 1, 1)
                publish_sky(runtime, skies.next({}))
                update = await client.until("aircraft:update")
                assert (update["seq"], update["since"], update["removed"]) == (2, 1, ["4b1620"])
                runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=9)))
                event = await client.until("safety:event")
                assert (event["id"], event["seq"]) == (9, 1)
                client.send("ping", {})
                assert "timestamp" in await client.until("pong")
                client.send("dance", {})
                assert (await client.until("error"))["code"] == "not_found"
                client.send("unsubscribe", {"topics": ["safety"]})
                assert (await client.until("unsubscribed"))["remaining"] == ["aircraft"]
                client.send("bye")
                assert await client.until("disconnect") == "io client disconnect"
            finally:
                await client.stop()

    asyncio.run(scenario())


@pytest.mark.parametrize("options", [None, {"reconnection": False}], ids=["websocket", "polling"])
@pytest.mark.parametrize(
    ("auth", "message", "code"),
    [
        ({"token": "wrong"}, "Authentication failed", "token_invalid"),
        ({"token": "history"}, "Permission denied", "permission_denied"),
    ],
)
def test_the_javascript_client_is_told_why_it_is_refused(make_runtime, socket_io_modules, auth, message, code, options):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts()) as server:
            client = await JavaScript.start(socket_io_modules, server.port, auth, options=options)
            try:
                assert await client.until("connect_error") == message
                data = await client.until("connect_error_data")
                assert (data["code"], data["detail"][-1]) == (code, ".")
            finally:
                await client.stop()

    asyncio.run(scenario())


@pytest.mark.smoke
def test_the_python_client_subscribes_and_hears(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        publish_sky(runtime, Skies().next({"4b1620": SWISS}))
        heard: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        async with serving(runtime, accounts()) as server:
            client = socketio.AsyncClient(reconnection=False, request_timeout=PATIENCE_S)
            hear(client, heard)
            await client.connect(
                f"http://127.0.0.1:{server.port}",
                transports=["websocket"],
                auth={"token": "viewer"},
                wait_timeout=PATIENCE_S,
            )
            answer = await client.call("subscribe", {"topics": ["aircraft", "military"]}, timeout=PATIENCE_S)
            assert (answer["joined"], answer["denied"]) == (["aircraft"], ["military"])
            events = {}
            while "aircraft:snapshot" not in events:
                event, data = await asyncio.wait_for(heard.get(), PATIENCE_S)
                events[event] = data
            assert events["aircraft:snapshot"]["aircraft"][0]["hex"] == "4b1620"
            await client.disconnect()

    asyncio.run(scenario())


@pytest.mark.parametrize("data", [5, "aircraft", [1]])
def test_who_waits_for_an_acknowledgement_gets_it_for_data_that_cannot_be_read_too(make_runtime, data):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts()) as server:
            client = socketio.AsyncClient(reconnection=False, request_timeout=PATIENCE_S)
            await client.connect(
                f"http://127.0.0.1:{server.port}",
                transports=["websocket"],
                auth={"token": "viewer"},
                wait_timeout=PATIENCE_S,
            )
            answer = await client.call("subscribe", data, timeout=PATIENCE_S)
            assert (answer["type"], answer["code"]) == ("error", "malformed_body")
            assert client.connected
            await client.disconnect()

    asyncio.run(scenario())


@pytest.mark.parametrize("options", [CONNECT, {"wait_timeout": PATIENCE_S}], ids=["websocket", "polling"])
@pytest.mark.parametrize(
    ("token", "message", "code"),
    [
        ("wrong", "Authentication failed", "token_invalid"),
        ("history", "Permission denied", "permission_denied"),
        (None, "Permission denied", "permission_denied"),
    ],
)
def test_the_python_client_is_told_why_it_is_refused(make_runtime, token, message, code, options):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        errors: list[Any] = []
        async with serving(runtime, accounts()) as server:
            client = socketio.AsyncClient(reconnection=False, request_timeout=PATIENCE_S)
            client.on("connect_error", errors.append)
            with pytest.raises(socketio.exceptions.ConnectionError):
                await client.connect(
                    f"http://127.0.0.1:{server.port}", auth={"token": token} if token else None, **options
                )
            assert [(error["message"], error["data"]["code"]) for error in errors] == [(message, code)]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "packet",
    [
        "",
        "x",
        "5",
        "0",
        "4",
        "49",
        "4x",
        "42",
        "42{}",
        "42[]",
        "42[1]",
        "42[",
        "2",
        "2probe?",
        "451-[]",
        "44{}",
        "40[",
        "40[1]",
        "42/",
        "42" + "[" * 5000,
        "6x",
        '42["\\ud800"]',
    ],
)
def test_bad_packets_end_the_connection_and_nobody_elses(make_runtime, packet):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        async with serving(runtime) as server, connected(server) as good:
            url = f"ws://127.0.0.1:{server.port}/socket.io/?EIO=4&transport=websocket"
            async with websockets.connect(url, proxy=None) as socket:
                assert (await socket.recv()).startswith("0{")
                await socket.send("40")
                await socket.send(packet)
                await asyncio.wait_for(socket.wait_closed(), PATIENCE_S)
                assert socket.close_code == 1002
            await good.send(type="ping")
            assert (await good.receive())["type"] == "pong"

    asyncio.run(scenario())


def test_binary_data_is_an_error_and_the_connection_stays(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        async with serving(runtime) as server, socketio.AsyncSimpleClient() as client:
            await client.connect(f"http://127.0.0.1:{server.port}", **CONNECT)
            answer = await client.call("ping", {"one": b"1", "two": [b"2"]}, timeout=PATIENCE_S)
            assert (answer["type"], answer["code"]) == ("error", "malformed_body")
            assert (await client.call("ping", {}, timeout=PATIENCE_S))["type"] == "pong"

    asyncio.run(scenario())


@pytest.mark.parametrize("said", ["", '450-["ping"]'], ids=["unannounced", "none announced"])
def test_binary_data_that_no_packet_announced_ends_the_connection(make_runtime, said):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        address = "ws://127.0.0.1:{}/socket.io/?EIO=4"
        async with serving(runtime) as server, websockets.connect(address.format(server.port)) as socket:
            if said:
                await socket.send(said)
            await socket.send(b"data")
            await asyncio.wait_for(socket.wait_closed(), PATIENCE_S)
            assert socket.close_code == 1003

    asyncio.run(scenario())


def test_another_namespace_is_answered_as_socket_io_does(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        async with serving(runtime) as server:
            url = f"ws://127.0.0.1:{server.port}/socket.io/?EIO=4&transport=websocket"
            async with websockets.connect(url, proxy=None) as socket:
                await socket.recv()
                await socket.send("40/admin,")
                assert await socket.recv() == '44/admin,{"message":"Invalid namespace"}'
                await socket.send("40")
                assert (await socket.recv()).startswith('40{"sid":')

    asyncio.run(scenario())


def test_an_older_engine_io_is_refused(make_runtime):
    async def scenario():
        async with serving(make_runtime(realtime_listen="127.0.0.1:0")) as server:
            with pytest.raises(websockets.InvalidStatus):
                async with websockets.connect(f"ws://127.0.0.1:{server.port}/socket.io/?EIO=3", proxy=None):
                    pass

    asyncio.run(scenario())

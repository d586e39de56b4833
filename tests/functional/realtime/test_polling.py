"""Engine.IO's HTTP long polling, request by request: handshake, poll, end, upgrade."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest
import websockets

from skywatch.core.bus import Message
from skywatch.realtime.wire.limits import Limits
from tests.asyncapi import example
from tests.polling import PAGE, SEPARATOR, polling, run, upgrade_url
from tests.realtime import Skies, publish_sky
from tests.socket_io import SWISS
from tests.waiting import PATIENCE_S, eventually


def test_the_handshake_names_the_upgrade_and_the_limits(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            await client.handshake()
            opened = client.opened
            assert len(opened.pop("sid")) == 20
            assert opened == {
                "upgrades": ["websocket"], "pingInterval": 25000, "pingTimeout": 20000, "maxPayload": 65536,
            }  # fmt: skip

    run(make_runtime, scenario)


@pytest.mark.parametrize(
    ("method", "params", "code", "message"),
    [
        ("GET", {"transport": "unknown"}, 0, "Transport unknown"),
        ("GET", {"sid": "nobody"}, 1, "Session ID unknown"),
        ("POST", {"sid": "nobody"}, 1, "Session ID unknown"),
        ("POST", {}, 2, "Bad handshake method"),
        ("PUT", {}, 2, "Bad handshake method"),
        ("GET", {"transport": "websocket"}, 3, "Bad request"),
        ("GET", {"EIO": "3"}, 5, "Unsupported protocol version"),
    ],
)
def test_errors_are_those_of_engine_io(make_runtime, method, params, code, message):
    async def scenario(server, runtime):
        async with polling(server) as client:
            query = {"EIO": "4", "transport": "polling"} | params
            answer = await client.http.request(method, "/socket.io/", params=query)
            assert (answer.status_code, answer.json()) == (400, {"code": code, "message": message})

    run(make_runtime, scenario)


def test_a_client_subscribes_and_gets_the_newest_state_with_its_next_poll(make_runtime):
    async def scenario(server, runtime):
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS}))
        async with polling(server) as client:
            await client.enter("aircraft", "safety")
            assert (await client.until("subscribed"))["joined"] == ["aircraft", "safety"]
            snapshot = await client.until("aircraft:snapshot")
            assert (snapshot["seq"], snapshot["count"]) == (1, 1)
            # Nobody polls meanwhile: one update may wait, what comes after it is put together.
            for number in range(20):
                publish_sky(runtime, skies.next({"4b1620": SWISS | {"alt_geom": number}}))
                await eventually(lambda: server.hub.live.state.sky.seq == skies.last.seq)
            packets = (await client.get()).text.split(SEPARATOR)
            updates = [json.loads(packet[2:])[1] for packet in packets]
            assert [(update["since"], update["seq"]) for update in updates] == [(1, 2), (2, 21)]
            waiting = asyncio.create_task(client.get())
            await eventually(lambda: next(iter(server.hub.sessions)).outbox.poll)
            runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=9)))
            assert json.loads((await waiting).text[2:])[1]["id"] == 9

    run(make_runtime, scenario)


def test_a_close_packet_ends_the_session_and_its_poll(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            await client.enter("aircraft")
            await client.until("aircraft:snapshot")
            waiting = asyncio.create_task(client.get())
            await eventually(lambda: any(not c.is_idle for c in server.connections))
            assert (await client.post("1")).text == "ok"
            assert (await waiting).text == "6"
            assert not server.hub.sessions
            assert (await client.get()).json()["code"] == 1

    run(make_runtime, scenario)


def test_a_session_without_pongs_ends_and_one_with_pongs_stays(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as silent, polling(server) as alive:
            for client in (silent, alive):
                await client.enter("aircraft")
            answering = asyncio.create_task(alive.until("no such event"))
            await eventually(lambda: len(server.hub.sessions) == 2)
            await eventually(lambda: len(server.hub.sessions) == 1)
            assert (await silent.get()).json()["code"] == 1
            assert not answering.done()
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)

    limits = Limits(100, 65536, 20, 256, 1 << 20, pong_s=3.0)
    run(make_runtime, scenario, limits, realtime_heartbeat_s=1)


def test_a_session_ends_with_the_connection_of_its_poll(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client, polling(server) as other:
            await client.enter("aircraft")
            await client.until("aircraft:snapshot")
            with pytest.raises(httpx.ReadTimeout):
                await client.http.get("/socket.io/", params=client.params, timeout=httpx.Timeout(PATIENCE_S, read=0.5))
            await eventually(lambda: not server.hub.sessions)
            other.params = client.params
            assert (await other.get()).json()["code"] == 1

    run(make_runtime, scenario)


def test_packets_for_a_poll_whose_connection_has_just_ended_end_the_session(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            await client.enter("safety")
            await client.until("subscribed")
            waiting = asyncio.create_task(client.get())
            await eventually(lambda: next(iter(server.hub.sessions)).outbox.poll)
            [session] = server.hub.sessions
            session.outbox.poll.transport.abort()
            session.outbox.push(b'42["safety:event",{}]' + SEPARATOR.encode())
            server.hub.turn.flush()
            assert not server.hub.sessions
            await asyncio.gather(waiting, return_exceptions=True)

    run(make_runtime, scenario)


def test_pipelined_requests_are_answered_in_order(make_runtime):
    async def scenario(server, runtime):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        handshake = b"GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: localhost\r\n\r\n"
        unknown = (
            b"GET /socket.io/?EIO=4&transport=polling&sid=x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        writer.write(handshake + unknown[:20])
        writer.write(unknown[20:])
        answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
        first, second = answer.split(b"HTTP/1.1 ")[1:]
        assert first.startswith(b"200 OK")
        assert second.startswith(b"400 Bad Request")
        writer.close()

    run(make_runtime, scenario)


def test_listed_origins_poll_with_cookies_where_these_are_allowed(make_runtime):
    async def scenario(server, runtime):
        async with polling(server, headers={"Origin": PAGE}) as client:
            preflight = await client.http.options("/socket.io/", params=client.params)
            assert preflight.headers["Access-Control-Allow-Origin"] == PAGE
            assert "X-API-Key" in preflight.headers["Access-Control-Allow-Headers"]
            client.http.headers["Cookie"] = "skywatch_access=viewer"
            await client.handshake()
            answer = await client.post("40")
            assert answer.headers["Access-Control-Allow-Credentials"] == "true"
            assert (await client.until("connected"))["user"]["username"] == "user1"

    cookies = {"jwt_auth_cookie": "true", "cors_allow_credentials": "true"}
    run(make_runtime, scenario, cors_allowed_origins=PAGE, **cookies)


def test_messages_queued_during_the_upgrade_arrive_by_websocket(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            await client.enter("safety")
            await client.until("subscribed")
            sid = client.params["sid"]
            waiting = asyncio.create_task(client.get())
            await eventually(lambda: next(iter(server.hub.sessions)).outbox.poll)
            async with websockets.connect(upgrade_url(server, sid), proxy=None) as socket:
                await socket.send("2probe")
                assert await socket.recv() == "3probe"
                assert (await waiting).text == "6"
                for number in range(3):
                    runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=number)))
                    assert (await client.get()).text == "6"
                await socket.send("5")
                numbers = [json.loads((await asyncio.wait_for(socket.recv(), PATIENCE_S))[2:])[1] for _ in range(3)]
                assert [(data["id"], data["seq"]) for data in numbers] == [(0, 1), (1, 2), (2, 3)]
                assert (await client.get()).json()["code"] == 1
                with pytest.raises(websockets.InvalidStatus):
                    await websockets.connect(upgrade_url(server, sid), proxy=None)
                await socket.send('42["ping",{}]')
                assert "pong" in await asyncio.wait_for(socket.recv(), PATIENCE_S)
            await eventually(lambda: not server.hub.sessions)

    run(make_runtime, scenario)


def test_polling_continues_where_the_upgrade_fails(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            await client.enter("safety")
            await client.until("subscribed")
            url = upgrade_url(server, client.params["sid"])
            async with websockets.connect(url, proxy=None) as socket:
                await socket.send("2probe")
                await socket.recv()
            async with websockets.connect(url, proxy=None) as socket:
                await socket.send("5")  # Without having asked.
                await asyncio.wait_for(socket.wait_closed(), PATIENCE_S)
            runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=9)))
            assert (await client.until("safety:event"))["id"] == 9

    run(make_runtime, scenario)

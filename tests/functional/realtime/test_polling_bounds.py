"""What HTTP long polling refuses: bodies, requests and pages, and the bounds of queues and clients."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest
import websockets

from skywatch.core.bus import Message
from tests.asyncapi import example
from tests.polling import PAGE, polling, run, upgrade_url
from tests.waiting import PATIENCE_S, eventually


def test_the_same_bounds_hold_as_for_sockets(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client, polling(server) as talker:
            await client.enter("safety")
            await client.until("subscribed")
            [session] = server.hub.sessions
            stream = session.subscriptions["safety"]
            for number in range(20):
                runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=number)))
                await eventually(lambda: stream.seq > number)  # noqa: B023
            await eventually(lambda: not server.hub.sessions, "the end of the session that does not poll")
            await talker.handshake()
            assert (await talker.post(*["40"] * 100)).status_code == 400
            assert (await talker.get()).json()["code"] == 1
            await talker.http.aclose()

    # Nothing but the bound can end it in this time.
    run(make_runtime, scenario, realtime_queue_events=8, realtime_heartbeat_s=300)


def test_malformed_bodies_end_the_session(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            for body in ("abc", b"4\xff", "bAAAA", "2", "0{}", "", "49"):
                del client.params
                client.params = {"EIO": "4", "transport": "polling"}
                await client.handshake()
                answer = await client.post(body)
                assert (answer.status_code, answer.json()["code"]) == (400, 3), body
                assert (await client.get()).json()["code"] == 1
            # Binary data that a packet announced is passed over.
            client.params = {"EIO": "4", "transport": "polling"}
            await client.handshake()
            await client.post("40" + json.dumps({"token": "viewer"}))
            assert (await client.post('451-["ping",{"_placeholder":true,"num":0}]', "bAAAA")).text == "ok"
            assert (await client.until("error"))["code"] == "malformed_body"

    run(make_runtime, scenario)


def test_two_polls_at_once_end_the_session(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            await client.handshake()
            first = asyncio.create_task(client.get())
            await eventually(lambda: any(not c.is_idle for c in server.connections))
            assert (await client.get()).status_code == 400
            assert (await first).text == "1"
            assert (await client.get()).json()["code"] == 1

    run(make_runtime, scenario)


def test_a_session_is_bound_to_its_origin_and_its_address(make_runtime):
    async def scenario(server, runtime):
        async with polling(server, headers={"X-Forwarded-For": "198.51.100.7"}) as client, polling(server) as thief:
            await client.handshake()
            for headers in (
                {"X-Forwarded-For": "198.51.100.8"},
                {"X-Forwarded-For": "198.51.100.7", "Origin": PAGE},
            ):
                answer = await thief.http.get("/socket.io/", params=client.params, headers=headers)
                assert (answer.status_code, answer.json()["code"]) == (400, 1)
                with pytest.raises(websockets.InvalidStatus):
                    await websockets.connect(
                        upgrade_url(server, client.params["sid"]), proxy=None, additional_headers=headers
                    )
            assert (await client.post("40" + json.dumps({"token": "viewer"}))).text == "ok"

    run(make_runtime, scenario, trusted_proxy="127.0.0.1")


def test_polling_clients_per_address_are_limited(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            ada, eve = ({"X-Forwarded-For": address} for address in ("198.51.100.7", "198.51.100.8"))

            async def handshake(headers: dict[str, str]) -> httpx.Response:
                return await client.http.get("/socket.io/", params=client.params, headers=headers)

            first = json.loads((await handshake(ada)).text[1:])
            assert (await handshake(ada)).status_code == 200
            refused = await handshake(ada)
            assert (refused.status_code, refused.json()["message"]) == (429, "Too many connections")
            assert (await handshake(eve)).status_code == 200
            gone = client.params | {"sid": first["sid"]}
            await client.http.post("/socket.io/", params=gone, headers=ada, content=b"1")
            assert (await handshake(ada)).status_code == 200
            assert server.statistics()["polling"] == 3

    run(make_runtime, scenario, trusted_proxy="127.0.0.1", realtime_connections_per_address=2)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"POST /socket.io/?EIO=4 HTTP/1.1\r\nHost: localhost\r\n\r\n", 411),
        (b"POST /socket.io/?EIO=4 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (
            b"POST /socket.io/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n",
            400,
        ),
        (b"POST /socket.io/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n", 400),
        (b"POST /socket.io/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: +4\r\n\r\n", 400),
        (b"POST /socket.io/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000\r\n\r\n", 413),
        (b"GET /socket.io/ HTTP/1.1\r\n\r\n", 400),
        (b"GET /socket.io/ HTTP/1.1\r\nHost: localhost\r\nHost: y\r\n\r\n", 400),
        (b"GET /socket.io/ HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n", 400),
        (b"GET /socket.io/ HTTP/1.1\r\nHost: x\nX: y\r\n\r\n", 400),
        (b"GET /socket.io/ HTTP/2.0\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /socket.io/ HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
        (b"GET /socket.io/?" + b"a=b&" * 200 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    ],
)
def test_ambiguous_requests_are_refused_and_end_the_connection(make_runtime, head, status):
    async def scenario(server, runtime):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(head)
        answer = await asyncio.wait_for(reader.read(), PATIENCE_S)
        assert answer.startswith(b"HTTP/1.1 %d " % status), answer
        assert answer.count(b"HTTP/1.1") == 1
        writer.close()

    run(make_runtime, scenario)


def test_requests_over_the_rate_limit_end_the_connection(make_runtime):
    async def scenario(server, runtime):
        handshake = b"GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: localhost\r\n\r\n"
        unknown = b"GET /socket.io/?EIO=4&transport=polling&sid=x HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for request, last in ((handshake, b"429 "), (unknown, b"400 ")):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(request * 100)
            answers = (await asyncio.wait_for(reader.read(), PATIENCE_S)).split(b"HTTP/1.1 ")[1:]
            assert answers[-1].startswith(last)
            assert len(answers) <= 41
            writer.close()

    run(make_runtime, scenario, realtime_messages_per_s=2)


def test_a_refused_origin_gets_the_reason_and_is_logged_once(make_runtime, caplog):
    async def scenario(server, runtime):
        async with polling(server, headers={"Origin": PAGE}) as client:
            answer = await client.get()
            assert answer.headers["Access-Control-Allow-Origin"] == PAGE
            assert "Access-Control-Allow-Credentials" not in answer.headers
            opened = json.loads(answer.text[1:])
            assert opened["upgrades"] == []
            client.params["sid"] = opened["sid"]
            await client.post("40" + json.dumps({"token": "viewer"}))
            refusal = json.loads((await client.get()).text[2:])
            assert refusal["message"] == "Permission denied"
            assert refusal["data"]["code"] == "origin_not_allowed"
            assert (await client.get()).text == "1"
            async with polling(server, headers={"Origin": PAGE}) as again:
                await again.handshake()
        lines = [record.getMessage() for record in caplog.records if "origin" in record.getMessage()]
        assert lines == [f"the channel refused a page of the origin {PAGE!r}: cors_allowed_origins does not list it"]

    run(make_runtime, scenario)

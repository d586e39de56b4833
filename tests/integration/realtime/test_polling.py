"""Engine.IO's HTTP long polling: request by request, as real clients do it with their defaults, and through nginx."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import socketio
import websockets

from skywatch.core.bus import Message
from skywatch.realtime.limits import Limits
from skywatch.realtime.server import RealtimeServer
from tests.integration.realtime.test_socketio import SWISS, JavaScript, accounts
from tests.ports import free_port
from tests.realtime import Skies, publish_sky, serving
from tests.servers import skip_or_fail
from tests.waiting import PATIENCE_S, eventually

SEPARATOR = "\x1e"
PAGE = "https://page.example"


class Poller:
    """A client that polls, request by request."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http
        self.params = {"EIO": "4", "transport": "polling"}
        self.opened: dict[str, Any] = {}
        self._unread: list[str] = []

    async def get(self, **params: str) -> httpx.Response:
        return await self.http.get("/socket.io/", params=self.params | params)

    async def post(self, *packets: str | bytes, **params: str) -> httpx.Response:
        body = b"\x1e".join(p if isinstance(p, bytes) else p.encode() for p in packets)
        return await self.http.post("/socket.io/", params=self.params | params, content=body)

    async def shake_hands(self) -> Poller:
        answer = await self.get()
        assert answer.status_code == 200, answer.text
        self.opened = json.loads(answer.text[1:])
        self.params["sid"] = self.opened["sid"]
        return self

    async def until(self, name: str) -> Any:
        """The data of the next event of a name; polls until it comes, and answers pings."""
        while True:
            while self._unread:
                packet = self._unread.pop(0)
                if packet == "2":
                    await self.post("3")
                if packet.startswith("42") and json.loads(packet[2:])[0] == name:
                    return json.loads(packet[2:])[1]
            answer = await self.get()
            assert answer.status_code == 200, answer.text
            self._unread += answer.text.split(SEPARATOR)

    async def enter(self, *topics: str) -> Poller:
        await self.shake_hands()
        await self.post("40" + json.dumps({"token": "viewer"}), "42" + json.dumps(["subscribe", {"topics": topics}]))
        return self


@asynccontextmanager
async def polling(server: RealtimeServer, **options: Any) -> AsyncIterator[Poller]:
    base = f"http://127.0.0.1:{server.port}"
    async with httpx.AsyncClient(base_url=base, timeout=PATIENCE_S, trust_env=False, **options) as http:
        yield Poller(http)


def run(make_runtime: Any, scenario: Any, limits: Limits | None = None, **settings: Any) -> None:
    """``scenario(server, runtime)`` beside a server."""

    async def go() -> None:
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid", **settings)
        async with serving(runtime, accounts(), limits) as server:
            await scenario(server, runtime)

    asyncio.run(go())


def upgrade_url(server: RealtimeServer, sid: str) -> str:
    return f"ws://127.0.0.1:{server.port}/socket.io/?EIO=4&transport=websocket&sid={sid}"


# Request by request


def test_the_handshake_names_the_upgrade_and_the_limits(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            await client.shake_hands()
            opened = client.opened
            assert len(opened.pop("sid")) == 20
            assert opened == {
                "upgrades": ["websocket"], "pingInterval": 25000, "pingTimeout": 20000, "maxPayload": 65536,
            }  # fmt: skip

    run(make_runtime, scenario)


@pytest.mark.parametrize(
    ("method", "params", "code", "message"),
    [
        ("GET", {"transport": "carrier pigeon"}, 0, "Transport unknown"),
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
                publish_sky(runtime, skies.next({"4b1620": SWISS | {"alt": number}}))
                await eventually(lambda: server.hub.live.state.sky.seq == skies.last.seq)
            packets = (await client.get()).text.split(SEPARATOR)
            updates = [json.loads(packet[2:])[1] for packet in packets]
            assert [(update["since"], update["seq"]) for update in updates] == [(1, 2), (2, 21)]
            waiting = asyncio.create_task(client.get())
            await eventually(lambda: next(iter(server.hub.sessions)).outbox.poll)
            runtime.bus.publish(Message("safety", "safety:event", b'{"id":9}'))
            assert json.loads((await waiting).text[2:])[1]["id"] == 9

    run(make_runtime, scenario)


def test_the_same_bounds_hold_as_for_sockets(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client, polling(server) as talker:
            await client.enter("safety")
            await client.until("subscribed")
            [session] = server.hub.sessions
            stream = session.subscriptions["safety"]
            for number in range(20):
                runtime.bus.publish(Message("safety", "safety:event", b'{"id":%d}' % number))
                await eventually(lambda: stream.seq > number)  # noqa: B023
            await eventually(lambda: not server.hub.sessions, "the end of who does not poll")
            await talker.shake_hands()
            assert (await talker.post(*["40"] * 100)).status_code == 400
            assert (await talker.get()).json()["code"] == 1
            await talker.http.aclose()

    # Nothing but the bound can end it in this time.
    run(make_runtime, scenario, realtime_queue_events=8, realtime_heartbeat_s=300)


def test_bodies_that_are_no_packets_end_the_session(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            for body in ("abc", b"4\xff", "bAAAA", "2", "0{}", "", "49"):
                del client.params
                client.params = {"EIO": "4", "transport": "polling"}
                await client.shake_hands()
                answer = await client.post(body)
                assert (answer.status_code, answer.json()["code"]) == (400, 3), body
                assert (await client.get()).json()["code"] == 1
            # Binary data that a packet announced is passed over.
            client.params = {"EIO": "4", "transport": "polling"}
            await client.shake_hands()
            await client.post("40" + json.dumps({"token": "viewer"}))
            assert (await client.post('451-["ping",{"_placeholder":true,"num":0}]', "bAAAA")).text == "ok"
            assert (await client.until("error"))["code"] == "malformed_body"

    run(make_runtime, scenario)


def test_two_polls_at_a_time_end_the_session(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            await client.shake_hands()
            first = asyncio.create_task(client.get())
            await eventually(lambda: any(not c.is_idle for c in server.connections))
            assert (await client.get()).status_code == 400
            assert (await first).text == "1"
            assert (await client.get()).json()["code"] == 1

    run(make_runtime, scenario)


def test_who_says_goodbye_is_gone_and_its_poll_ends(make_runtime):
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


def test_who_does_not_answer_pings_is_gone_and_who_does_stays(make_runtime):
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


def test_a_poll_whose_connection_ends_takes_its_session_with_it(make_runtime):
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


def test_a_session_belongs_to_the_page_and_the_address_it_was_given_to(make_runtime):
    async def scenario(server, runtime):
        async with polling(server, headers={"X-Forwarded-For": "198.51.100.7"}) as client, polling(server) as thief:
            await client.shake_hands()
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


def test_one_address_has_so_many_clients_that_poll(make_runtime):
    async def scenario(server, runtime):
        async with polling(server) as client:
            ada, eve = ({"X-Forwarded-For": address} for address in ("198.51.100.7", "198.51.100.8"))

            async def come(headers: dict[str, str]) -> httpx.Response:
                return await client.http.get("/socket.io/", params=client.params, headers=headers)

            first = json.loads((await come(ada)).text[1:])
            assert (await come(ada)).status_code == 200
            refused = await come(ada)
            assert (refused.status_code, refused.json()["message"]) == (429, "Too many connections")
            assert (await come(eve)).status_code == 200
            gone = client.params | {"sid": first["sid"]}
            await client.http.post("/socket.io/", params=gone, headers=ada, content=b"1")
            assert (await come(ada)).status_code == 200
            assert server.statistics()["polling"] == 3

    run(make_runtime, scenario, trusted_proxy="127.0.0.1", realtime_connections_per_address=2)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"POST /socket.io/?EIO=4 HTTP/1.1\r\nHost: x\r\n\r\n", 411),
        (b"POST /socket.io/?EIO=4 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST /socket.io/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n", 400),
        (b"POST /socket.io/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n", 400),
        (b"POST /socket.io/ HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\n", 400),
        (b"POST /socket.io/ HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n", 413),
        (b"GET /socket.io/ HTTP/1.1\r\n\r\n", 400),
        (b"GET /socket.io/ HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        (b"GET /socket.io/ HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
        (b"GET /socket.io/ HTTP/1.1\r\nHost: x\nX: y\r\n\r\n", 400),
        (b"GET /socket.io/ HTTP/2.0\r\nHost: x\r\n\r\n", 400),
        (b"GET /socket.io/ HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
        (b"GET /socket.io/?" + b"a=b&" * 200 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ],
)
def test_requests_that_could_be_read_in_two_ways_are_refused_and_end_the_connection(make_runtime, head, status):
    async def scenario(server, runtime):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(head)
        said = await asyncio.wait_for(reader.read(), PATIENCE_S)
        assert said.startswith(b"HTTP/1.1 %d " % status), said
        assert said.count(b"HTTP/1.1") == 1
        writer.close()

    run(make_runtime, scenario)


def test_requests_in_one_write_are_answered_in_their_order(make_runtime):
    async def scenario(server, runtime):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        handshake = b"GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: x\r\n\r\n"
        unknown = b"GET /socket.io/?EIO=4&transport=polling&sid=x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        writer.write(handshake + unknown[:20])
        writer.write(unknown[20:])
        said = await asyncio.wait_for(reader.read(), PATIENCE_S)
        first, second = said.split(b"HTTP/1.1 ")[1:]
        assert first.startswith(b"200 OK")
        assert second.startswith(b"400 Bad Request")
        writer.close()

    run(make_runtime, scenario)


def test_who_asks_without_end_is_refused_and_its_connection_ends(make_runtime):
    async def scenario(server, runtime):
        handshake = b"GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: x\r\n\r\n"
        unknown = b"GET /socket.io/?EIO=4&transport=polling&sid=x HTTP/1.1\r\nHost: x\r\n\r\n"
        for request, last in ((handshake, b"429 "), (unknown, b"400 ")):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(request * 100)
            answers = (await asyncio.wait_for(reader.read(), PATIENCE_S)).split(b"HTTP/1.1 ")[1:]
            assert answers[-1].startswith(last)
            assert len(answers) <= 41
            writer.close()

    run(make_runtime, scenario, realtime_messages_per_s=2)


# Pages


@pytest.mark.parametrize("options", [{}, {"transports": ["websocket"]}], ids=["default", "websocket"])
def test_the_javascript_client_of_a_strange_page_is_told_the_reason(make_runtime, socket_io_modules, options):
    async def scenario(server, runtime):
        page = {"extraHeaders": {"Origin": PAGE}, "reconnection": False}
        client = await JavaScript.start(socket_io_modules, server.port, {"token": "viewer"}, "", options | page)
        try:
            assert await client.until("connect_error") == "Permission denied"
            assert (await client.until("connect_error_data"))["code"] == "origin_not_allowed"
        finally:
            await client.stop()

    run(make_runtime, scenario)


def test_a_page_of_another_origin_is_told_that_it_is_refused(make_runtime, caplog):
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
                await again.shake_hands()
        lines = [record.getMessage() for record in caplog.records if "origin" in record.getMessage()]
        assert lines == [f"the channel refused a page of the origin {PAGE!r}: cors_allowed_origins does not list it"]

    run(make_runtime, scenario)


def test_listed_pages_poll_and_with_cookies_where_these_count(make_runtime):
    async def scenario(server, runtime):
        async with polling(server, headers={"Origin": PAGE}) as client:
            preflight = await client.http.options("/socket.io/", params=client.params)
            assert preflight.headers["Access-Control-Allow-Origin"] == PAGE
            assert "X-API-Key" in preflight.headers["Access-Control-Allow-Headers"]
            client.http.headers["Cookie"] = "skywatch_access=viewer"
            await client.shake_hands()
            answer = await client.post("40")
            assert answer.headers["Access-Control-Allow-Credentials"] == "true"
            assert (await client.until("connected"))["user"]["username"] == "user1"

    cookies = {"jwt_auth_cookie": "true", "cors_allow_credentials": "true"}
    run(make_runtime, scenario, cors_allowed_origins=PAGE, **cookies)


# Upgrade


def test_what_waits_while_a_client_changes_over_comes_by_the_websocket(make_runtime):
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
                    runtime.bus.publish(Message("safety", "safety:event", b'{"id":%d}' % number))
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


def test_polling_goes_on_where_the_websocket_fails(make_runtime):
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
            runtime.bus.publish(Message("safety", "safety:event", b'{"id":9}'))
            assert (await client.until("safety:event"))["id"] == 9

    run(make_runtime, scenario)


# Real clients with their defaults


def test_the_javascript_client_upgrades_survives_a_restart_and_resumes(make_runtime, socket_io_modules):
    async def scenario():
        port = free_port()
        runtime = make_runtime(realtime_listen=f"127.0.0.1:{port}", auth_mode="hybrid", realtime_return_s=0)
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS}))
        client = None
        try:
            async with serving(runtime, accounts()):
                options: dict[str, Any] = {}
                client = await JavaScript.start(socket_io_modules, port, {"token": "viewer"}, "", options)
                assert await client.until("open") == "polling"
                assert await client.until("upgrade") == "websocket"
                client.send("subscribe", {"topics": ["aircraft"]})
                snapshot = await client.until("aircraft:snapshot")
            assert "transport" in await client.until("disconnect")
            async with serving(runtime, accounts()):
                publish_sky(runtime, skies.next({"4b1620": SWISS, "4b1621": SWISS}))
                assert await client.until("open") == "polling"
                since = {"epoch": snapshot["epoch"], "seq": snapshot["seq"]}
                client.send("subscribe", {"topics": ["aircraft"], "since": since})
                assert (await client.until("subscribed"))["joined"] == ["aircraft"]
                update = await client.until("aircraft:update")
                assert (update["since"], [one["hex"] for one in update["aircraft"]]) == (1, ["4b1621"])
                client.send("bye")
                assert await client.until("disconnect") == "io client disconnect"
        finally:
            if client is not None:
                await client.stop()

    asyncio.run(scenario())


def test_the_python_client_upgrades_and_resumes(make_runtime):
    async def scenario(server, runtime):
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS}))
        heard: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()

        async def until(name: str) -> Any:
            while True:
                event, data = await asyncio.wait_for(heard.get(), PATIENCE_S)
                if event == name:
                    return data

        since = None
        for number in range(2):
            client = socketio.AsyncClient()
            client.on("*", lambda event, data: heard.put_nowait((event, data)))
            await client.connect(f"http://127.0.0.1:{server.port}", auth={"token": "viewer"}, wait_timeout=PATIENCE_S)
            assert client.transport() == "websocket"
            await client.call("subscribe", {"topics": ["aircraft"], "since": since}, timeout=PATIENCE_S)
            if number == 0:
                snapshot = await until("aircraft:snapshot")
                since = {"epoch": snapshot["epoch"], "seq": snapshot["seq"]}
            else:
                assert (await until("aircraft:update"))["removed"] == ["4b1620"]
            await client.disconnect()
            publish_sky(runtime, skies.next({}))
            await eventually(lambda: server.hub.live.state.sky.seq == skies.last.seq)

    run(make_runtime, scenario)


@pytest.mark.parametrize("options", [{}, {"transports": ["polling"]}], ids=["default", "polling"])
def test_the_javascript_client_gets_everything_through_nginx(make_runtime, socket_io_modules, tmp_path, options):
    if shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin") is None:
        skip_or_fail("nginx is not here")

    async def scenario(server, runtime):
        skies = Skies()
        publish_sky(runtime, skies.next({f"{i:06x}": SWISS | {"note": "x" * 200} for i in range(2000)}))
        port = free_port()
        nginx = start_nginx(tmp_path, port, server.port)
        try:
            client = await JavaScript.start(
                socket_io_modules, port, {"token": "viewer"}, "aircraft", options | {"reconnection": True}
            )
            try:
                assert await client.until("open") == "polling"
                assert (await client.until("aircraft:snapshot"))["count"] == 2000
                for number in range(3):
                    publish_sky(runtime, skies.next({"4b1620": SWISS | {"alt": number}}))
                    update = await client.until("aircraft:update")
                    assert [one["hex"] for one in update["aircraft"]] == ["4b1620"]
                client.send("ping", {})
                assert "timestamp" in await client.until("pong")
                [session] = server.hub.sessions
                assert session.protocol.name == ("polling" if options else "socketio")
                client.send("bye")
                assert await client.until("disconnect") == "io client disconnect"
                await eventually(lambda: not server.hub.sessions)
            finally:
                await client.stop()
        finally:
            nginx.terminate()
            nginx.wait(PATIENCE_S)

    run(make_runtime, scenario, trusted_proxy="127.0.0.1")


NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
  upstream channel {{ server 127.0.0.1:{channel}; keepalive 32; }}
  server {{
    listen 127.0.0.1:{port};
    location /socket.io/ {{
      proxy_pass http://channel; proxy_http_version 1.1; proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr; proxy_buffering off;
      proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
    }}
  }}
}}
"""


def start_nginx(folder: Any, port: int, channel: int) -> subprocess.Popen[bytes]:
    """nginx with the part of the manual that is about the channel."""
    configuration = folder / "nginx.conf"
    configuration.write_text(NGINX.format(folder=folder, port=port, channel=channel))
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    return subprocess.Popen([program, "-p", str(folder), "-c", str(configuration)], stderr=subprocess.DEVNULL)

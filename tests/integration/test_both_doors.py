"""REST and the real-time channel read addresses, credentials and origins alike: one table of cases, both asked.

REST is asked through WebTest, the channel by a real WebSocket handshake over a socket that knows IPv4 clients by their
IPv6 form (``::ffff:127.0.0.1``).
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa
import websockets
from webtest import TestApp

from skywatch.accounts.changes import begin_change
from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.models import FeatureAccessSetting
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.core.network.addresses import client_network
from tests.accounts import Population
from tests.app_templates import make_app
from tests.realtime import FakeAccounts, connected, serving
from tests.rights import LEVELS, granted_to, lets_in

PEER = "::ffff:127.0.0.1"
V1 = "/api/v1"

# trusted_proxy, X-Forwarded-For, the client's address
ADDRESSES = [
    ("", "198.51.100.1", "127.0.0.1"),
    ("10.0.0.0/8", "198.51.100.1", "127.0.0.1"),
    ("127.0.0.1", None, "127.0.0.1"),
    ("127.0.0.1", "", "127.0.0.1"),
    ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
    ("127.0.0.0/8", "203.0.113.9:51234", "203.0.113.9"),
    ("127.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"),
    ("::ffff:127.0.0.1", "203.0.113.9", "203.0.113.9"),
    ("::ffff:127.0.0.0/104", "203.0.113.9", "203.0.113.9"),
    ("127.0.0.1", "[2001:db8::7]:443", "2001:db8::7"),
    ("127.0.0.1", "2001:db8::7", "2001:db8::7"),
    ("127.0.0.1", "6.6.6.6, 203.0.113.9", "203.0.113.9"),
    ("127.0.0.1 10.0.0.0/8", "203.0.113.9, 10.0.0.5", "203.0.113.9"),
    ("127.0.0.1 10.0.0.0/8", "203.0.113.9,::ffff:10.0.0.5", "203.0.113.9"),
    ("127.0.0.1", "203.0.113.9, ", "203.0.113.9"),
    ("127.0.0.1", "203.0.113.9, nonsense", "127.0.0.1"),
    ("127.0.0.1", "unknown", "127.0.0.1"),
]


@pytest.mark.parametrize(("trusted", "forwarded", "expected"), ADDRESSES)
def test_the_clients_address(make_runtime: Any, trusted: str, forwarded: str | None, expected: str) -> None:
    runtime = make_runtime(auth_mode="hybrid", trusted_proxy=trusted, realtime_listen="[::]:0")
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    assert address_of_rest(runtime, headers) == expected
    assert asyncio.run(address_of_channel(runtime, headers)) == client_network(expected)


def address_of_rest(runtime: Any, headers: dict[str, str]) -> str:
    """The address that the audit log notes for a login that fails."""
    api = TestApp(make_app(runtime), extra_environ={"REMOTE_ADDR": PEER})
    body = {"username": "nobody", "password": "guessed wrongly"}
    api.post_json(f"{V1}/auth/login", body, headers=headers, status=401)
    with runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry.address)).one()


async def address_of_channel(runtime: Any, headers: dict[str, str]) -> Any:
    """The address whose connections the channel counts."""
    async with serving(runtime) as server, connected(server, greet=False, additional_headers=headers):
        [connection] = server.connections
        assert connection._peer.address == PEER
        return connection._peer._network or client_network(PEER)


ADA = "ada"
TWO, MALFORMED = (400, "validation_failed"), (401, "token_invalid")
# headers (TOKEN and KEY stand for ada's), who that is: a name, None for anonymous, or the refusal
CREDENTIALS: list[tuple[list[tuple[str, str]], Any]] = [
    ([], None),
    ([("Authorization", "Bearer TOKEN")], ADA),
    ([("authorization", "bearer  TOKEN ")], ADA),
    ([("Authorization", "ApiKey KEY")], ADA),
    ([("X-API-Key", "KEY")], ADA),
    ([("X-API-Key", " KEY ")], ADA),
    ([("X-API-Key", "KEY, KEY")], TWO),
    ([("X-API-Key", "KEY"), ("X-API-Key", "KEY")], TWO),
    ([("X-API-Key", "a, b")], TWO),
    ([("Authorization", "Bearer TOKEN, Bearer TOKEN")], TWO),
    ([("Authorization", "Bearer TOKEN"), ("Authorization", "Bearer TOKEN")], TWO),
    ([("Authorization", "Bearer TOKEN"), ("Authorization", "ApiKey KEY")], TWO),
    ([("Authorization", "Bearer TOKEN"), ("X-API-Key", "KEY")], TWO),
    ([("Authorization", ""), ("X-API-Key", "KEY")], TWO),
    ([("Authorization", "Bearer")], MALFORMED),
    ([("Authorization", "Bearer TOKEN TOKEN")], MALFORMED),
    ([("Authorization", "Bearer TOKEN;x")], MALFORMED),
    ([("Authorization", "TOKEN")], MALFORMED),
    ([("Authorization", "")], MALFORMED),
    ([("Authorization", "Basic YTpi")], MALFORMED),
    ([("Authorization", "Bearer KEY")], MALFORMED),
    ([("Authorization", "ApiKey TOKEN")], MALFORMED),
    ([("X-API-Key", "TOKEN")], MALFORMED),
    ([("X-API-Key", "")], MALFORMED),
    ([("X-API-Key", "sk_unknown")], MALFORMED),
]


def test_credentials(make_runtime: Any) -> None:
    runtime = make_runtime(auth_mode="hybrid", realtime_listen="127.0.0.1:0")
    people = Population(runtime)
    user = people.user(ADA, "viewer")
    token, key = people.token(user), people.key(user, "aircraft")
    # Anonymous callers are let in, so that None and a refusal differ.
    open_to_everybody(runtime, "aircraft")
    api = TestApp(make_app(runtime), extra_environ={"REMOTE_ADDR": "127.0.0.1"})
    cases = [
        ([(name, value.replace("TOKEN", token).replace("KEY", key)) for name, value in headers], expected)
        for headers, expected in CREDENTIALS
    ]
    for (_, expected), (headers, _) in zip(CREDENTIALS, cases, strict=True):
        assert who_for_rest(api, headers) == expected, headers
    answers = asyncio.run(who_for_channel(runtime, [headers for headers, _ in cases]))
    for (headers, expected), answer in zip(CREDENTIALS, answers, strict=True):
        assert answer == (expected if expected in (ADA, None) else "Authentication failed"), headers


# A topic, and an address that shows the same.
SHOWN = {
    "aircraft": f"{V1}/aircraft",
    "alerts": f"{V1}/alerts/history/",
    "safety": f"{V1}/safety/events",
    "acars": f"{V1}/acars/messages",
    "audio": f"{V1}/audio/transmissions",
}


@pytest.mark.parametrize("level", LEVELS)
def test_rights(make_runtime: Any, level: str) -> None:
    runtime = make_runtime(auth_mode="hybrid", realtime_listen="127.0.0.1:0")
    people = Population(runtime)
    viewer = people.user("viewer", "viewer")
    # Credential, sort of caller, and the features that a key is for.
    callers = [
        (None, "nobody", set(SHOWN)),
        (people.token(people.user("nothing")), "lacking", set(SHOWN)),
        (people.token(viewer), "holding", set(SHOWN)),
        (people.key(viewer, "aircraft", "acars"), "holding", {"aircraft", "acars"}),
    ]
    with writing(runtime.sessions) as session:
        begin_change(session)
        session.execute(sa.update(FeatureAccessSetting).values(read_access=level))
    api = TestApp(make_app(runtime), extra_environ={"REMOTE_ADDR": "127.0.0.1"})
    for credential, caller, reached in callers:
        expected = {
            topic
            for topic in SHOWN
            if topic in reached and lets_in(granted_to(f"{topic}.view", "hybrid", level, "permission"), caller)
        }
        assert {topic for topic, address in SHOWN.items() if may_read(api, address, credential)} == expected
        assert asyncio.run(topics_of(runtime, credential, bool(expected))) == expected


def may_read(api: TestApp, address: str, credential: str | None) -> bool:
    """Whether REST shows what is at an address; 503 is a picture that is not there."""
    scheme = "ApiKey" if credential and credential.startswith("sk_") else "Bearer"
    headers = {} if credential is None else {"Authorization": f"{scheme} {credential}"}
    return api.get(address, headers=headers, expect_errors=True).status_int in (200, 503)


async def topics_of(runtime: Any, credential: str | None, is_let_in: bool) -> set[str]:
    """The topics that the channel lets a caller join; none where it refuses the connection."""
    async with (
        serving(runtime, Authenticator(runtime)) as server,
        connected(server, credential, greet=is_let_in) as client,
    ):
        if is_let_in:
            return set((await client.subscribe(*SHOWN))["joined"])
        await client.send(type="connect", **({"auth": {"token": credential}} if credential else {}))
        assert (await client.closed())[0] in (4001, 4003)
        return set()


def open_to_everybody(runtime: Any, feature: str) -> None:
    with writing(runtime.sessions) as session:
        begin_change(session)
        session.scalars(
            sa.select(FeatureAccessSetting).where(FeatureAccessSetting.feature == feature)
        ).one().read_access = "public"


def who_for_rest(api: TestApp, headers: list[tuple[str, str]]) -> Any:
    """Who a request is; headers that are given twice are joined as servers join them."""
    joined: dict[str, str] = {}
    for name, value in headers:
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    answer = api.get(f"{V1}/aircraft", headers=joined, expect_errors=True)
    if answer.status_int >= 400 and answer.status_int != 503:
        return answer.status_int, answer.json["code"]
    return api.get(f"{V1}/auth/profile", headers=joined).json["username"] if joined else None


async def who_for_channel(runtime: Any, cases: list[list[tuple[str, str]]]) -> list[Any]:
    """Who the channel greets, or its refusal."""
    answers = []
    async with serving(runtime, Authenticator(runtime)) as server:
        for headers in cases:
            async with connected(server, greet=False, additional_headers=headers) as client:
                try:
                    await client.send(type="connect")
                except websockets.ConnectionClosed:
                    pass  # Refused already; what it said is there to be read.
                answer = await client.receive()
                user = answer.get("user")
                answers.append(answer.get("message") or (user["username"] if user else None))
    return answers


OWN, LISTED, FOREIGN = "http://127.0.0.1:6543", "https://map.example", "https://evil.example"
# Origin, settings, whether its pages may read what everybody may, and what a cookie proves (REST: write)
ORIGINS: list[tuple[str | None, dict[str, Any], bool, bool]] = [
    (OWN, {}, True, True),
    (LISTED, {}, True, True),
    ("https://MAP.example", {}, True, True),
    ("https://map.example:443", {}, True, True),
    (FOREIGN, {}, False, False),
    ("null", {}, False, False),
    ("https://map.example.evil.example", {}, False, False),
    ("http://map.example", {}, False, False),
    (OWN, {"base_url": "https://sky.example"}, True, False),
    ("https://sky.example", {"base_url": "https://sky.example"}, True, True),
]


@pytest.mark.parametrize(("origin", "settings", "reads", "writes"), ORIGINS)
def test_origins(make_runtime: Any, origin: str, settings: dict[str, Any], reads: bool, writes: bool) -> None:
    runtime = make_runtime(
        auth_mode="hybrid",
        jwt_auth_cookie=True,
        cors_allowed_origins=LISTED,
        cors_allow_credentials=True,
        realtime_listen="127.0.0.1:0",
        **settings,
    )
    people = Population(runtime)
    token = people.token(people.user(ADA, "viewer"))
    api = TestApp(make_app(runtime), extra_environ={"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "127.0.0.1:6543"})
    api.set_cookie("skywatch_access", token)
    written = api.patch_json(f"{V1}/auth/profile", {}, headers={"Origin": origin}, expect_errors=True)
    assert (written.status_int == 200) is writes, written.text
    if reads and origin != OWN and not settings:  # Of their own pages browsers ask no leave.
        assert written.headers["Access-Control-Allow-Origin"] == origin
    if not reads:
        assert "Access-Control-Allow-Origin" not in written.headers
    open_to_everybody(runtime, "aircraft")
    assert asyncio.run(page_for_channel(runtime, origin, token)) == (reads, writes)


async def page_for_channel(runtime: Any, origin: str, token: str) -> tuple[bool, bool]:
    """Whether a page may connect, and does so as the user whose cookie it brings."""
    options = {"origin": origin, "additional_headers": {"Cookie": f"skywatch_access={token}"}}
    async with (
        serving(runtime, Authenticator(runtime)) as server,
        connected(server, greet=False, **options) as client,
    ):
        try:
            await client.send(type="connect")
        except websockets.ConnectionClosed:
            pass  # Refused already.
        answer = await client.receive()
        return answer["type"] == "connected", bool(answer.get("user"))


def test_clients_behind_a_proxy_do_not_share_one_limit(make_runtime: Any) -> None:
    """The fault this table was made for: a proxy that an IPv6 socket knows as ``::ffff:...`` was no proxy."""
    runtime = make_runtime(trusted_proxy="127.0.0.1", realtime_listen="[::]:0", realtime_connections_per_address=1)

    async def play() -> None:
        async with serving(runtime, FakeAccounts()) as server:
            first = {"additional_headers": {"X-Forwarded-For": "203.0.113.9:51234"}}
            second = {"additional_headers": {"X-Forwarded-For": "203.0.113.10:51234"}}
            async with connected(server, **first), connected(server, **second):
                with pytest.raises(websockets.InvalidStatus) as refused:
                    async with connected(server, additional_headers={"X-Forwarded-For": "203.0.113.9:4"}):
                        pass
                assert refused.value.response.status_code == 429

    asyncio.run(play())


# Host, settings, whether the service answers to it
HOSTS: list[tuple[str, dict[str, Any], bool]] = [
    ("localhost:6543", {}, True),
    ("sky.localhost:6543", {}, True),
    ("127.0.0.2:6543", {}, True),
    ("[::1]:6543", {}, True),
    ("evil.example:6543", {}, False),
    ("localhost.evil.example:6543", {}, False),
    ("192.168.1.7:6543", {}, False),
    ("evil.example:6543", {"base_url": "https://sky.example"}, True),
    ("evil.example:6543", {"listen": "0.0.0.0:6543", "realtime_listen": "0.0.0.0:0"}, True),
]


@pytest.mark.parametrize(("host", "settings", "answers"), HOSTS)
def test_hosts(make_runtime: Any, host: str, settings: dict[str, Any], answers: bool) -> None:
    """A page of a host that leads to 127.0.0.1 (DNS rebinding) gets nothing by either door, nor by polling."""
    runtime = make_runtime(**{"realtime_listen": "127.0.0.1:0", **settings})
    api = TestApp(make_app(runtime), extra_environ={"REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": host})
    refused = api.get(f"{V1}/auth/config", expect_errors=True)
    assert (refused.status_int == 200) is answers
    (websocket, polling) = asyncio.run(heads_of_channel(runtime, host))
    if answers:
        assert websocket.startswith("HTTP/1.1 101 ")
        assert polling.startswith("HTTP/1.1 200 ")
        return
    assert refused.json["code"] == "misdirected_request"
    for answer in (websocket, polling):
        assert answer.startswith("HTTP/1.1 421 Misdirected Request\r\n")
        assert refused.json["detail"] in answer
        assert "base_url" in answer
    proxied = {"X-Forwarded-For": "203.0.113.9"}
    assert api.get(f"{V1}/auth/config", headers=proxied).status_int == 200
    (websocket, polling) = asyncio.run(heads_of_channel(runtime, host, proxied))
    assert (websocket[9:12], polling[9:12]) == ("101", "200")


async def heads_of_channel(runtime: Any, host: str, headers: dict[str, str] | None = None) -> tuple[str, str]:
    """What a WebSocket's handshake and a poll of Socket.IO are answered."""
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    upgrade["Sec-WebSocket-Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
    targets = (("/ws", upgrade), ("/socket.io/?EIO=4&transport=polling", {"Connection": "close"}))
    async with serving(runtime) as server:
        return tuple([await head_of(server.port, path, host, {**more, **(headers or {})}) for path, more in targets])


async def head_of(port: int, path: str, host: str, headers: dict[str, str]) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        return head if head[9:12] == "101" else head + (await reader.read()).decode()
    finally:
        writer.close()


@pytest.mark.parametrize(("host", "exact"), [("localhost:6544", True), ("evil.example", False)])
def test_the_station_on_the_channel(make_runtime: Any, host: str, exact: bool) -> None:
    """Loopback is this machine only under a name of its own."""
    runtime = make_runtime(realtime_listen="127.0.0.1:0", base_url="https://sky.example")

    async def play() -> bool:
        async with (
            serving(runtime) as server,
            websockets.connect(f"ws://{host}/ws", host="127.0.0.1", port=server.port, proxy=None) as socket,
        ):
            await socket.send('{"type": "connect"}')
            await socket.recv()
            [session] = server.hub.sessions
            return bool(session.visibility.exact_station)

    assert asyncio.run(play()) is exact

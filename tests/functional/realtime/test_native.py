"""The native protocol over real sockets: being let in, topics, snapshots, updates, resume, errors."""

from __future__ import annotations

import asyncio
import json

import httpx
import msgspec
import pytest
import websockets

from skywatch.core.bus import Audience, Message
from tests.asyncapi import example
from tests.realtime import FakeAccounts, Skies, connected, publish_sky, serving
from tests.waiting import PATIENCE_S

SWISS = {"lat": 46.9, "lon": 7.4}
FRENCH = {"lat": 48.8, "lon": 2.3}


def accounts() -> FakeAccounts:
    fake = FakeAccounts()
    fake.add("viewer", "viewer", 1)
    fake.add("operator", "operator", 2)
    fake.add("analyst", "analyst", 3)
    fake.add("admin", "admin", 4)
    return fake


def test_a_subscriber_gets_a_snapshot_and_then_what_changes(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS, "3c6444": FRENCH}))
        async with serving(runtime) as server, connected(server) as client:
            answer = await client.subscribe("aircraft")
            assert answer == {"type": "subscribed", "topics": ["aircraft"], "joined": ["aircraft"], "denied": []}
            snapshot = await client.receive()
            assert (snapshot["topic"], snapshot["event"], snapshot["seq"]) == ("aircraft", "aircraft:snapshot", 1)
            assert [a["hex"] for a in snapshot["data"]["aircraft"]] == ["4b1620", "3c6444"]
            assert snapshot["data"]["count"] == 2
            publish_sky(runtime, skies.next({"4b1620": SWISS | {"lat": 46.91}, "400000": FRENCH}))
            update = await client.receive()
            assert (update["event"], update["seq"], update["data"]["since"]) == ("aircraft:update", 2, 1)
            assert {a["hex"] for a in update["data"]["aircraft"]} == {"4b1620", "400000"}
            assert update["data"]["removed"] == ["3c6444"]

    asyncio.run(scenario())


def test_what_was_missed_is_sent_after_a_return(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS, "3c6444": FRENCH}))
        async with serving(runtime) as server:
            async with connected(server) as client:
                await client.subscribe("aircraft")
                first = await client.receive()
            publish_sky(runtime, skies.next({"4b1620": SWISS, "3c6444": FRENCH, "400000": FRENCH}))
            publish_sky(runtime, skies.next({"4b1620": SWISS, "400000": FRENCH}))
            async with connected(server) as client:
                await client.subscribe("aircraft", since={"epoch": first["epoch"], "seq": first["seq"]})
                missed = await client.receive()
                assert (missed["event"], missed["data"]["since"], missed["seq"]) == ("aircraft:update", 1, 3)
                assert [a["hex"] for a in missed["data"]["aircraft"]] == ["400000"]
                assert missed["data"]["removed"] == ["3c6444"]
                await client.subscribe("aircraft", since={"epoch": "another start", "seq": 1})
                assert (await client.receive())["event"] == "aircraft:snapshot"

    asyncio.run(scenario())


def test_wrong_credentials_are_refused_with_4001(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts()) as server, connected(server, greet=False) as client:
            await client.send(type="connect", auth={"token": "wrong"})
            refusal = await client.receive()
            assert (refusal["type"], refusal["message"]) == ("connect_error", "Authentication failed")
            assert refusal["data"] == {
                "code": "token_invalid",
                "detail": "The credential is not valid.",
                "detail_code": "problem.token_invalid",
                "detail_params": {},
            }
            assert await client.closed() == (4001, "Authentication failed")

    asyncio.run(scenario())


def test_who_may_hear_nothing_is_refused_with_4003(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts()) as server, connected(server, greet=False) as client:
            await client.send(type="connect")
            assert (await client.receive())["message"] == "Permission denied"
            assert await client.closed() == (4003, "Permission denied")

    asyncio.run(scenario())


def test_a_header_of_the_handshake_is_a_credential_too(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        headers = [{"Authorization": "Bearer viewer"}, {"X-API-Key": "sk_1"}, {"Authorization": "ApiKey sk_1"}]
        people = accounts()
        people.add("sk_1", "viewer", 1)
        async with serving(runtime, people) as server:
            for header in headers:
                async with connected(server, greet=False, additional_headers=header) as client:
                    welcome = await client.receive()
                    assert welcome["type"] == "connected"
                    assert welcome["user"] == {"id": 1, "username": "user1"}
                    assert welcome["topics"] == ["aircraft", "alerts", "safety", "acars", "audio", "system"]
            for header in ({"Authorization": "viewer"}, {"Authorization": "Bearer viewer", "X-API-Key": "viewer"}):
                async with connected(server, greet=False, additional_headers=header) as client:
                    assert (await client.closed())[0] == 4001

    asyncio.run(scenario())


def test_a_page_of_a_strange_origin_is_refused(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", cors_allowed_origins="https://map.example")
        async with serving(runtime) as server:
            async with connected(server, greet=False, origin="https://evil.example") as client:
                refusal = await client.receive()
                assert (refusal["type"], refusal["message"]) == ("connect_error", "Permission denied")
                assert refusal["data"]["code"] == "origin_not_allowed"
                assert (await client.closed())[0] == 4003
            async with connected(server, origin="https://map.example") as client:
                await client.subscribe("aircraft")

    asyncio.run(scenario())


def test_what_is_not_understood_is_an_error_and_the_connection_stays(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_messages_per_s=1000)
        cases = [
            ("not json", "malformed_body"),
            ("[1]", "malformed_body"),
            ("[" * 20_000, "malformed_body"),
            ('{"type": 3}', "malformed_body"),
            ('{"type": "dance"}', "not_found"),
            ('{"type": "subscribe"}', "validation_failed"),
            ('{"type": "subscribe", "topics": "aircraft"}', "validation_failed"),
            ('{"type": "subscribe", "topics": []}', "validation_failed"),
            ('{"type": "subscribe", "topics": ["aircraft"], "bbox": [1, 2, 3]}', "validation_failed"),
            ('{"type": "subscribe", "topics": ["aircraft"], "bbox": [0, 50, 1, 40]}', "validation_failed"),
            ('{"type": "subscribe", "topics": ["aircraft"], "bbox": [0, NaN, 1, 40]}', "malformed_body"),
            ('{"type": "subscribe", "topics": ["aircraft"], "bbox": ["nan", 0, 1, 40]}', "validation_failed"),
            ('{"type": "subscribe", "topics": ["aircraft"], "box": [0, 0, 1, 1]}', "validation_failed"),
            ('{"type": "subscribe", "topics": ["aircraft"], "since": 3}', "validation_failed"),
            ('{"type": "subscribe", "topics": ["aircraft"], "since": {"epoch": "a"}}', "validation_failed"),
            ('{"type": "request", "id": 1, "method": "dance", "topic": "aircraft"}', "validation_failed"),
            ('{"type": "request", "id": 1, "method": "snapshot", "topic": "weather"}', "not_found"),
            ('{"type": "refresh", "auth": {"token": "wrong"}}', "token_invalid"),
            ('{"type": "connect", "auth": {"token": "viewer"}}', "conflict"),
        ]
        async with serving(runtime, accounts()) as server, connected(server) as client:
            for text, code in cases:
                await client.socket.send(text)
                answer = await client.receive()
                assert (answer["type"], answer.get("code")) == ("error", code), (text[:60], answer)
                assert answer["detail"]
            await client.send(type="ping")
            assert (await client.receive())["type"] == "pong"

    asyncio.run(scenario())


def test_military_aircraft_and_details_are_for_those_who_may_see_them(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        skies = Skies()
        civil, military = {"4b1620": SWISS | {"r": "HB-IJS"}}, {"3f1234": FRENCH | {"military": True}}
        publish_sky(runtime, skies.next(civil | military))
        shown = {}
        async with serving(runtime, accounts()) as server:
            for role in ("viewer", "operator", "analyst"):
                async with connected(server, role) as client:
                    answer = await client.subscribe("aircraft", "military")
                    events = [await client.receive() for _ in answer["joined"]]
                    shown[role] = {e["topic"]: [(a["hex"], a.get("r")) for a in e["data"]["aircraft"]] for e in events}
        assert shown == {
            "viewer": {"aircraft": [("4b1620", None)]},
            "operator": {"aircraft": [("4b1620", "HB-IJS")]},
            "analyst": {"aircraft": [("4b1620", "HB-IJS"), ("3f1234", None)], "military": [("3f1234", None)]},
        }

    asyncio.run(scenario())


def test_events_reach_only_their_owner_and_who_manages_all(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        owner = Audience(frozenset({2}), "alerts.manage_all")
        async with (
            serving(runtime, accounts()) as server,
            connected(server, "viewer") as stranger,
            connected(server, "operator") as owning,
            connected(server, "admin") as admin,
        ):
            for client in (stranger, owning, admin):
                await client.subscribe("alerts")
            runtime.bus.publish(Message("alerts", "alert:triggered", example("alert:triggered", id=1), owner))
            runtime.bus.publish(Message("alerts", "alert:triggered", example("alert:triggered", id=2)))
            runtime.bus.publish(Message("alerts", "alert:triggered", example("alert:triggered", id=3), owner))
            heard = {}
            for name, client, count in (("stranger", stranger, 1), ("owner", owning, 3), ("admin", admin, 3)):
                events = [await client.receive() for _ in range(count)]
                heard[name] = [(e["seq"], e["data"]["id"]) for e in events]
            # Nobody sees a gap in the numbers, whatever was published for others.
            assert heard == {
                "stranger": [(1, 2)],
                "owner": [(1, 1), (2, 2), (3, 3)],
                "admin": [(1, 1), (2, 2), (3, 3)],
            }

    asyncio.run(scenario())


def test_missed_events_are_sent_after_a_return(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts()) as server:
            async with connected(server, "viewer") as client:
                await client.subscribe("safety")
                runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=1)))
                first = await client.receive()
            for number in (2, 3):
                runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=number)))
            async with connected(server, "viewer") as client:
                await client.subscribe("safety", since={"epoch": first["epoch"], "seq": first["seq"]})
                missed = [await client.receive() for _ in range(2)]
                assert [(e["seq"], e["data"]["id"]) for e in missed] == [(2, 2), (3, 3)]
                await client.subscribe("safety", since={"epoch": "old", "seq": 1})
                snapshot = await client.receive()
                assert (snapshot["event"], snapshot["seq"]) == ("safety:snapshot", 3)
                assert [e["data"]["id"] for e in snapshot["data"]["events"]] == [1, 2, 3]

    asyncio.run(scenario())


@pytest.mark.parametrize("path", ["/", "/other", "/ws/more"])
def test_other_paths_are_not_found(make_runtime, path):
    async def scenario():
        async with serving(make_runtime(realtime_listen="127.0.0.1:0")) as server:
            with pytest.raises(websockets.InvalidStatus) as refused:
                async with connected(server, greet=False, path=path):
                    pass
            assert refused.value.response.status_code == 404

    asyncio.run(scenario())


def test_a_request_is_answered_by_its_id(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        publish_sky(runtime, Skies().next({"4b1620": SWISS, "3c6444": FRENCH}))
        async with serving(runtime) as server, connected(server) as client:
            await client.send(type="request", id=7, method="snapshot", topic="aircraft", bbox=[0, 40, 5, 50])
            answer = await client.receive()
            assert (answer["type"], answer["id"], answer["topic"]) == ("response", 7, "aircraft")
            assert [a["hex"] for a in answer["data"]["aircraft"]] == ["3c6444"]
            assert json.dumps(answer)

    asyncio.run(scenario())


def test_a_token_in_the_address_works_with_a_warning_and_is_never_logged(make_runtime, caplog):
    caplog.set_level("DEBUG")

    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        fake = accounts()
        fake.add("very-secret-token", "viewer", 9)
        async with serving(runtime, fake) as server:
            async with connected(server, greet=False, path="/ws?token=very-secret-token") as client:
                assert (await client.receive())["user"] == {"id": 9, "username": "user9"}
                [connection] = server.connections
                assert "very-secret-token" not in repr(vars(connection))
            # Nobody can fill the log with that.
            async with connected(server, greet=False, path="/ws?token=another"):
                pass
            for path in ("/ws?token=very-secret-token#fragment", "/nowhere?token=very-secret-token"):
                reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
                writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                assert b"101" not in await reader.read(100)
                writer.close()

    asyncio.run(scenario())
    own = [r for r in caplog.records if not r.name.startswith("websockets")]
    assert sum("sent its token in the address" in r.getMessage() for r in own) == 1
    assert not any("very-secret-token" in r.getMessage() for r in own)


def test_a_number_beyond_all_reason_is_an_error_and_the_connection_stays(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        async with serving(runtime) as server, connected(server) as client:
            await client.send(type="subscribe", topics=["aircraft"], bbox=[10**400, 0, 1, 1])
            assert (await client.until("error"))["code"] == "validation_failed"
            assert (await client.subscribe("aircraft"))["joined"] == ["aircraft"]

    asyncio.run(scenario())


def test_who_comes_without_websocket_is_told_what_is_needed(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        async with serving(runtime) as server, httpx.AsyncClient() as client:
            answer = await client.get(f"http://127.0.0.1:{server.port}/ws", timeout=PATIENCE_S)
            assert (answer.status_code, answer.headers["upgrade"]) == (426, "websocket")
            assert "WebSocket" in answer.text

    asyncio.run(scenario())


def test_messagepack_is_spoken_where_it_was_agreed(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        publish_sky(runtime, Skies().next({"3c6444": FRENCH}))
        async with serving(runtime) as server:
            url = f"ws://127.0.0.1:{server.port}{server.path}"
            names = [websockets.Subprotocol("skywatch.v1+msgpack"), websockets.Subprotocol("skywatch.v1")]
            async with websockets.connect(url, subprotocols=names, proxy=None) as socket:
                assert socket.subprotocol == "skywatch.v1+msgpack"

                async def ask(**message):
                    await socket.send(msgspec.msgpack.encode(message))
                    return msgspec.msgpack.decode(await asyncio.wait_for(socket.recv(), PATIENCE_S))

                assert (await ask(type="connect"))["type"] == "connected"
                wanted = {"type": "subscribe", "id": 1, "topics": ["aircraft"], "format": "columns"}
                assert (await ask(**wanted, fields=["lat"]))["type"] == "subscribed"
                full = msgspec.msgpack.decode(await asyncio.wait_for(socket.recv(), PATIENCE_S))
                assert (full["event"], full["data"]["rows"]) == ("aircraft:columns", [["3c6444", 48.8]])
                answer = await ask(type="request", id=2, method="snapshot", topic="aircraft")
                assert [one["hex"] for one in answer["data"]["aircraft"]] == ["3c6444"]
                assert (await ask(type="nonsense"))["type"] == "error"
                await socket.send('{"type": "ping"}')
                with pytest.raises(websockets.ConnectionClosed):
                    await asyncio.wait_for(socket.recv(), PATIENCE_S)
                assert socket.close_code == 1003

    asyncio.run(scenario())


def test_columns_are_rows_in_the_order_asked_for(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        skies = Skies()
        publish_sky(runtime, skies.next({"4b1620": SWISS | {"military": True}, "3c6444": FRENCH}))
        async with serving(runtime) as server, connected(server) as client:
            wanted = {"type": "subscribe", "id": 1, "topics": ["aircraft"], "format": "columns"}
            await client.send(**wanted | {"topics": ["aircraft", "system"]})
            refused = await client.receive()
            assert (refused["type"], refused["code"]) == ("error", "validation_failed")
            await client.send(**wanted | {"fields": ["lat", "flags", "r"]})
            assert (await client.receive())["type"] == "subscribed"
            full = await client.receive()
            assert full["event"] == "aircraft:columns"
            assert full["data"] | {"now": 0} == {
                "full": True,
                "fields": ["hex", "lat", "flags", "r"],
                "rows": [["4b1620", 46.9, 66, None], ["3c6444", 48.8, 64, None]],
                "removed": [],
                "hidden": 0,
                "now": 0,
            }
            publish_sky(runtime, skies.next({"4b1620": SWISS | {"military": True, "lat": 46.91}}))
            change = (await client.receive())["data"]
            assert (change["full"], change["removed"]) == (False, ["3c6444"])
            assert [row[:2] for row in change["rows"]] == [["4b1620", 46.91]]
            # The last subscription of a topic replaces its form.
            await client.subscribe("aircraft")
            assert (await client.receive())["event"] == "aircraft:snapshot"

    asyncio.run(scenario())

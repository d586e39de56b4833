"""Rights while connected: what is taken away ends, what is given begins, and tokens are renewed in place."""

from __future__ import annotations

import asyncio
import time

import pytest
import websockets

from skywatch.core.bus import Audience, Message
from skywatch.realtime.subscribers import register
from skywatch.realtime.wire.limits import Limits
from skywatch.security.contexts import FeatureAccess
from tests.asyncapi import example
from tests.realtime import FakeAccounts, Skies, connected, publish_sky, serving
from tests.waiting import eventually

# The contract allows five seconds, and one for an ended login.
REVOKED_WITHIN_S = 1.0
SWISS = {"lat": 46.9, "lon": 7.4}


def test_an_ended_login_is_closed_within_a_second(make_runtime):
    async def scenario():
        accounts = FakeAccounts()
        accounts.add("token", "viewer", 1)
        async with (
            serving(make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid"), accounts) as server,
            connected(server, "token") as client,
        ):
            await client.subscribe("safety")
            accounts.ended.add(1)
            assert (await client.until("error"))["code"] == "token_revoked"
            assert await client.closed() == (4001, "Authentication failed")
            # How soon that was depends on the machine; it is tested elsewhere.
            assert register.REVIEW_EVERY_S < REVOKED_WITHIN_S

    asyncio.run(scenario())


def test_an_announced_change_of_accounts_is_looked_at_at_once(make_runtime, monkeypatch):
    # Nothing but the announcement brings it.
    monkeypatch.setattr(register, "REVIEW_EVERY_S", 3600.0)

    async def scenario():
        accounts = FakeAccounts()
        accounts.add("token", "viewer", 1)
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts) as server, connected(server, "token") as client:
            accounts.ended.add(1)
            runtime.bus.publish(Message("accounts", "changed", b"{}"))
            assert (await client.closed())[0] == 4001

    asyncio.run(scenario())


def test_a_withdrawn_role_and_a_disabled_feature_end_subscriptions(make_runtime):
    async def scenario():
        accounts = FakeAccounts()
        accounts.add("token", "analyst", 1)
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        skies = Skies()
        aircraft = {"4b1620": SWISS | {"r": "HB-IJS"}, "3f1234": SWISS | {"military": True}}
        publish_sky(runtime, skies.next(aircraft))
        async with serving(runtime, accounts) as server, connected(server, "token") as client:
            await client.subscribe("aircraft", "military", "safety")
            for _ in range(2):
                await client.until("event")
            accounts.add("token", "viewer", 1)
            lost = await client.until("unsubscribed")
            assert (lost["topics"], lost["remaining"]) == (["military"], ["aircraft", "safety"])
            # What they may still see is sent again, without what they may not.
            snapshot = await client.until("event")
            assert (snapshot["topic"], snapshot["event"]) == ("aircraft", "aircraft:snapshot")
            assert [(a["hex"], a.get("r")) for a in snapshot["data"]["aircraft"]] == [("4b1620", None)]
            accounts.access["safety"] = FeatureAccess("authenticated", "permission", False)
            assert (await client.until("unsubscribed"))["remaining"] == ["aircraft"]
            assert (await client.subscribe("safety"))["denied"] == ["safety"]
            publish_sky(runtime, skies.next(aircraft | {"3f1234": SWISS | {"military": True, "alt_geom": 1}}))
            update = await client.until("event", event="aircraft:update")
            assert update["data"]["aircraft"] == []

    asyncio.run(scenario())


def test_one_who_loses_everything_is_closed_with_4003(make_runtime):
    async def scenario():
        accounts = FakeAccounts()
        accounts.add("token", "viewer", 1, scopes=["safety"])
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts) as server, connected(server, "token") as client:
            await client.subscribe("safety")
            accounts.access["safety"] = FeatureAccess("authenticated", "permission", False)
            assert (await client.closed())[0] == 4003

    asyncio.run(scenario())


def test_a_token_is_renewed_in_place(make_runtime):
    async def scenario():
        accounts = FakeAccounts()
        accounts.add("old", "viewer", 1, expires_at=time.time() + 60)
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        async with serving(runtime, accounts) as server, connected(server, "old") as client:
            await client.subscribe("safety")
            accounts.add("new", "operator", 1, expires_at=time.time() + 3600)
            accounts.add("other", "viewer", 2)
            await client.send(type="refresh", id="a", auth={"token": "other"})
            refused = await client.receive()
            assert (refused["type"], refused["id"], refused["code"]) == ("error", "a", "permission_denied")
            await client.send(type="refresh", auth={"token": "new"})
            answer = await client.receive()
            assert (answer["type"], answer["user"]["id"]) == ("refreshed", 1)
            runtime.bus.publish(Message("safety", "safety:event", example("safety:event", id=1)))
            assert (await client.receive())["data"]["id"] == 1

    asyncio.run(scenario())


def test_events_of_cannonball_need_cannonball_too(make_runtime):
    async def scenario():
        accounts = FakeAccounts()
        accounts.add("login", "viewer", 1)
        accounts.add("key", "viewer", 1, scopes=["alerts"])
        accounts.add("device", "viewer", 1, scopes=["alerts", "cannonball"])
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        mine = Audience(frozenset({1}), "cannonball.manage")
        async with (
            serving(runtime, accounts) as server,
            connected(server, "login") as login,
            connected(server, "key") as key,
            connected(server, "device") as device,
        ):
            await login.subscribe("alerts")
            await device.subscribe("alerts")
            await key.subscribe("alerts")
            runtime.bus.publish(Message("alerts", "cannonball:alert", example("cannonball:alert", id=1), mine))
            runtime.bus.publish(
                Message("alerts", "alert:triggered", example("alert:triggered", id=2), Audience(frozenset({1})))
            )
            assert [(await login.receive())["event"] for _ in range(2)] == ["cannonball:alert", "alert:triggered"]
            heard = await key.receive()
            assert (heard["event"], heard["seq"]) == ("alert:triggered", 1)
            assert (await device.receive())["event"] == "cannonball:alert"

    asyncio.run(scenario())


def test_connections_of_a_user_and_of_an_address_are_limited(make_runtime):
    async def scenario():
        accounts = FakeAccounts()
        accounts.add("token", "viewer", 1)
        runtime = make_runtime(
            realtime_listen="127.0.0.1:0",
            auth_mode="hybrid",
            realtime_connections_per_user=2,
            realtime_connections_per_address=4,
        )
        async with (
            serving(runtime, accounts) as server,
            connected(server, "token"),
            connected(server, "token") as second,
        ):
            async with connected(server, "token", greet=False) as third:
                await third.send(type="connect", auth={"token": "token"})
                assert (await third.receive())["message"] == "Too many connections"
                assert (await third.closed())[0] == 4029
            await second.socket.close()
            await eventually(lambda: len(server.hub.sessions) == 1)
            async with connected(server, "token"), connected(server, greet=False), connected(server, greet=False):
                with pytest.raises((OSError, websockets.InvalidMessage)):
                    async with connected(server, greet=False):
                        pass

    asyncio.run(scenario())


def test_one_who_does_not_say_who_they_are_is_sent_away(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        limits = Limits(100, 65536, 20, 256, 1 << 20, connect_s=1.0)
        async with serving(runtime, limits=limits) as server, connected(server, greet=False) as client:
            assert (await client.closed())[0] == 4001

    asyncio.run(scenario())

"""The channel with the real accounts behind it: logout, a withdrawn role, a revoked key, a switched-off feature."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from webtest import TestApp

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.core.runtime import Runtime
from tests.accounts import PASSWORD, Population
from tests.app_templates import make_app
from tests.realtime import Client, connected, serving

ADDRESS = {"REMOTE_ADDR": "127.0.0.1"}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


class House:
    """The REST API of a runtime and two people in it."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.people = Population(runtime)
        self.ann = self.people.user("ann", "analyst")
        self.root = self.people.user("root", "superadmin")
        self.api = TestApp(make_app(runtime), extra_environ=ADDRESS)

    def login(self, name: str) -> dict[str, str]:
        answer = self.api.post_json("/api/v1/auth/login", {"username": name, "password": PASSWORD})
        return {"access": answer.json["access"], "refresh": answer.json["refresh"]}


@pytest.fixture
def house(make_runtime: Callable[..., Runtime]) -> House:
    return House(make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid"))


def test_a_logout_ends_the_connection(house):
    async def scenario():
        tokens = house.login("ann")
        async with (
            serving(house.runtime, Authenticator(house.runtime)) as server,
            connected(server, tokens["access"]) as client,
        ):
            await client.subscribe("aircraft", "military")
            headers = bearer(tokens["access"])
            body = {"refresh": tokens["refresh"]}
            await asyncio.to_thread(house.api.post_json, "/api/v1/auth/logout", body, headers=headers)
            assert await client.closed() == (4001, "Authentication failed")
            async with connected(server, greet=False) as again:
                await again.send(type="connect", auth={"token": tokens["access"]})
                assert (await again.closed())[0] == 4001

    asyncio.run(scenario())


def test_a_withdrawn_role_and_a_disabled_feature_end_subscriptions(house):
    async def scenario():
        tokens, admin = house.login("ann"), bearer(house.login("root")["access"])

        def change(method: str, path: str, body: dict[str, Any]) -> None:
            getattr(house.api, f"{method}_json")(path, body, headers=admin)

        async with (
            serving(house.runtime, Authenticator(house.runtime)) as server,
            connected(server, tokens["access"]) as client,
        ):
            await client.subscribe("aircraft", "military", "safety")
            await asyncio.to_thread(change, "patch", f"/api/v1/users/{house.ann}", {"roles": ["viewer"]})
            lost = await client.until("unsubscribed")
            assert (lost["topics"], lost["remaining"]) == (["military"], ["aircraft", "safety"])
            await asyncio.to_thread(change, "patch", "/api/v1/feature-access/safety", {"is_enabled": False})
            lost = await client.until("unsubscribed")
            assert (lost["topics"], lost["remaining"]) == (["safety"], ["aircraft"])

    asyncio.run(scenario())


def test_an_api_key_hears_its_scopes_until_it_is_revoked(house):
    async def scenario():
        headers = bearer(house.login("ann")["access"])
        body = {"name": "radio", "scopes": ["safety", "acars"]}
        created = house.api.post_json("/api/v1/api-keys", body, headers=headers).json
        async with serving(house.runtime, Authenticator(house.runtime)) as server:
            client: Client
            async with connected(server, created["key"]) as client:
                answer = await client.subscribe("aircraft", "military", "safety", "acars", "system")
                assert answer["joined"] == ["safety", "acars"]
                await asyncio.to_thread(house.api.delete, f"/api/v1/api-keys/{created['id']}", headers=headers)
                assert (await client.closed())[0] == 4001

    asyncio.run(scenario())

"""The access cookie as a credential of the channel: for pages of the service, never for those of another site."""

from __future__ import annotations

import asyncio

import pytest
from webtest import TestApp

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.security.contexts import FeatureAccess
from tests.accounts import PASSWORD, Population
from tests.app_templates import make_app
from tests.realtime import FakeAccounts, connected, serving
from tests.waiting import PATIENCE_S

OWN = "http://127.0.0.1:6543"
LISTED = "https://map.example"
FOREIGN = "https://evil.example"
COOKIE_MODE = {
    "realtime_listen": "127.0.0.1:0",
    "auth_mode": "hybrid",
    "jwt_auth_cookie": True,
    "cors_allowed_origins": LISTED,
    "cors_allow_credentials": True,
}


def accounts() -> FakeAccounts:
    found = FakeAccounts()
    found.add("ann", "viewer", 1)
    found.add("bob", "viewer", 2)
    found.access["aircraft"] = FeatureAccess("public", "permission")
    return found


def come(make_runtime, cookie, origin, settings=None, **message):
    """What a page with this cookie and origin is answered when it connects."""

    async def scenario():
        runtime = make_runtime(**(settings or COOKIE_MODE))
        async with (
            serving(runtime, accounts()) as server,
            connected(server, greet=False, origin=origin, additional_headers={"Cookie": cookie}) as client,
        ):
            await client.send(type="connect", **message)
            answer = await client.receive()
            return (answer.get("user") or {}).get("id"), answer.get("message")

    return asyncio.run(scenario())


@pytest.mark.parametrize("origin", [OWN, LISTED])
def test_a_page_of_the_service_comes_by_its_cookie(make_runtime, origin):
    assert come(make_runtime, "theme=dark; skywatch_access=ann", origin) == (1, None)


@pytest.mark.parametrize("origin", [FOREIGN, "null", "http://127.0.0.1.evil.example:6543"])
def test_a_foreign_page_gets_nothing_by_the_cookie(make_runtime, origin):
    async def scenario():
        options = {"origin": origin, "additional_headers": {"Cookie": "skywatch_access=ann"}}
        async with (
            serving(make_runtime(**COOKIE_MODE), accounts()) as server,
            connected(server, greet=False, **options) as client,
        ):
            assert (await client.receive())["message"] == "Permission denied"
            assert (await client.closed())[0] == 4003

    asyncio.run(scenario())


def test_without_an_origin_the_cookie_is_no_credential(make_runtime):
    assert come(make_runtime, "skywatch_access=ann", None) == (None, None)
    assert come(make_runtime, "skywatch_access=ann", None, COOKIE_MODE | {"auth_mode": "private"}) == (
        None,
        "Authentication failed",
    )


def test_a_public_address_is_the_only_own_origin(make_runtime):
    settings = COOKIE_MODE | {"base_url": "https://sky.example"}
    assert come(make_runtime, "skywatch_access=ann", "https://sky.example", settings) == (1, None)
    # Plain http of the same host may have been written by anybody on the way; it may connect, but not as the user.
    assert come(make_runtime, "skywatch_access=ann", OWN, settings) == (None, None)


def test_listed_pages_may_use_cookies_only_where_the_settings_say_so(make_runtime):
    """A browser would not show them what the REST API answers either."""
    settings = COOKIE_MODE | {"cors_allow_credentials": False}
    assert come(make_runtime, "skywatch_access=ann", LISTED, settings) == (None, None)
    assert come(make_runtime, "skywatch_access=ann", OWN, settings) == (1, None)


def test_a_token_wins_over_the_cookie(make_runtime):
    assert come(make_runtime, "skywatch_access=ann", OWN, auth={"token": "bob"}) == (2, None)
    assert come(make_runtime, "skywatch_access=old", OWN, auth={"token": "bob"}) == (2, None)


def test_a_wrong_cookie_is_a_wrong_credential(make_runtime):
    assert come(make_runtime, "skywatch_access=old", OWN) == (None, "Authentication failed")


@pytest.mark.parametrize(
    "cookie",
    ["skywatch_access=", "skywatch_access", "=;;=,", 'a=\xe4; b="', "x" * 8000],
    ids=["empty", "no value", "signs", "not ASCII", "long"],
)
def test_a_cookie_that_says_nothing_is_no_cookie(make_runtime, cookie):
    assert come(make_runtime, cookie, OWN) == (None, None)


def test_where_the_settings_do_not_want_cookies_there_are_none(make_runtime):
    assert come(make_runtime, "skywatch_access=ann", OWN, COOKIE_MODE | {"jwt_auth_cookie": False}) == (None, None)


def test_a_socket_io_page_comes_by_its_cookie_too(make_runtime):
    async def scenario():
        async with (
            serving(make_runtime(**COOKIE_MODE), accounts()) as server,
            connected(
                server,
                greet=False,
                path="/socket.io/?EIO=4&transport=websocket",
                origin=OWN,
                additional_headers={"Cookie": "skywatch_access=ann"},
            ) as client,
        ):
            await client.socket.send("40")
            said = [await asyncio.wait_for(client.socket.recv(), PATIENCE_S) for _ in range(3)]
            assert [packet[:2] for packet in said] == ["0{", "40", "42"]
            assert '"user":{"id":1,' in said[2]

    asyncio.run(scenario())


def test_a_cookie_alone_does_not_connect(make_runtime):
    """The client speaks first: it may want to bring a token."""

    async def scenario():
        async with (
            serving(make_runtime(**COOKIE_MODE), accounts()) as server,
            connected(server, greet=False, origin=OWN, additional_headers={"Cookie": "skywatch_access=ann"}) as client,
        ):
            await client.send(type="ping")
            assert (await client.receive())["code"] == "authentication_required"

    asyncio.run(scenario())


def test_the_cookie_of_a_login_opens_the_channel_until_the_logout(make_runtime):
    async def scenario():
        runtime = make_runtime(**COOKIE_MODE)
        Population(runtime).user("ann", "viewer")
        api = TestApp(make_app(runtime), extra_environ={"REMOTE_ADDR": "127.0.0.1"})
        login = {"username": "ann", "password": PASSWORD}
        answer = await asyncio.to_thread(api.post_json, "/api/v1/auth/login", login)
        bearer = {"Authorization": f"Bearer {answer.json['access']}"}
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in api.cookiejar)
        options = {"origin": OWN, "additional_headers": {"Cookie": cookies}}
        async with (
            serving(runtime, Authenticator(runtime)) as server,
            connected(server, **options) as client,
        ):
            assert (await client.subscribe("alerts"))["joined"] == ["alerts"]
            await asyncio.to_thread(api.post_json, "/api/v1/auth/logout", {}, headers=bearer)
            assert (await client.closed())[0] == 4001

    asyncio.run(scenario())

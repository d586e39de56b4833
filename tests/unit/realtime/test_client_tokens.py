"""Where the client's tokens come from: login, renewal in time, rotation of the refresh token, and its end."""

from __future__ import annotations

import asyncio
import json
import time

import httpx
import jwt
import pytest

from skywatch.client import AircraftList, LoginTokens
from skywatch.client.picture import OutOfStep
from skywatch.client.tokens import LoginFailed, expiry_of


class Service:
    """The two calls of the API that the client uses."""

    def __init__(self, lifetime_s: float) -> None:
        self.lifetime_s = lifetime_s
        self.calls: list[tuple[str, dict[str, str]]] = []
        self.refreshable = True

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        self.calls.append((request.url.path.rpartition("/")[2], body))
        good = body.get("password") == "right" or (self.refreshable and "refresh" in body)
        if not good:
            return httpx.Response(401, json={"detail": "Wrong username or password."})
        number = len(self.calls)
        access = jwt.encode({"exp": time.time() + self.lifetime_s, "n": number}, "k" * 32)
        return httpx.Response(200, json={"access": access, "refresh": f"refresh{number}"})

    def tokens(self, password: str = "right") -> LoginTokens:
        http = httpx.AsyncClient(transport=httpx.MockTransport(self))
        return LoginTokens("http://sky", "ann", password, http=http)


def test_a_token_is_used_until_thirty_seconds_before_its_end():
    async def scenario():
        service = Service(lifetime_s=3600)
        tokens = service.tokens()
        first = await tokens.token()
        assert await tokens.token() == first
        assert [call for call, _ in service.calls] == ["login"]
        renew_at = tokens.renew_at()
        assert renew_at is not None
        assert expiry_of(str(first)) - renew_at == pytest.approx(30)

    asyncio.run(scenario())


def test_each_refresh_token_is_used_once_and_the_password_when_it_is_refused():
    async def scenario():
        service = Service(lifetime_s=20)  # Always within thirty seconds of its end.
        tokens = service.tokens()
        for _ in range(3):
            await tokens.token()
        service.refreshable = False
        await tokens.token()
        assert [call for call, _ in service.calls] == ["login", "refresh", "refresh", "refresh", "login"]
        used = [body["refresh"] for call, body in service.calls if call == "refresh"]
        assert used == ["refresh1", "refresh2", "refresh3"]

    asyncio.run(scenario())


def test_a_wrong_password_is_said_in_the_services_words():
    with pytest.raises(LoginFailed, match="Wrong username or password"):
        asyncio.run(Service(60).tokens("wrong").token())


@pytest.mark.parametrize("token", ["", "a.b", "a.e30.c", "a.!!!.c", "a.W10.c"])
def test_what_is_no_token_has_no_end(token):
    with pytest.raises(ValueError, match="not a JSON web token"):
        expiry_of(token)


def test_a_list_does_not_take_an_update_that_does_not_follow():
    held = AircraftList()
    held.apply("aircraft:snapshot", "e", 3, {"aircraft": [{"hex": "a"}], "count": 1, "now": 1.0})
    held.apply("aircraft:update", "e", 4, {"aircraft": [], "removed": ["a"], "since": 3, "now": 2.0})
    assert held.aircraft == {}
    for epoch, since in (("e", 3), ("f", 4)):
        with pytest.raises(OutOfStep):
            held.apply("aircraft:update", epoch, 6, {"aircraft": [], "removed": [], "since": since, "now": 3.0})

"""When a client of the channel shows a new token."""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64encode

import httpx
import msgspec

from skywatch.client import channel
from skywatch.client.channel import Client
from skywatch.client.tokens import LoginTokens

HOUR_S = 3600.0
ACCESS = "x." + urlsafe_b64encode(b'{"exp": 4000000000}').decode() + ".x"


class Hourly:
    """Tokens of an hour each, by a clock that only waiting moves on; each token is asked for once."""

    is_given = True

    def __init__(self):
        self.now = 0.0
        self.asked_at = [0.0]

    def time(self):
        return self.now

    async def sleep(self, seconds):
        self.now += seconds

    def renew_at(self):
        return self.asked_at[-1] + HOUR_S - 60 if len(self.asked_at) < 4 else None

    async def token(self):
        self.asked_at.append(self.now)
        return f"token {len(self.asked_at)}"


class Socket:
    def __init__(self):
        self.sent = []

    async def send(self, text):
        self.sent.append(msgspec.json.decode(text))


def test_a_token_of_an_hour_is_renewed_once_an_hour(monkeypatch):
    tokens, socket = Hourly(), Socket()
    monkeypatch.setattr(channel, "time", tokens)
    monkeypatch.setattr(channel.asyncio, "sleep", tokens.sleep)
    client = Client("ws://sky.example/ws", ["aircraft"], tokens=tokens)
    asyncio.run(client._renew(socket))
    assert tokens.asked_at == [0.0, 3540.0, 7080.0, 10620.0]
    assert [message["auth"]["token"] for message in socket.sent] == ["token 2", "token 3", "token 4"]


def test_an_address_may_end_with_a_slash():
    asked = []

    def answer(request):
        asked.append(str(request.url))
        return httpx.Response(200, json={"access": ACCESS, "refresh": "next"})

    async def log_in():
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
            tokens = LoginTokens("https://sky.example.org/", "ada", "a quiet night", http=http)
            assert await tokens.token() == ACCESS

    asyncio.run(log_in())
    assert asked == ["https://sky.example.org/api/v1/auth/login"]

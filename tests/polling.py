"""A client of Engine.IO's HTTP long polling, request by request, and a server for it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from skywatch.realtime.server import RealtimeServer
from skywatch.realtime.wire.limits import Limits
from tests.asyncapi import SOCKET_IO, judge
from tests.realtime import serving
from tests.socket_io import accounts
from tests.waiting import PATIENCE_S

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

    async def handshake(self) -> Poller:
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
                if packet.startswith("42"):
                    event, data = json.loads(packet[2:])
                    judge(SOCKET_IO, event, data)
                    if event == name:
                        return data
            answer = await self.get()
            assert answer.status_code == 200, answer.text
            self._unread += answer.text.split(SEPARATOR)

    async def enter(self, *topics: str) -> Poller:
        await self.handshake()
        await self.post("40" + json.dumps({"token": "viewer"}), "42" + json.dumps(["subscribe", {"topics": topics}]))
        return self


@asynccontextmanager
async def polling(server: RealtimeServer, **options: Any) -> AsyncIterator[Poller]:
    base = f"http://127.0.0.1:{server.port}"
    async with httpx.AsyncClient(base_url=base, timeout=PATIENCE_S, trust_env=False, **options) as http:
        yield Poller(http)


def run(make_runtime: Any, scenario: Any, limits: Limits | None = None, **settings: Any) -> None:
    """Runs ``scenario(server, runtime)`` with a server."""

    async def go() -> None:
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid", **settings)
        async with serving(runtime, accounts(), limits) as server:
            await scenario(server, runtime)

    asyncio.run(go())


def upgrade_url(server: RealtimeServer, sid: str) -> str:
    return f"ws://127.0.0.1:{server.port}/socket.io/?EIO=4&transport=websocket&sid={sid}"

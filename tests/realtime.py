"""A real-time server for tests: real sockets, skies made by hand, and accounts that a test changes at will."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import numpy as np
import websockets

from skywatch.core.bus import Message
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.picture.state.sky import COLUMNS, Sky, to_bytes
from skywatch.realtime.server import RealtimeServer
from skywatch.realtime.wire.limits import Limits
from skywatch.security.contexts import FeatureAccess, default_access
from skywatch.security.identity import Identity
from skywatch.security.permissions import default_permissions
from tests.asyncapi import judge_native
from tests.waiting import PATIENCE_S


@dataclass
class FakeAccounts:
    """Credentials by name; a test adds, changes and takes away."""

    identities: dict[str, Identity] = field(default_factory=dict)
    access: dict[str, FeatureAccess] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)

    def add(self, token: str, role: str, user_id: int = 1, scopes: Iterable[str] | None = None, **changes: Any) -> None:
        """A caller with a default role; ``scopes`` makes it an API key."""
        permissions = default_permissions(role)
        identity = Identity(
            user_id,
            f"user{user_id}",
            "jwt" if scopes is None else "api_key",
            permissions,
            frozenset({role}),
            scopes=None if scopes is None else frozenset(scopes),
        )
        self.identities[token] = replace(identity, **changes)

    def identify(self, credential: str) -> Identity:
        try:
            identity = self.identities[credential]
        except KeyError:
            raise Problem("token_invalid") from None
        if identity.user_id in self.ended:
            raise Problem("token_revoked")
        return identity

    def still_valid(self, identity: Identity) -> Problem | Identity:
        if identity.user_id in self.ended:
            return Problem("token_revoked")
        same = [i for i in self.identities.values() if (i.user_id, i.scopes) == (identity.user_id, identity.scopes)]
        return same[-1] if same else Problem("token_revoked")

    def feature_access(self, feature: str) -> FeatureAccess:
        return self.access.get(feature, default_access(feature))


class Skies:
    """Successive skies of a picture: a test says where the aircraft are, the rest follows."""

    def __init__(self, epoch: str = "start", seq: int = 0) -> None:
        self.epoch = epoch
        self.last: Sky | None = None
        self._seq = seq
        self._shown: dict[str, tuple[Any, ...]] = {}

    def next(self, aircraft: dict[str, dict[str, Any]], seq: int | None = None) -> Sky:
        """The next tick. Each aircraft may have lat, lon, military, r (a detail) and alt."""
        self._seq = self._seq + 1 if seq is None else seq
        hexes = list(aircraft)
        columns = {name: np.zeros(len(hexes), dtype=dtype) for name, dtype in COLUMNS.items()}
        columns["lat"][:] = [a.get("lat", np.nan) for a in aircraft.values()]
        columns["lon"][:] = [a.get("lon", np.nan) for a in aircraft.values()]
        columns["military"][:] = [a.get("military", False) for a in aircraft.values()]
        before = self.last.index if self.last is not None else {}
        columns["previous_row"][:] = [before.get(address, -1) for address in hexes]
        shown = {address: tuple(sorted(a.items())) for address, a in aircraft.items()}
        columns["changed"][:] = [self._shown.get(address) != shown[address] for address in hexes]
        encoded = [
            msgspec.json.encode({"hex": h} | {k: v for k, v in a.items() if k != "r"} | {"seen": self._seq % 7})
            for h, a in aircraft.items()
        ]
        details = [b'"r":%b' % msgspec.json.encode(a["r"]) if "r" in a else b"" for a in aircraft.values()]
        left = tuple(address for address in before if address not in aircraft)
        now = 1_700_000_000.0 + self._seq
        self.last = Sky(self.epoch, self._seq, now, self._seq * 10, hexes, columns, encoded, details, left)
        self._shown = shown
        return self.last


def publish_sky(runtime: Runtime, sky: Sky) -> None:
    """As the tracker does it."""
    data = b"" if runtime.bus.carries_objects else to_bytes(sky)
    runtime.bus.publish(Message("picture", "tick", data, snapshot=True, local=sky))


@asynccontextmanager
async def serving(
    runtime: Runtime, accounts: FakeAccounts | Any = None, limits: Limits | None = None
) -> AsyncIterator[RealtimeServer]:
    """A server on a port of the system's choice."""
    server = RealtimeServer(runtime, accounts or FakeAccounts(), limits=limits)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


class Client:
    """A plain WebSocket client of the native protocol."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    async def send(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def receive(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE_S))
        judge_native(message)
        return message

    async def until(self, kind: str, **members: Any) -> dict[str, Any]:
        """The next message of a type (and with these members); what comes before is passed over."""
        for _ in itertools.repeat(None):
            message = await self.receive()
            if message["type"] == kind and all(message.get(k) == v for k, v in members.items()):
                return message
        raise AssertionError

    async def subscribe(self, *topics: str, **more: Any) -> dict[str, Any]:
        await self.send(type="subscribe", topics=list(topics), **more)
        return await self.until("subscribed")

    async def closed(self) -> tuple[int | None, str | None]:
        """The close code and reason (1006 where the connection was cut); what comes before is passed over."""
        try:
            while True:
                await self.receive()
        except websockets.ConnectionClosed:
            return self.socket.close_code, self.socket.close_reason


@asynccontextmanager
async def connected(
    server: RealtimeServer, token: str | None = None, *, greet: bool = True, path: str = "", **options: Any
) -> AsyncIterator[Client]:
    """A client that has been let in (or only opened the WebSocket, with ``greet=False``)."""
    url = f"ws://127.0.0.1:{server.port}{path or server.path}"
    async with websockets.connect(url, max_size=None, proxy=None, open_timeout=PATIENCE_S, **options) as socket:
        client = Client(socket)
        if greet:
            await client.send(type="connect", **({"auth": {"token": token}} if token is not None else {}))
            answer = await client.receive()
            assert answer["type"] == "connected", answer
        yield client

"""Tiles over real sockets: a list of squares in, frames of each square out, and who may not have them is told why."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import socketio
import websockets

from tests.realtime import FakeAccounts, Skies, connected, publish_sky, serving
from tests.waiting import PATIENCE_S

SWISS = {"lat": 46.9, "lon": 7.9}
NAMES = ["1:136:187", "1:136:188", "1:0:0"]
WANTED: dict[str, Any] = {"topics": ["aircraft"], "format": "tiles", "zoom": 9, "tiles": NAMES}


class Packed:
    """A client of MessagePack."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    async def receive(self) -> dict[str, Any]:
        return msgspec.msgpack.decode(await asyncio.wait_for(self.socket.recv(), PATIENCE_S))

    async def ask(self, **message: Any) -> dict[str, Any]:
        await self.socket.send(msgspec.msgpack.encode(message))
        return await self.receive()

    async def tiles(self, count: int) -> dict[str, tuple[bool, list[str], list[str]]]:
        """The next so many tiles: in full or not, the addresses in it and those that left."""
        came = {}
        for _ in range(count):
            event = await self.receive()
            assert event["event"] == "aircraft:tile"
            data = event["data"]
            came[data["tile"]] = (data["full"], [row[0] for row in data["rows"]], data["removed"])
        return came


@asynccontextmanager
async def packed(server: Any, token: str | None = None, **options: Any) -> Any:
    url = f"ws://127.0.0.1:{server.port}{server.path}"
    names = [websockets.Subprotocol("skywatch.v1+msgpack")]
    async with websockets.connect(url, subprotocols=names, proxy=None, **options) as socket:
        client = Packed(socket)
        assert (await client.ask(type="connect", auth={"token": token} if token else None))["type"] == "connected"
        yield client


def test_a_subscriber_reads_its_tiles_and_changes_them(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0", realtime_compression="true")
        skies = Skies()
        many = {f"a{i:05x}": {"lat": 46.1 + i / 1000, "lon": 7.1} for i in range(200)}
        publish_sky(runtime, skies.next({"4b1620": SWISS} | many))
        async with (
            serving(runtime) as server,
            packed(server, compression="deflate") as client,
            packed(server, compression=None) as plain,
        ):
            for one in (client, plain):
                answer = await one.ask(type="subscribe", id=1, **WANTED)
                assert answer == {
                    "type": "subscribed", "id": 1, "topics": ["aircraft"], "joined": ["aircraft"], "denied": [],
                }  # fmt: skip
                came = await one.tiles(3)
                assert came["1:136:187"] == (True, ["4b1620", *many], [])
                assert (came["1:136:188"], came["1:0:0"]) == ((True, [], []), (True, [], []))
            publish_sky(runtime, skies.next({"4b1620": SWISS | {"lon": 8.1}} | many))
            for one in (client, plain):
                assert await one.tiles(2) == {
                    "1:136:187": (False, [], ["4b1620"]), "1:136:188": (False, ["4b1620"], []),
                }  # fmt: skip
            # Refusals leave what is subscribed as it is.
            for wrong, detail in (
                ({"tiles": ["1:180:0"]}, "outside the world"),
                ({"tiles": ["1:0:0"] * 401}, "not 401"),
                ({"zoom": 7}, "does not fit the zoom"),
                ({"topics": ["aircraft", "safety"]}, "is for the aircraft topics"),
            ):
                refused = await client.ask(type="subscribe", id=2, **(WANTED | wrong))
                assert (refused["type"], refused["code"], refused["id"]) == ("error", "validation_failed", 2)
                assert detail in refused["detail"]
            publish_sky(runtime, skies.next({"4b1620": SWISS | {"lon": 8.2}} | many))
            assert await client.tiles(1) == {"1:136:188": (False, ["4b1620"], [])}
            # The list is changed by a new one, also to another size, and begins in full.
            await client.ask(type="subscribe", **(WANTED | {"zoom": 3, "tiles": ["5:27:37"]}))
            assert set((await client.tiles(1))["5:27:37"][1]) == {"4b1620", *many}
            publish_sky(runtime, skies.next(many))
            assert await client.tiles(1) == {"5:27:37": (False, [], ["4b1620"])}
            # The last subscription of a topic replaces its form, and no tile comes after its end.
            await client.ask(type="subscribe", topics=["aircraft"])
            assert (await client.receive())["event"] == "aircraft:snapshot"
            await client.ask(type="subscribe", **WANTED)
            await client.tiles(3)
            assert (await client.ask(type="unsubscribe", topics=["aircraft"]))["remaining"] == []
            publish_sky(runtime, skies.next({"4b1620": SWISS}))
            assert (await client.ask(type="ping"))["type"] == "pong"

    asyncio.run(scenario())


def test_tiles_are_for_messagepack_alone(make_runtime):
    async def scenario():
        runtime = make_runtime(realtime_listen="127.0.0.1:0")
        publish_sky(runtime, Skies().next({"4b1620": SWISS}))
        async with serving(runtime) as server, connected(server) as client:
            await client.send(type="subscribe", id="a", **WANTED)
            refused = await client.receive()
            assert refused == {
                "type": "error", "id": "a", "code": "validation_failed",
                "detail": 'The format "tiles" needs MessagePack: the subprotocol skywatch.v1+msgpack.',
                "detail_code": "realtime.tiles_binary", "detail_params": {},
            }  # fmt: skip
            async with socketio.AsyncSimpleClient() as other:
                await other.connect(f"http://127.0.0.1:{server.port}", transports=["websocket"])
                await other.emit("subscribe", WANTED)
                event, data = await other.receive(PATIENCE_S)
                while event != "error":
                    event, data = await other.receive(PATIENCE_S)
                assert data["code"] == "validation_failed"

    asyncio.run(scenario())


def test_rights_decide_what_tiles_show_also_while_connected(make_runtime):
    async def scenario():
        accounts = FakeAccounts()
        accounts.add("ann", "analyst", 1)
        accounts.add("bob", "viewer", 2)
        runtime = make_runtime(realtime_listen="127.0.0.1:0", auth_mode="hybrid")
        skies = Skies()
        sky = {"4b1620": SWISS, "3f1234": SWISS | {"military": True}}
        publish_sky(runtime, skies.next(sky))
        wanted = WANTED | {"tiles": ["1:136:187"]}
        async with serving(runtime, accounts) as server, packed(server, "ann") as ann, packed(server, "bob") as bob:
            await ann.ask(type="subscribe", **(wanted | {"topics": ["aircraft", "military"]}))
            assert (await ann.receive())["data"]["rows"][1][0] == "3f1234"
            military = await ann.receive()
            assert (military["topic"], [row[0] for row in military["data"]["rows"]]) == ("military", ["3f1234"])
            denied = await bob.ask(type="subscribe", **(wanted | {"topics": ["aircraft", "military"]}))
            assert (denied["joined"], denied["denied"]) == (["aircraft"], ["military"])
            assert await bob.tiles(1) == {"1:136:187": (True, ["4b1620"], [])}
            accounts.add("ann", "viewer", 1)
            lost = await ann.receive()
            assert (lost["type"], lost["topics"]) == ("unsubscribed", ["military"])
            assert await ann.tiles(1) == {"1:136:187": (True, ["4b1620"], [])}
            publish_sky(runtime, skies.next({"3f1234": SWISS | {"military": True, "lat": 46.8}}))
            for one in (ann, bob):
                assert await one.tiles(1) == {"1:136:187": (False, [], ["4b1620"])}
            accounts.ended.add(1)
            assert (await ann.receive())["code"] == "token_revoked"

    asyncio.run(scenario())

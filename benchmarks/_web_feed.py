"""A channel that sends an hour of pictures in a minute, to see what the web application keeps of them."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

FIELDS = ["hex", "lat", "lon", "track", "gs", "alt_baro", "flags", "category", "flight", "t"]
# Of so many aircraft one leaves and another comes with each picture, as in a sky where everybody passes in ten minutes.
PASSES_TICKS = 600


@dataclass
class Feed:
    """What has been sent; ``go`` lets the pictures come."""

    aircraft: int
    pictures: int
    every_s: float
    port: int = 0
    sent: int = 0
    go: threading.Event = field(default_factory=threading.Event)

    def picture(self, tick: int) -> dict[str, Any]:
        """The picture of a second: everybody moves, some leave and others come."""
        born = tick * self.aircraft // PASSES_TICKS
        before = max(0, tick - 1) * self.aircraft // PASSES_TICKS
        rows = [self._row(number, tick) for number in range(born, born + self.aircraft)]
        removed = [f"{number:06x}" for number in range(before, born)] if tick else []
        return {
            "full": tick == 0, "fields": FIELDS, "rows": rows, "removed": removed, "hidden": 0, "now": 1.79e9 + tick,
        }  # fmt: skip

    @staticmethod
    def _row(number: int, tick: int) -> list[Any]:
        lat = 45 + (number * 0.7919 + tick * 0.0011) % 5
        lon = 4 + (number * 1.3331 + tick * 0.0017) % 9
        flight = f"SWR{number % 9000}"
        return [
            f"{number:06x}", round(lat, 4), round(lon, 4), number * 7 % 360, 430, number * 40 % 400 * 100, 0, "A3",
            flight, "A320",
        ]  # fmt: skip

    async def serve_one(self, connection: ServerConnection) -> None:
        """Answer as the service does, as far as the page asks."""
        await connection.recv()
        await connection.send(json.dumps({"type": "connected", "user": None, "topics": ["aircraft"]}))
        async for text in connection:
            message = json.loads(text)
            if message["type"] == "subscribe" and "aircraft" in message["topics"]:
                break
        await connection.send(json.dumps({"type": "subscribed", "topics": ["aircraft"], "joined": ["aircraft"]}))
        while self.sent < self.pictures:
            data = self.picture(self.sent)
            event = {"type": "event", "topic": "aircraft", "event": "aircraft:columns", "epoch": "1", "seq": self.sent}
            await connection.send(json.dumps({**event, "data": data}))
            self.sent += 1
            await asyncio.sleep(self.every_s if self.go.is_set() else 1.0)
        await connection.wait_closed()


@contextmanager
def feeding(aircraft: int, pictures: int, every_s: float) -> Iterator[Feed]:
    """A feed that listens until the end of the block."""
    feed, loop, ready = Feed(aircraft, pictures, every_s), asyncio.new_event_loop(), threading.Event()
    stop = asyncio.Event()

    async def run() -> None:
        async with serve(feed.serve_one, "127.0.0.1", 0, subprotocols=["skywatch.v1"]) as server:  # type: ignore[list-item]
            feed.port = next(iter(server.sockets)).getsockname()[1]
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield feed
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)

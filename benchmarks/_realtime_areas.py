"""Thousands of areas over a large sky, as tiles: from the tick to the subscribers, in one process and in two.

Two real-time processes follow a tracker of its own process over NATS, half of the subscribers each, so that what is
measured has the encoding of the changes and the way over the bus in it.
"""

from __future__ import annotations

import asyncio
import random
import struct
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

import msgspec

from benchmarks._swarm import Delays, Drain, Subscriber, connect_many, masked
from benchmarks.peers import realtime_servers as servers
from skywatch.realtime.topics.tile_grid import FINE
from tests.nats_server import OwnNats

AIRCRAFT, SUBSCRIBERS, DEGREES, SECONDS = 30_000, 5_000, 2.0, 20.0
# West, south, east and north of the prepared skies.
EUROPE = (-10.0, 36.0, 30.0, 60.0)
TIMED_EVERY = 25
# Skies that are prepared; they follow each other in a ring.
PREPARED = 12
_HEADERS = "Sec-WebSocket-Protocol: skywatch.v1+msgpack\r\n"
_NOW = b"\xa3now\xcb"


class TileDelays(Delays):
    """How long after its tick each tile was complete at its subscriber."""

    def __call__(self, subscriber: Subscriber, head: bytes) -> None:
        """Take a frame."""
        self._last = time.monotonic()
        at = head.find(_NOW)
        if self.recording and at >= 0 and b"aircraft:tile" in head:
            (now,) = struct.unpack_from(">d", head, at + len(_NOW))
            self.seconds.append(time.time() - now)


def _hello(chance: random.Random) -> list[bytes]:
    west = chance.uniform(EUROPE[0], EUROPE[2] - DEGREES)
    south = chance.uniform(EUROPE[1], EUROPE[3] - DEGREES)
    rows = range(int(south + 90), int(south + DEGREES + 90) + 1)
    columns = range(int(west + 180), int(west + DEGREES + 180) + 1)
    names = [FINE.name(row * FINE.columns + column) for row in rows for column in columns]
    subscribe = {"type": "subscribe", "topics": ["aircraft"], "format": "tiles", "zoom": 9, "tiles": names}
    return [masked(msgspec.msgpack.encode(message), 2) for message in ({"type": "connect"}, subscribe)]


def tracker(pipe: Pipe, aircraft: int, bus: str) -> None:
    """Publish a sky each second until the pipe ends; sends first that it is ready, then what each publishing took."""
    from skywatch.core.bus import open_bus
    from skywatch.picture.distribution.publisher import SkyPublisher

    prepared = servers.skies(aircraft, PREPARED)
    publisher = SkyPublisher(open_bus(bus))
    publisher.start()
    pipe.send(0)
    seq = 0
    while not pipe.poll(1.0):
        sky = prepared[seq % len(prepared)]
        seq += 1
        publisher.publish(replace(sky, seq=seq, now=time.time()))
    publisher.close()


def follower(pipe: Pipe, bus: str) -> None:
    """A real-time process that follows the picture on a bus; answers ``statistics``."""

    async def serve() -> None:
        async with servers.skywatch(bus) as (server, _):
            pipe.send(server.port)
            loop, ended = asyncio.get_running_loop(), asyncio.Event()

            def readable() -> None:
                try:
                    pipe.recv()
                    pipe.send({**server.statistics(), "cpu_s": time.process_time()})
                except (EOFError, OSError):
                    loop.remove_reader(pipe.fileno())
                    ended.set()

            loop.add_reader(pipe.fileno(), readable)
            await ended.wait()

    asyncio.run(serve())


@contextmanager
def _one() -> Iterator[list[tuple[int, Pipe]]]:
    with servers.running(servers.sky_server, AIRCRAFT, {}) as (port, _, pipe):
        yield [(port, pipe)]


@contextmanager
def _two() -> Iterator[list[tuple[int, Pipe]]]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        nats = OwnNats(Path(folder, "nats"))
        nats.start()
        stack.callback(nats.stop)
        bus = f"nats://127.0.0.1:{nats.port}"
        stack.enter_context(servers.running(tracker, AIRCRAFT, bus))
        started = [stack.enter_context(servers.running(follower, bus)) for _ in range(2)]
        yield [(port, pipe) for port, _, pipe in started]


async def _measure(processes: Sequence[tuple[int, Pipe]]) -> str:
    chance, delays = random.Random(5), TileDelays()
    swarm: list[Subscriber] = []
    for port, _ in processes:
        make: Any = lambda _: Subscriber("/ws", _hello(chance), delays, _HEADERS)  # noqa: E731
        swarm += await connect_many(port, SUBSCRIBERS // len(processes), make)
    await asyncio.sleep(3)
    await delays.after_a_tick()
    for number, subscriber in enumerate(swarm):
        if number % TIMED_EVERY:
            subscriber.transport.set_protocol(Drain(lambda frames: None))
    before = [_processor_s(pipe) for _, pipe in processes]
    began = time.monotonic()
    delays.recording = True
    await asyncio.sleep(SECONDS)
    delays.recording = False
    elapsed = time.monotonic() - began
    used = [(_processor_s(pipe) - s) / elapsed * 1000 for (_, pipe), s in zip(processes, before, strict=True)]
    lost = sum(subscriber.lost.done() for subscriber in swarm)
    return f"{delays.line()}, {lost} lost; a tick costs {' and '.join(f'{ms:.0f}' for ms in used)} ms of the processor"


def _processor_s(pipe: Pipe) -> float:
    pipe.send("statistics")
    return float(pipe.recv()["cpu_s"])


def many_areas() -> None:
    """One real-time process with all subscribers, then two with half of them each."""
    for name, started in (("one process", _one), ("two processes behind NATS", _two)):
        with started() as processes:
            figures = asyncio.run(_measure(processes))
            print(f"  {AIRCRAFT:,} aircraft, {SUBSCRIBERS:,} areas of {DEGREES:g} degrees as tiles, {name}:")
            print(f"    {figures}", flush=True)

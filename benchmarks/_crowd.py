"""A crowd that looks at areas of the world's traffic: the sky, the service that shows it, and the subscribers.

Every part runs in a process of its own, so that processor time is that of one part alone.
"""

from __future__ import annotations

import asyncio
import gc
import os
import re
import struct
import threading
import time
from dataclasses import dataclass, field, replace
from itertools import cycle
from multiprocessing.connection import Connection as Pipe
from typing import Any

import msgspec
import numpy as np

from benchmarks._swarm import Subscriber, connect_many, masked
from benchmarks.peers.realtime_servers import skywatch

# West, south, east, north, and how much of the world's traffic is there; the last is everywhere.
REGIONS = np.array(
    [
        (-125, 25, -65, 50, 0.35),
        (-10, 36, 30, 60, 0.25),
        (100, 20, 145, 45, 0.2),
        (-180, -60, 180, 75, 0.2),
    ]
)
# Skies that are shown one after the other, forth and back.
PREPARED = 4
MASKED_CONNECT = masked(msgspec.msgpack.encode({"type": "connect"}), 2)
HEADERS = "Sec-WebSocket-Protocol: skywatch.v1+msgpack\r\n"
_PACKED_NOW = re.compile(rb"\xa3now\xcb(.{8})", re.DOTALL)


def places(random: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Latitudes and longitudes where aircraft fly."""
    region = random.choice(len(REGIONS), count, p=REGIONS[:, 4])
    west, south, east, north = REGIONS[region, :4].T
    return random.uniform(south, north), random.uniform(west, east)


def world(count: int) -> list[Any]:
    """Successive skies of the world's traffic; four fifths of the aircraft change each second."""
    from skywatch.picture.state.sky import COLUMNS, Sky

    random = np.random.default_rng(1)
    lat, lon = places(random, count)
    track, altitude = random.uniform(0, 360, count), random.integers(40, 410, count) * 100
    speed, military = random.integers(120, 520, count), np.arange(count) % 40 == 0
    hexes = [f"{0x400000 + number * 7:06x}" for number in range(count)]
    skies = []
    for seq in range(PREPARED):
        changed = random.random(count) < 0.8
        lat = np.where(changed, np.clip(lat + np.cos(np.radians(track)) * 0.002, -90, 90), lat)
        lon = np.where(changed, (lon + np.sin(np.radians(track)) * 0.003 + 180) % 360 - 180, lon)
        columns = {name: np.zeros(count, dtype=dtype) for name, dtype in COLUMNS.items()}
        columns |= {"lat": lat, "lon": lon, "changed": changed, "military": military}
        columns["track_deg"][:], columns["gs_kt"][:], columns["alt_baro_ft"][:] = track, speed, altitude
        columns["flight"][:] = [f"SWR{number % 10000:04d}" for number in range(count)]
        columns["category"][:] = b"A3"
        columns["previous_row"][:] = np.arange(count)
        encoded = [
            msgspec.json.encode(
                {
                    "hex": hexes[i], "type": "adsb_icao", "flight": f"SWR{i % 10000:04d}", "alt_baro": int(altitude[i]),
                    "gs": int(speed[i]), "track": round(float(track[i]), 2), "baro_rate": -64, "squawk": "1000",
                    "emergency": "none", "category": "A3", "nav_qnh": 1013.6, "nav_altitude_mcp": 32000,
                    "lat": round(float(lat[i]), 6), "lon": round(float(lon[i]), 6), "nic": 8, "rc": 186,
                    "seen_pos": 0.4, "version": 2, "nac_p": 9, "nac_v": 1, "sil": 3, "messages": 400 + seq, "seen": 0.1,
                    "rssi": -21.4, "military": bool(military[i]), "on_ground": False, "receiver": "roof",
                }
            )
            for i in range(count)
        ]  # fmt: skip
        skies.append(Sky("bench", seq, float(seq), seq * 1000, hexes, columns, encoded, [b'"t":"A320"'] * count))
    return skies


def _publish_forever(bus: Any, skies: list[Any]) -> None:
    """Publish a sky each second, as the tracker does."""
    from skywatch.picture.sharing.publisher import SkyPublisher

    publisher = SkyPublisher(bus)
    publisher.start()
    due = time.monotonic()
    for seq, sky in enumerate(cycle(skies + skies[-2:0:-1]), 1):
        due += 1.0
        time.sleep(max(0.0, due - time.monotonic()))
        now = time.time()
        columns = sky.columns | {"position_at": np.full(len(sky), now)}
        publisher.publish(replace(sky, seq=seq, now=now, columns=columns, scratch={}))


def tracker(pipe: Pipe, bus: str, aircraft: int) -> None:
    """What publishes for real-time processes elsewhere."""
    from skywatch.core.bus import open_bus

    skies = world(aircraft)
    pipe.send(0)
    _publish_forever(open_bus(bus), skies)


def service(pipe: Pipe, bus: str, aircraft: int, options: dict[str, str]) -> None:
    """A real-time process; with the bus in memory the picture ticks in it. It answers ``statistics``."""
    from skywatch.realtime.connections.queues import Outbox
    from skywatch.realtime.sky.live import LiveTopics

    skies = world(aircraft) if bus == "memory" else []
    delays: list[float] = []
    # Of these, what passed since the picture was here.
    here: list[float] = []
    ticks, arrived_at = 0, 0.0
    flush, tick = Outbox.flush, LiveTopics.tick

    async def serve() -> None:
        async with skywatch(bus=bus, realtime_heartbeat_s="300", **options) as (server, runtime):

            def timed_flush(outbox: Outbox) -> None:
                flush(outbox)
                written_at = time.time()
                delays.append(written_at - server.hub.live.state.sky.now)
                here.append(written_at - arrived_at)

            def counted_tick(topics: LiveTopics, arrived: Any) -> None:
                nonlocal ticks, arrived_at
                ticks, arrived_at = ticks + 1, time.time()
                tick(topics, arrived)

            Outbox.flush, LiveTopics.tick = timed_flush, counted_tick  # type: ignore[method-assign, assignment]
            if skies:
                threading.Thread(target=_publish_forever, args=(runtime.bus, skies), daemon=True).start()
            pipe.send(server.port)
            ended = asyncio.Event()

            def readable() -> None:
                try:
                    pipe.recv()
                    pipe.send({"cpu_s": time.process_time(), "ticks": ticks, "delays": delays, "here": here})
                    delays.clear()
                    here.clear()
                except (EOFError, OSError):
                    asyncio.get_running_loop().remove_reader(pipe.fileno())
                    ended.set()

            asyncio.get_running_loop().add_reader(pipe.fileno(), readable)
            gc.freeze()
            await ended.wait()
            # What hangs on a broken bus is of no interest any more.
            os._exit(0)

    asyncio.run(serve())


@dataclass
class Seen:
    """How long after its tick each update was complete at a subscriber: the last frame of a tick counts."""

    seconds: list[float] = field(default_factory=list)
    now: float = 0.0
    delay: float = 0.0

    def __call__(self, subscriber: Subscriber, head: bytes) -> None:
        match = _PACKED_NOW.search(head)
        if match is None:
            return
        [now] = struct.unpack(">d", match.group(1))
        if now != self.now and self.now:
            self.seconds.append(self.delay)
        self.now, self.delay = now, time.time() - now


class Sink(asyncio.BufferedProtocol):
    """Takes over a connection and reads what comes into one buffer that all share, unseen."""

    _buffer = memoryview(bytearray(1024 * 1024))
    received = 0

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        Sink.received += nbytes


def crowd(pipe: Pipe, port: int, greetings: list[bytes], sample_every: int) -> None:
    """Subscribers, of which some look at what they get; they give way to the service. Obeys ``begin`` and ``end``."""
    from benchmarks.realtime import allow_files

    allow_files()
    os.nice(5)
    pipe.send(0)

    async def listen() -> None:
        loop = asyncio.get_running_loop()
        seen = [Seen() for _ in greetings]
        swarm = await connect_many(
            port,
            len(greetings),
            lambda number: Subscriber("/ws", [MASKED_CONNECT, greetings[number]], seen[number], HEADERS),
        )
        for number, subscriber in enumerate(swarm):
            if number % sample_every:
                subscriber.transport.set_protocol(Sink())
        gc.freeze()
        pipe.send("ready")
        await loop.run_in_executor(None, pipe.recv)
        for one in seen:
            one.seconds.clear()
        Sink.received = 0
        await loop.run_in_executor(None, pipe.recv)
        lost = sum(subscriber.lost.done() for subscriber in swarm)
        pipe.send({"delays": [s for one in seen for s in one.seconds], "bytes": Sink.received, "lost": lost})
        await asyncio.sleep(3600)

    asyncio.run(listen())

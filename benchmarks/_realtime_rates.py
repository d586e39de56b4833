"""Servers of messages and their peers websockets, Autobahn and python-socketio; the cost of compression."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection as Pipe
from typing import Any

from benchmarks._swarm import Drain, Subscriber, connect_many, masked
from benchmarks.peers import realtime_servers as servers

NATIVE_HELLO = [
    masked(b'{"type":"connect"}'),
    masked(b'{"type":"subscribe","topics":["safety"]}'),
]
DEFLATE = "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover\r\n"


@dataclass(frozen=True)
class Peer:
    """A server, and how its subscribers come in."""

    serve: Callable[..., None]
    path: str = "/"
    hello: tuple[bytes, ...] = ()


SKYWATCH = Peer(servers.skywatch_server, "/ws", tuple(NATIVE_HELLO))
AUTOBAHN = Peer(servers.autobahn_server)
PEERS = {
    "skywatch": SKYWATCH,
    "websockets": Peer(servers.websockets_server),
    "autobahn": AUTOBAHN,
    "socketio": Peer(servers.socketio_server, "/socket.io/?EIO=4&transport=websocket", (masked(b"40"),)),
}


@dataclass(frozen=True)
class Rates:
    """Messages that all subscribers together received: a second, and a second of the server's processor time."""

    wall: float
    core: float
    # On the wire, of one message at one subscriber.
    message_bytes: float


async def measure(
    port: int, pid: int, pipe: Pipe, peer: Peer, clients: int, payload: bytes, burst: int, batches: int, headers: str
) -> Rates:
    """Send ``batches`` of ``burst`` messages to so many subscribers."""
    done = asyncio.Event()
    had = acknowledged = 0

    def count(frames: int) -> None:
        nonlocal had, acknowledged
        had += frames
        batch = had // (clients * burst)
        if batch > acknowledged:
            acknowledged = batch
            pipe.send(batch)
            if batch == batches:
                done.set()

    swarm = await connect_many(port, clients, lambda _: Subscriber(peer.path, list(peer.hello), _ignore, headers))
    await asyncio.sleep(0.5)
    drains = [Drain(count) for _ in swarm]
    for subscriber, drain in zip(swarm, drains, strict=True):
        subscriber.transport.set_protocol(drain)
    began, used = time.perf_counter(), servers.processor_s(pid)
    pipe.send((payload, burst, batches))
    await asyncio.wait_for(done.wait(), 120)
    elapsed, used = time.perf_counter() - began, servers.processor_s(pid) - used
    for subscriber in swarm:
        subscriber.transport.close()
    total = clients * burst * batches
    return Rates(total / elapsed, total / max(used, 0.01), sum(drain.received for drain in drains) / total)


def _ignore(subscriber: Subscriber, head: bytes) -> None:
    """What comes before the measurement."""


def run(
    peer: Peer, clients: int, payload: bytes, burst: int, messages: int, headers: str = "", **options: Any
) -> Rates:
    """Start a server, measure it, end it."""
    batches = max(6, messages // (clients * burst))
    with servers.running(peer.serve, **options) as (port, pid, pipe):
        return asyncio.run(measure(port, pid, pipe, peer, clients, payload, burst, batches, headers))


# Compression


def aircraft_list(count: int) -> bytes:
    """JSON as the channel carries it: aircraft that differ in what differs in the air."""
    chance = random.Random(5)
    aircraft = [
        {
            "hex": f"{chance.randrange(0xFFFFFF):06x}", "type": "adsb_icao", "flight": f"SWR{chance.randrange(9999)}",
            "alt_baro": chance.randrange(0, 41_000, 25), "alt_geom": chance.randrange(0, 42_000, 25),
            "gs": round(chance.uniform(100, 520), 1), "track": round(chance.uniform(0, 360), 2),
            "baro_rate": chance.randrange(-2048, 2048, 64), "squawk": f"{chance.randrange(4096):04o}",
            "category": "A3", "nav_qnh": 1013.6, "lat": round(chance.uniform(36, 60), 6),
            "lon": round(chance.uniform(-10, 30), 6), "nic": 8, "rc": 186, "seen_pos": round(chance.random(), 1),
            "version": 2, "nac_p": 9, "nac_v": 1, "sil": 3, "sil_type": "perhour",
            "messages": chance.randrange(9000), "seen": 0.1, "rssi": round(chance.uniform(-40, -3), 1),
        }
        for _ in range(count)
    ]  # fmt: skip
    return json.dumps({"now": 1_700_000_000.0, "aircraft": aircraft, "removed": []}, separators=(",", ":")).encode()


def compression(messages: int = 4_000) -> None:
    """What permessage-deflate costs a server: once for all subscribers, or for each of them."""
    payload = aircraft_list(100)
    print(f"  a message of {len(payload):,} B, processor time for each subscriber it goes to, and bytes on the wire")
    on = {"realtime_compression": "true"}
    for clients in (1, 10, 100, 500):
        found = {
            "plain": run(SKYWATCH, clients, payload, 1, messages),
            "compressed once": run(SKYWATCH, clients, payload, 1, messages, DEFLATE, **on),
            "Autobahn, each connection": run(AUTOBAHN, clients, payload, 1, messages // 4, DEFLATE, compression=True),
        }
        cells = "  ".join(f"{n} {1e6 / r.core:,.0f} us, {r.message_bytes:,.0f} B" for n, r in found.items())
        print(f"  {clients} subscribers: {cells}", flush=True)

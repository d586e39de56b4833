"""The real-time channel and its peers (websockets, Autobahn, python-socketio): delay, memory, restart, hostile clients.

``python -m benchmarks.realtime [fan_out|compression|delay|areas|by_polling|idle|restart|hostile|soak]``

``soak`` takes ``--minutes N`` and ``--clients N``; ``fan_out`` takes ``--before CHECKOUT``, a build to measure beside
this one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import time
from multiprocessing.connection import Connection as Pipe
from typing import Any

from benchmarks._realtime_areas import many_areas
from benchmarks._realtime_fan_out import fan_out
from benchmarks._realtime_polling import polling
from benchmarks._realtime_rates import NATIVE_HELLO, compression
from benchmarks._realtime_return import return_after_restart
from benchmarks._swarm import Delays, Drain, Subscriber, connect_many, masked
from benchmarks.peers import realtime_servers as servers

EUROPE = (-10.0, 36.0, 30.0, 60.0)


def allow_files() -> None:
    """As many open files as the system lets us have."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


# Delay

# Of the subscribers every so many-th looks at what it gets; the others only take it, so that the machine's other
# core is not what is measured.
TIMED_EVERY = 10
# Connections that only listen.
IDLE = 5000


def _hello(bbox: tuple[float, ...] | None) -> list[bytes]:
    subscribe: dict[str, Any] = {"type": "subscribe", "topics": ["aircraft"]}
    if bbox is not None:
        subscribe["bbox"] = bbox
    return [NATIVE_HELLO[0], masked(json.dumps(subscribe).encode())]


def _box(chance: random.Random, degrees: float) -> tuple[float, ...]:
    west = chance.uniform(EUROPE[0], EUROPE[2] - degrees)
    south = chance.uniform(EUROPE[1], EUROPE[3] - degrees)
    return (round(west, 2), round(south, 2), round(west + degrees, 2), round(south + degrees, 2))


async def _delay(port: int, pipe: Pipe, boxes: list[tuple[float, ...] | None], seconds: float) -> str:
    delays = Delays()
    swarm = await connect_many(port, len(boxes), lambda number: Subscriber("/ws", _hello(boxes[number]), delays))
    await asyncio.sleep(3)
    # The first, the last and those between them in the server's order; between two ticks all of them are quiet.
    await delays.after_a_tick()
    for number, subscriber in enumerate(swarm):
        if number % TIMED_EVERY:
            subscriber.transport.set_protocol(Drain(_ignore_frames))
    pipe.send("statistics")
    before = pipe.recv()["cpu_s"]
    own = time.process_time()
    delays.recording = True
    await asyncio.sleep(seconds)
    delays.recording = False
    own = (time.process_time() - own) / seconds
    pipe.send("statistics")
    busy = (pipe.recv()["cpu_s"] - before) / seconds
    return f"{delays.line()}; the server used {busy:.0%} of a core, the subscribers {own:.0%}"


def delay(seconds: float = 15.0) -> None:
    """Feed to subscriber."""
    chance = random.Random(3)
    whole: list[tuple[float, ...] | None] = [None] * 500
    areas: list[tuple[float, ...] | None] = [_box(chance, 5.0) for _ in range(500)]
    for title, aircraft, boxes, options in [
        ("1,000 aircraft, 500 subscribers of the whole sky", 1000, whole, {}),
        ("1,000 aircraft, 500 different areas of 5 degrees", 1000, areas, {}),
        ("1,000 aircraft, 250 whole and 250 areas", 1000, whole[:250] + areas[:250], {}),
        ("15,000 aircraft, 200 different areas of 5 degrees", 15_000, areas[:200], {}),
    ]:
        with servers.running(servers.sky_server, aircraft, options) as (port, _, pipe):
            print(f"  {title}: {asyncio.run(_delay(port, pipe, boxes, seconds))}", flush=True)


# Memory


async def _idle(port: int, pid: int, path: str, hello: list[bytes], count: int) -> str:
    # What the first connections load and make once is not part of a connection.
    await connect_many(port, 1, lambda _: Subscriber(path, hello, _ignore))
    await asyncio.sleep(1)
    before = servers.memory_mib(pid)
    await connect_many(port, count, lambda _: Subscriber(path, hello, _ignore))
    await asyncio.sleep(2)
    used = servers.memory_mib(pid) - before
    return f"{used:.0f} MiB for {count:,} connections ({used * 1024 / count:.1f} KiB each)"


def idle() -> None:
    """Memory of connections that only listen."""
    allow_files()
    for name, path, hello in [
        ("native, one topic", "/ws", NATIVE_HELLO),
        ("Socket.IO", "/socket.io/?EIO=4&transport=websocket", [masked(b"40")]),
    ]:
        with servers.running(servers.sky_server, 0, {}) as (port, pid, _):
            print(f"  idle, {name}: {asyncio.run(_idle(port, pid, path, hello, IDLE))}", flush=True)


# Hostile clients


class _Endless(asyncio.Protocol):
    """Waits for the end."""

    def __init__(self) -> None:
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_lost(self, error: Exception | None) -> None:
        self.lost.set_result(None)


def _attacks() -> list[tuple[str, str, bytes]]:
    """Name, path and what is sent."""
    empty_fragment = b"\x00" + masked(b"")[1:]
    return [
        ("a frame of 100 MB", "/ws", b"\x81\xff" + (100_000_000).to_bytes(8, "big") + bytes(4_000_000)),
        ("a million tiny frames", "/ws", masked(b"{}") * 1_000_000),
        ("a million pings", "/ws", masked(b"", 9) * 1_000_000),
        ("a million empty fragments", "/ws", b"\x01" + masked(b"")[1:] + empty_fragment * 1_000_000),
        ("text that is not UTF-8", "/ws", masked(b"\xff\xfe{}")),
        ("bad Socket.IO packets", "/socket.io/?EIO=4&transport=websocket", masked(b"40") + masked(b"4{(") * 5),
        ("headers without end", "", b"GET /ws HTTP/1.1\r\n" + b"X-A: b\r\n" * 200_000),
    ]


def attack(pipe: Pipe, port: int, count: int, seconds: float) -> None:
    """The bad ones, in a process of their own; reports what became of them."""
    allow_files()
    pipe.send(0)

    async def go() -> list[Subscriber]:
        loop = asyncio.get_running_loop()
        began = time.monotonic()
        silent = await connect_many(port, count, lambda number: Subscriber("/ws", _hello(None), _ignore))
        for subscriber in silent:
            subscriber.transport.pause_reading()  # type: ignore[attr-defined]
        unfinished = []
        for _ in range(count):
            transport, protocol = await loop.create_connection(_Endless, "127.0.0.1", port)
            transport.write(b"GET /ws HTTP/1.1\r\nHost: localhost\r\n")
            unfinished.append(protocol)
        gone = {}
        for name, path, poison in _attacks():
            if path:
                hello = [NATIVE_HELLO[0]] if path == "/ws" else []
                [attacker] = await connect_many(port, 1, lambda number, p=path, h=hello: Subscriber(p, h, _ignore))  # type: ignore[misc]
                attacker.write(poison)
                lost = attacker.lost
            else:
                transport, protocol = await loop.create_connection(_Endless, "127.0.0.1", port)
                transport.write(poison)
                lost = protocol.lost
            start = time.monotonic()
            await asyncio.wait_for(lost, 60)
            gone[name] = time.monotonic() - start
        await asyncio.sleep(max(0.0, seconds - (time.monotonic() - began)))
        pipe.send({"gone": gone, "unfinished": sum(not p.lost.done() for p in unfinished)})
        await asyncio.sleep(3600)  # Until the server has been asked who is left.
        return silent

    asyncio.run(go())


async def _good(port: int, pid: int, pipe: Pipe, bad: Pipe, delays: Delays) -> tuple[dict[str, Any], float, int]:
    good = await connect_many(port, 50, lambda number: Subscriber("/ws", _hello(None), delays))
    delays.recording = True
    peak = 0.0
    while not bad.poll():
        peak = max(peak, servers.memory_mib(pid))
        await asyncio.sleep(0.2)
    outcome = bad.recv()
    pipe.send("statistics")
    lost = sum(s.lost.done() for s in good)
    return {**outcome, "left": pipe.recv()["connections"] - len(good) + lost}, peak, lost


def hostile(count: int = 1000, seconds: float = 75.0) -> None:
    """A thousand who never read, a thousand who never shake hands, and the rest."""
    allow_files()
    delays = Delays()
    with servers.running(servers.sky_server, 1000, {}) as (port, pid, pipe):
        quiet = servers.memory_mib(pid)
        with servers.running(attack, port, count, seconds) as (_, _, bad):
            outcome, peak, lost = asyncio.run(_good(port, pid, pipe, bad, delays))
        print(f"  50 good clients meanwhile: {delays.line()}; {lost} lost")
        print(f"  memory of the server: {quiet:.0f} MiB before, {peak:.0f} MiB at most")
        print(f"  after {seconds:.0f} s {outcome['left']} of {2 * count:,} who never read or never finished are left,")
        print(f"  {outcome['unfinished']} of them in the middle of a handshake")
        print("  gone after: " + ", ".join(f"{name} {s:.2f} s" for name, s in outcome["gone"].items()), flush=True)


def _ignore_frames(count: int) -> None:
    """What one does that not even counts."""


def _ignore(subscriber: Subscriber, head: bytes) -> None:
    """What a listener does that wants no data."""


# Soak


async def _soak(port: int, pid: int, pipe: Pipe, minutes: float, clients: int) -> None:
    chance = random.Random(4)
    swarm: list[Subscriber] = []
    end = time.monotonic() + minutes * 60
    next_line = 0.0
    while time.monotonic() < end:
        swarm = [s for s in swarm if not s.lost.done()]
        for subscriber in chance.sample(swarm, min(len(swarm), clients // 25)):
            if chance.random() < 0.5:
                subscriber.transport.abort()  # type: ignore[attr-defined]
            else:
                subscriber.write(masked((1000).to_bytes(2, "big"), 8))
        missing = clients - len(swarm)
        boxes = [_box(chance, 6.0) if chance.random() < 0.5 else None for _ in range(missing)]
        swarm += await connect_many(port, missing, lambda number: Subscriber("/ws", _hello(boxes[number]), _ignore))  # noqa: B023
        if time.monotonic() >= next_line:
            pipe.send("statistics")
            seen = pipe.recv()
            left = (end - time.monotonic()) / 60
            print(
                f"  {minutes - left:5.1f} min: {servers.memory_mib(pid):7.1f} MiB, {servers.open_files(pid)} files, "
                f"{seen['connections']} connections, {seen['views']} views",
                flush=True,
            )
            next_line = time.monotonic() + max(5.0, minutes * 60 / 20)
        await asyncio.sleep(0.5)
    for subscriber in swarm:
        subscriber.transport.abort()  # type: ignore[attr-defined]
    await asyncio.sleep(3)
    print(f"  at the end, all gone: {servers.memory_mib(pid):.1f} MiB, {servers.open_files(pid)} files", flush=True)


def soak(minutes: float, clients: int) -> None:
    """Clients come and go; memory and files must not grow."""
    allow_files()
    with servers.running(servers.sky_server, 500, {}) as (port, pid, pipe):
        print(f"  before: {servers.memory_mib(pid):.1f} MiB, {servers.open_files(pid)} files", flush=True)
        asyncio.run(_soak(port, pid, pipe, minutes, clients))


def areas() -> None:
    """Thousands of areas as tiles, in one real-time process and in two."""
    allow_files()
    many_areas()


def by_polling() -> None:
    """Clients who poll compared with those with a WebSocket."""
    allow_files()
    polling()


def restart() -> None:
    """Five hundred clients are sent away by a restart and come back."""
    allow_files()
    return_after_restart()


PARTS = {f.__name__: f for f in (fan_out, compression, delay, areas, by_polling, idle, restart, hostile)}
SHOWN = tuple(PARTS)


def main() -> None:
    """Everything but the soak."""
    for part in SHOWN:
        PARTS[part]()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=[*PARTS, "soak"])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=500)
    parser.add_argument("--before", help="the checkout of an earlier commit")
    arguments = parser.parse_args()
    if arguments.part == "soak":
        soak(arguments.minutes, arguments.clients)
    elif arguments.part == "fan_out":
        allow_files()
        fan_out(arguments.before)
    elif arguments.part is None:
        main()
    else:
        PARTS[arguments.part]()

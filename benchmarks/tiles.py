"""Tiles beside columns: thousands of subscribers with areas of their own over the world's traffic.

``python -m benchmarks.tiles [--aircraft N] [--subscribers N]``

The first lines are of one process that holds the picture and all subscribers, the others of two real-time processes
that share them and get the picture by Redis. ``to the socket`` is from the tick until the service has written a
subscriber's update, ``in the process`` from when that process has the picture; ``at the subscriber`` is until that has
read the update, on the same cores and after the service.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import shutil
import subprocess
import sys
import time
from typing import Any

import msgspec
import numpy as np

from benchmarks import _crowd
from benchmarks._load import free_port, wait_for
from benchmarks._swarm import masked
from benchmarks.peers.realtime_servers import running

# Every so many-th subscriber looks at what it gets.
SAMPLED = 20
SECONDS, WARM_UP_S = 12.0, 3.0
AREA_DEGREES = 5.0
FORMS = ("tiles of 1 degree", "tiles of 5 degrees", "columns")


def areas(count: int) -> list[tuple[float, float, float, float]]:
    """Different boxes where the traffic is."""
    lat, lon = _crowd.places(np.random.default_rng(2), count)
    half = AREA_DEGREES / 2
    west, south = np.clip(lon - half, -180, 180 - 2 * half), np.clip(lat - half, -90, 90 - 2 * half)
    return [(w, s, w + 2 * half, s + 2 * half) for w, s in zip(west.tolist(), south.tolist(), strict=True)]


def tiles_of(area: tuple[float, float, float, float], size: int) -> list[str]:
    """The names of the tiles that cover an area."""
    west, south, east, north = area
    rows = range(math.floor((south + 90) / size), math.ceil((north + 90) / size))
    columns = range(math.floor((west + 180) / size), math.ceil((east + 180) / size))
    return [f"{size}:{row}:{column}" for row in rows for column in columns]


def greeting(form: str, area: tuple[float, float, float, float]) -> bytes:
    """The subscription to an area, as a client's frame."""
    body: dict[str, Any] = {"type": "subscribe", "topics": ["aircraft"], "format": form.split()[0]}
    if form == "columns":
        body["bbox"] = area
    else:
        size = 1 if form == FORMS[0] else 5
        body |= {"zoom": 9 if size == 1 else 7, "tiles": tiles_of(area, size)}
    return masked(msgspec.msgpack.encode(body), 2)


def _percentiles(seconds: list[float]) -> str:
    if not seconds:
        return "nothing came"
    p50, p95 = np.percentile(seconds, (50, 95)) * 1000
    return f"p50 {p50:,.0f} ms, p95 {p95:,.0f} ms"


def measure(form: str, bus: str, processes: int, aircraft: int, subscribers: int) -> str:
    """One line: what a form costs, and how long after the tick it is there."""
    greetings = [greeting(form, area) for area in areas(subscribers)]
    with contextlib.ExitStack() as stack:
        if bus != "memory":
            stack.enter_context(running(_crowd.tracker, bus, aircraft))
        options = {"realtime_max_connections": str(subscribers + 100)}
        started = [stack.enter_context(running(_crowd.service, bus, aircraft, options)) for _ in range(processes)]
        services = [pipe for _, _, pipe in started]
        crowds = [
            stack.enter_context(running(_crowd.crowd, port, greetings[number::processes], SAMPLED))[2]
            for number, (port, _, _) in enumerate(started)
        ]
        for crowd in crowds:
            _expect(crowd)
        time.sleep(WARM_UP_S)
        before = [_ask(pipe) for pipe in services]
        for crowd in crowds:
            crowd.send("begin")
        time.sleep(SECONDS)
        after = [_ask(pipe) for pipe in services]
        for crowd in crowds:
            crowd.send("end")
        read = [_expect(crowd) for crowd in crowds]
    costs = [
        (a["cpu_s"] - b["cpu_s"]) / max(1, a["ticks"] - b["ticks"]) * 1000 for a, b in zip(after, before, strict=True)
    ]
    ticks = min(a["ticks"] - b["ticks"] for a, b in zip(after, before, strict=True))
    to_socket = [delay for one in after for delay in one["delays"]]
    here = [delay for one in after for delay in one["here"]]
    at_subscriber = [delay for one in read for delay in one["delays"]]
    size = sum(one["bytes"] for one in read) / max(1, subscribers - subscribers // SAMPLED) / SECONDS
    lost = sum(one["lost"] for one in read)
    return (
        f"{' and '.join(f'{cost:,.0f}' for cost in costs)} ms of processor a tick, {ticks} ticks in {SECONDS:g} s; "
        f"to the socket {_percentiles(to_socket)}, of that in the process {_percentiles(here)}; "
        f"at the subscriber {_percentiles(at_subscriber)}; "
        f"{size / 1000:.1f} kB a second each; {lost} lost"
    )


def _expect(pipe: Any) -> Any:
    """What the process at the other end sends."""
    if not pipe.poll(300):
        raise TimeoutError("a process of the benchmark does not answer")
    return pipe.recv()


def _ask(pipe: Any) -> Any:
    pipe.send("statistics")
    return _expect(pipe)


@contextlib.contextmanager
def redis() -> Any:
    """The address of a Redis server of our own."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--save", "", "--appendonly", "no", "--loglevel", "warning"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_for(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(10)


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aircraft", type=int, default=30_000)
    parser.add_argument("--subscribers", type=int, default=5_000)
    parser.add_argument("--form", choices=FORMS, help="only this one")
    options = parser.parse_args([] if arguments is None else arguments)
    forms = [options.form] if options.form else list(FORMS)
    print(f"{options.aircraft:,} aircraft, {options.subscribers:,} subscribers of different areas of 5 degrees")
    for form in forms:
        print(f"  one process, {form}: {measure(form, 'memory', 1, options.aircraft, options.subscribers)}", flush=True)
    if shutil.which("redis-server") is None:
        print("  two processes: redis-server is not here")
        return
    with redis() as bus:
        for form in forms:
            line = measure(form, bus, 2, options.aircraft, options.subscribers)
            print(f"  two processes, {form}: {line}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Requests a second of the list of 200 aircraft, also of FastAPI and Django REST framework, one worker each.

Beside them the profile of a user, with a JWT and with an API key: what it costs to know who asks.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._cores import on_core
from benchmarks._load import free_port, requests_a_second, wait_for
from skywatch.core.database.migrations import upgrade
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.picture.state.sky import COLUMNS, Sky, to_bytes

AIRCRAFT = 200
CONNECTIONS = 8
SECONDS = 1.5
ROUNDS = 8
WARM_UP_S = 1.0
START_S, STOP_S = 120.0, 60.0
UVICORN = ("uvicorn", "benchmarks.peers.fastapi_app:app", "--port", "PORT", "--log-level", "warning", "--no-access-log")
DJANGO = "benchmarks.peers.django_app:application"


def sample_sky(count: int = AIRCRAFT) -> Sky:
    """A sky with as many members to each aircraft as a good receiver gives."""
    import msgspec

    rng = np.random.default_rng(1)
    columns = {name: np.zeros(count, dtype=dtype) for name, dtype in COLUMNS.items()}
    encoded = []
    for row in range(count):
        lat, lon = 45 + 5 * rng.random(), 5 + 6 * rng.random()
        columns["lat"][row], columns["lon"][row] = lat, lon
        aircraft: dict[str, Any] = {
            "hex": f"{0x4B0000 + row:06x}", "type": "adsb_icao", "flight": f"SWR{row:<5}", "t": "A320",
            "alt_baro": int(rng.integers(0, 400)) * 100, "alt_geom": int(rng.integers(0, 400)) * 100,
            "gs": round(400 * rng.random(), 1), "ias": 250, "tas": 400, "mach": 0.78,
            "track": round(360 * rng.random(), 2), "baro_rate": -64, "geom_rate": -32, "squawk": "1000",
            "emergency": "none", "category": "A3", "nav_qnh": 1013.6, "nav_altitude_mcp": 36000,
            "lat": round(lat, 6), "lon": round(lon, 6), "nic": 8, "rc": 186, "version": 2, "nac_p": 9, "nac_v": 1,
            "sil": 3, "sil_type": "perhour", "gva": 2, "sda": 2, "alert": 0, "spi": 0, "mlat": [], "tisb": [],
            "messages": 1234, "seen": 0.3, "seen_pos": 0.5, "rssi": -21.4, "military": False, "on_ground": False,
            "distance_nm": 41.3, "bearing": 211.9, "receiver": "roof", "first_seen": "2026-01-31T12:00:00.000Z",
        }  # fmt: skip
        encoded.append(msgspec.json.encode(aircraft))
    hexes = [f"{0x4B0000 + row:06x}" for row in range(count)]
    return Sky("bench", 1, 1_795_000_000.0, 1, hexes, columns, encoded, [b""] * count, (), ("roof",), (47.0, 8.0))


def our_body(sky: Sky) -> bytes:
    """What our own API answers, for the peers to return."""
    from webtest import TestApp

    from skywatch import make_app
    from skywatch.core.bus import Message

    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/bench.sqlite"
        runtime = Runtime.open(load({"environment": "development", "auth_mode": "public", "database_url": url}, {}))
        upgrade(runtime.engine)
        client = TestApp(make_app(runtime))
        # Last: a picture is out of date seconds after it was published.
        runtime.bus.publish(Message("picture", "tick", b"", snapshot=True, local=sky))
        body: bytes = client.get(f"/api/v1/aircraft?limit={AIRCRAFT}").body
        runtime.close()
        return body


@contextmanager
def server(command: list[str], port: int, environment: dict[str, str]) -> Iterator[int]:
    """A server in a process of its own, on the first core where there are several; its process id."""
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
            os.sched_setaffinity(process.pid, {0})
        wait_for(port, START_S)
        yield process.pid
    finally:
        process.terminate()
        process.wait(STOP_S)


def cpu_s(pid: int) -> float:
    """Processor time that a process and its children have used (s); 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + sum(cpu_s(int(one)) for one in children)


def main() -> None:
    """Print the table."""
    sky = sample_sky()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack, on_core(-1):
        body, picture = Path(folder, "body.json"), Path(folder, "sky.bin")
        body.write_bytes(our_body(sky))
        picture.write_bytes(to_bytes(sky))
        size = body.stat().st_size
        credentials = Path(folder, "credentials.json")
        environment = {"BENCH_BODY": str(body), "BENCH_SKY": str(picture), "BENCH_CREDENTIALS": str(credentials)}
        contenders = list(_contenders(stack, environment))
        best = measure(contenders)
    print(f"GET of {AIRCRAFT} aircraft, {size:,} bytes, {CONNECTIONS} connections, one worker each")
    print(f"best of {ROUNDS} rounds taken in turn; processor time of the server alone")
    print(f"{'':42} {'requests/s':>11} {'us/request':>11} {'ours is':>9}")
    ours = best[contenders[0].name].rate
    for name, found in best.items():
        print(f"{name:42} {found.rate:11,.0f} {found.cpu_us:11.0f} {ours / found.rate:8.2f}x")


@dataclass(frozen=True)
class Contender:
    """An address of a server that runs."""

    name: str
    port: int
    path: str
    pid: int
    headers: str = ""


@dataclass(frozen=True)
class Best:
    """The best of some rounds: what disturbs a run only makes it slower and dearer."""

    rate: float = 0.0
    cpu_us: float = float("inf")


def measure(contenders: Sequence[Contender]) -> dict[str, Best]:
    """Ask each in turn, several times."""
    best = {contender.name: Best() for contender in contenders}
    for contender in contenders:
        asyncio.run(requests_a_second(contender.port, contender.path, WARM_UP_S, CONNECTIONS, contender.headers))
    for _ in range(ROUNDS):
        for contender in contenders:
            before, began = cpu_s(contender.pid), time.perf_counter()
            rate = asyncio.run(
                requests_a_second(contender.port, contender.path, SECONDS, CONNECTIONS, contender.headers)
            )
            used = (cpu_s(contender.pid) - before) / (rate * (time.perf_counter() - began)) * 1e6
            so_far = best[contender.name]
            best[contender.name] = Best(max(so_far.rate, rate), min(so_far.cpu_us, used))
    return best


def _contenders(stack: ExitStack, environment: dict[str, str]) -> Iterator[Contender]:
    def start(*command: str) -> tuple[int, int]:
        port = free_port()
        arguments = [sys.executable, "-m", *(part.replace("PORT", str(port)) for part in command)]
        return port, stack.enter_context(server(arguments, port, {**environment, "BENCH_PORT": str(port)}))

    port, pid = start("benchmarks.peers.skywatch_app")
    yield Contender("Skywatch (waitress)", port, f"/api/v1/aircraft?limit={AIRCRAFT}", pid)
    for name, header in json.loads(Path(environment["BENCH_CREDENTIALS"]).read_text()).items():
        yield Contender(f"Skywatch, auth/profile with {name}", port, "/api/v1/auth/profile", pid, f"{header}\r\n")
    port, pid = start("benchmarks.peers.waitress_app")
    yield Contender("waitress alone, ready bytes", port, "/", pid)
    if _installed("fastapi", "uvicorn"):
        # Named, for uvicorn takes others by itself where they are installed.
        plain = ("--loop", "asyncio", "--http", "h11")
        port, pid = start(*UVICORN, *plain)
        yield Contender("FastAPI, dictionaries (uvicorn)", port, "/dicts?limit=200", pid)
        yield Contender("FastAPI, ready bytes, def (uvicorn)", port, "/bytes?limit=200", pid)
        yield Contender("FastAPI, ready bytes, async def (uvicorn)", port, "/async-bytes?limit=200", pid)
        if _installed("uvloop", "httptools"):
            port, pid = start(*UVICORN, "--loop", "uvloop", "--http", "httptools")
            yield Contender("the same (uvicorn[standard])", port, "/async-bytes?limit=200", pid)
    else:
        print("FastAPI is not installed (make bench installs it)")
    if _installed("rest_framework", "gunicorn"):
        port, pid = start("gunicorn", "-w", "1", "--threads", "8", "-b", "127.0.0.1:PORT", DJANGO)
        yield Contender("Django REST, dictionaries (gunicorn)", port, "/dicts", pid)
        yield Contender("Django REST, ready bytes (gunicorn)", port, "/bytes", pid)
    else:
        print("Django REST framework is not installed (make bench installs it)")


def _installed(*names: str) -> bool:
    return all(importlib.util.find_spec(name) for name in names)


if __name__ == "__main__":
    main()

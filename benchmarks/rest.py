"""Requests a second of the aircraft list (200 aircraft) beside FastAPI and Django REST framework, one worker each."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._load import free_port, requests_a_second, wait_for
from skywatch.core.migrations import upgrade
from skywatch.core.runtime import Runtime
from skywatch.picture.sky import COLUMNS, Sky, to_bytes
from skywatch.settings import load

AIRCRAFT = 200
CONNECTIONS = 8
SECONDS = 4.0
ROUNDS = 2


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
        runtime.bus.publish(Message("picture", "tick", b"", snapshot=True, local=sky))
        body: bytes = TestApp(make_app(runtime)).get(f"/api/v1/aircraft?limit={AIRCRAFT}").body
        runtime.close()
        return body


@contextmanager
def server(command: list[str], port: int, environment: dict[str, str]) -> Iterator[None]:
    """A server in a process of its own, on the first core where there are several."""
    process = subprocess.Popen(
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
            os.sched_setaffinity(process.pid, {0})
        wait_for(port)
        yield
    finally:
        process.terminate()
        process.wait(10)


def measure(port: int, path: str) -> float:
    """The best of some rounds: what disturbs a run only makes it slower."""
    asyncio.run(requests_a_second(port, path, 1.0, CONNECTIONS))
    return max(asyncio.run(requests_a_second(port, path, SECONDS, CONNECTIONS)) for _ in range(ROUNDS))


def main() -> None:
    """Print the table."""
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {1})
    sky = sample_sky()
    with tempfile.TemporaryDirectory() as folder:
        body, picture = Path(folder, "body.json"), Path(folder, "sky.bin")
        body.write_bytes(our_body(sky))
        picture.write_bytes(to_bytes(sky))
        size = body.stat().st_size
        rates = dict(_rates(body, picture))
    ours = rates["skywatch (waitress)"]
    print(f"GET of {AIRCRAFT} aircraft, {size:,} bytes, {CONNECTIONS} connections, one worker each")
    print(f"{'':34} {'requests/s':>11} {'ours is':>9}")
    for name, rate in rates.items():
        print(f"{name:34} {rate:11,.0f} {ours / rate:8.2f}x")


def _rates(body: Path, picture: Path) -> Iterator[tuple[str, float]]:
    environment = {"BENCH_BODY": str(body), "BENCH_SKY": str(picture)}
    python = sys.executable
    port = free_port()
    with server([python, "-m", "benchmarks.peers.skywatch_app"], port, {**environment, "BENCH_PORT": str(port)}):
        yield "skywatch (waitress)", measure(port, f"/api/v1/aircraft?limit={AIRCRAFT}")
    if importlib.util.find_spec("fastapi") and importlib.util.find_spec("uvicorn"):
        port = free_port()
        command = [
            python,
            "-m",
            "uvicorn",
            "benchmarks.peers.fastapi_app:app",
            "--port",
            str(port),
            "--log-level",
            "warning",
            "--no-access-log",
        ]
        with server(command, port, environment):
            yield "FastAPI, dictionaries (uvicorn)", measure(port, "/dicts?limit=200")
            yield "FastAPI, ready bytes (uvicorn)", measure(port, "/bytes?limit=200")
    else:
        print("FastAPI is not installed (pip install 'skywatch[bench]')")
    if importlib.util.find_spec("rest_framework") and importlib.util.find_spec("gunicorn"):
        port = free_port()
        command = [
            python,
            "-m",
            "gunicorn",
            "-w",
            "1",
            "--threads",
            "8",
            "-b",
            f"127.0.0.1:{port}",
            "benchmarks.peers.django_app:application",
        ]
        with server(command, port, environment):
            yield "Django REST, dictionaries (gunicorn)", measure(port, "/dicts")
            yield "Django REST, ready bytes (gunicorn)", measure(port, "/bytes")
    else:
        print("Django REST framework is not installed (pip install 'skywatch[bench]')")


if __name__ == "__main__":
    main()

"""One tick a second: CPU time from a receiver's bytes to the encoded picture, and what a whole service needs.

The documents are readsb's ``aircraft.json`` in which every aircraft has moved on, and the same as binCraft. CPU time of
this process, the median of several ticks; along with what Python's own ``json.loads`` takes for the JSON, as a measure
of the machine and its load.
"""

from __future__ import annotations

import gc
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks._load import free_port
from skywatch.picture.changes import apply_changes, encode_changes
from skywatch.picture.picture import Picture
from skywatch.picture.state.sky import to_bytes
from skywatch.picture.tracker import GARBAGE_THRESHOLDS
from skywatch.readsb.bincraft import encode_rows
from skywatch.receivers.reports.documents import DocumentReader
from skywatch.security.visibility import EVERYTHING

COUNTS = (200, 1_000, 5_000, 15_000, 30_000)
TICKS = 15
STATION = (47.45, 8.56)
STAGES = ("decode", "put", "tick", "all", "pack", "peer")
WAY = ("encode", "apply", "objects", "size")
# The first ticks meet everybody for the first time.
WARM_UP_TICKS = 3
SERVICE_AIRCRAFT = 500
MEMORY_AFTER_S = 10.0
# A second receiver that says the same, or has every third aircraft a moment later; and one that sends rows.
KINDS = (
    "one receiver",
    "a second one that says the same",
    "a second one that is a moment later for a third",
    "one receiver, binCraft",
)


class World:
    """Aircraft all over the world, about 37 fields each, as readsb writes them."""

    def __init__(self, count: int) -> None:
        chance = random.Random(count)
        self.now = time.time()
        self.messages = 0
        self.aircraft: list[dict[str, Any]] = [self._aircraft(number, chance) for number in range(count)]

    def _aircraft(self, number: int, chance: random.Random) -> dict[str, Any]:
        on_ground = chance.random() < 0.05
        altitude = round(chance.uniform(40, 1640)) * 25
        return {
            "hex": f"{0x400000 + number:06x}",
            "type": "adsb_icao",
            "flight": f"TST{number % 10000:<5}",
            "r": f"HB-{number:05}",
            "t": chance.choice(["A320", "B738", "C172", "A21N"]),
            "desc": "AIRBUS A-320",
            "alt_baro": "ground" if on_ground else altitude,
            "alt_geom": altitude + 400,
            "gs": round(chance.uniform(5, 20) if on_ground else chance.uniform(120, 500), 1),
            "track": round(chance.uniform(0, 359), 2),
            "baro_rate": chance.choice([0, 64, -832]),
            "squawk": f"{chance.randrange(8**4):04o}",
            "emergency": "none",
            "category": "A3",
            "nav_qnh": 1013.6,
            "nav_altitude_mcp": 36000,
            "nav_modes": ["autopilot", "althold", "tcas"],
            "lat": chance.uniform(-60, 70),
            "lon": chance.uniform(-180, 180),
            "nic": 8,
            "rc": 186,
            "seen_pos": 0.3,
            "version": 2,
            "nic_baro": 1,
            "nac_p": 10,
            "nac_v": 2,
            "sil": 3,
            "sil_type": "perhour",
            "gva": 2,
            "sda": 2,
            "alert": 0,
            "spi": 0,
            "mlat": [],
            "tisb": [],
            "messages": 1000,
            "seen": 0.1,
            "rssi": -21.5,
        }

    def document(self) -> bytes:
        """The ``aircraft.json`` of the next second."""
        self.now += 1.0
        for aircraft in self.aircraft:
            run = aircraft["gs"] / 216_000
            track = math.radians(aircraft["track"])
            lat = aircraft["lat"] + run * math.cos(track)
            lon = aircraft["lon"] + run * math.sin(track) / math.cos(math.radians(lat))
            aircraft["lat"], aircraft["lon"] = round(lat, 6), round((lon + 180) % 360 - 180, 6)
            aircraft["messages"] += 5
            self.messages += 5
        return self._encoded(self.aircraft)

    def second_document(self, later: int) -> bytes:
        """The same second from another receiver: signal, counts and ages are its own, every ``later``-th position."""
        own = []
        for number, aircraft in enumerate(self.aircraft):
            other = aircraft | {"rssi": -9.5, "messages": aircraft["messages"] // 2, "seen": 0.2, "seen_pos": 0.4}
            if later and number % later == 0:
                other["lat"] = round(other["lat"] + 0.0005, 6)
            own.append(other)
        return self._encoded(own)

    def _encoded(self, aircraft: list[dict[str, Any]]) -> bytes:
        head = {"now": round(self.now, 3), "messages": self.messages}
        return json.dumps({**head, "aircraft": aircraft}, separators=(",", ":")).encode()


class RowsOfDocuments:
    """Writes an aircraft.json as binCraft, as a Skywatch that reads it serves it."""

    def __init__(self) -> None:
        self._now = 0.0
        self._picture = Picture(STATION, clock=lambda: self._now, monotonic=lambda: self._now)
        self._reader = DocumentReader(Counter())

    def convert(self, document: bytes, now: float) -> bytes:
        """The rows of a document that was written at this time (unix s)."""
        self._now = now
        heard = self._reader.read(document, now, 0.0)
        assert heard is not None
        self._picture.put("roof", heard.reports, heard.messages)
        sky = self._picture.tick()
        return encode_rows(sky, range(len(sky)), EVERYTHING)


def cpu_ms(function: Any, *args: Any) -> tuple[float, Any]:
    """CPU time of a call (ms) and what it returned."""
    started = time.process_time()
    result = function(*args)
    return (time.process_time() - started) * 1000, result


def run(
    count: int, receivers: int = 1, ticks: int = TICKS, later: int | None = None, *, as_rows: bool = False
) -> dict[str, float]:
    """Median CPU time (ms) of each stage of a tick; ``receivers`` all hear all aircraft.

    The further ones get the same bytes, or with ``later`` a document of their own (``World.second_document``).
    ``as_rows``: all of them get binCraft.
    """
    world = World(count)
    rows = [RowsOfDocuments() for _ in range(receivers)]
    clock = [world.now]
    picture = Picture(STATION, clock=lambda: clock[0], monotonic=lambda: clock[0])
    readers = [DocumentReader(Counter()) for _ in range(receivers)]
    stages: dict[str, list[float]] = {stage: [] for stage in STAGES}
    for number in range(ticks + WARM_UP_TICKS):
        body = world.document()
        clock[0] = world.now + 0.2
        decode_ms = put_ms = 0.0
        bodies = [body] + [body if later is None else world.second_document(later)] * (receivers - 1)
        if as_rows:
            bodies = [one.convert(document, world.now) for one, document in zip(rows, bodies, strict=True)]
        for place, reader in enumerate(readers):
            took, heard = cpu_ms(reader.read, bodies[place], clock[0], 0.0)
            decode_ms += took
            took, _ = cpu_ms(picture.put, f"r{place}", heard.reports, heard.messages)
            put_ms += took
            del heard
        tick_ms, sky = cpu_ms(picture.tick)
        assert len(sky) == count
        pack_ms, _ = cpu_ms(to_bytes, sky)
        peer_ms, _ = cpu_ms(json.loads, body)
        took_ms = (decode_ms, put_ms, tick_ms, decode_ms + put_ms + tick_ms, pack_ms, peer_ms)
        if number >= WARM_UP_TICKS:
            for stage, milliseconds in zip(STAGES, took_ms, strict=True):
                stages[stage].append(milliseconds)
    return {stage: statistics.median(times) for stage, times in stages.items()}


def travel(count: int, ticks: int = TICKS) -> dict[str, float]:
    """Median CPU time (ms) of a tick's way to another process, and its size (kB).

    ``objects`` is what it costs there to put the JSON objects together, for a process that reads them.
    """
    world = World(count)
    clock = [world.now]
    picture = Picture(STATION, clock=lambda: clock[0], monotonic=lambda: clock[0])
    reader = DocumentReader(Counter())
    spent: dict[str, list[float]] = {name: [] for name in WAY}
    before = unread = read = None
    for number in range(1 + WARM_UP_TICKS + ticks):
        body = world.document()
        clock[0] = world.now + 0.2
        heard = reader.read(body, clock[0], 0.0)
        assert heard is not None
        picture.put("roof", heard.reports, heard.messages)
        sky = picture.tick()
        if before is None or unread is None or read is None:
            before = unread = read = sky
            continue
        encode_ms, data = cpu_ms(encode_changes, sky, before)
        apply_ms, unread = cpu_ms(apply_changes, data, unread)
        read = apply_changes(data, read)
        objects_ms, objects = cpu_ms(getattr, read, "encoded")
        assert objects == sky.encoded
        before = sky
        if number > WARM_UP_TICKS:
            for name, value in zip(WAY, (encode_ms, apply_ms, objects_ms, len(data) / 1000), strict=True):
                spent[name].append(value)
    return {name: statistics.median(values) for name, values in spent.items()}


def service(aircraft: int) -> tuple[float, float, float]:
    """A whole service with simulated aircraft: seconds to its first answer and to a full sky, and memory (MB)."""
    with tempfile.TemporaryDirectory() as folder:
        ini, port = Path(folder) / "bench.ini", free_port()
        ini.write_text(
            f"[app:main]\nuse = egg:skywatch\nenvironment = development\nauth_mode = public\n"
            f"database_url = sqlite:///{folder}/bench.sqlite\nlisten = 127.0.0.1:{port}\n"
            f"realtime_listen = 127.0.0.1:0\nreceiver.demo = simulate aircraft={aircraft}\n"
        )
        command = [sys.executable, "-W", "ignore", "-m", "skywatch"]
        subprocess.run([*command, "init", str(ini)], check=True, stdout=subprocess.DEVNULL)
        started = time.monotonic()
        process = subprocess.Popen([*command, "serve", str(ini)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            answered = full = 0.0
            while not full:
                if time.monotonic() - started > 60 or process.poll() is not None:
                    raise RuntimeError("the service did not come up")
                count = _aircraft_at(port)
                elapsed = time.monotonic() - started
                answered = answered or (elapsed if count is not None else 0.0)
                full = elapsed if count is not None and count >= aircraft * 0.95 else 0.0
                time.sleep(0.02)
            time.sleep(MEMORY_AFTER_S)
            return answered, full, _memory_mb(process.pid)
        finally:
            process.terminate()
            process.wait(20)


def _aircraft_at(port: int) -> int | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/data/aircraft.json", timeout=5) as answer:
            return len(json.load(answer)["aircraft"])
    except OSError:
        return None


def _memory_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("this system does not tell a process' memory")


def main() -> None:
    """Print the tables."""
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    for title, receivers, later, as_rows in zip(KINDS, (1, 2, 2, 1), (None, 0, 3, None), (0, 0, 0, 1), strict=True):
        print(f"\nCPU ms of a tick, {title}")
        print(" aircraft   decode    put    tick     all  us each   pack json.loads  times")
        for count in COUNTS:
            stages = run(count, receivers, later=later, as_rows=bool(as_rows))
            decode, put, tick, total, pack, peer = (stages[stage] for stage in STAGES)
            print(
                f"{count:>9,} {decode:>8.1f} {put:>6.1f} {tick:>7.1f} {total:>7.1f} {total / count * 1000:>8.1f} "
                f"{pack:>6.1f} {peer:>10.1f} {total / peer:>6.2f}",
                flush=True,
            )
    print("\nCPU ms of a tick's way to another process\n aircraft  encode   apply  objects, where read      kB")
    for count in COUNTS:
        encode, apply, objects, size = travel(count).values()
        print(f"{count:>9,} {encode:>7.1f} {apply:>7.1f} {objects:>20.1f} {size:>7.0f}", flush=True)
    answered, full, memory = service(SERVICE_AIRCRAFT)
    print(
        f"\nservice with {SERVICE_AIRCRAFT} simulated aircraft: first answer after {answered:.2f} s, "
        f"all aircraft after {full:.2f} s, {memory:.0f} MB"
    )


if __name__ == "__main__":
    main()

"""20,000 ACARS messages at once over TCP: how long the other writers of SQLite wait meanwhile.

``python -m tests.drills.acars_flood [--messages 20000] [--connections 1]`` starts a service of its own on SQLite with
simulated aircraft, sends the messages as fast as they are taken, and prints how long another process waited for the
write lock, and the slowest transaction of each writer, the wait for the lock included. Exit code 1 where another
writer waited longer than a second, or where messages are missing.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from tests.ports import free_port
from tests.processes import Service
from tests.waiting import PATIENCE_S

MESSAGES, CONNECTIONS = 20_000, 1
MAX_S = 1.0
MAX_DRILL_S = 1800.0
WRITES = "skywatch_database_write_duration_seconds"
WORDS = ["GATE", "FUEL", "WEATHER", "TURBULENCE", "POSITION", "REQUEST", "CLEARANCE", "DELAY", "CREW", "RUNWAY", "WIND"]
# Of so many messages, one is received by a second station, and one is the first part of a text that never ends.
SECOND_STATION, UNFINISHED = 5, 4


def envelopes(count: int, seed: int) -> list[bytes]:
    """``count`` lines as acarsdec writes them."""
    chance, lines = random.Random(seed), list[bytes]()
    while len(lines) < count:
        number = len(lines)
        text = " ".join(chance.choice(WORDS) for _ in range(chance.randint(4, 30)))
        fields: dict[str, Any] = {
            "timestamp": time.time(), "station_id": "ROOF", "freq": 131.55, "level": -12.5, "label": "80",
            "block_id": str(number % 10), "tail": f"N{100 + number % 900}{'ABCDEFGH'[seed % 8]}",
            "flight": f"AB{number % 9000:04d}", "text": f"{text} {number}",
        }  # fmt: skip
        if number % UNFINISHED == 0:
            fields |= {"msgno": f"M{number // UNFINISHED % 100:02d}A", "assstat": "in progress"}
        lines.append(json.dumps(fields).encode() + b"\n")
        if number % SECOND_STATION == 0 and len(lines) < count:
            lines.append(json.dumps(fields | {"station_id": "SOUTH"}).encode() + b"\n")
    return lines


class LockProbe(threading.Thread):
    """Takes SQLite's write lock again and again, as another writer does."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self._path = path
        self._stop_asked = threading.Event()
        self.waits_s = list[float]()

    def run(self) -> None:
        connection = sqlite3.connect(self._path, timeout=300.0, isolation_level=None)
        while not self._stop_asked.wait(0.1):
            began = time.monotonic()
            connection.execute("BEGIN IMMEDIATE")
            self.waits_s.append(time.monotonic() - began)
            connection.execute("ROLLBACK")
        connection.close()

    def stop(self) -> None:
        self._stop_asked.set()
        self.join(PATIENCE_S)


class WriteWatch(threading.Thread):
    """Reads the time of the writers' transactions from the metrics; between two readings it is their mean."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self._service = service
        self._stop_asked = threading.Event()
        self.slowest_s: Counter[str] = Counter()

    def run(self) -> None:
        before = self._read()
        while not self._stop_asked.wait(0.25):
            now = self._read()
            for writer, (count, total) in now.items():
                count_before, total_before = before.get(writer, (0.0, 0.0))
                if count > count_before:
                    mean = (total - total_before) / (count - count_before)
                    self.slowest_s[writer] = max(self.slowest_s[writer], mean)  # type: ignore[assignment]
            before = now

    def _read(self) -> dict[str, tuple[float, float]]:
        url = f"http://127.0.0.1:{self._service.port}/api/v1/system/metrics"
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as response:
            text = response.read().decode()
        figures: dict[str, dict[str, float]] = {}
        for family in text_string_to_metric_families(text):
            if family.name == WRITES:
                for sample in family.samples:
                    kind = sample.name.removeprefix(f"{WRITES}_")
                    figures.setdefault(next(v for k, v in sample.labels.items() if k != "process" and k != "le"), {})[
                        kind
                    ] = sample.value
        return {writer: (values.get("count", 0.0), values.get("sum", 0.0)) for writer, values in figures.items()}

    def stop(self) -> None:
        self._stop_asked.set()
        self.join(PATIENCE_S)


def status_of(service: Service) -> dict[str, Any]:
    """The status of the one ACARS input."""
    inputs = service.get("/api/v1/system/inputs")["inputs"]
    return next(one for one in inputs if one["family"] == "acars")


def send(port: int, lines: list[bytes]) -> None:
    """Send as fast as it is taken."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"".join(lines))
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)


def main() -> int:
    """Run it and print what came of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--messages", type=int, default=MESSAGES)
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        settings = {"acars__net": f"listen 127.0.0.1:{port}", "receiver__sky": "simulate aircraft=300"}
        service = Service(folder, picture_save_s=0, **settings).init().start()
        share = arguments.messages // arguments.connections
        floods = [envelopes(share, seed) for seed in range(arguments.connections)]
        probe, watch = LockProbe(folder / "skywatch.sqlite"), WriteWatch(service)
        probe.start()
        watch.start()
        time.sleep(3.0)
        quiet, probe.waits_s = probe.waits_s, []
        began = time.monotonic()
        senders = [threading.Thread(target=send, args=(port, lines), daemon=True) for lines in floods]
        for sender in senders:
            sender.start()
        total = share * arguments.connections
        status, taken_s = status_of(service), 0.0
        expected = len({message for lines in floods for message in map(text_of, lines)})
        while stored(folder) < expected and time.monotonic() - began < MAX_DRILL_S:
            time.sleep(1.0)
            status = status_of(service)
            taken_s = taken_s or (time.monotonic() - began if status["received"] >= total else 0.0)
        took_s, rows = time.monotonic() - began, stored(folder)
        probe.stop()
        watch.stop()
        service.stop()
    waits = sorted(probe.waits_s)
    longest = max(waits)
    print(f"{total:,} messages over {arguments.connections} connections: received {status['received']:,}", end="")
    print(f" in {taken_s:.0f} s, dropped {status['dropped']:,}; {rows:,} of {expected:,} stored in {took_s:.0f} s")
    print(f"another process waited for the lock: longest {longest:.2f} s, ", end="")
    print(f"p95 {waits[int(len(waits) * 0.95)]:.2f} s, median {statistics.median(waits):.3f} s", end="")
    print(f" ({len(waits)} times); before the flood at most {max(quiet):.2f} s")
    for writer, slowest_s in sorted(watch.slowest_s.items()):
        print(f"  {writer}: slowest transactions {slowest_s:.2f} s (mean of a quarter of a second)")
    return int(longest > MAX_S or rows < expected)


def text_of(line: bytes) -> str:
    """What tells the messages apart."""
    return str(json.loads(line)["text"])


def stored(folder: Path) -> int:
    """The messages in the database."""
    with sqlite3.connect(folder / "skywatch.sqlite", timeout=60.0) as connection:
        return int(connection.execute("SELECT count(*) FROM acars_messages").fetchone()[0])


if __name__ == "__main__":
    sys.exit(main())

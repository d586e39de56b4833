"""15,000 aircraft that keep no separation: what a flood of safety events costs the service and the other writers.

``python -m tests.drills.flood [--seconds 120] [--aircraft 15000] [--receiver WORDS]`` starts a service of its own on
SQLite and prints the safety events that were stored, the entries that were dropped, the slowest tick of the monitor,
and how long another process waited for SQLite's write lock. Exit code 1 where an entry was dropped.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.processes import Service
from tests.waiting import PATIENCE_S

AIRCRAFT, SECONDS = 15_000, 120.0
METRICS_EVERY_S, LOCK_EVERY_S = 0.4, 0.1
TICKS = "skywatch_monitor_duration_seconds"
WRITES = "skywatch_database_write_duration_seconds"
DROPPED = "skywatch_database_write_dropped_total"
DEPTH = "skywatch_queue_depth"

Samples = dict[tuple[str, tuple[str, ...]], float]


@dataclass
class Flood:
    """``ticks_s`` and ``writes_s`` are means between two readings of the metrics, by monitor and by writer."""

    ticks_s: dict[str, list[float]] = field(default_factory=dict)
    writes_s: dict[str, list[float]] = field(default_factory=dict)
    waits_s: list[float] = field(default_factory=list)
    depth: Counter[str] = field(default_factory=Counter)
    behind_s: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    dropped: dict[str, float] = field(default_factory=dict)


def metrics(service: Service) -> Samples:
    """The metrics of the service: ``(name, values of the labels without the process) -> value``."""
    url = f"http://127.0.0.1:{service.port}/api/v1/system/metrics"
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as response:
        text = response.read().decode()
    samples: Samples = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = tuple(value for name, value in sorted(sample.labels.items()) if name != "process")
            samples[sample.name, labels] = sample.value
    return samples


def watch_metrics(service: Service, flood: Flood, until_at: float) -> None:
    """Read the metrics and the health of the writers again and again."""
    before = metrics(service)
    while time.monotonic() < until_at:
        time.sleep(METRICS_EVERY_S)
        now = metrics(service)
        for name, results in ((TICKS, flood.ticks_s), (WRITES, flood.writes_s)):
            for (sample, labels), value in now.items():
                count = now.get((f"{name}_count", labels), 0.0) - before.get((f"{name}_count", labels), 0.0)
                if sample == f"{name}_sum" and count:
                    results.setdefault(labels[0], []).append((value - before.get((sample, labels), 0.0)) / count)
        for (sample, labels), value in now.items():
            if sample == DEPTH:
                flood.depth[labels[0]] = max(flood.depth[labels[0]], int(value))
            if sample == DROPPED and value:
                flood.dropped["/".join(labels)] = value
        before = now
        for process in service.get("/api/v1/system/status")["processes"]:
            for component in process["components"]:
                behind_s = component["figures"].get("behind_s", 0.0)
                flood.behind_s[component["name"]] = max(flood.behind_s[component["name"]], behind_s)


def watch_lock(path: str, flood: Flood, stop: threading.Event) -> None:
    """Take SQLite's write lock again and again, as another writer does, and measure how long it takes."""
    connection = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
    while not stop.wait(LOCK_EVERY_S):
        began = time.monotonic()
        connection.execute("BEGIN IMMEDIATE")
        flood.waits_s.append(time.monotonic() - began)
        connection.execute("ROLLBACK")
    connection.close()


def stored_events(path: str) -> tuple[int, int]:
    """Safety events in the database: all, and those that were raised."""
    with sqlite3.connect(path, timeout=PATIENCE_S) as connection:
        [row] = connection.execute("SELECT count(*), count(*) FILTER (WHERE NOT held_back) FROM safety_events")
    return int(row[0]), int(row[1])


def drill(service: Service, seconds: float) -> Flood:
    """Watch a running service for so long."""
    flood, stop = Flood(), threading.Event()
    path = service.database_url.removeprefix("sqlite:///")
    locker = threading.Thread(target=watch_lock, args=(path, flood, stop), daemon=True)
    locker.start()
    try:
        watch_metrics(service, flood, time.monotonic() + seconds)
    finally:
        stop.set()
        locker.join(PATIENCE_S)
    return flood


def _report(flood: Flood) -> None:
    for title, results in (("tick of a monitor", flood.ticks_s), ("transaction of a writer", flood.writes_s)):
        for name, times in sorted(results.items()):
            print(f"{title:<24} {name:<12} median {statistics.median(times):7.3f} s, most {max(times):7.3f} s")
    waits = sorted(flood.waits_s)
    print(
        f"waits for the write lock: 99 % {waits[int(len(waits) * 0.99)]:.3f} s, most {waits[-1]:.3f} s of {len(waits)}"
    )
    print(f"most entries waiting {dict(flood.depth)}, behind (s) { {k: v for k, v in flood.behind_s.items() if v} }")
    print(f"dropped {flood.dropped or 'nothing'}")


def main() -> int:
    """The command; 1 where an entry was dropped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--aircraft", type=int, default=AIRCRAFT)
    parser.add_argument("--receiver", default="simulate aircraft={aircraft} seed=1 separation=no")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        receiver = arguments.receiver.format(aircraft=arguments.aircraft)
        service = Service(Path(folder), receiver__demo=receiver, bus="memory").init().start()
        try:
            flood = drill(service, arguments.seconds)
        finally:
            service.stop()
        stored, raised = stored_events(service.database_url.removeprefix("sqlite:///"))
        lines = [line for line in service.log.read_text().splitlines() if " WARN" in line or " ERROR" in line]
    print(f"{stored} safety events stored, {raised} of them raised")
    _report(flood)
    print(*lines[:20], sep="\n")
    return 1 if flood.dropped else 0


if __name__ == "__main__":
    sys.exit(main())

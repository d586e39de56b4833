"""Reads of the whole service in one process compared with the plain way: checks of known aircraft, flights.

The service runs all roles with simulated aircraft, and its database is SQLite. A check is answered from the process's
own index, a flight is read as a row; the plain way asks the database for each check and makes an object of each row.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks._cores import on_core
from benchmarks._load import free_port
from benchmarks.rest import CONNECTIONS, Best, Contender, measure, server

AIRCRAFT, KNOWN, FLIGHTS = 200, 20_000, 5_000
PAGE = 50
CHECKS_TARGET, FLIGHTS_TARGET = 1_200, 300
CHECK, ROWS = "check of a known aircraft", f"{PAGE} flights of history"
# An address on the list, and one that is not.
LISTED, UNLISTED = "400001", "9FFFFF"
API = "/api/v1"


def main() -> None:
    """Print the table."""
    port = free_port()
    environment = {
        "BENCH_PORT": str(port), "BENCH_AIRCRAFT": str(AIRCRAFT), "BENCH_KNOWN": str(KNOWN),
        "BENCH_FLIGHTS": str(FLIGHTS),
    }  # fmt: skip
    command = [sys.executable, "-m", "benchmarks.peers.reads_app"]
    with (
        tempfile.NamedTemporaryFile("r") as credentials,
        server(command, port, {**environment, "BENCH_CREDENTIALS": credentials.name}) as pid,
    ):
        header = json.loads(Path(credentials.name).read_text())["JWT"] + "\r\n"
        with on_core(-1):
            best = measure([Contender(name, port, f"{API}{path}", pid, header) for name, path in _paths().items()])
    print(f"one process with all roles, {AIRCRAFT} aircraft, {KNOWN:,} known, {FLIGHTS:,} flights, SQLite; "
          f"{CONNECTIONS} connections")  # fmt: skip
    print("best of the rounds taken in turn; processor time of the process, its other roles included")
    print(f"{'':52} {'requests/s':>11} {'us/request':>11} {'target':>8}")
    for name, found in best.items():
        target = _target(name)
        print(f"{name:52} {found.rate:11,.0f} {found.cpu_us:11.0f} {target or '':>8}")
    for what in (CHECK, ROWS):
        print(f"{what}: {_cost(best, f'{what}, plain') / _cost(best, what):.1f} times cheaper than plain")


def _paths() -> dict[str, str]:
    checks = "/cannonball/known-aircraft/check"
    return {
        CHECK: f"{checks}/{LISTED}/",
        f"{CHECK}, not on the list": f"{checks}/{UNLISTED}/",
        f"{CHECK}, plain": f"/bench/known/{LISTED}",
        ROWS: f"/history/flights?limit={PAGE}",
        f"{ROWS}, plain": f"/bench/flights/{PAGE}",
    }


def _target(name: str) -> int | None:
    if name.endswith("plain"):
        return None
    return CHECKS_TARGET if name.startswith(CHECK) else FLIGHTS_TARGET


def _cost(best: dict[str, Best], name: str) -> float:
    return best[name].cpu_us


if __name__ == "__main__":
    main()

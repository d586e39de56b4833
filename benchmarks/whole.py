"""The whole service with everything on: processor time by part, tick to client, missed ticks, memory.

``python -m benchmarks whole`` measures one process on SQLite and the production layout (tracker, api, realtime and
worker on PostgreSQL and NATS) with 200, 2,000, 15,000 and 30,000 aircraft, a minute each.
``python -m benchmarks.whole`` takes options; ``soak`` prints a row every few minutes for two hours.

The traffic is kept apart, climbs and lands; it comes from a process of its own, as do 500 subscribers of 50 areas, 20
requests a second and 100 ACARS messages a second. 200 users with 1,000 alert rules, 200 geofences and watch lists are
followed by Cannonball; history, safety, patterns and recordings are on. With ``--household`` there are four of them.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks._whole import clients, soaking, table
from benchmarks._whole.installation import LAYOUTS, ROOT, Size, Whole, household, running

COUNTS = (200, 2_000, 15_000, 30_000)
SHOWN = ("one", "nats")
WARM_UP_S, SECONDS = 30.0, 60.0
SUBSCRIBERS = clients.SUBSCRIBERS


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table of each layout."""
    # Whoever ends it ends the service and its clients as well.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", nargs="?", choices=("measure", "soak", "show"), default="measure")
    parser.add_argument("--layout", action="append", choices=LAYOUTS, help="one process, or roles on NATS or Redis")
    parser.add_argument("--aircraft", type=int, action="append")
    parser.add_argument("--household", action="store_true", help="four users, a request and an ACARS message a second")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long is measured")
    parser.add_argument("--warm-up", type=float, default=WARM_UP_S, help="seconds before that")
    parser.add_argument("--memory-at", type=float, action="append", default=[], help="minutes since the clients came")
    parser.add_argument("--minutes", type=float, default=120.0, help="of the soak")
    parser.add_argument("--row-every", type=float, default=5.0, help="minutes between two rows of the soak")
    parser.add_argument("--tree", type=Path, default=ROOT, help="the checkout whose service is measured")
    parser.add_argument("--save", type=Path, help="a file to which the results are added, for show")
    options = parser.parse_args(arguments)
    if options.what == "show":
        _show([json.loads(line) for line in options.save.read_text().splitlines()])
        return
    layouts, counts = options.layout or list(SHOWN), options.aircraft or list(COUNTS)
    if options.what == "soak":
        size = _size(options.aircraft[0] if options.aircraft else 15_000, options)
        with (
            tempfile.TemporaryDirectory() as folder,
            running(Path(folder), (options.layout or ["one"])[0], size, options.tree) as whole,
        ):
            soaking.soak(whole, options.minutes, options.row_every)
        return
    results = []
    for layout in layouts:
        for count in counts:
            results.append(_measured(layout, count, options))
            if options.save is not None:
                with options.save.open("a") as file:
                    file.write(json.dumps(results[-1]) + "\n")
    _show(results)


def _size(aircraft: int, options: argparse.Namespace) -> Size:
    return household(aircraft) if options.household else Size(aircraft, SUBSCRIBERS)


def _show(results: list[dict[str, Any]]) -> None:
    for layout in dict.fromkeys(result["layout"] for result in results):
        print(f"  layout: {layout}", flush=True)
        table.print_table([result for result in results if result["layout"] == layout])


def _measured(layout: str, aircraft: int, options: argparse.Namespace) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), layout, _size(aircraft, options), options.tree) as whole,
    ):
        began = time.monotonic()
        time.sleep(options.warm_up)
        return measure(whole, options.seconds, began, options.memory_at) | {"layout": layout, "aircraft": aircraft}


def measure(whole: Whole, seconds: float, began: float, memory_at: Sequence[float]) -> dict[str, Any]:
    """What a window of so many seconds shows, and the memory at its end and at those minutes."""
    whole.pipe.send("begin")
    before, servers, world_s = whole.figures(), _server_times(whole), table.server_s(whole.world_pid)
    time.sleep(seconds)
    after = whole.figures()
    seen: dict[str, Any] = whole.ask("report")
    elapsed = {name: after[name]["at"] - before[name]["at"] for name in after}
    parts: Counter[str] = Counter()
    for name in after:
        of_process = table.parts_between(before[name], after[name])
        prefix = "" if len(after) == 1 else f"{name}: "
        for part, spent_s in of_process.items():
            parts["else" if part == "else" else prefix + part] += 1000 * spent_s / elapsed[name]
    for name, until_s in _server_times(whole).items():
        parts[f"server {name}"] = 1000 * (until_s - servers[name]) / seconds
    memory: dict[float, Any] = {round((time.monotonic() - began) / 60, 1): _memory(after)}
    for minute in sorted(memory_at):
        time.sleep(max(0.0, began + 60 * minute - time.monotonic()))
        memory[minute] = _memory(whole.figures())
    return seen | {
        "parts": parts,
        "clients_ms": 1000 * seen["clients_s"] / seconds,
        "world_ms": 1000 * (table.server_s(whole.world_pid) - world_s) / seconds,
        "load": os.getloadavg()[0],
        "memory": memory,
    }


def _server_times(whole: Whole) -> dict[str, float]:
    return {name: table.server_s(pid) for name, pid in whole.servers.items()}


def _memory(figures: dict[str, dict[str, Any]]) -> dict[str, tuple[float, float]]:
    return {name: (process["rss_mb"], process["anon_mb"]) for name, process in figures.items()}


if __name__ == "__main__":
    main(sys.argv[1:])

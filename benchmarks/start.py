"""Start: from the command to the first answer and to the first aircraft, in new processes of an installed wheel.

Wall and processor seconds, the middle of some rounds with a warm page cache, and where a start spends them.
``python -m benchmarks.start [--before CHECKOUT] [--rounds N]``; wall times need a quiet machine.
"""

from __future__ import annotations

import json
import statistics
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks._installed import PATIENCE_S, Installation, Installed, end, installed, processor_s

AIRCRAFT = 200
ROUNDS = 5
# They write the bytecode and warm the page cache.
WARM_UPS = 1
ANSWER_S, AIRCRAFT_S = 1.0, 1.5
SHOWN_PACKAGES = 14
# Processor time at each step of the start, by wrapping what ``skywatch.serving.process`` calls one after the other.
STEPS = """
import json, os, sys, threading, time
began = time.process_time()
steps = []
def step(name):
    steps.append((name, time.process_time()))
import skywatch.cli.serve
step("imports of the command and the libraries")
from skywatch.serving import process
def wrapped(holder, name, what):
    inner = getattr(holder, name)
    def call(*args, **kw):
        step(None)
        try:
            return inner(*args, **kw)
        finally:
            step(what)
    setattr(holder, name, call)
wrapped(process, "_open_api", "REST API: its modules, routes, schemas")
wrapped(process, "create_services", "tracker, channel, worker: their modules and objects")
wrapped(process.LoopThread, "start", "services started, first tick begun")
def wait(server):
    step("the rest")
    print(json.dumps([[name, at - before] for (_, before), (name, at) in zip([("", began), *steps], steps)]))
    sys.stdout.flush()
    os._exit(0)
process._wait = wait
sys.argv = ["skywatch", "serve", sys.argv[1]]
from skywatch.cli import main
main()
"""


def _get(port: int, path: str) -> bytes | None:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            body: bytes = answer.read()
            return body
    except (OSError, urllib.error.HTTPError):
        return None


def measure(skywatch: Installed) -> list[float]:
    """Wall and processor seconds to the first answer, then to the first aircraft."""
    with TemporaryDirectory() as folder:
        made = Installation.make(Path(folder), skywatch, AIRCRAFT)
        began = time.monotonic()
        process = skywatch.start(made.errors, "-m", "skywatch", "serve", str(made.ini))
        try:
            found: list[float] = []
            for path, is_there in (
                ("/api/v1/system/health?probe=live", bool),
                ("/api/v1/aircraft?limit=1", lambda body: bool(json.loads(body)["aircraft"])),
            ):
                while not ((body := _get(made.port, path)) and is_there(body)):  # type: ignore[operator]
                    if time.monotonic() - began > PATIENCE_S or process.poll() is not None:
                        raise RuntimeError(f"{skywatch.name} does not answer at {made.port}")
                    time.sleep(0.01)
                found += [time.monotonic() - began, processor_s(process.pid)]
            return found
        finally:
            end(process)


def parts(skywatch: Installed) -> list[tuple[str, float]]:
    """Processor seconds of the steps of a start."""
    with TemporaryDirectory() as folder:
        made = Installation.make(Path(folder), skywatch, AIRCRAFT)
        printed = skywatch.output("-c", STEPS, str(made.ini)).splitlines()[-1]
        spent: Counter[str] = Counter()
        for name, seconds in json.loads(printed):
            spent[name or "settings, database, schema, bus"] += seconds
        return list(spent.items())


def imports(skywatch: Installed) -> tuple[int, Counter[str]]:
    """How many modules a start imports, and the milliseconds by package (``-X importtime``)."""
    with TemporaryDirectory() as folder:
        made = Installation.make(Path(folder), skywatch, AIRCRAFT)
        process = skywatch.start(made.errors, "-X", "importtime", "-m", "skywatch", "serve", str(made.ini))
        began = time.monotonic()
        try:
            while not _get(made.port, "/api/v1/aircraft?limit=1"):
                if time.monotonic() - began > PATIENCE_S or process.poll() is not None:
                    raise RuntimeError(f"{skywatch.name} does not answer at {made.port}")
                time.sleep(0.1)
        finally:
            end(process)
        errors = made.errors.read_text(errors="replace")
    spent: Counter[str] = Counter()
    count = 0
    for line in errors.splitlines():
        if not line.startswith("import time:") or "|" not in line or "self" in line:
            continue
        own, _, name = line.removeprefix("import time:").split("|")
        spent[name.strip().partition(".")[0]] += int(own) / 1000
        count += 1
    return count, spent


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = ArgumentParser(prog="python -m benchmarks.start")
    parser.add_argument("--before", type=Path, help="the checkout of an earlier commit")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args([] if arguments is None else arguments)
    with installed(options.before) as versions:
        rounds: dict[str, list[list[float]]] = {skywatch.name: [] for skywatch in versions}
        for _ in range(WARM_UPS):
            for skywatch in versions:
                measure(skywatch)
        for _ in range(options.rounds):
            for skywatch in versions:
                rounds[skywatch.name].append(measure(skywatch))
        print("| | first answer (s) | processor (s) | first aircraft (s) | processor (s) |\n|---|---|---|---|---|")
        for name, found in rounds.items():
            middle = [statistics.median(column) for column in zip(*found, strict=True)]
            print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in middle) + " |")
        print(f"| goal | {ANSWER_S} | | {AIRCRAFT_S} | |\n")
        for skywatch in versions:
            print(f"{skywatch.name}, processor seconds of its steps:")
            for name, seconds in parts(skywatch):
                print(f"  {seconds:6.2f}  {name}")
            count, spent = imports(skywatch)
            named = ", ".join(f"{name} {ms:.0f}" for name, ms in spent.most_common(SHOWN_PACKAGES))
            print(f"  {count} modules, {sum(spent.values()):.0f} ms of imports; by package: {named}")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])

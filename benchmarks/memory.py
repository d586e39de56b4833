"""Memory: the floor of each role, a household's process, 15,000 aircraft, and what holds it.

The floor is what the libraries that a role imports take in a process that does nothing. Resident memory counts what is
shared with other processes; unshared (USS) is what ends with the process. Roles by themselves need Redis as bus
(``REDIS_URL``) and are left out without.
``python -m benchmarks.memory [--before CHECKOUT] [--minutes N] [--aircraft N ...]``
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks._installed import PATIENCE_S, Installation, Installed, end, installed
from benchmarks._memory_stages import FLOOR, MODULES, STAGES

AIRCRAFT = (200, 15_000)
MINUTES = 5.0
STAGES_S = 60.0
EVERYTHING = ("api", "tracker", "realtime", "worker")
GOAL_MB = {200: 130, 15_000: 300}
SHOWN_PACKAGES = 10
# Roles whose floor is measured by themselves.
ALONE = EVERYTHING


def floor(skywatch: Installed, roles: Sequence[str]) -> tuple[float, dict[str, float]]:
    """Resident memory (MB) of the libraries that these roles import, together and by package."""
    with TemporaryDirectory() as folder:
        made = Installation.make(Path(folder), skywatch, 1)
        if tuple(roles) != EVERYTHING:
            _use_redis(made)
        names = skywatch.output("-c", MODULES, str(made.ini), *(f"--role={role}" for role in roles))
        done = subprocess.run(
            [skywatch.python, "-W", "ignore", "-c", FLOOR], input=names.splitlines()[-1].encode(),
            env=skywatch.environment(), capture_output=True, check=True, timeout=PATIENCE_S,
        )  # fmt: skip
    spent, (resident, _) = json.loads(done.stdout)
    return resident, {package: mb for package, (mb, _) in spent.items()}


def _use_redis(made: Installation) -> None:
    url = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
    text = made.ini.read_text().replace("environment = development", f"environment = development\nsecret = {'x' * 40}")
    made.ini.write_text(f"{text}bus = {url}\nbus_prefix = benchmark{os.getpid()}\nstart_wait_s = 0\n")


def running(skywatch: Installed, aircraft: int, minutes: float) -> tuple[float, float, int]:
    """Resident and unshared memory (MB) and threads of a service with all roles after so many minutes."""
    with TemporaryDirectory() as folder:
        made = Installation.make(Path(folder), skywatch, aircraft)
        process = skywatch.start(made.errors, "-m", "skywatch", "serve", str(made.ini))
        try:
            time.sleep(60 * minutes)
            if process.poll() is not None:
                raise RuntimeError(made.errors.read_text()[-2000:])
            return memory_of(process.pid)
        finally:
            end(process)


def memory_of(pid: int) -> tuple[float, float, int]:
    """Resident and unshared memory (MB) and the threads of a process."""
    sizes = {"Rss": 0, "Private_Clean": 0, "Private_Dirty": 0}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in sizes:
            sizes[name] = int(value.split()[0]) * 1024
    threads = len(list(Path(f"/proc/{pid}/task").iterdir()))
    return sizes["Rss"] / 1e6, (sizes["Private_Clean"] + sizes["Private_Dirty"]) / 1e6, threads


def stages(skywatch: Installed, aircraft: int, seconds: float) -> list[tuple[str, float]]:
    """Resident memory (MB) at the steps of a service's life."""
    with TemporaryDirectory() as folder:
        made = Installation.make(Path(folder), skywatch, aircraft)
        printed = skywatch.output("-c", STAGES, str(made.ini), f"{seconds}").splitlines()[-1]
    return [(name, resident) for name, (resident, _) in json.loads(printed)]


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = ArgumentParser(prog="python -m benchmarks.memory")
    parser.add_argument("--before", type=Path, help="the checkout of an earlier commit")
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--aircraft", type=int, nargs="+", default=list(AIRCRAFT))
    options = parser.parse_args([] if arguments is None else arguments)
    with installed(options.before) as versions:
        now = versions[-1]
        whole, packages = floor(now, EVERYTHING)
        print(f"floor: {whole:.0f} MB for all roles in one process; of it (MB)")
        dearest = sorted(packages.items(), key=lambda item: -item[1])[:SHOWN_PACKAGES]
        print("  " + ", ".join(f"{package} {mb:.1f}" for package, mb in dearest))
        for role in ALONE:
            try:
                print(f"  {role} alone: {floor(now, (role,))[0]:.0f} MB")
            except RuntimeError as error:
                print(f"  {role} alone: not measured ({str(error).strip().splitlines()[-1][:100]})")
        for skywatch in versions:
            steps = ", ".join(f"{name} {mb:.0f}" for name, mb in stages(skywatch, options.aircraft[0], STAGES_S))
            print(f"{skywatch.name}, {options.aircraft[0]} aircraft (MB): {steps}")
        print("\n| aircraft | version | minutes | resident (MB) | unshared (MB) | threads | goal (MB) |")
        print("|---|---|---|---|---|---|---|")
        for aircraft in options.aircraft:
            for skywatch in versions:
                resident, unshared, threads = running(skywatch, aircraft, options.minutes)
                print(
                    f"| {aircraft:,} | {skywatch.name} | {options.minutes:g} | {resident:.0f} | {unshared:.0f} |"
                    f" {threads} | {GOAL_MB.get(aircraft, '')} |",
                    flush=True,
                )


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])

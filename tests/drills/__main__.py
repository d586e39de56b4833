"""Runs a drill: ``make drill NAME=faults [ARGS="..."]``; without a name lists all."""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import pytest

# Name, what it does and what it needs beside Python. Most are modules of this folder.
MODULES = {
    "archive-crashes": "kill -9 at each step between archiving a day and deleting it: nothing is lost or doubled",
    "batch-crashes": "kill -9 of a batch and of its workers: the results are those of an undisturbed run",
    "clients": "25 dying clients a second for a minute: all others have every tick",
    "cluster": "run the manual's page on three hosts in namespaces, and cut one off (root, debootstrap, iproute2)",
    "console": "every form of the console in a browser, at two widths, light and dark (Chromium)",
    "console-walks": "five tasks as somebody new goes them through the console (Chromium)",
    "day": "24 hours of a household at ten times the speed: what its memory grows by (faketime, gcc; 2.5 hours)",
    "deb": "walk the Debian package: install, kill, upgrade, remove, purge, systemd (root, debootstrap)",
    "deployment": "run the manual's deployment pages in a fresh Debian (root, debootstrap)",
    "dry-runs": "12 dry runs of alert rules at once: how long all other requests and ticks take meanwhile",
    "encounters": "which of the drawn geometries of encounters are raised, how early, and which harmless ones",
    "first-aircraft": "run a clone and a wheel on an empty Debian: time to the first aircraft (root, debootstrap)",
    "faults": "break two installations in every way (half an hour)",
    "flood": "15,000 aircraft without separation: what their safety events cost",
    "home-assistant": "start the Home Assistant add-on and open it by ingress (root, debootstrap, Chromium)",
    "hosts": "break three hosts in namespaces in every way (two hours; root, iproute2, etcd, Patroni, HAProxy)",
    "image": "build the container image and run it, alone and a container a role (root, buildah, debootstrap)",
    "ingest-loss": "kill -9 of an ingest process at 500 feeders, over Redis and NATS (PostgreSQL)",
    "mutants": "100,000 damaged texts of every kind of input: none raises or costs more than its neighbours (an hour)",
    "passwords": "50 callers with wrong passwords: how long all other requests take meanwhile",
    "recipes": "run the manual's recipe for Spark over an archive (Java 17; installs PySpark)",
    "rolling": "roll a release through all processes under load (nginx, PostgreSQL, Redis, NATS)",
    "soak": "two hours with 2,000 aircraft, 200 subscribers and callers: memory, ticks, log",
    "stranger": "make test as a user without privileges who has Python, make and git alone (--cut: no servers, root)",
    "versions": "try the next minor version of every pinned package",
}
# Tests that look longer or wider where this variable is set: name, what it does, variable, tests.
TESTS = {
    "calm-sky": ("half an hour of simulated traffic raises no safety event", "CALM_SKY", ["test_calm_sky.py"]),
    "restarts": ("restart and take over in every way: nothing is announced twice", "RESTARTS", ["restarts"]),
    "widths": (
        "pages at every width, theme and renderer",
        "WIDTHS",
        ["web/test_pages.py", "web/test_past.py", "web/test_small_screens.py"],
    ),
}


def main(arguments: list[str]) -> int:
    """Run the drill that the first argument names with the other arguments."""
    name = arguments[0] if arguments else ""
    if name in MODULES:
        sys.argv[1:] = arguments[1:]
        runpy.run_module(f"tests.drills.{name.replace('-', '_')}", run_name="__main__", alter_sys=True)
        return 0
    if name in TESTS:
        _, variable, paths = TESTS[name]
        os.environ[f"SKYWATCH_{variable}"] = "1"
        folder = Path(__file__).resolve().parents[1] / "integration"
        return int(pytest.main(["--tier", "all", *(str(folder / path) for path in paths), *arguments[1:]]))
    listed = {**MODULES, **{key: what for key, (what, _, _) in TESTS.items()}}
    print("\n".join(f"{key:16} {listed[key]}" for key in sorted(listed)))
    return 2 if name else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

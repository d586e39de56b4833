"""Durations of tests: stored for the fast lane, the slowest printed, each folder compared with its budget.

``tests/budgets.toml`` holds the budget of each folder in seconds: the sum over its tests, on the reference machine (two
quiet cores). A folder that needs more raises its budget in the same change and says why next to it. A busy machine is
slower than the reference, so nothing fails here: the lines tell who reads CI's output where to look.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUDGETS = ROOT / "tests" / "budgets.toml"
# Durations by test, of the newest run of each; only of this checkout, so it is not committed.
STORED = ROOT / ".durations.json"
SLOWEST = 30

_measured: dict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add setup, call and teardown of a test."""
    _measured[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Store what was measured, in the process that has all reports."""
    if _measured and not os.environ.get("PYTEST_XDIST_WORKER"):
        store(_measured)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print folders beyond their budgets, and in CI the slowest tests."""
    if os.environ.get("CI") and _measured:
        terminalreporter.section(f"{SLOWEST} slowest tests")
        for test, seconds in sorted(_measured.items(), key=lambda pair: -pair[1])[:SLOWEST]:
            terminalreporter.write_line(f"{seconds:7.1f} s  {test}")
    for line in over_budget(by_folder(_measured), budgets()):
        terminalreporter.write_line(line)


def by_folder(durations: Mapping[str, float]) -> dict[str, float]:
    """Seconds of each folder of tests; deeper folders count for theirs at the second level (``tests/unit/core``)."""
    folders: dict[str, float] = defaultdict(float)
    for test, seconds in durations.items():
        parts = test.partition("::")[0].split("/")[:-1]
        folders["/".join(parts[:3])] += seconds
    return dict(folders)


def budgets() -> dict[str, float]:
    """Budget of each folder in seconds."""
    return {folder: float(entry["s"]) for folder, entry in tomllib.loads(BUDGETS.read_text()).items()}


def over_budget(folders: Mapping[str, float], allowed: Mapping[str, float]) -> list[str]:
    """A line for each folder that took longer than it may, or has no budget."""
    lines = []
    for folder, seconds in sorted(folders.items()):
        if folder not in allowed:
            lines.append(f"{folder} has no budget in tests/budgets.toml ({seconds:.0f} s)")
        elif seconds > allowed[folder]:
            lines.append(f"{folder} took {seconds:.0f} s, its budget is {allowed[folder]:.0f} s (tests/budgets.toml)")
    return lines


def stored() -> dict[str, float]:
    """Durations of earlier runs by test; empty if there are none."""
    try:
        durations: dict[str, float] = json.loads(STORED.read_text())
    except (OSError, ValueError):
        return {}
    return durations


def store(durations: Mapping[str, float]) -> None:
    """Add to what is stored; readers see the old file or the new one."""
    new = STORED.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps({**stored(), **{test: round(s, 3) for test, s in durations.items()}}))
    new.replace(STORED)

"""What tests cost in processor seconds, and what was not tested here and why: the lines at the end of a run.

A processor second is user and system time of the thread of the test and of the processes that have ended, its children
and the services that ``tests.prefork`` has started; other threads may belong to an earlier test. Unlike time on the
clock it does not depend on what else the machine does, so that a limit on it may fail. What a process makes once for
all its tests (``once``) counts in the sum alone, not towards the limit of the test that came first; nor is a browser
that ends with the run a cost of the test that came last.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import prefork
from tests.lanes.tiers import tier_of

ROOT = Path(__file__).resolve().parents[2]
# Processor seconds by test, of the newest run of each; only of this checkout, so it is not committed.
STORED = ROOT / ".durations.json"
# A test of `make test` that costs more is named; in continuous integration the second limit fails. On the machine for
# which they are given all of `make test` costs so much; where it costs more, each test may too.
NAMED_S, REFUSED_S = 1.0, 2.0
ALL_S = 300.0
DEAREST = 10
END = "the end of a process of tests"

_SINCE = pytest.StashKey[float]()
_IS_LAST = pytest.StashKey[bool]()
# Processor seconds since the last report of what is made once.
_of_all = [0.0]


@contextmanager
def once() -> Iterator[None]:
    """What is made here would make whichever test comes first in its process too dear for its tier."""
    began = time.thread_time()
    try:
        yield
    finally:
        _of_all[0] += time.thread_time() - began


class Costs:
    """What the reports of a run say."""

    def __init__(self) -> None:
        self.by_test: dict[str, float] = defaultdict(float)
        self.skipped: Counter[str] = Counter()
        self._of_test_tier: dict[str, float] = {}

    def add(self, report: pytest.TestReport) -> None:
        """Add a phase of a test; what is skipped is counted by what is missing, the text before a colon."""
        properties = dict(report.user_properties)
        cost = float(str(properties.get("processor_s", 0.0)))
        self.by_test[END if properties.get("is_end") else report.nodeid] += cost
        # Fixtures of a whole run are made in the set-up of whichever test comes first.
        if report.when == "call" and properties.get("tier") == "test" and not properties.get("may_be_dear"):
            self._of_test_tier[report.nodeid] = cost - float(str(properties.get("of_all_s", 0.0)))
        if report.skipped and isinstance(report.longrepr, tuple):
            self.skipped[report.longrepr[2].removeprefix("Skipped: ").partition(": ")[0]] += 1

    def above(self, limit: float) -> list[tuple[str, float]]:
        """Tests of `make test` that cost more than ``limit``, dearest first."""
        limit *= max(1.0, sum(self.by_test.values()) / ALL_S)
        dear = ((test, cost) for test, cost in self._of_test_tier.items() if cost > limit)
        return sorted(dear, key=lambda pair: -pair[1])

    def lines(self, dearest: int) -> list[str]:
        """What is said at the end of a run."""
        in_order = sorted(self.by_test.items(), key=lambda pair: -pair[1])[:dearest]
        lines = [f"{cost:7.1f} processor seconds: {test}" for test, cost in in_order]
        refused_tests = {test for test, _ in self.above(REFUSED_S)}
        for test, cost in self.above(NAMED_S):
            refused = "; continuous integration refuses it" if test in refused_tests else ""
            lines.append(f"{test} costs {cost:.1f} processor seconds: mark it deep, or make it cheaper{refused}")
        lines.append(f"{sum(self.by_test.values()):.0f} processor seconds in {len(self.by_test.keys() - {END})} tests")
        if self.skipped:
            counts = ", ".join(f"{what} ({count})" for what, count in self.skipped.most_common())
            lines.append(f"not tested here: {counts}")
        return lines


_run = Costs()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Note with which test the fixtures of the whole run end."""
    item.stash[_IS_LAST] = nextitem is None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Write into each report what its phase has cost."""
    report = yield
    now = time.thread_time() + sum(os.times()[2:4]) + prefork.processor_s()
    cost = now - item.config.stash.get(_SINCE, now)
    item.config.stash[_SINCE] = now
    measured = [("processor_s", cost), ("of_all_s", _of_all[0]), ("tier", tier_of(item))]
    _of_all[0] = 0.0
    report.user_properties = [*report.user_properties, *measured]
    if report.when == "teardown" and item.stash.get(_IS_LAST, False):
        report.user_properties.append(("is_end", True))
    if item.get_closest_marker("smoke") or item.get_closest_marker("dear"):
        report.user_properties.append(("may_be_dear", True))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add the phases of a test."""
    _run.add(report)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Store what was measured, in the process that has all reports; fail where a test is too dear for its tier."""
    if os.environ.get("PYTEST_XDIST_WORKER") or not _run.by_test:
        return
    store(_run.by_test)
    if os.environ.get("CI") and session.exitstatus == 0 and _run.above(REFUSED_S):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the costs, the tests that are too dear for `make test`, and what was not tested."""
    if _run.by_test:
        for line in _run.lines(DEAREST if os.environ.get("CI") else 0):
            terminalreporter.write_line(line)


def stored() -> dict[str, float]:
    """Costs of earlier runs by test; empty if there are none."""
    try:
        costs: dict[str, float] = json.loads(STORED.read_text())
    except (OSError, ValueError):
        return {}
    return costs


def store(costs: Mapping[str, float]) -> None:
    """Add to what is stored; readers see the old file or the new one."""
    new = STORED.with_suffix(f".{os.getpid()}")
    new.write_text(json.dumps({**stored(), **{test: round(s, 3) for test, s in costs.items()}}))
    new.replace(STORED)

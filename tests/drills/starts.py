"""Faults that are there when an installation starts: what answers meanwhile, how it stops, and when all is well.

Whoever watches the processes starts one that has ended again after ``RESTART_S``, as the units of deploy/systemd do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import httpx

from tests.drills.causes import Fault
from tests.drills.installation import Installation
from tests.drills.load import Load
from tests.waiting import until

RESTART_S = 2.0
# What the installation has to keep to.
MAX_LOG_LINES = 20
STOP_S = 20.0
WELL_S, RECEIVER_WELL_S = 10.0, 30.0


@dataclass
class StartOutcome:
    """What was measured of one fault at the start."""

    fault: str
    live: str
    named: str
    log_lines: int
    starts: int
    stop_s: float
    well_after_s: float | None
    lost: int
    broken: list[str]

    def __str__(self) -> str:
        well = f"{self.well_after_s:.1f} s" if self.well_after_s is not None else "NEVER"
        figures = f"{self.live} | {self.named} | {self.log_lines} | {self.starts} | {self.stop_s:.1f} s | {well}"
        return f"| {self.fault} | {figures} | {self.lost} | {'; '.join(self.broken) or 'ok'} |"


HEAD = (
    "| Fault at the start | Probe answers | Health shows | Log lines | Starts | Stops in | Well after | Lost | |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


@contextmanager
def watched(installation: Installation) -> Iterator[Callable[[], int]]:
    """Start every process, and again after its end; yields how many starts there were."""
    stop, starts = threading.Event(), [0]

    def watch() -> None:
        ended_at: dict[str, float] = {}
        while not stop.wait(0.1):
            for name, process in installation.processes.items():
                if process.running is None or process.running.poll() is None:
                    continue
                if time.monotonic() - ended_at.setdefault(name, time.monotonic()) >= RESTART_S:
                    del ended_at[name]
                    process.start()
                    starts[0] += 1

    installation.start()
    starts[0] = len(installation.processes)
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: starts[0]
    finally:
        stop.set()
        thread.join()


def _probes(installation: Installation) -> list[bool]:
    """Whether each process with the REST API answers the liveness probe."""
    answers = []
    for port in installation.ports:
        try:
            answer = httpx.get(f"http://127.0.0.1:{port}/api/v1/system/health?probe=live", timeout=5)
            answers.append(answer.status_code == 200)
        except httpx.HTTPError:
            answers.append(False)
    return answers


def _failing(installation: Installation) -> list[str]:
    """What health shows as failing, in any process."""
    names: set[str] = set()
    for port in installation.ports:
        with suppress(httpx.HTTPError, ValueError, KeyError):
            checks = httpx.get(f"http://127.0.0.1:{port}/api/v1/system/health", timeout=8).json()["checks"]
            names |= {check["name"] for check in checks if not check["ok"]}
    return sorted(names)


def play_at_start(installation: Installation, load: Load, fault: Fault, seconds: float) -> StartOutcome:
    """Stop everything, cause the fault, start, look, stop, start once more, cure, and wait until all is well."""
    with suppress(AssertionError):
        until(lambda: load.well_since(time.monotonic() - 3))
    assert load.well_since(time.monotonic() - 10), f"no good beginning: {load.ill}, {dict(load.seen)}"
    load.forget()
    installation.stop()
    lines = installation.log_lines
    fault.cause(installation)
    try:
        with watched(installation) as starts:
            time.sleep(seconds)
            probes, failing, lines = _probes(installation), _failing(installation), installation.log_lines - lines
            started = starts()
        stop_s = installation.stop()
        with watched(installation):
            # Processes that are only being loaded would be measured as not well.
            time.sleep(seconds)
            fault.cure(installation)
            cured_at = time.monotonic()
            with suppress(AssertionError):
                until(lambda: load.well_since(cured_at), wait_s=45, every_s=0.1)
    except BaseException:
        fault.cure(installation)
        raise
    well = max(load.well_at.values()) - cured_at if load.well_since(cured_at) else None
    outcome = StartOutcome(
        fault.name, f"{sum(probes)} of {len(probes)}", ", ".join(failing) or "nothing", lines, started, stop_s, well,
        0, [],
    )  # fmt: skip
    with suppress(Exception):
        outcome.lost = load.lost()
    outcome.broken = list(_broken(outcome, fault, all(probes), failing))
    if well is None:
        outcome.broken.append(f"still: {load.ill}")
    return outcome


def _broken(outcome: StartOutcome, fault: Fault, live: bool, failing: list[str]) -> Iterator[str]:
    """The promises that were not kept."""
    if not live:
        yield "the probe is not answered"
    if fault.part not in failing:
        yield f"health does not show {fault.part}"
    if outcome.log_lines > MAX_LOG_LINES:
        yield "too many log lines"
    if outcome.stop_s > STOP_S:
        yield "too slow to stop"
    if outcome.lost:
        yield "commits lost"
    if outcome.well_after_s is None or outcome.well_after_s > (RECEIVER_WELL_S if "eceiver" in fault.name else WELL_S):
        yield "too slow to be well again"

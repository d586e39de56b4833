"""Runs a function again and again in a thread of its own, whatever it raises, and shows in health how that goes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from skywatch.core.database.engine import outage_of, reason
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
# A run that takes longer is shown in health.
SLOW_S = 10.0
# The longest pause after a run that failed: what failed is soon well again once its cause is gone.
RETRY_S = 3.0
CLOSE_S = 2.0


class PeriodicTask:
    """``work`` runs at the start, then every ``every_s`` seconds and when ``run_soon`` is called, after errors sooner.

    ``name`` is the component in health and in the log.
    """

    def __init__(self, name: str, every_s: float, work: Callable[[], None]) -> None:
        self.name = name
        self._every_s = every_s
        self._work = work
        self._wake = threading.Event()
        self._first = threading.Event()
        self._stopping = False
        self._since: float | None = None
        self._why = ""
        self._faults = FaultLog(log, f"{name}: failed", f"{name}: works again")
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self, wait_s: float = 0.0) -> None:
        """Begin; waits up to ``wait_s`` for the first run."""
        self._thread.start()
        health.watch(self.name, self.state)
        if wait_s:
            self._first.wait(wait_s)

    def run_soon(self) -> None:
        """Run once more without waiting for the next time."""
        self._wake.set()

    def close(self) -> None:
        """Run no more."""
        self._stopping = True
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join(CLOSE_S)
        health.withdraw(self.name, self.state)

    def state(self) -> State:
        """For health: asked from any thread."""
        since = self._since
        detail = ""
        if not self._stopping and not self._thread.is_alive():
            detail = sentence("health.thread_ended", "its thread has ended")
        elif self._faults.count:
            detail = sentence("health.failed", "failed: {why}", why=self._why)
        elif since is not None and time.monotonic() - since > SLOW_S:
            detail = sentence(
                "health.busy", "has been at work for {seconds} s", seconds=f"{time.monotonic() - since:.0f}"
            )
        return State(not detail, detail, {"failures": float(self._faults.count)})

    def _run(self) -> None:
        while not self._stopping:
            self._since, pause_s = time.monotonic(), self._every_s
            try:
                self._work()
                self._faults.succeeded()
            except Exception as error:
                # Whatever it is, the next run may succeed, and health shows it until then.
                self._why = reason(error)
                self._faults.failed(self._why, cause=outage_of(error))
                pause_s = min(pause_s, RETRY_S)
            self._since = None
            self._first.set()
            self._wake.wait(pause_s)
            self._wake.clear()

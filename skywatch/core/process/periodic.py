"""Work that a thread of its own repeats, whatever it raises: ``WorkerThread``, and ``PeriodicTask`` with health.

Tasks of an event loop have ``tasks.repeat``. Threads that take from a queue, keep a connection or sleep until something
is to be done (writers, buses, caches, folders of recordings) are not of this kind.
"""

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


class WorkerThread:
    """Does ``work`` again and again from ``start`` to ``close``, which ``stopping`` tells it.

    ``work`` returns the pause (s) until the next time; ``failed`` is given what it raises, and returns the same.
    """

    def __init__(self, name: str, work: Callable[[], float], failed: Callable[[Exception], float]) -> None:
        self.stopping = threading.Event()
        self._work, self._failed = work, failed
        self._wake = threading.Event()
        self._first_s = 0.0
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self, after_s: float = 0.0) -> None:
        """Begin, after a pause."""
        self._first_s = after_s
        self._thread.start()

    def run_soon(self) -> None:
        """Do the work once more without waiting for the next time."""
        self._wake.set()

    def close(self, within_s: float | None = None) -> bool:
        """End it, and wait (s; None: as long as that takes); whether it has ended. Safe to call at any time."""
        self.stopping.set()
        self._wake.set()
        if self.is_alive:
            self._thread.join(within_s)
        return not self.is_alive

    @property
    def is_alive(self) -> bool:
        """Whether it was started and has not ended."""
        return self._thread.is_alive()

    def _run(self) -> None:
        pause_s = self._first_s
        while True:
            if pause_s > 0:
                self._wake.wait(pause_s)
            self._wake.clear()
            if self.stopping.is_set():
                return
            try:
                pause_s = self._work()
            except Exception as error:
                # Whatever it is, the next time may succeed, and nobody else would do this work.
                pause_s = self._failed(error)


class PeriodicTask:
    """``work`` runs at the start, then every ``every_s`` seconds and when ``run_soon`` is called.

    After errors it runs again within ``retry_s`` (by default ``RETRY_S``). ``work`` may return another pause (s) until
    the next time, where it has left something to do. ``name`` is the component in health and in the log.
    """

    def __init__(
        self, name: str, every_s: float, work: Callable[[], float | None], retry_s: float | None = None
    ) -> None:
        self.name = name
        self._every_s = every_s
        self._retry_s = retry_s
        self._work = work
        self._first = threading.Event()
        self._since: float | None = None
        self._why = ""
        self._faults = FaultLog(log, f"{name}: failed", f"{name}: works again")
        self._worker = WorkerThread(name, self._run, self._failed)

    def start(self, wait_s: float = 0.0) -> None:
        """Begin; waits up to ``wait_s`` for the first run."""
        self._worker.start()
        health.watch(self.name, self.state)
        if wait_s:
            self._first.wait(wait_s)

    def run_soon(self) -> None:
        """Run once more without waiting for the next time."""
        self._worker.run_soon()

    def close(self) -> None:
        """Run no more."""
        self._worker.close(CLOSE_S)
        health.withdraw(self.name, self.state)

    def state(self) -> State:
        """For health: asked from any thread."""
        since = self._since
        detail = ""
        if not self._worker.stopping.is_set() and not self._worker.is_alive:
            detail = sentence("health.thread_ended", "its thread has ended")
        elif self._faults.count:
            detail = sentence("health.failed", "failed: {why}", why=self._why)
        elif since is not None and time.monotonic() - since > SLOW_S:
            detail = sentence(
                "health.busy", "has been at work for {seconds} s", seconds=f"{time.monotonic() - since:.0f}"
            )
        return State(not detail, detail, {"failures": float(self._faults.count)})

    def _run(self) -> float:
        self._since = time.monotonic()
        pause_s = self._work()
        self._faults.succeeded()
        self._end_run()
        return self._every_s if pause_s is None else pause_s

    def _failed(self, error: Exception) -> float:
        self._why = reason(error)
        self._faults.failed(self._why, cause=outage_of(error))
        self._end_run()
        return min(self._every_s, RETRY_S if self._retry_s is None else self._retry_s)

    def _end_run(self) -> None:
        self._since = None
        self._first.set()

"""Repeats work on the database until it succeeds, with growing pauses, and gives up when a stop cannot wait."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from skywatch.core.database.engine import outage_of, reason
from skywatch.core.database.fencing import FencedError
from skywatch.core.telemetry import metrics
from skywatch.core.telemetry.fault_log import FaultLog

log = logging.getLogger(__name__)
R = TypeVar("R")

RETRY_FIRST_S, RETRY_LAST_S = 0.5, 5.0
# A transaction that takes longer is shown in health: the database is locked or does not answer.
SLOW_S = 5.0


class GaveUpError(Exception):
    """A stop could not wait any longer for the database."""


class RetryLoop:
    """Runs the work of one writer's thread; ``stop`` and ``fault`` may be called from any thread.

    ``after_failure`` is called after each attempt that failed.
    """

    def __init__(self, name: str, after_failure: Callable[[], None]) -> None:
        self.cause = ""
        self._name = name
        self._after_failure = after_failure
        self._stopping = threading.Event()
        self._stop_by = float("inf")
        self._attempt_since: float | None = None
        self._faults = FaultLog(log, f"{name}: cannot be written and waits in memory", f"{name}: is written again")
        # A counter that appears with its first fault has not grown by it in Prometheus' eyes, and no alert comes.
        metrics.DATABASE_WRITE_ERRORS.labels(name)

    def run(self, work: Callable[[], R], is_temporary: Callable[[Exception], bool] = lambda error: True) -> R:
        """Do the work, again with growing pauses after errors that are temporary; raises the others.

        Raises GaveUpError where a stop cannot wait, and FencedError.
        """
        pause_s = RETRY_FIRST_S
        while True:
            self._attempt_since = time.monotonic()
            try:
                result = work()
            except FencedError:
                raise
            except Exception as error:
                # Whatever it is, the thread must go on and health must show it.
                self._attempt_since = None
                if not is_temporary(error):
                    raise
                self._failed(error)
            else:
                self._attempt_since = None
                self._faults.succeeded()
                return result
            self._pause(pause_s)
            pause_s = min(2 * pause_s, RETRY_LAST_S)

    def _failed(self, error: Exception) -> None:
        self.cause = reason(error)
        metrics.DATABASE_WRITE_ERRORS.labels(self._name).inc()
        self._faults.failed(self.cause, internal_fault(error), outage_of(error))
        self._after_failure()

    def _pause(self, pause_s: float) -> None:
        if not self._stopping.wait(pause_s):
            return
        remaining_s = self._stop_by - time.monotonic()
        if remaining_s <= 0:
            raise GaveUpError
        # Whatever the attempts before have come to: there is not much time left.
        time.sleep(min(RETRY_FIRST_S, remaining_s))

    def stop(self, within_s: float) -> None:
        """Have the work end within a time: what fails later is given up."""
        self._stop_by = time.monotonic() + within_s
        self._stopping.set()

    @property
    def is_stopping(self) -> bool:
        """Whether ``stop`` was called."""
        return self._stopping.is_set()

    @property
    def is_overdue(self) -> bool:
        """Whether the time for the stop is over."""
        return time.monotonic() > self._stop_by

    def rest(self, pause_s: float) -> None:
        """Pause between two pieces of work; a stop ends it."""
        if pause_s:
            self._stopping.wait(pause_s)

    @property
    def failures(self) -> int:
        """Attempts that failed since the last success."""
        return self._faults.count

    def fault(self) -> str:
        """What is wrong at present, for health: the last attempts failed, or this one hangs; else nothing."""
        since = self._attempt_since
        if self._faults.count:
            return f"cannot be written: {self.cause}"
        if since is not None and (waited_s := time.monotonic() - since) > SLOW_S:
            return f"the database has not answered for {waited_s:.0f} s"
        return ""


def internal_fault(error: Exception) -> Exception | None:
    """The error where its traceback is worth a look: it comes neither from the database nor from the system."""
    return None if isinstance(error, SQLAlchemyError | OSError) else error

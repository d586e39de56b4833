"""History's part in the tracker: takes every tick, and writes from a thread of its own every few seconds."""

from __future__ import annotations

import logging
import threading
import time

from sqlalchemy.exc import SQLAlchemyError

from skywatch.core import health, metrics
from skywatch.core.db import reason
from skywatch.core.runtime import Runtime
from skywatch.history.recorder import Recorder
from skywatch.history.writer import Writer
from skywatch.picture.sky import Sky

log = logging.getLogger(__name__)
COMPONENT = "history_writer"
# After a failed flush the next one waits longer, up to this (s): a full disk needs no hammering.
LONGEST_PAUSE_S = 30.0
# What was heard just now is in the next tick, a second later at most.
TICK_S = 1.0


def pause_after(flush_s: float, took_s: float) -> float:
    """How long to wait after a flush that took ``took_s``, so that a crash loses what came in ``flush_s`` at most.

    Lost is what was heard from a tick before one flush began until the next one has ended. Where flushes take long,
    half the time is left to others all the same.
    """
    return max(flush_s / 2, flush_s - TICK_S - 2 * took_s)


class HistoryMonitor:
    """Records flights and tracks. While the database is away everything waits in memory, up to a bound."""

    name = "history"

    def __init__(self, runtime: Runtime) -> None:
        settings = runtime.settings
        self.flush_s = settings.history_flush_s
        self.recorder = Recorder(
            settings.history_error_m, settings.history_altitude_error_ft, settings.history_flight_gap_s
        )
        self.writer = Writer(runtime.sessions, self.recorder)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="history-writer", daemon=True)
        self._failures = 0

    def start(self) -> None:
        """Recover what the last process left, and begin to write."""
        self.writer.recover()
        self._thread.start()

    def on_tick(self, sky: Sky) -> None:
        self.recorder.take(sky)

    def close(self) -> None:
        """Write the rest. Flights stay open: the next start goes on with those still in the air."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self.flush()
        health.withdraw(COMPONENT)

    def _run(self) -> None:
        pause = pause_after(self.flush_s, 0.0)
        while not self._stop.wait(pause):
            began = time.monotonic()
            written = self.flush()
            pause = pause_after(self.flush_s, time.monotonic() - began) if written else min(LONGEST_PAUSE_S, pause * 2)

    def flush(self) -> bool:
        """Write once; False where the database did not take it, which is logged, counted and shown in health."""
        try:
            self.writer.flush()
        except Exception as error:
            # Whatever it is: the thread must go on, and health must say so.
            self._failed(error)
            return False
        if self._failures:
            log.warning("history is written again after %d failed attempts", self._failures)
        self._failures = 0
        self._report(True, "")
        return True

    def _failed(self, error: Exception) -> None:
        why = reason(error)
        self._failures += 1
        if self._failures == 1:
            fault_of_ours = not isinstance(error, SQLAlchemyError | OSError)
            log.error("history cannot be written and waits in memory: %s", why, exc_info=fault_of_ours)
        self._report(False, f"cannot be written: {why}")

    def _report(self, ok: bool, detail: str) -> None:
        recorder = self.recorder
        metrics.QUEUE_DEPTH.labels("history").set(recorder.waiting)
        health.report(
            COMPONENT,
            ok,
            detail,
            waiting_points=recorder.waiting,
            behind_s=max(0.0, recorder.now - self.writer.committed_at) if self.writer.committed_at else 0.0,
            failures=self._failures,
        )


class NoHistory:
    """Stands in where history is switched off."""

    name = "history"

    def start(self) -> None:
        pass

    def on_tick(self, sky: Sky) -> None:
        pass

    def close(self) -> None:
        pass


def create(runtime: Runtime) -> HistoryMonitor | NoHistory:
    """The monitor that the setting ``history_enabled`` asks for."""
    return HistoryMonitor(runtime) if runtime.settings.history_enabled else NoHistory()

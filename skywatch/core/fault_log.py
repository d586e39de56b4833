"""Logs a failure that repeats: its first occurrence, then one line a minute with the count, and its end.

A fault that comes and goes with every attempt gets a few lines a minute as well, however often it turns.
"""

from __future__ import annotations

import logging
import threading
import time

REPEAT_S = 60.0
# A fault that returns this soon after its end is logged no earlier than that.
PAUSE_S = 15.0


class FaultLog:
    """One kind of failure of one part. ``failing`` and ``recovered`` are the texts, without a full stop."""

    def __init__(self, logger: logging.Logger, failing: str, recovered: str) -> None:
        self._logger = logger
        self._failing = failing
        self._recovered = recovered
        self._lock = threading.Lock()
        self._began_at = 0.0
        self._logged_at: float | None = None
        self._ended_at = float("-inf")
        self.count = 0

    def failed(self, why: str, error: BaseException | None = None) -> None:
        """Count one failure; ``why`` is one line, ``error`` adds its traceback to the first line."""
        now = time.monotonic()
        with self._lock:
            self.count += 1
            if self.count == 1:
                self._began_at = now
            first = self._logged_at is None
            if self._logged_at is None and now - self._ended_at < PAUSE_S:
                return
            if self._logged_at is not None and now - self._logged_at < REPEAT_S:
                return
            self._logged_at = now
            times = f" ({self.count} times in {now - self._began_at:.0f} s)" if self.count > 1 else ""
        self._logger.error("%s: %s%s", self._failing, why, times, exc_info=error if first else None)

    def succeeded(self) -> None:
        """End the fault, if there is one."""
        if not self.count:
            return
        with self._lock:
            count, logged, lasted_s = self.count, self._logged_at is not None, time.monotonic() - self._began_at
            self.count, self._logged_at = 0, None
            if logged:
                self._ended_at = time.monotonic()
        if logged:
            self._logger.warning("%s after %d failed attempts in %.0f s", self._recovered, count, lasted_s)

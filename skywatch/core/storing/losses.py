"""Counts and logs the entries that a background writer loses: refused, over the bound, fenced, or left at a stop."""

from __future__ import annotations

import logging

from skywatch.core.database.engine import reason
from skywatch.core.reporting import metrics
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.core.storing.retrying import internal_fault

log = logging.getLogger(__name__)


class Losses:
    """The losses of one writer, by cause."""

    def __init__(self, name: str) -> None:
        self.refused = 0
        self._name = name
        self._overflowed = 0
        self._refusals = FaultLog(log, f"{name}: an entry was refused and dropped", f"{name}: entries are accepted")
        self._overflow = FaultLog(log, f"{name}: the queue is full, entries are dropped", f"{name}: the queue has room")
        for cause in ("fenced", "full", "refused", "stopped"):
            metrics.DATABASE_WRITE_DROPPED.labels(name, cause)

    def accept(self) -> None:
        """The database has taken a whole batch."""
        self._refusals.succeeded()

    def refuse(self, error: Exception) -> None:
        """The database refuses one entry."""
        self.refused += 1
        metrics.DATABASE_WRITE_DROPPED.labels(self._name, "refused").inc()
        self._refusals.failed(reason(error), internal_fault(error))

    def fence(self, entries: int, cause: str) -> None:
        """Another process has taken over while entries waited."""
        metrics.DATABASE_WRITE_DROPPED.labels(self._name, "fenced").inc(entries)
        log.error("%s: %s; what waits here is dropped (%d entries)", self._name, cause, entries)

    def stop(self, entries: int, cause: str) -> None:
        """A stop has left entries unwritten."""
        metrics.DATABASE_WRITE_DROPPED.labels(self._name, "stopped").inc(entries)
        log.error("%s: %d entries were not written before the stop: %s", self._name, entries, cause)

    def measure(self, depth: int, dropped: int) -> None:
        """Note how many entries wait, and how many were not accepted since the start."""
        metrics.QUEUE_DEPTH.labels(self._name).set(depth)
        if dropped > self._overflowed:
            metrics.DATABASE_WRITE_DROPPED.labels(self._name, "full").inc(dropped - self._overflowed)
            self._overflowed = dropped
            self._overflow.failed(f"{dropped} since the start")
        else:
            self._overflow.succeeded()

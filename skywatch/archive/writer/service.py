"""The service of the worker role that archives each day once it is complete; of several workers one does."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from skywatch.archive import metrics
from skywatch.archive.errors import ArchiveError, Cancelled
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.writer.run import CLOCK, Busy, RunOutcome, only_writer, open_archiver, run
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import DatabaseError, reason
from skywatch.core.process.periodic import WorkerThread
from skywatch.core.runtime import Runtime
from skywatch.core.storage.retention_clock import RetentionClock
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog

log = logging.getLogger(__name__)
COMPONENT = "archive"
# How often waiting days are looked for, and how soon after a failure (s).
LOOK_EVERY_S, RETRY_S = 900.0, 60.0
STOP_S = 5.0


class ArchiveService:
    """A thread that is idle most of the time."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._settings = runtime.settings.of(ArchiveSettings)
        self._clock = RetentionClock(runtime.sessions, CLOCK)
        self._worker = WorkerThread(COMPONENT, self._look, self._broke)
        self._faults = FaultLog(log, "archiving failed", "archiving works again")

    async def start(self) -> None:
        """Begin."""
        self._worker.start()

    async def stop(self) -> None:
        """End; of a day that is under way nothing remains."""
        await asyncio.to_thread(self._worker.close, STOP_S)
        health.withdraw(COMPONENT)

    def _look(self) -> float:
        return LOOK_EVERY_S if self.look() else RETRY_S

    def _broke(self, error: Exception) -> float:
        log.error("the archive has a fault", exc_info=error)
        self._fail(f"has a fault: {type(error).__name__}", repr(error))
        return RETRY_S

    def look(self) -> bool:
        """Archive what waits, and report the state; whether that went well."""
        try:
            with only_writer(self._runtime.settings):
                archiver = open_archiver(self._runtime.sessions, self._runtime.settings, self._worker.stopping.is_set)
                outcome = run(archiver, self._settings, utcnow(), clock=self._clock)
        except Cancelled:
            return True
        except Busy:
            health.withdraw(COMPONENT)
            return True
        except (ArchiveError, DatabaseError, SQLAlchemyError, OSError) as error:
            self._fail(error.public if isinstance(error, ArchiveError) else reason(error), str(error))
            return False
        self._report(outcome)
        return not outcome.faults

    def _report(self, outcome: RunOutcome) -> None:
        if outcome.written:
            log.info("archived %d days, %.1f MB", len(outcome.days), outcome.written / 1e6)
        figures: dict[str, Any] = {"days": float(len(outcome.days)), "bytes": float(outcome.written)}
        if outcome.faults:
            first = min(outcome.faults)
            metrics.ARCHIVE_FAILURES.inc()
            self._faults.failed(outcome.faults[first])
            text = f"{first.isoformat()} cannot be archived again; {len(outcome.faults)} in all: see the log"
            health.report(COMPONENT, False, text, **figures)
            return
        self._faults.succeeded()
        waiting = outcome.waiting
        text = (
            f"{waiting[0].day.isoformat()} waits: {', '.join(waiting[0].waiting)} will still change" if waiting else ""
        )
        # What waits for long will never be deleted from the database.
        is_late = bool(waiting) and utcnow().date() - waiting[0].day > timedelta(days=7)
        doubt = self._clock.record.describe()
        if doubt:
            text = f"{text}; deletion: {doubt}" if text else f"deletion: {doubt}"
        health.report(COMPONENT, not is_late and self._clock.record.hold is None, text, **figures)

    def _fail(self, why: str, line: str) -> None:
        metrics.ARCHIVE_FAILURES.inc()
        self._faults.failed(line)
        health.report(COMPONENT, False, f"failed: {why}")


def create(runtime: Runtime) -> ArchiveService | None:
    """The service, where there is an archive."""
    return ArchiveService(runtime) if runtime.settings.of(ArchiveSettings).archive_url else None

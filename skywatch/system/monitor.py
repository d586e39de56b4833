"""The system's part in the tracker: publishes the status every ten seconds, keeps the history of health, runs
retention, and removes what was simulated where that is asked for."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Literal

from sqlalchemy.exc import SQLAlchemyError

from skywatch.archive.writer.removal import RemovalGuard
from skywatch.core.bus import BusError, Form, Message
from skywatch.core.database.engine import outage_of, reason, report_fault
from skywatch.core.database.fencing import FencedError
from skywatch.core.process.periodic import WorkerThread
from skywatch.core.runtime import Runtime
from skywatch.core.storage.retention import Pruner
from skywatch.core.storage.retention_clock import Record, RetentionClock, uptime_s
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.http.resources.render import encode
from skywatch.picture.state.sky import Sky
from skywatch.sentences import sentence
from skywatch.system.extents import publish_extents
from skywatch.system.health.checks import all_checks
from skywatch.system.health.log import HealthLog
from skywatch.system.simulated import EVERY_S, Removal
from skywatch.system.status import status_forms

log = logging.getLogger(__name__)
TOPIC, EVENT = "system", "system:status"
STATUS_EVERY_S = 10.0
# Interval of the checks for the history of health (s).
CHECK_EVERY_S = 2.0
# Time after the start of the machine in which its clock may still be set: retention begins after it (s).
SETTLED_S = 300.0
# The first seconds belong to the picture: a tracker that takes over has more to do than usual.
FIRST_ROUND_S = 5.0
# Delay before a failed round of retention is retried (s).
RETRY_S = 5.0
# Longest delay before a round in which some kinds failed is followed by another: the rest of it was done (s).
PARTLY_RETRY_S = 60.0
# Interval at which changed settings are looked for (s).
LOOK_EVERY_S = 2.0
_faults = FaultLog(log, "retention failed", "retention works again")
_status_faults = FaultLog(log, "the status cannot be published", "the status is published again")
_health_faults = FaultLog(log, "the history of health cannot be written", "the history of health is written again")
_removal_faults = FaultLog(log, "what was simulated cannot be removed", "what was simulated is removed")
_doubts = FaultLog(log, "retention waits", "retention goes on")
RETENTION = "retention"


class SystemMonitor:
    """Three threads that are idle most of the time."""

    name = "system"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._health_log = HealthLog(runtime.sessions)
        self._status_at = time.monotonic() + STATUS_EVERY_S
        self._pruner: Pruner | None = None
        self._round_at = 0.0
        self._status = WorkerThread("system-status", self._look, self._look_failed)
        self._retention = WorkerThread(RETENTION, self._retain, self._retention_failed)
        self._removal = Removal(runtime)
        self._simulated = WorkerThread("simulated-removal", self._remove_simulated, self._removal_failed)

    def start(self) -> None:
        self._status.start(CHECK_EVERY_S)
        self._retention.start(max(FIRST_ROUND_S, SETTLED_S - uptime_s()))
        self._simulated.start(EVERY_S)

    def on_tick(self, sky: Sky) -> None:
        pass

    def close(self) -> None:
        for worker in (self._status, self._retention, self._simulated):
            worker.stopping.set()
        for worker in (self._status, self._retention, self._simulated):
            worker.close()
        health.withdraw(RETENTION)

    def _look(self) -> float:
        """Note changes of health, and publish the status when it is time."""
        self._try(lambda: self._health_log.take(all_checks(self._runtime)), _health_faults)
        if time.monotonic() >= self._status_at:
            self._status_at = time.monotonic() + STATUS_EVERY_S
            self._try(self.publish, _status_faults)
        return CHECK_EVERY_S

    def _look_failed(self, error: Exception) -> float:
        report_fault(_status_faults, error)
        return CHECK_EVERY_S

    def _try(self, work: Callable[[], None], faults: FaultLog) -> None:
        try:
            work()
            faults.succeeded()
        except Exception as error:
            expected = isinstance(error, SQLAlchemyError | BusError | FencedError)
            faults.failed(reason(error), None if expected else error, outage_of(error))

    def publish(self) -> None:
        """Publish the status once."""
        *fuller, (_, plain) = status_forms(self._runtime)
        forms = tuple(Form(needs, encode(document)) for needs, document in fuller)
        self._runtime.bus.publish(Message(TOPIC, EVENT, encode(plain), forms=forms))

    def _retain(self) -> float:
        """A round of retention when it is time or settings have changed; the seconds until that is looked at again."""
        settings = self._runtime.current
        if self._pruner is None:
            clock = RetentionClock(self._runtime.sessions)
            guard = RemovalGuard(self._runtime.sessions, settings, clock.believed)
            kinds, pause = settings.features.retention_kinds(), self._retention.stopping.wait
            self._pruner = Pruner(self._runtime.engine, self._runtime.sessions, settings, kinds, pause, guard, clock)
        elif settings is self._pruner.settings and time.monotonic() < self._round_at:
            return min(self._round_at - time.monotonic(), LOOK_EVERY_S)
        self._pruner.settings = settings
        outcome = retain(self._pruner)
        # Who waits for a word looks for it sooner.
        soon_s = min(settings.retention_interval_s, PARTLY_RETRY_S)
        pauses_s = {"done": settings.retention_interval_s, "waits": soon_s, "partly": soon_s, "failed": RETRY_S}
        self._round_at = time.monotonic() + pauses_s[outcome]
        if outcome != "failed":
            publish_extents(self._runtime.bus, self._pruner.extents)
        return min(pauses_s[outcome], LOOK_EVERY_S)

    def _retention_failed(self, error: Exception) -> float:
        report_fault(_faults, error)
        return RETRY_S

    def _remove_simulated(self) -> float:
        pause_s = self._removal.work(self._simulated.stopping.wait)
        _removal_faults.succeeded()
        return pause_s

    def _removal_failed(self, error: Exception) -> float:
        report_fault(_removal_faults, error)
        return EVERY_S


Outcome = Literal["done", "waits", "partly", "failed"]


def retain(pruner: Pruner) -> Outcome:
    """Run one round of retention; faults, of the round or of single kinds, are logged and shown in health."""
    try:
        removed = pruner.run()
    except Exception as error:
        why = reason(error)
        _faults.failed(why, None if isinstance(error, SQLAlchemyError | FencedError) else error, outage_of(error))
        health.report(RETENTION, False, sentence("retention.failed", "failed: {why}", why=why))
        return "failed"
    if removed:
        log.info("retention removed %d rows", removed)
    figures = {f"removed_{name}": count for name, count in pruner.removed.items()}
    if pruner.faults:
        why = "; ".join(f"{part}: {reason(error)}" for part, error in pruner.faults.items())
        ours = next((error for error in pruner.faults.values() if not isinstance(error, SQLAlchemyError)), None)
        _faults.failed(why, ours)
        health.report(RETENTION, False, sentence("retention.failed_for", "failed for {why}", why=why), **figures)
        return "partly"
    _faults.succeeded()
    record = pruner.clock.record if pruner.clock is not None else Record()
    if record.hold is not None:
        _doubts.failed(record.describe())
        health.report(RETENTION, False, sentence("retention.waits", "waits: {why}", why=record.describe()), **figures)
        return "waits"
    _doubts.succeeded()
    health.report(RETENTION, True, record.describe(), **figures)
    return "done"


def create(runtime: Runtime) -> SystemMonitor:
    """The monitor."""
    return SystemMonitor(runtime)

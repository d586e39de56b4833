"""The system's part in the tracker: publishes the status every ten seconds and the reception every minute, keeps the
history of health, and runs retention."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Literal

from sqlalchemy.exc import SQLAlchemyError

from skywatch.archive.writer.removal import RemovalGuard
from skywatch.core.bus import BusError, Form, Message
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import outage_of, reason
from skywatch.core.database.fencing import FencedError
from skywatch.core.runtime import Runtime
from skywatch.core.storage.retention import Pruner
from skywatch.core.storage.retention_clock import Record, RetentionClock, uptime_s
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.http.resources.render import encode
from skywatch.picture.state.sky import Sky
from skywatch.sentences import sentence
from skywatch.settings import Settings
from skywatch.system.extents import publish_extents
from skywatch.system.health.checks import all_checks, receiver_statuses
from skywatch.system.health.log import HealthLog
from skywatch.system.receiver_series import SAMPLE_S, ReceiverRecorder, publish_reception
from skywatch.system.status import status_forms

log = logging.getLogger(__name__)
TOPIC, EVENT = "system", "system:status"
# The receivers are sampled with each status.
STATUS_EVERY_S = SAMPLE_S
# Interval at which the series of the receivers is published (s): it takes some kilobytes for each.
RECEPTION_EVERY_S = 60.0
# Interval of the checks for the history of health (s).
CHECK_EVERY_S = 2.0
# Time after the start of the machine in which its clock may still be set: retention begins after it (s).
SETTLED_S = 300.0
# Delay before a failed round of retention is retried (s).
RETRY_S = 5.0
# Longest delay before a round in which some kinds failed is followed by another: the rest of it was done (s).
PARTLY_RETRY_S = 60.0
# Interval at which changed settings are looked for (s).
LOOK_EVERY_S = 2.0
_faults = FaultLog(log, "retention failed", "retention works again")
_status_faults = FaultLog(log, "the status cannot be published", "the status is published again")
_health_faults = FaultLog(log, "the history of health cannot be written", "the history of health is written again")
_reception_faults = FaultLog(log, "the reception cannot be recorded", "the reception is recorded again")
_doubts = FaultLog(log, "retention waits", "retention goes on")
RETENTION = "retention"


class SystemMonitor:
    """Two threads that are idle most of the time; of a tick it only notes the picture."""

    name = "system"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._stop = threading.Event()
        self._health_log = HealthLog(runtime.sessions)
        self._reception = ReceiverRecorder()
        self._next_reception = 0.0
        self._sky: Sky | None = None
        self._threads = [
            threading.Thread(target=self._publish, name="system-status", daemon=True),
            threading.Thread(target=self._retain, name="retention", daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def on_tick(self, sky: Sky) -> None:
        self._sky = sky

    def close(self) -> None:
        self._stop.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        if self._reception.series.newest:
            self._try(lambda: self._reception.save(self._runtime.sessions), _reception_faults)
        health.withdraw(RETENTION)

    def _publish(self) -> None:
        self._try(lambda: self._reception.restore(self._runtime.sessions), _reception_faults)
        next_status = time.monotonic() + STATUS_EVERY_S
        while not self._stop.wait(CHECK_EVERY_S):
            self._try(lambda: self._health_log.take(all_checks(self._runtime)), _health_faults)
            if time.monotonic() >= next_status:
                next_status = time.monotonic() + STATUS_EVERY_S
                self._try(self.publish, _status_faults)
                self._try(self.record_reception, _reception_faults)

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

    def record_reception(self) -> None:
        """Sample the receivers once; publish the series when it is time, and save it when a slot is over."""
        completed = self._reception.take(unix_now(), receiver_statuses(self._runtime), self._sky)
        if time.monotonic() >= self._next_reception:
            self._next_reception = time.monotonic() + RECEPTION_EVERY_S
            publish_reception(self._runtime.bus, self._reception.series)
        if completed:
            self._reception.save(self._runtime.sessions)

    def _retain(self) -> None:
        settings = self._runtime.current
        kinds = settings.features.retention_kinds()
        clock = RetentionClock(self._runtime.sessions)
        guard = RemovalGuard(self._runtime.sessions, settings, clock.believed)
        pruner = Pruner(self._runtime.engine, self._runtime.sessions, settings, kinds, self._stop.wait, guard, clock)
        if self._stop.wait(SETTLED_S - uptime_s()):
            return
        while True:
            outcome = retain(pruner)
            if outcome != "failed":
                publish_extents(self._runtime.bus, pruner.extents)
            interval_s = settings.retention_interval_s
            # Who waits for a word looks for it sooner.
            soon_s = min(interval_s, PARTLY_RETRY_S)
            pause_s = {"done": interval_s, "waits": soon_s, "partly": soon_s, "failed": RETRY_S}[outcome]
            if self._rest(pruner.settings, pause_s):
                return
            pruner.settings = self._runtime.current

    def _rest(self, settings: Settings, pause_s: float) -> bool:
        """Wait for the next round or a change of settings; True if the monitor is being closed."""
        deadline = time.monotonic() + pause_s
        while (left_s := deadline - time.monotonic()) > 0:
            if self._stop.wait(min(left_s, LOOK_EVERY_S)):
                return True
            if self._runtime.current is not settings:
                return False
        return self._stop.is_set()


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

"""The system's part in the tracker: publishes the status every ten seconds and runs retention."""

from __future__ import annotations

import logging
import threading

from sqlalchemy.exc import SQLAlchemyError

from skywatch.core import health
from skywatch.core.bus import BusError, Form, Message
from skywatch.core.db import outage_of, reason
from skywatch.core.fault_log import FaultLog
from skywatch.core.retention import Pruner
from skywatch.core.runtime import Runtime
from skywatch.http.render import encode
from skywatch.picture.sky import Sky
from skywatch.security.permissions import Permission
from skywatch.system.status import describe_in_forms

log = logging.getLogger(__name__)
TOPIC, EVENT = "system", "system:status"
MILITARY = frozenset({str(Permission.AIRCRAFT_VIEW_MILITARY)})
STATUS_EVERY_S = 10.0
# A round of retention that failed is tried again so soon (s).
RETRY_S = 5.0
_faults = FaultLog(log, "retention failed", "retention works again")
_status_faults = FaultLog(log, "the status cannot be published", "the status is published again")
RETENTION = "retention"


class SystemMonitor:
    """Two threads that wait most of the time; ticks themselves tell it nothing."""

    name = "system"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._publish, name="system-status", daemon=True),
            threading.Thread(target=self._retain, name="retention", daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def on_tick(self, sky: Sky) -> None:
        pass

    def close(self) -> None:
        self._stop.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        health.withdraw(RETENTION)

    def _publish(self) -> None:
        while not self._stop.wait(STATUS_EVERY_S):
            try:
                self.publish()
                _status_faults.succeeded()
            except Exception as error:
                known = isinstance(error, SQLAlchemyError | BusError)
                _status_faults.failed(reason(error), None if known else error, outage_of(error))

    def publish(self) -> None:
        """Publish the status once."""
        civil, every = describe_in_forms(self._runtime)
        forms = (Form(MILITARY, encode(every)),) if civil != every else ()
        self._runtime.bus.publish(Message(TOPIC, EVENT, encode(civil), forms=forms))

    def _retain(self) -> None:
        settings = self._runtime.settings
        kinds = settings.features.retention_kinds()
        pruner = Pruner(self._runtime.engine, self._runtime.sessions, settings, kinds, self._stop.wait)
        while True:
            succeeded = retain(pruner)
            if self._stop.wait(settings.retention_interval_s if succeeded else RETRY_S):
                return


def retain(pruner: Pruner) -> bool:
    """One round of retention, whether it succeeded; a fault is logged and shown in health, and is tried again soon."""
    try:
        removed = pruner.run()
    except Exception as error:
        why = reason(error)
        _faults.failed(why, None if isinstance(error, SQLAlchemyError) else error, outage_of(error))
        health.report(RETENTION, False, f"failed: {why}")
        return False
    _faults.succeeded()
    if removed:
        log.info("retention removed %d rows", removed)
    health.report(RETENTION, True, "", **{f"removed_{name}": count for name, count in pruner.removed.items()})
    return True


def create(runtime: Runtime) -> SystemMonitor:
    """The monitor."""
    return SystemMonitor(runtime)

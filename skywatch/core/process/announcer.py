"""Tells the other processes how this one is: its health and its figures, on the bus every few seconds.

What a process published expires soon after its last message, so that a dead one does not look well.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import msgspec

from skywatch.core.bus import OUTAGE, Bus, BusError
from skywatch.core.clock import unix_now
from skywatch.core.process.periodic import WorkerThread
from skywatch.core.telemetry import health, metrics
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import Component

log = logging.getLogger(__name__)
EVERY_S = 3.0
KEPT_S = 20.0
PROCESSES, FIGURES = "process:", "metrics:"


class Process(msgspec.Struct):
    """One process: its name, roles, since when it runs (unix seconds) and the state of its parts."""

    name: str
    roles: list[str]
    started_at: float
    at: float
    components: list[Component]
    # Of a process with a tracker: ``leading`` or ``standby``, since when (unix seconds), and its token's beginning.
    tracker: str = ""
    tracker_since: float = 0.0
    token: str = ""


class Announcer:
    """Speaks for this process from a thread of its own, between ``start`` and ``close``."""

    def __init__(
        self, bus: Bus, roles: Sequence[str], tracker: Callable[[], tuple[str, float, str]] | None = None
    ) -> None:
        self._tracker = tracker or (lambda: ("", 0.0, ""))
        self._bus = bus
        self._roles = list(roles)
        self._started_at = unix_now()
        self._faults = FaultLog(
            log, "this process cannot announce its health", "this process announces its health again"
        )
        self._worker = WorkerThread("announcer", self._run, self._failed)
        self.name = metrics.process_name("+".join(roles))

    @property
    def failures(self) -> int:
        """How many attempts in a row have failed."""
        return self._faults.count

    def start(self) -> None:
        """Start publishing, at once."""
        self._worker.start()

    def close(self) -> None:
        """Stop announcing; other processes forget this one at once."""
        self._worker.close()
        try:
            self._bus.delete(PROCESSES + self.name)
            self._bus.delete(FIGURES + self.name)
        except BusError:
            pass  # It will be forgotten in time.

    def announce(self) -> None:
        """Publish once; raises BusError where the bus cannot be reached."""
        process = Process(self.name, self._roles, self._started_at, unix_now(), health.components(), *self._tracker())
        self._bus.put(PROCESSES + self.name, msgspec.json.encode(process), KEPT_S)
        self._bus.put(FIGURES + self.name, metrics.export(), KEPT_S)

    def _run(self) -> float:
        self.announce()
        self._faults.succeeded()
        return EVERY_S

    def _failed(self, error: Exception) -> float:
        is_outage = isinstance(error, BusError)
        self._faults.failed(str(error), None if is_outage else error, OUTAGE if is_outage else "")
        return EVERY_S


def processes(bus: Bus) -> list[Process]:
    """The last announcement of every process, this one included; raises BusError."""
    decoder = msgspec.json.Decoder(Process)
    processes = []
    for data in bus.items(PROCESSES).values():
        try:
            processes.append(decoder.decode(data))
        except msgspec.MsgspecError:
            continue  # Another version, about to be replaced.
    return sorted(processes, key=lambda process: process.name)


def figures(bus: Bus) -> dict[str, bytes]:
    """The figures of every process, for ``metrics.exposition``; raises BusError."""
    return {key.removeprefix(FIGURES): data for key, data in bus.items(FIGURES).items()}

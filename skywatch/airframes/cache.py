"""``AirframeCache``: airframes for the live picture, from memory; a thread of its own reads the database.

The picture requests every aircraft at its first message and looks it up at every tick; the database is queried once
for each, in batches. What receivers report as military is stored with the aircraft by the same thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice

from skywatch.airframes.military import CHANGED, TOPIC, record_reports, revision
from skywatch.airframes.service import MAX_AT_ONCE, Airframe, find_many, last_imports
from skywatch.core.bus import Bus, Message, Subscription
from skywatch.core.database.engine import SessionFactory, report_fault, writing
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
COMPONENT = "airframes"
# Airframes that wait to be looked up; the whole world's traffic of a day fits.
MAX_WANTED = 60_000
# Airframes of aircraft that have left are kept, for most come back, until there are so many more than four for each
# aircraft in the sky. About 500 bytes each.
SPARE = 5_000
# The import command is another process, perhaps without a shared bus: poll for new imports this often (s).
LOOK_FOR_IMPORTS_S = 30.0
# Aircraft whose report is known to be stored: more than are military at a time.
MAX_STORED = 20_000
RETRY_S = 3.0


class AirframeCache:
    """The airframes of the requested aircraft; addresses are lower case, as in live data."""

    def __init__(self, sessions: SessionFactory, bus: Bus | None = None) -> None:
        self._sessions = sessions
        self._bus = bus
        self._airframes: dict[str, Airframe] = {}
        self._requested: set[str] = set()  # changed only under the lock
        self._reported: set[str] = set()  # as well
        self._stored: set[str] = set()
        # Imports and revision when they were looked at last.
        self._known: tuple[dict[str, datetime], int] | None = None
        lock = threading.Lock()
        self._work = threading.Condition(lock)
        self._answered = threading.Condition(lock)
        self._stop = False
        self._again = False
        self._thread: threading.Thread | None = None
        self._subscription: Subscription | None = None
        self._faults = FaultLog(log, "airframes cannot be looked up", "airframes are looked up again")

    def start(self) -> None:
        """Start the thread that queries the database."""
        self._thread = threading.Thread(target=self._run, name="airframes", daemon=True)
        self._thread.start()
        health.watch(COMPONENT, self._state)
        if self._bus is not None:
            self._subscription = self._bus.subscribe((TOPIC,), self._on_message, on_reconnect=self.refresh)

    def close(self) -> None:
        """Stop the thread."""
        health.withdraw(COMPONENT, self._state)
        if self._subscription is not None:
            self._subscription.close()
        with self._work:
            self._stop = True
            self._work.notify()
        if self._thread is not None:
            self._thread.join(5.0)

    def _state(self) -> State:
        if self._thread is not None and not self._thread.is_alive():
            return State(False, sentence("health.thread_ended", "its thread has ended"))
        return State(
            not self._faults.count,
            sentence("health.airframes", "airframes cannot be looked up") if self._faults.count else "",
        )

    def want(self, addresses: Iterable[str]) -> None:
        """Request these in the background; returns at once."""
        missing = {address for address in addresses if address not in self._airframes}
        if missing and self._thread is not None:
            with self._work:
                if len(self._requested) > MAX_WANTED:
                    self._requested.clear()  # The database has been away for long; live aircraft are requested again.
                self._requested |= missing
                self._work.notify()

    def store_reports(self, addresses: set[str]) -> None:
        """Store in the background that receivers report these aircraft as military; returns at once."""
        new = addresses - self._stored
        if new and self._thread is not None:
            with self._work:
                self._reported |= new
                self._work.notify()

    def lookup(self, addresses: list[str], wait_s: float = 0.0) -> list[Airframe | None]:
        """One airframe for each address; None where the database has not answered within ``wait_s``."""
        airframes = list(map(self._airframes.get, addresses))
        if None in airframes:
            self.want(addresses)
            if wait_s:
                with self._answered:
                    self._answered.wait_for(lambda: not self._requested, wait_s)
                airframes = list(map(self._airframes.get, addresses))
        if len(self._airframes) > 4 * len(addresses) + SPARE:
            self._airframes = {
                address: airframe
                for address, airframe in zip(addresses, airframes, strict=True)
                if airframe is not None
            }
        return airframes

    def __len__(self) -> int:
        return len(self._airframes)

    def refresh(self) -> None:
        """Query all airframes again; until then the old ones stay valid."""
        with self._work:
            self._again = True
            self._work.notify()

    def _on_message(self, message: Message) -> None:
        if message.event == CHANGED:
            self.refresh()

    def _run(self) -> None:
        looked_at = -LOOK_FOR_IMPORTS_S
        while not self._stop:
            try:
                if time.monotonic() - looked_at >= LOOK_FOR_IMPORTS_S:
                    looked_at = time.monotonic()
                    with self._sessions() as session:
                        latest = last_imports(session), revision(session)
                    if self._known is not None and latest != self._known:
                        self._again = True
                    self._known = latest
                self._store()
                self._look_up()
                self._faults.succeeded()
            except Exception as error:
                # Whatever the fault is, the next attempt may succeed.
                report_fault(self._faults, error)
                with self._work:
                    self._work.wait_for(lambda: self._stop, RETRY_S)
            with self._work:
                self._work.wait_for(
                    lambda: self._stop or self._requested or self._reported or self._again, LOOK_FOR_IMPORTS_S
                )

    def _store(self) -> None:
        with self._work:
            reported = set(self._reported)
        for batch in _batches(reported):
            with writing(self._sessions) as session:
                stored = record_reports(session, map(str.upper, batch))
            if self._known is not None and self._known[1] == stored - 1:
                # Nothing else has changed: the others need not be looked up again.
                self._known = self._known[0], stored
            if len(self._stored) > MAX_STORED:
                self._stored.clear()
            self._stored.update(batch)
            with self._work:
                self._reported.difference_update(batch)
                # Their airframes say so from now on, whatever is received.
                self._requested.update(batch)

    def _look_up(self) -> None:
        with self._work:
            pending, refresh_all = set(self._requested), self._again
            if refresh_all:
                pending |= set(self._airframes)
        for batch in _batches(pending):
            if self._stop:
                return
            with self._sessions() as session:
                airframes = find_many(session, batch)
            for address in batch:
                # Unknown aircraft are cached as well, so that they are not queried every second.
                self._airframes[address] = airframes.get(address.upper()) or Airframe(address.upper())
            with self._work:
                self._requested.difference_update(batch)
                self._answered.notify_all()
        if refresh_all:
            with self._work:
                self._again = False


def _batches(addresses: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(addresses)
    while batch := list(islice(remaining, MAX_AT_ONCE)):
        yield batch

"""``FeederReports``: takes what ingest processes publish, on the tracker's loop."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

import msgspec

from skywatch.core.bus import Bus, Message, Subscription, topics
from skywatch.core.bus.base import call_on_loop
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State
from skywatch.receivers.base import ReceiverStatus
from skywatch.receivers.feeder_streams.message_codec import FeederMessage, decode

log = logging.getLogger(__name__)
COMPONENT = "feeder_reports"
# A fault is shown for so long after it happened last (s), and a process that says nothing for so long is gone.
SHOWN_S, GONE_S = 60.0, 3.5
# What is shown of a listener that nobody opens.
NOBODY = "no process of the role ingest is running: feeders connect to it (skywatch serve --role ingest)"


class FeederReports:
    """Between ``start`` and ``close``; ``take`` is called on the loop for each message."""

    def __init__(self, bus: Bus, take: Callable[[FeederMessage], None]) -> None:
        self._bus, self._take = bus, take
        self._subscription: Subscription | None = None
        self._faults = FaultLog(log, "reports of feeders are refused", "reports of feeders are read again")
        self._failed_at, self._why = float("-inf"), ""
        self._statuses: dict[str, tuple[float, list[ReceiverStatus]]] = {}

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Follow the bus; may block until it answers."""
        if self._bus.carries_objects:
            return

        def read(message: Message) -> None:
            decoded = self._decoded(message.data)
            if decoded is not None:
                call_on_loop(loop, self._pass_on, decoded)

        self._subscription = self._bus.subscribe((topics.FEEDER_REPORTS,), read)
        health.watch(COMPONENT, self._state)

    def close(self) -> None:
        """Follow no more."""
        if self._subscription is not None:
            self._subscription.close()
            health.withdraw(COMPONENT, self._state)

    def statuses(self, names: list[str]) -> list[ReceiverStatus]:
        """The states of these listeners, those of all processes added up."""
        now = time.monotonic()
        by_name: dict[str, ReceiverStatus] = {}
        for at, statuses in list(self._statuses.values()):
            if now - at <= GONE_S:
                for status in statuses:
                    other = by_name.get(status.name)
                    by_name[status.name] = status if other is None else added(other, status)
        return [
            by_name.get(name) or ReceiverStatus(name, "listen", "", state="waiting", last_error=NOBODY)
            for name in names
        ]

    def _decoded(self, data: bytes) -> FeederMessage | None:
        try:
            message = decode(data)
        except ValueError as error:
            self._failed_at, self._why = time.monotonic(), str(error)
            self._faults.failed(str(error))
            return None
        self._faults.succeeded()
        return message

    def _pass_on(self, message: FeederMessage) -> None:
        self._statuses[message.process] = time.monotonic(), message.statuses
        self._take(message)

    def _state(self) -> State:
        is_faulty = time.monotonic() - self._failed_at < SHOWN_S
        processes = sum(time.monotonic() - at <= GONE_S for at, _ in list(self._statuses.values()))
        return State(not is_faulty, self._why if is_faulty else "", {"processes": float(processes)})


def added(one: ReceiverStatus, other: ReceiverStatus) -> ReceiverStatus:
    """The state of one listener in two processes: counts and rates are added, the better state counts."""
    better = one if one.is_active or not other.is_active else other
    sums = {
        name: getattr(one, name) + getattr(other, name)
        for name in ("message_rate", "messages", "position_rate", "positions", "refused", "connections", "dropped")
    }
    invalid, cpr = dict(one.invalid), dict(one.cpr)
    for total, more in ((invalid, other.invalid), (cpr, other.cpr)):
        for name, count in more.items():
            total[name] = total.get(name, 0) + count
    return msgspec.structs.replace(
        better, **sums, invalid=invalid, cpr=cpr, anonymous=[*one.anonymous, *other.anonymous],
        last_message_at=max(filter(None, (one.last_message_at, other.last_message_at)), default=None),
    )  # fmt: skip

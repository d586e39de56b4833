"""Delivers stored events that the bus did not: after its interruption, a start, or the death of a publisher.

The table is polled every few seconds and at once when the bus has resumed. Events that the bus delivered are recognised
by their identifier, so that nothing is delivered twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from skywatch.core.bus import Message
from skywatch.core.database.engine import outage_of, reason
from skywatch.core.events import READ_LIMIT, EventReader, Recent
from skywatch.core.process.tasks import repeat
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
COMPONENT = "event_reader"
LOOK_EVERY_S = 5.0
# Recent events that a process reads at its start, for clients that return: of each topic so many for the same users.
RECENT_S, RECENT_EVENTS = 3600.0, 500
# Longest wait for the database at the start (s); without it the first snapshots lack recent events.
START_S = 3.0


class EventBackfill:
    """Compares what was delivered with what is stored. Everything but the reading runs on the loop."""

    def __init__(
        self, reader: EventReader, publish: Callable[[Message], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._reader = reader
        self._publish = publish
        self._loop = loop
        self._look_now = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._faults = FaultLog(log, "missed events cannot be looked up", "missed events are looked up again")
        self._fault = ""

    def is_known(self, message: Message) -> bool:
        """Whether this message was delivered before; it counts as delivered from now on."""
        return self._reader.is_known(message)

    async def start(self) -> None:
        """Publish recent events, then poll for missed ones."""
        try:
            recent = await asyncio.wait_for(self._loop.run_in_executor(None, self._recent), START_S)
        except Exception as error:
            # Catches everything: the channel starts without; later events will be found.
            self._failed(error)
        else:
            self._reader.start_at(recent.position)
            self._deliver(recent.messages)
        self._task = self._loop.create_task(repeat(self._look, LOOK_EVERY_S, self._failed, wake=self._look_now))
        health.watch(COMPONENT, self._state)

    def begin(self) -> None:
        """Poll at once: the bus has resumed."""
        self._look_now.set()

    async def close(self) -> None:
        """Stop polling."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            health.withdraw(COMPONENT, self._state)

    def _recent(self) -> Recent:
        return self._reader.recent(RECENT_S, RECENT_EVENTS)

    async def _look(self) -> None:
        more = True
        while more:
            messages = await self._loop.run_in_executor(None, self._reader.missed)
            self._faults.succeeded()
            self._deliver(messages)
            more = len(messages) == READ_LIMIT

    def _deliver(self, messages: list[Message]) -> None:
        for message in messages:
            if not self._reader.is_known(message):
                self._publish(message)

    def _failed(self, error: Exception) -> None:
        self._fault = reason(error)
        self._faults.failed(self._fault, cause=outage_of(error))

    def _state(self) -> State:
        if self._task is not None and self._task.done():
            return State(False, sentence("health.its_task_ended", "its task has ended"))
        if self._faults.count:
            return State(
                False, sentence("health.events_unread", "missed events cannot be looked up: {fault}", fault=self._fault)
            )
        return State(True)

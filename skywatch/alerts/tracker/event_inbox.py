"""The events of aircraft that features publish for rules (``skywatch.core.rule_fields.RuleEvents``), until they are
tested at the next tick.
"""

from __future__ import annotations

import queue
from collections.abc import Iterable, Iterator

from skywatch.alerts.conditions.fields import Field
from skywatch.alerts.engine.event_reader import readers_of
from skywatch.alerts.engine.messages import AircraftMessage
from skywatch.core.bus.base import Message

# Events between two ticks; a busy station receives a few a second.
MESSAGES_LIMIT = 500


class Inbox:
    """The events since the last tick, of all topics that ``fields`` name; those beyond the limit are not tested."""

    def __init__(self, fields: Iterable[Field]) -> None:
        self._readers = {events.topic: reader for events, reader in readers_of(fields).items()}
        self._messages: queue.Queue[AircraftMessage] = queue.Queue(MESSAGES_LIMIT)

    @property
    def topics(self) -> list[str]:
        """The topics of the bus to subscribe to."""
        return list(self._readers)

    def receive(self, message: Message) -> None:
        """Queue an event; for the thread of the bus."""
        reader = self._readers[message.topic]
        received = reader.read(message.data)
        if received is None:
            return
        try:
            self._messages.put_nowait(received)
            reader.overflow.succeeded()
        except queue.Full:
            reader.overflow.failed(f"more than {MESSAGES_LIMIT} came between two ticks")

    def take(self) -> Iterator[AircraftMessage]:
        """Remove and return the events that are queued now."""
        for _ in range(self._messages.qsize()):
            yield self._messages.get()

"""The events of aircraft that features publish for rules (``skywatch.core.rule_fields.RuleEvents``), until they are
tested at the next tick.
"""

from __future__ import annotations

import logging
import queue
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec

from skywatch.airframes.military import is_military_address
from skywatch.alerts.conditions.fields import Field
from skywatch.alerts.conditions.values import normalised
from skywatch.alerts.engine.messages import AircraftMessage
from skywatch.core.bus.base import Message
from skywatch.core.clock import unix_now
from skywatch.core.rule_fields import RuleEvents
from skywatch.core.telemetry.fault_log import FaultLog

log = logging.getLogger(__name__)
# Events between two ticks; a busy station receives a few a second.
MESSAGES_LIMIT = 500


class AircraftEvent(msgspec.Struct):
    """The members of an event besides the texts; all are optional."""

    icao_hex: str | None = None
    registration: str | None = None
    callsign: str | None = None
    military: bool | None = None
    at: float | datetime | None = None


class EventReader:
    """Reads the events of one topic."""

    def __init__(self, events: RuleEvents, fields: Iterable[Field]) -> None:
        members = {f"text_{index}": field for index, field in enumerate(fields)}
        self._members = {field.name: name for name, field in members.items()}
        texts: list[tuple[str, Any, Any]] = [(name, str | None, None) for name in members]
        names = {name: field.member for name, field in members.items()}
        kind: Any = msgspec.defstruct("EventWithTexts", texts, bases=(AircraftEvent,), rename=names)
        self._decode = msgspec.json.Decoder(kind).decode
        self._unreadable = FaultLog(
            log, f"alerts: {events.singular} cannot be read", f"alerts: {events.plural} can be read"
        )
        self.overflow = FaultLog(log, f"alerts: {events.plural} were not tested", f"alerts: {events.plural} are tested")

    def read(self, data: bytes) -> AircraftMessage | None:
        """The message for the engine; None if it names no aircraft or cannot be decoded."""
        try:
            event = self._decode(data)
        except msgspec.MsgspecError as error:
            self._unreadable.failed(str(error))
            return None
        self._unreadable.succeeded()
        if not event.icao_hex:
            return None
        at = event.at
        return AircraftMessage(
            address=event.icao_hex.lower(),
            at=at.timestamp() if isinstance(at, datetime) else at or unix_now(),
            texts={name: normalised(getattr(event, member) or "") for name, member in self._members.items()},
            registration=event.registration or "",
            callsign=event.callsign or "",
            military=is_military_address(event.icao_hex) if event.military is None else event.military,
        )


class Inbox:
    """The events since the last tick, of all topics that ``fields`` name; those beyond the limit are not tested."""

    def __init__(self, fields: Iterable[Field]) -> None:
        by_events: dict[RuleEvents, list[Field]] = {}
        for field in fields:
            if field.events is not None:
                by_events.setdefault(field.events, []).append(field)
        self._readers = {events.topic: EventReader(events, some) for events, some in by_events.items()}
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

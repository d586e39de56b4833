"""Reads the events of aircraft that features publish for rules (``skywatch.core.rule_fields.RuleEvents``)."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from skywatch.airframes.military import is_military_address
from skywatch.alerts.conditions.fields import Field
from skywatch.alerts.conditions.values import normalised
from skywatch.alerts.engine.messages import AircraftMessage
from skywatch.core.clock import unix_now
from skywatch.core.rule_fields import RuleEvents
from skywatch.core.telemetry.fault_log import FaultLog

log = logging.getLogger(__name__)


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


def readers_of(fields: Iterable[Field]) -> dict[RuleEvents, EventReader]:
    """Create a reader for the events of each topic that the fields name."""
    by_events: dict[RuleEvents, list[Field]] = {}
    for field in fields:
        if field.events is not None:
            by_events.setdefault(field.events, []).append(field)
    return {events: EventReader(events, some) for events, some in by_events.items()}

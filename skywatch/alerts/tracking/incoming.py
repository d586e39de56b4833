"""ACARS messages from the bus topic ``acars.received``, which the room acars publishes."""

from __future__ import annotations

import logging
from datetime import datetime

import msgspec

from skywatch.alerts.engine.messages import AircraftMessage
from skywatch.core.clock import unix_now
from skywatch.core.reporting.fault_log import FaultLog

log = logging.getLogger(__name__)
_unreadable = FaultLog(log, "alerts: an ACARS message cannot be read", "alerts: ACARS messages can be read")


class ReceivedMessage(msgspec.Struct):
    """The members of a message that rules use; all are optional."""

    icao_hex: str | None = None
    registration: str | None = None
    callsign: str | None = None
    label: str | None = None
    text: str | None = None
    military: bool | None = None
    at: float | datetime | None = None


_decoder = msgspec.json.Decoder(ReceivedMessage)


def read_message(data: bytes) -> AircraftMessage | None:
    """The message for the engine; None if it names no aircraft or cannot be decoded."""
    try:
        received = _decoder.decode(data)
    except msgspec.MsgspecError as error:
        _unreadable.failed(str(error))
        return None
    _unreadable.succeeded()
    if not received.icao_hex:
        return None
    at = received.at
    return AircraftMessage(
        address=received.icao_hex.lower(),
        at=at.timestamp() if isinstance(at, datetime) else at or unix_now(),
        label=received.label or "",
        text=received.text or "",
        registration=received.registration or "",
        callsign=received.callsign or "",
        military=bool(received.military),
    )

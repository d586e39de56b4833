"""Messages as rows: what the writer stores of a draft, and what is published of it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from skywatch.acars.decoding import Decoded, decode
from skywatch.acars.labels import name_of
from skywatch.acars.messages.draft import Draft, Reception, Snapshot
from skywatch.acars.messages.linking import Linker
from skywatch.acars.models import AcarsMessage
from skywatch.acars.search import words_of
from skywatch.core.bus.base import Audience, Form, Message
from skywatch.core.clock import to_iso

TOPIC, EVENT = "acars", "acars:message"
# What rules are tested against; see the alerts room.
RECEIVED_TOPIC = "acars.received"
FULL, DETAILS, MILITARY = "acars.view_full", "aircraft.view_details", "aircraft.view_military"
_encode = msgspec.json.Encoder().encode
# The raw envelope is kept up to this size (bytes as JSON); larger ones are named by their keys alone.
MAXIMUM_RAW = 32_768


def moment(unix: float) -> datetime:
    """Unix seconds as the database stores them, to the millisecond."""
    return datetime.fromtimestamp(round(unix, 3), UTC)


def store(session: Session, draft: Draft, linker: Linker, row: AcarsMessage | None = None) -> AcarsMessage:
    """Write a draft: a new row, or the row that it has already (``row`` where this transaction wrote it)."""
    snapshot = draft.snapshot()
    if row is None and draft.id is not None:
        row = session.get(AcarsMessage, draft.id)
    if row is None:
        row = AcarsMessage(at=moment(snapshot.at), received_at=moment(snapshot.received_at))
        _link(session, row, snapshot, linker)
        _describe(row, snapshot)
        session.add(row)
    elif row.text != snapshot.text or row.incomplete != snapshot.is_incomplete:
        _describe(row, snapshot)
    row.heard_by = [_reception(reception) for reception in snapshot.receptions]
    row.repeats = snapshot.repeats
    session.flush()
    return row


def _link(session: Session, row: AcarsMessage, snapshot: Snapshot, linker: Linker) -> None:
    burst = snapshot.burst
    aircraft = linker.aircraft(session, burst.icao_hex, burst.registration)
    row.icao_hex, row.registration, row.military = aircraft
    row.source, row.station = burst.source, burst.station
    row.frequency_mhz, row.level_db = burst.frequency_mhz, burst.level_db
    row.flight, row.label, row.sublabel = burst.flight, burst.label, burst.sublabel
    row.block_id, row.direction = burst.block_id, burst.direction
    row.message_number = burst.message_number
    flight = linker.flight(session, aircraft.icao_hex, row.at)
    row.flight_id, row.callsign = (flight.id, flight.callsign) if flight is not None else (None, None)


def _describe(row: AcarsMessage, snapshot: Snapshot) -> None:
    """Text, decoding and what is searched."""
    burst = snapshot.burst
    decoded = decode(burst.label, snapshot.text, burst.sublabel or "", snapshot.application)
    row.text, row.incomplete = snapshot.text, snapshot.is_incomplete
    row.raw = _bounded(burst.raw)
    row.decoded = decoded_fields(decoded) if decoded is not None else None
    row.kind = decoded.kind if decoded is not None else None
    position = decoded.position if decoded is not None else None
    row.lat, row.lon = (position.lat, position.lon) if position is not None else (None, None)
    row.altitude_ft = position.altitude_ft if position is not None else None
    row.search_text = words_of(f"{snapshot.text} {decoded.title if decoded is not None else ''}")


def _bounded(raw: dict[str, Any]) -> dict[str, Any]:
    try:
        return raw if len(_encode(raw)) <= MAXIMUM_RAW else {"too_large": sorted(map(str, raw))[:50]}
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return {"unreadable": True}


def decoded_fields(decoded: Decoded) -> dict[str, Any]:
    """A decoding as the REST API shows it."""
    return {"kind": decoded.kind, "title": decoded.title, "items": msgspec.to_builtins(decoded.items)}


def _reception(reception: Reception) -> dict[str, Any]:
    return {
        "station": reception.station,
        "at": to_iso(moment(reception.at)),
        "level_db": reception.level_db,
        "frequency_mhz": reception.frequency_mhz,
    }


def message_fields(row: AcarsMessage, full: bool, details: bool) -> dict[str, Any]:
    """A message as the REST API and the channel show it.

    Without ``full`` (acars.view_full) there is neither text nor raw nor what a decoding says of them; without
    ``details`` (aircraft.view_details) no registration.
    """
    position = None
    if row.lat is not None and row.lon is not None:
        position = {"lat": row.lat, "lon": row.lon, "altitude_ft": row.altitude_ft}
    decoded = row.decoded
    if decoded is not None and not full:
        decoded = {"kind": decoded["kind"], "title": None, "items": []}
    return {
        "id": row.id,
        "at": row.at,
        "received_at": row.received_at,
        "source": row.source,
        "station": row.station,
        "frequency_mhz": row.frequency_mhz,
        "level_db": row.level_db,
        "icao_hex": row.icao_hex,
        "registration": row.registration if details else None,
        "flight": row.flight,
        "callsign": row.callsign,
        "flight_id": row.flight_id,
        "label": row.label,
        "label_name": name_of(row.label),
        "block_id": row.block_id,
        "message_number": row.message_number,
        "direction": row.direction,
        "text": row.text if full else None,
        "incomplete": row.incomplete,
        "decoded": decoded,
        "position": position,
        "heard_by": row.heard_by,
        "repeats": row.repeats,
        "raw": row.raw if full and details else None,
    }


def message_event(row: AcarsMessage) -> Message:
    """A message for the channel in the forms that its receivers may see."""

    def encoded(full: bool, details: bool) -> bytes:
        fields = message_fields(row, full, details)
        fields.pop("raw")
        return _encode({n: to_iso(v) if isinstance(v, datetime) else v for n, v in fields.items()})

    forms = (
        Form(frozenset({FULL, DETAILS}), encoded(True, True)),
        Form(frozenset({FULL}), encoded(True, False)),
        Form(frozenset({DETAILS}), encoded(False, True)),
    )
    needs = frozenset({MILITARY}) if row.military else frozenset()
    return Message(TOPIC, EVENT, encoded(False, False), Audience(needs=needs), forms=forms)


def for_rules(row: AcarsMessage) -> Message:
    """A message for the alert rules, within the service."""
    fields = {
        "text": row.text,
        "label": row.label,
        "icao_hex": row.icao_hex,
        "registration": row.registration,
        "callsign": row.callsign or row.flight,
        "military": row.military,
        "at": row.at.timestamp(),
    }
    return Message(RECEIVED_TOPIC, "message", _encode(fields))

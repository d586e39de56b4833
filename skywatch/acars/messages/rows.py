"""Messages as rows: what the writer stores of a draft, and what is published of it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.acars.decoding import Decoded, decode
from skywatch.acars.decoding.labels import name_of
from skywatch.acars.envelopes import Burst
from skywatch.acars.messages.draft import Draft, Reception, Snapshot
from skywatch.acars.messages.linking import Linker, Sighting
from skywatch.acars.models import AcarsMessage
from skywatch.acars.searching.search import words_of
from skywatch.acars.topics import RECEIVED, TOPIC
from skywatch.core.bus.base import Audience, Form, Message
from skywatch.core.clock import to_datetime, to_iso
from skywatch.core.database.inserting import insert_many

EVENT = "acars:message"
FULL, DETAILS, MILITARY = "acars.view_full", "aircraft.view_details", "aircraft.view_military"
_encode = msgspec.json.Encoder().encode
# The raw envelope is stored up to this size (bytes as JSON); of larger ones only the keys.
MAXIMUM_RAW = 32_768
_messages: Any = AcarsMessage.__table__
# A row of the table, or one with the same columns that was written without the work of the ORM.
Row = AcarsMessage | SimpleNamespace


class Stored(NamedTuple):
    """What was written of a draft; ``faults`` are the forms that failed on its text."""

    draft: Draft
    row: Row
    is_new: bool
    faults: Sequence[str] = ()


def store(session: Session, drafts: Sequence[Draft], linker: Linker) -> list[Stored]:
    """Write drafts, in their order: new rows, or the rows that they have already."""
    snapshots = [draft.snapshot() for draft in drafts]
    new = [(draft, snapshot) for draft, snapshot in zip(drafts, snapshots, strict=True) if draft.id is None]
    faults: dict[Draft, list[str]] = {draft: [] for draft in drafts}
    inserted = _insert(session, new, linker, faults)
    rows: dict[Draft, Row] = dict(zip((draft for draft, _ in new), inserted, strict=True))
    known = {
        draft.id: (draft, snapshot) for draft, snapshot in zip(drafts, snapshots, strict=True) if draft.id is not None
    }
    stored = session.scalars(sa.select(AcarsMessage).where(AcarsMessage.id.in_(known))).all() if known else []
    _link_again(session, [(row, known[row.id][1].burst) for row in stored], linker)
    for row in stored:
        draft, snapshot = known[row.id]
        if row.text != snapshot.text or row.incomplete != snapshot.is_incomplete:
            for name, value in _description(snapshot, faults[draft]).items():
                setattr(row, name, value)
        row.heard_by = [_reception(reception) for reception in snapshot.receptions]
        row.repeats = snapshot.repeats
        rows[draft] = row
    # A row that retention has removed meanwhile is not there to be changed.
    return [Stored(draft, rows[draft], draft.id is None, faults[draft]) for draft in drafts if draft in rows]


def _link_again(session: Session, rows: Sequence[tuple[AcarsMessage, Burst]], linker: Linker) -> None:
    """What was not known of the aircraft when the row was written may be known now, by another station's burst too."""
    some = [(row, burst) for row, burst in rows if row.icao_hex is None or not row.military]
    sightings = [
        Sighting(row.icao_hex or burst.icao_hex, row.registration or burst.registration, row.at) for row, burst in some
    ]
    for (row, burst), link in zip(some, linker.link(session, sightings) if some else (), strict=True):
        row.registration, row.flight = row.registration or burst.registration, row.flight or burst.flight
        row.icao_hex, row.military = link.icao_hex, row.military or link.military
        row.flight_id, row.callsign = row.flight_id or link.flight_id, row.callsign or link.callsign


def _insert(
    session: Session, new: Sequence[tuple[Draft, Snapshot]], linker: Linker, faults: dict[Draft, list[str]]
) -> list[Row]:
    if not new:
        return []
    bursts = [snapshot.burst for _, snapshot in new]
    moments = [to_datetime(snapshot.at) for _, snapshot in new]
    sightings = [Sighting(burst.icao_hex, burst.registration, at) for burst, at in zip(bursts, moments, strict=True)]
    links = linker.link(session, sightings)
    rows = [
        {
            "at": at,
            "received_at": to_datetime(snapshot.received_at),
            "source": burst.source,
            "station": burst.station,
            "frequency_mhz": burst.frequency_mhz,
            "level_db": burst.level_db,
            "registration": burst.registration,
            "flight": burst.flight,
            "label": burst.label,
            "block_id": burst.block_id,
            "direction": burst.direction,
            "message_number": burst.message_number,
            "raw": _bounded(burst.raw),
            "heard_by": [_reception(reception) for reception in snapshot.receptions],
            "repeats": snapshot.repeats,
            **_description(snapshot, faults[draft]),
            **link._asdict(),
        }
        for (draft, snapshot), burst, at, link in zip(new, bursts, moments, links, strict=True)
    ]
    ids = insert_many(session.connection(), _messages, rows)
    return [SimpleNamespace(id=row_id, **row) for row_id, row in zip(ids, rows, strict=True)]


def _description(snapshot: Snapshot, faults: list[str]) -> dict[str, Any]:
    """Text, decoding and what is searched."""
    burst = snapshot.burst
    decoded = decode(burst.label, snapshot.text, burst.sublabel or "", snapshot.application, faults)
    position = decoded.position if decoded is not None else None
    return {
        "sublabel": burst.sublabel,
        "text": snapshot.text,
        "incomplete": snapshot.is_incomplete,
        "decoded": decoded_fields(decoded) if decoded is not None else None,
        "kind": decoded.kind if decoded is not None else None,
        "lat": position.lat if position is not None else None,
        "lon": position.lon if position is not None else None,
        "altitude_ft": position.altitude_ft if position is not None else None,
        "search_text": words_of(f"{snapshot.text} {decoded.title if decoded is not None else ''}"),
    }


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
        "at": to_iso(to_datetime(reception.at)),
        "level_db": reception.level_db,
        "frequency_mhz": reception.frequency_mhz,
    }


def message_fields(row: Row, full: bool, details: bool) -> dict[str, Any]:
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


def message_event(row: Row) -> Message:
    """A message for the channel in the forms that its receivers may see."""

    def encoded(full: bool, details: bool) -> bytes:
        fields = message_fields(row, full, details)
        del fields["raw"]
        fields["at"], fields["received_at"] = to_iso(row.at), to_iso(row.received_at)
        return _encode(fields)

    forms = [Form(frozenset({FULL}), encoded(True, False))]
    if row.registration is not None:
        # Without one, the forms with and without the right to see it are the same.
        forms.insert(0, Form(frozenset({FULL, DETAILS}), encoded(True, True)))
        forms.append(Form(frozenset({DETAILS}), encoded(False, True)))
    needs = frozenset({MILITARY}) if row.military else frozenset()
    return Message(TOPIC, EVENT, encoded(False, False), Audience(needs=needs), forms=tuple(forms))


def for_rules(row: Row) -> Message:
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
    return Message(RECEIVED, "message", _encode(fields))

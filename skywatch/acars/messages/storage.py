"""Messages as rows: what the writer stores of a draft, and what is published of it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.acars.decoding import decode
from skywatch.acars.envelopes import Burst
from skywatch.acars.messages.draft import BurstReception, Draft, Snapshot
from skywatch.acars.messages.links import Linker, Sighting
from skywatch.acars.models import AcarsMessage
from skywatch.acars.resources.answers import decoded_answer, message_answer
from skywatch.acars.search.search import words_of
from skywatch.acars.topics import RECEIVED, TOPIC
from skywatch.core.bus.base import Audience, Form, Message
from skywatch.core.clock import to_datetime, to_iso
from skywatch.core.database.engine import insert_many

EVENT = "acars:message"
FULL, DETAILS, MILITARY = "acars.view_full", "aircraft.view_details", "aircraft.view_military"
_encode = msgspec.json.Encoder().encode
# The raw envelope is stored up to this size (bytes as JSON); of larger ones only the keys.
MAX_RAW = 32_768
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
    draft_of = {
        draft.id: (draft, snapshot) for draft, snapshot in zip(drafts, snapshots, strict=True) if draft.id is not None
    }
    stored = session.scalars(sa.select(AcarsMessage).where(AcarsMessage.id.in_(draft_of))).all() if draft_of else []
    _link_again(session, [(row, draft_of[row.id][1].burst) for row in stored], linker)
    for row in stored:
        draft, snapshot = draft_of[row.id]
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
        row.icao_hex, row.military = link.icao_hex, link.military
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
        "decoded": decoded_answer(decoded) if decoded is not None else None,
        "kind": decoded.kind if decoded is not None else None,
        "lat": position.lat if position is not None else None,
        "lon": position.lon if position is not None else None,
        "altitude_ft": position.altitude_ft if position is not None else None,
        "search_text": words_of(f"{snapshot.text} {decoded.title if decoded is not None else ''}"),
    }


def _bounded(raw: dict[str, Any]) -> dict[str, Any]:
    try:
        return raw if len(_encode(raw)) <= MAX_RAW else {"too_large": sorted(map(str, raw))[:50]}
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return {"unreadable": True}


def _reception(reception: BurstReception) -> dict[str, Any]:
    return {
        "station": reception.station,
        "at": to_iso(to_datetime(reception.at)),
        "level_db": reception.level_db,
        "frequency_mhz": reception.frequency_mhz,
    }


def message_event(row: Row) -> Message:
    """A message for the channel in the forms that its receivers may see."""

    def form(*permissions: str) -> Form:
        document = message_answer(row, permissions)
        del document["raw"]
        document["at"], document["received_at"] = to_iso(row.at), to_iso(row.received_at)
        return Form(frozenset(permissions), _encode(document))

    forms = [form(FULL)]
    if row.registration is not None:
        # Without one, the forms with and without the right to see it are the same.
        forms = [form(FULL, DETAILS), form(FULL), form(DETAILS)]
    needs = frozenset({MILITARY}) if row.military else frozenset()
    aircraft = frozenset({row.icao_hex} if row.icao_hex is not None else ())
    return Message(TOPIC, EVENT, form().data, Audience(needs=needs, aircraft=aircraft), forms=tuple(forms))


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

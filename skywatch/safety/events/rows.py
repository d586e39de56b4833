"""Events as rows: writing changes, reading active ones, and the published form."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.bus.base import Audience, Message
from skywatch.core.clock import to_datetime, to_iso
from skywatch.safety.detection.finding import Closest, Finding, Place, Quantity
from skywatch.safety.events.tracker import Change, LiveEvent
from skywatch.safety.models import SafetyEvent
from skywatch.safety.notifications import notify_of

TOPIC = "safety"
EVENTS = {"began": "safety:event", "updated": "safety:event_updated", "ended": "safety:event_resolved"}
VIEW_MILITARY = "aircraft.view_military"
MAXIMUM_MESSAGE = 300
_encode = msgspec.json.Encoder().encode


def event_fields(row: SafetyEvent) -> dict[str, Any]:
    """An event as the REST API and the channel show it."""
    position = None
    if row.lat is not None:
        position = {"lat": row.lat, "lon": row.lon, "altitude_ft": row.altitude_ft}
    return {
        "id": row.id,
        "type": row.type,
        "severity": row.severity,
        "icao_hex": row.icao_hex,
        "icao_hex_2": row.icao_hex_2,
        "callsigns": row.callsigns,
        "message": row.message,
        "began_at": row.began_at,
        "ended_at": row.ended_at,
        "last_at": row.last_at,
        "numbers": row.numbers,
        "position": position,
        "closest": row.closest,
        "suppressed_by": row.suppressed_by,
        "acknowledged": row.acknowledged,
        "acknowledged_by": row.acknowledged_by,
        "acknowledged_at": row.acknowledged_at,
    }


def event_document(row: SafetyEvent) -> dict[str, Any]:
    """An event as JSON has it."""
    return {n: to_iso(v) if isinstance(v, datetime) else v for n, v in event_fields(row).items()}


def event_message(row: SafetyEvent, event: str) -> Message:
    """An event for the channel; a military aircraft in it hides all of it from those without the right."""
    fields = event_document(row)
    needs = frozenset({VIEW_MILITARY}) if row.military else frozenset()
    return Message(TOPIC, event, _encode(fields), Audience(needs=needs))


def write(session: Session, changes: Sequence[Change]) -> tuple[list[tuple[LiveEvent, int]], list[Message]]:
    """Write changes in their order: the identifiers of new events, and what to publish.

    Writing the same changes again (after a commit whose answer was lost) finds the rows by ``active_key``.
    """
    ids: list[tuple[LiveEvent, int]] = []
    messages: list[Message] = []
    rows: dict[int, SafetyEvent] = {}
    for change in changes:
        event = change.event
        row = rows.get(id(change.live)) or _find(session, event, change.live.id)
        if row is None:
            if change.step == "ended":
                continue  # The row was removed by retention or an operator.
            row = SafetyEvent(acknowledged=False, began_at=to_datetime(event.began_at))
            session.add(row)
        # An event that a process before this one raised already is not raised again.
        was_raised = row.active_key is not None and not row.held_back
        _fill(row, event)
        session.flush()
        rows[id(change.live)] = row
        ids.append((change.live, row.id))
        step = "ended" if change.step == "ended" else "updated" if was_raised else "began"
        # A suppressed event is stored but not published.
        if event.raised:
            messages.append(event_message(row, EVENTS[step]))
            if step == "began":
                notify_of(session, row, event_document(row))
    return ids, messages


def _find(session: Session, event: LiveEvent, row_id: int | None) -> SafetyEvent | None:
    if row_id is not None:
        return session.get(SafetyEvent, row_id)
    existing: SafetyEvent | None = session.scalar(
        sa.select(SafetyEvent).where(SafetyEvent.active_key == active_key(event))
    )
    return existing


def active_key(event: LiveEvent) -> str:
    """The unique key among active events."""
    return f"{event.finding.type}:{event.finding.key}"[:200]


def _fill(row: SafetyEvent, event: LiveEvent) -> None:
    finding = event.finding
    row.type, row.severity, row.key = finding.type, finding.severity, finding.key[:160]
    row.active_key = active_key(event) if event.ended_at is None else None
    row.hexes = [address.upper() for address in finding.hexes]
    row.icao_hex = row.hexes[0] if row.hexes and not finding.key.startswith(("region:", "gather:")) else None
    row.icao_hex_2 = row.hexes[1] if len(row.hexes) > 1 and row.icao_hex is not None else None
    row.callsigns = list(finding.callsigns)
    row.message = finding.message[:MAXIMUM_MESSAGE]
    row.last_at = to_datetime(event.last_at)
    row.ended_at = to_datetime(event.ended_at) if event.ended_at is not None else None
    row.numbers = {name: msgspec.to_builtins(quantity) for name, quantity in finding.numbers.items()}
    if finding.position is not None:
        row.lat, row.lon, row.altitude_ft = finding.position.lat, finding.position.lon, finding.position.altitude_ft
    if event.closest is not None:
        closest = event.closest
        row.closest = {
            "at": to_iso(to_datetime(closest.at)),
            "distance_nm": closest.distance_nm,
            "vertical_ft": closest.vertical_ft,
        }
    row.suppressed_by = list(finding.suppressed_by)
    row.held_back = bool(finding.suppressed_by)
    row.military = finding.military


def read_active(session: Session) -> list[LiveEvent]:
    """The events that were active when the last process stopped."""
    rows = session.scalars(sa.select(SafetyEvent).where(SafetyEvent.ended_at.is_(None)))
    return [_live(row) for row in rows]


def _live(row: SafetyEvent) -> LiveEvent:
    place = None if row.lat is None or row.lon is None else Place(row.lat, row.lon, row.altitude_ft)
    closest = None
    if row.closest is not None:
        at = datetime.fromisoformat(row.closest["at"]).timestamp()
        closest = Closest(at, row.closest["distance_nm"], row.closest["vertical_ft"])
    finding = Finding(
        type=row.type,  # type: ignore[arg-type]
        key=row.key,
        severity=row.severity,  # type: ignore[arg-type]
        message=row.message,
        hexes=tuple(address.lower() for address in row.hexes),
        callsigns=tuple(row.callsigns),
        numbers={name: Quantity(q.get("value", ""), q.get("unit", "")) for name, q in row.numbers.items()},
        position=place,
        closest=closest,
        suppressed_by=tuple(row.suppressed_by),
        military=row.military,
    )
    last_at = row.last_at.timestamp()
    return LiveEvent(
        finding, row.began_at.timestamp(), last_at, last_at, None, row.id, raised=not row.held_back, closest=closest
    )

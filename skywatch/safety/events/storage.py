"""Events as rows: writing changes, reading active ones, and the published form.

Whatever their number, changes are written with a fixed number of statements: what is stored of their events is read
with two, the changed rows are updated with one and the new ones inserted with one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.bus.base import Audience, Message
from skywatch.core.clock import to_datetime, to_iso
from skywatch.core.database.engine import insert_many
from skywatch.http.resources.answer import answer
from skywatch.http.resources.render import encode, to_builtins
from skywatch.notify.channels.queries import subscribers_of
from skywatch.notify.deliveries.outbox import Notification, enqueue, states
from skywatch.safety.detection.aggregation import OF_MANY
from skywatch.safety.detection.finding import UNCONFIRMED, Closest, Finding, Position, Quantity
from skywatch.safety.events.tracker import Change, LiveEvent, Step
from skywatch.safety.models import SafetyEvent
from skywatch.safety.schemas import SafetyEventRecord
from skywatch.sentences import code_members, codes_of, reworded, sentence_of

TOPIC = "safety"
EVENTS = {"began": "safety:event", "updated": "safety:event_updated", "ended": "safety:event_resolved"}
VIEW_MILITARY = "aircraft.view_military"
MAX_MESSAGE = 300

Values = dict[str, Any]
_table: Any = SafetyEvent.__table__
_ACKNOWLEDGEMENT = ("acknowledged", "acknowledged_by", "acknowledged_at")
# The columns that a change may change, each with the name of its parameter; acknowledging is for others.
_CHANGING = [c.name for c in _table.c if c.name not in ("id", "began_at", *_ACKNOWLEDGEMENT)]
_PARAMETERS = [("row_id", "id"), *((f"new_{name}", name) for name in _CHANGING)]
_UPDATE = (
    sa.update(_table)
    .where(_table.c.id == sa.bindparam("row_id"))
    .values({name: sa.bindparam(f"new_{name}") for name in _CHANGING})
)


def event_answer(row: SafetyEvent) -> dict[str, Any]:
    """An event as the REST API and the channel answer it."""
    position = None
    if row.lat is not None:
        position = {"lat": row.lat, "lon": row.lon, "altitude_ft": row.altitude_ft}
    return answer(SafetyEventRecord, row, position=position, **code_members(row.words, "message", row.message))


def event_message(row: SafetyEvent, event: str) -> Message:
    """An event for the channel; a military aircraft in it hides all of it from those without the right."""
    needs = frozenset({VIEW_MILITARY}) if row.military else frozenset()
    return Message(TOPIC, event, encode(event_answer(row)), Audience(needs=needs, aircraft=frozenset(row.hexes)))


def write(session: Session, changes: Sequence[Change]) -> tuple[list[tuple[LiveEvent, int]], list[Message]]:
    """Write changes in their order: the identifiers of new events, and what to publish.

    Writing the same changes again (after a commit whose answer was lost) finds the rows by ``active_key``.
    """
    stored = _Stored(session, changes)
    records: dict[int, Values] = {}
    lives: dict[int, LiveEvent] = {}
    raised: list[tuple[Step, Values, Values]] = []
    # Events that were raised in doubt, and are raised again.
    confirmed: list[Values] = []
    for change in changes:
        record = records.get(id(change.live)) or stored.of(change)
        if record is None:
            if change.step == "ended":
                continue  # The row was removed by retention or an operator.
            record = _new(change.event)
        records[id(change.live)], lives[id(change.live)] = record, change.live
        # An event that a process before this one raised already is not raised again, unless it was in doubt.
        was_raised = record["active_key"] is not None and not record["held_back"]
        is_confirmed = was_raised and _is_in_doubt(record["numbers"]) and not change.event.finding.in_doubt
        earlier = record.get("hexes", ())
        record.update(_columns(change.event))
        # Who was in it stays in it: a military aircraft hides the event also when others have taken its place.
        present = set(record["hexes"])
        record["hexes"] += [address for address in earlier if address not in present]
        # A suppressed event is stored but not published.
        if change.event.raised:
            begins = is_confirmed or not was_raised
            step: Step = "ended" if change.step == "ended" else "began" if begins else "updated"
            raised.append((step, record, dict(record)))
            if is_confirmed:
                confirmed.append(record)
    _save(session, list(records.values()))
    ids = [(live, records[key]["id"]) for key, live in lives.items()]
    rows = [(step, SafetyEvent(**{**then, "id": record["id"]})) for step, record, then in raised]
    begun = [(row, to_builtins(event_answer(row))) for step, row in rows if step == "began"]
    notify_of(session, begun, {record["id"] for record in confirmed})
    return ids, [event_message(row, EVENTS[step]) for step, row in rows]


class _Stored:
    """What is stored of the events of some changes."""

    def __init__(self, session: Session, changes: Sequence[Change]) -> None:
        ids = {change.live.id for change in changes if change.live.id is not None}
        keys = {active_key(change.event) for change in changes if change.live.id is None}
        self._by_id = {row["id"]: row for row in _read(session, _table.c.id, ids)}
        self._by_key = {row["active_key"]: row for row in _read(session, _table.c.active_key, keys)}

    def of(self, change: Change) -> Values | None:
        """The row of an event that has none in this batch yet."""
        if change.live.id is not None:
            row = self._by_id.get(change.live.id)
            self._by_key.pop(row["active_key"] if row is not None else None, None)
            return row
        # Only the first event with this key in the batch is the stored one: a later one began after its end.
        return self._by_key.pop(active_key(change.event), None)


def _read(session: Session, column: Any, values: Collection[Any]) -> list[Values]:
    if not values:
        return []
    return [dict(row) for row in session.execute(sa.select(_table).where(column.in_(values))).mappings()]


def _save(session: Session, records: Sequence[Values]) -> None:
    """Update the rows that have an identifier and insert the others, which get theirs."""
    changed = [record for record in records if "id" in record]
    new = [record for record in records if "id" not in record]
    if changed:
        # First: an event that has ended makes room for one with the same ``active_key``.
        session.execute(_UPDATE, [{name: record[column] for name, column in _PARAMETERS} for record in changed])
    if new:
        for record, row_id in zip(new, insert_many(session.connection(), _table, new), strict=True):
            record["id"] = row_id


def _is_in_doubt(numbers: Any) -> bool:
    """Whether the stored numbers are those of a finding in doubt."""
    return bool(numbers.get("confidence", {}).get("value") == UNCONFIRMED)


def active_key(event: LiveEvent) -> str:
    """The unique key among active events."""
    return f"{event.finding.type}:{event.finding.key}"[:200]


def _new(event: LiveEvent) -> Values:
    unset: Values = dict.fromkeys(("active_key", "lat", "lon", "altitude_ft", "closest", *_ACKNOWLEDGEMENT))
    return {**unset, "acknowledged": False, "began_at": to_datetime(event.began_at)}


def _columns(event: LiveEvent) -> Values:
    """What changes of the row of an event; a position and a closest point stay where the finding has none."""
    finding = event.finding
    hexes = [address.upper() for address in finding.hexes]
    is_single = bool(hexes) and not finding.key.startswith(OF_MANY)
    columns: Values = {
        "type": finding.type,
        "severity": finding.severity,
        "key": finding.key[:160],
        "active_key": active_key(event) if event.ended_at is None else None,
        "hexes": hexes,
        "icao_hex": hexes[0] if is_single else None,
        "icao_hex_2": hexes[1] if is_single and len(hexes) > 1 else None,
        "callsigns": list(finding.callsigns),
        "message": finding.message[:MAX_MESSAGE],
        "words": codes_of(message=finding.message) or None,
        "last_at": to_datetime(event.last_at),
        "ended_at": to_datetime(event.ended_at) if event.ended_at is not None else None,
        "numbers": {name: msgspec.to_builtins(quantity) for name, quantity in finding.numbers.items()},
        "suppressed_by": list(finding.suppressed_by),
        "held_back": bool(finding.suppressed_by),
        "military": finding.military,
        "simulated": finding.simulated,
    }
    position, closest = finding.position, event.closest
    if position is not None:
        columns |= {"lat": position.lat, "lon": position.lon, "altitude_ft": position.altitude_ft}
    if closest is not None:
        at = to_iso(to_datetime(closest.at))
        columns["closest"] = {"at": at, "distance_nm": closest.distance_nm, "vertical_ft": closest.vertical_ft}
    return columns


def read_active(session: Session) -> list[LiveEvent]:
    """The events that were active when the last process stopped."""
    rows = session.scalars(sa.select(SafetyEvent).where(SafetyEvent.ended_at.is_(None)))
    return [_live(row) for row in rows]


def _live(row: SafetyEvent) -> LiveEvent:
    position = None if row.lat is None or row.lon is None else Position(row.lat, row.lon, row.altitude_ft)
    closest = None
    if row.closest is not None:
        at = datetime.fromisoformat(row.closest["at"]).timestamp()
        closest = Closest(at, row.closest["distance_nm"], row.closest["vertical_ft"])
    finding = Finding(
        type=row.type,  # type: ignore[arg-type]
        key=row.key,
        severity=row.severity,  # type: ignore[arg-type]
        message=reworded(row.message, **sentence_of(row.words, "message", row.message)),
        hexes=tuple(address.lower() for address in row.hexes),
        callsigns=tuple(row.callsigns),
        numbers={name: Quantity(q.get("value", ""), q.get("unit", "")) for name, q in row.numbers.items()},
        position=position,
        closest=closest,
        suppressed_by=tuple(row.suppressed_by),
        military=row.military,
        simulated=row.simulated,
        in_doubt=_is_in_doubt(row.numbers),
    )
    last_at = row.last_at.timestamp()
    return LiveEvent(
        finding, row.began_at.timestamp(), last_at, last_at, None, row.id, raised=not row.held_back, closest=closest
    )


KIND = "safety"


def notify_of(
    session: Session, events: Sequence[tuple[SafetyEvent, Mapping[str, Any]]], confirmed: Collection[int] = ()
) -> None:
    """Write events, each with its document, to the outbox of every user with a channel for safety events, once each.

    Those ``confirmed`` (ids) were notified of in doubt, and are once more. Whether a user may see an event is decided
    when it is sent.
    """
    subscribers = subscribers_of(session, KIND) if events else {}
    if not subscribers:
        return
    earlier = states(session, KIND, [row.id for row, _ in events])
    enqueue(
        session,
        [
            Notification(
                kind=KIND,
                subject_id=row.id,
                user_id=user_id,
                priority=row.severity,
                channel_ids=channel_ids,
                body=document,
                title=row.type.replace("_", " ").capitalize(),
                text=row.message,
                at=row.began_at,
                event="safety.event",
                military=row.military,
                aircraft=tuple(row.hexes),
            )
            for row, document in events
            if row.id in confirmed or not earlier[row.id]
            for user_id, channel_ids in subscribers.items()
        ],
    )

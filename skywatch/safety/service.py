"""The rules of safety events over REST: visibility, acknowledgement, statistics."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.archive.state import mark_rewritten
from skywatch.core.clock import utcnow
from skywatch.core.problems import not_found
from skywatch.http.lists.cursor import Key
from skywatch.picture.counted import counted
from skywatch.safety.models import SafetyEvent
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

STATS_SPAN = timedelta(hours=24)


def visible(visibility: Visibility) -> sa.Select[Any]:
    """The events that a caller may see: one with a military aircraft in it only with the right."""
    query = sa.select(SafetyEvent)
    return query if visibility.military else query.where(civil_rows(SafetyEvent))


def filtered(query: sa.Select[Any], filters: dict[str, Any]) -> sa.Select[Any]:
    """A query with the filters of the list."""
    if filters.get("type") is not None:
        query = query.where(SafetyEvent.type == filters["type"])
    if filters.get("severity") is not None:
        query = query.where(SafetyEvent.severity == filters["severity"])
    if filters.get("icao_hex") is not None:
        address = filters["icao_hex"].upper()
        query = query.where(sa.or_(SafetyEvent.icao_hex == address, SafetyEvent.icao_hex_2 == address))
    for name, column in (("acknowledged", SafetyEvent.acknowledged), ("suppressed", SafetyEvent.held_back)):
        if filters.get(name) is not None:
            query = query.where(column.is_(filters[name]))
    if filters.get("active") is not None:
        ended_at = SafetyEvent.ended_at
        query = query.where(ended_at.is_(None) if filters["active"] else ended_at.is_not(None))
    if filters.get("from") is not None:
        query = query.where(SafetyEvent.began_at >= filters["from"])
    if filters.get("to") is not None:
        query = query.where(SafetyEvent.began_at < filters["to"])
    return query


def find(
    session: Session, visibility: Visibility, filters: dict[str, Any], limit: int, offset: int, after: Key | None
) -> tuple[Sequence[SafetyEvent], int, Key | None]:
    """A page of events, the newest first, how many match, and the key of the last one where more follow."""
    query = filtered(visible(visibility), filters)
    count = session.scalar(sa.select(sa.func.count()).select_from(query.subquery())) or 0
    if after is not None:
        at, event_id = after
        older = sa.or_(SafetyEvent.began_at < at, sa.and_(SafetyEvent.began_at == at, SafetyEvent.id < event_id))
        query = query.where(older)
    query = query.order_by(SafetyEvent.began_at.desc(), SafetyEvent.id.desc()).offset(offset).limit(limit + 1)
    rows = session.scalars(query).all()
    last = (rows[limit - 1].began_at, rows[limit - 1].id) if len(rows) > limit else None
    return rows[:limit], count, last


def get(session: Session, visibility: Visibility, event_id: int) -> SafetyEvent:
    """One event; raises Problem (404) if there is none that the caller may see."""
    event: SafetyEvent | None = session.scalar(visible(visibility).where(SafetyEvent.id == event_id))
    if event is None:
        raise not_found(sentence("thing.safety_event", "safety event"))
    return event


def acknowledge(session: Session, visibility: Visibility, event_id: int, who: str) -> tuple[SafetyEvent, bool]:
    """Acknowledge an event, keeping the first time: the event, and whether it was not acknowledged before."""
    event = get(session, visibility, event_id)
    update = sa.update(SafetyEvent).where(SafetyEvent.id == event_id, SafetyEvent.acknowledged.is_(False))
    values = {"acknowledged": True, "acknowledged_by": who, "acknowledged_at": utcnow()}
    result: Any = session.execute(update.values(**values).execution_options(synchronize_session=False))
    session.refresh(event)
    if result.rowcount:
        mark_rewritten(session, "safety", event.began_at)
    return event, bool(result.rowcount)


def stats(session: Session, visibility: Visibility, begin: datetime | None, end: datetime | None) -> dict[str, Any]:
    """Events of a span counted; the last 24 h by default."""
    span = {"from": begin or utcnow() - STATS_SPAN, "to": end}
    events = visible(visibility).where(counted(session, SafetyEvent.simulated))
    rows = filtered(events, span).subquery()
    is_raised = rows.c.held_back.is_(False)
    total, unacknowledged, suppressed = session.execute(
        sa.select(
            sa.func.count().filter(is_raised),
            sa.func.count().filter(is_raised, rows.c.acknowledged.is_(False)),
            sa.func.count().filter(rows.c.held_back),
        ).select_from(rows)
    ).one()
    now = events.where(SafetyEvent.ended_at.is_(None), SafetyEvent.held_back.is_(False)).subquery()
    return {
        "total": total,
        "active": session.scalar(sa.select(sa.func.count()).select_from(now)) or 0,
        "unacknowledged": unacknowledged,
        "suppressed": suppressed,
        "by_type": _counts(session, rows.c.type, is_raised),
        "by_severity": _counts(session, rows.c.severity, is_raised),
    }


def _counts(session: Session, column: Any, where: Any) -> dict[str, int]:
    query = sa.select(column, sa.func.count()).where(where).group_by(column).order_by(column)
    return {row[0]: row[1] for row in session.execute(query)}

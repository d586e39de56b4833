"""The rules of sessions, alerts and patterns: a caller sees only their own.

Holders of ``cannonball.manage`` see everybody's; military aircraft need ``aircraft.view_military``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern, SessionPattern
from skywatch.cannonball.vocabulary import EndReason
from skywatch.core.clock import utcnow
from skywatch.core.problems import not_found
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

# Largest number of alerts that one request acknowledges, and of those that get an event each: nobody shows more.
ACKNOWLEDGED_AT_ONCE, ANNOUNCED_AT_ONCE = 10_000, 300


@dataclass(frozen=True)
class Page:
    """The offset and limit of a list."""

    offset: int
    limit: int


def active_sessions(session: Session, visibility: Visibility, user: int | None = None) -> list[CannonballSession]:
    """Active sessions, of one user where ``user`` is an id, the most urgent first."""
    query = _equal(_own(visibility, CannonballSession), CannonballSession, {"user_id": user}, ("user_id",))
    query = query.where(CannonballSession.is_active)
    return list(session.scalars(query.order_by(CannonballSession.urgency_score.desc(), CannonballSession.id)))


def find_sessions(
    session: Session, visibility: Visibility, page: Page, filters: Mapping[str, Any]
) -> tuple[list[CannonballSession], int]:
    """Sessions, the newest first."""
    query = _own(visibility, CannonballSession)
    query = _between(query, CannonballSession.started_at, filters)
    query = _equal(query, CannonballSession, filters, ("is_active", "icao_hex", "threat_level", "identification"))
    if filters.get("user") is not None:
        query = query.where(CannonballSession.user_id == filters["user"])
    return _page(session, query, CannonballSession.id, page)


def get_session(session: Session, visibility: Visibility, session_id: int) -> CannonballSession:
    """One session; raises Problem (404) if it is not the caller's."""
    query = _own(visibility, CannonballSession).where(CannonballSession.id == session_id)
    row: CannonballSession | None = session.scalar(query)
    if row is None:
        raise not_found(sentence("thing.session", "session"))
    return row


def end_session(session: Session, visibility: Visibility, session_id: int) -> tuple[CannonballSession, bool]:
    """End a session by hand; returns it, and whether it was active until now."""
    row = get_session(session, visibility, session_id)
    if not row.is_active:
        return row, False
    row.is_active = False
    row.ended_at = utcnow()
    row.end_reason = EndReason.ENDED_BY_USER.value
    session.flush()
    return row, True


def find_alerts(
    session: Session, visibility: Visibility, page: Page, filters: Mapping[str, Any]
) -> tuple[list[CannonballAlert], int]:
    """Alerts, the newest first."""
    query = _own(visibility, CannonballAlert)
    query = _between(query, CannonballAlert.created_at, filters)
    query = _equal(query, CannonballAlert, filters, ("acknowledged", "announced", "alert_type", "priority"))
    if filters.get("session") is not None:
        query = query.where(CannonballAlert.session_id == filters["session"])
    if filters.get("user") is not None:
        query = query.where(CannonballAlert.user_id == filters["user"])
    if filters.get("icao_hex") is not None:
        query = query.where(CannonballAlert.session_icao == filters["icao_hex"].upper())
    return _page(session, query, CannonballAlert.id, page)


def get_alert(session: Session, visibility: Visibility, alert_id: int) -> CannonballAlert:
    """One alert; raises Problem (404) if it is not the caller's."""
    alert: CannonballAlert | None = session.scalar(
        _own(visibility, CannonballAlert).where(CannonballAlert.id == alert_id)
    )
    if alert is None:
        raise not_found(sentence("thing.alert", "alert"))
    return alert


def acknowledge(session: Session, visibility: Visibility, alert_id: int) -> tuple[CannonballAlert, bool]:
    """Acknowledge an alert; returns it, and whether this is the first time, whose time is kept."""
    alert = get_alert(session, visibility, alert_id)
    changed = _once(session, CannonballAlert.acknowledged, alert_id, acknowledged=True, acknowledged_at=utcnow())
    session.refresh(alert)
    return alert, changed


def mark_announced(session: Session, visibility: Visibility, alert_id: int) -> tuple[CannonballAlert, bool]:
    """Record that a client announced an alert; returns it, and whether this is the first time."""
    alert = get_alert(session, visibility, alert_id)
    changed = _once(session, CannonballAlert.announced, alert_id, announced=True)
    session.refresh(alert)
    return alert, changed


def acknowledge_all(session: Session, visibility: Visibility) -> tuple[int, list[CannonballAlert]]:
    """Acknowledge the caller's own open alerts, at most the newest 10,000: their number, and the newest 300."""
    own = sa.select(CannonballAlert.id).where(
        CannonballAlert.user_id == visibility.user_id, CannonballAlert.acknowledged.is_(False)
    )
    newest = own.order_by(CannonballAlert.id.desc()).limit(ACKNOWLEDGED_AT_ONCE)
    statement = sa.update(CannonballAlert).where(CannonballAlert.id.in_(newest))
    statement = statement.values(acknowledged=True, acknowledged_at=utcnow())
    statement = statement.execution_options(synchronize_session=False)
    changed = sorted(session.scalars(statement.returning(CannonballAlert.id)), reverse=True)
    newest_rows = sa.select(CannonballAlert).where(CannonballAlert.id.in_(changed[:ANNOUNCED_AT_ONCE]))
    alerts = session.scalars(newest_rows.order_by(CannonballAlert.id).execution_options(populate_existing=True))
    return len(changed), list(alerts)


def find_patterns(
    session: Session, visibility: Visibility, page: Page, filters: Mapping[str, Any]
) -> tuple[list[tuple[FlightPattern, int | None]], int]:
    """Patterns of all aircraft, the newest first, each with the id of the caller's session of that time."""
    query = sa.select(FlightPattern)
    if not visibility.military:
        query = query.where(civil_rows(FlightPattern))
    query = _between(query, FlightPattern.started_at, filters)
    query = _equal(query, FlightPattern, filters, ("pattern_type", "icao_hex", "is_surveillance", "confidence"))
    if filters.get("active") is not None:
        ended = FlightPattern.ended_at.is_not(None)
        query = query.where(sa.not_(ended) if filters["active"] else ended)
    if filters.get("session") is not None:
        own_sessions = _own(visibility, CannonballSession).where(CannonballSession.id == filters["session"])
        tied = sa.select(SessionPattern.pattern_id).where(
            SessionPattern.session_id.in_(own_sessions.with_only_columns(CannonballSession.id))
        )
        query = query.where(FlightPattern.id.in_(tied))
    patterns, count = _page(session, query, FlightPattern.id, page)
    sessions = _sessions_of(session, visibility, patterns)
    return [(pattern, sessions.get(pattern.id)) for pattern in patterns], count


def _sees_all(visibility: Visibility) -> bool:
    return Permission.CANNONBALL_MANAGE in visibility.manages


def _own(visibility: Visibility, table: Any) -> sa.Select[Any]:
    query = sa.select(table)
    if not _sees_all(visibility):
        query = query.where(table.user_id == visibility.user_id)
    return query if visibility.military else query.where(civil_rows(table))


def _page(session: Session, query: sa.Select[Any], newest: Any, page: Page) -> tuple[list[Any], int]:
    count = session.scalar(sa.select(sa.func.count()).select_from(query.subquery())) or 0
    rows = session.scalars(query.order_by(newest.desc()).offset(page.offset).limit(page.limit))
    return list(rows), count


def _once(session: Session, flag: Any, alert_id: int, **values: Any) -> bool:
    """Set a flag unless it is set; returns whether it was, for only one of two concurrent callers."""
    statement = sa.update(CannonballAlert).where(CannonballAlert.id == alert_id, flag.is_(False)).values(**values)
    result: Any = session.execute(statement.execution_options(synchronize_session=False))
    return bool(result.rowcount)


def _sessions_of(session: Session, visibility: Visibility, patterns: Sequence[FlightPattern]) -> dict[int, int]:
    query = (
        sa.select(SessionPattern.pattern_id, sa.func.max(SessionPattern.session_id).label("session_id"))
        .join(CannonballSession, CannonballSession.id == SessionPattern.session_id)
        .where(SessionPattern.pattern_id.in_([pattern.id for pattern in patterns]))
        .group_by(SessionPattern.pattern_id)
    )
    if not _sees_all(visibility):
        query = query.where(CannonballSession.user_id == visibility.user_id)
    return {row.pattern_id: row.session_id for row in session.execute(query)}


def _equal(query: sa.Select[Any], table: Any, filters: Mapping[str, Any], names: tuple[str, ...]) -> sa.Select[Any]:
    for name in names:
        value = filters.get(name)
        if value is not None:
            query = query.where(getattr(table, name) == (value.upper() if name == "icao_hex" else value))
    return query


def _between(query: sa.Select[Any], column: Any, filters: Mapping[str, Any]) -> sa.Select[Any]:
    since: datetime | None = filters.get("from")
    until: datetime | None = filters.get("to")
    if since is not None:
        query = query.where(column >= since)
    return query.where(column < until) if until is not None else query

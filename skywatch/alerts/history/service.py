"""The rules of announced alerts: visibility, filters, acknowledgement and statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes.military import civil_rows
from skywatch.alerts.access import own
from skywatch.alerts.history.announcement import message
from skywatch.alerts.models import Alert, AlertRule
from skywatch.core import events
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.problems import not_found
from skywatch.notify.deliveries import outbox
from skywatch.notify.vocabulary import PRIORITIES
from skywatch.picture.counted import counted
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

# Largest number of rules in the statistics.
RULES_NAMED = 20
# Largest number of alerts that one request acknowledges, and of those that get an event each: nobody shows more.
ACKNOWLEDGED_AT_ONCE, ANNOUNCED_AT_ONCE = 10_000, 300
IDS_A_STATEMENT = 5_000
SEARCHED = ("rule_name", "message", "callsign", "geofence")


def page(session: Session, visibility: Visibility, query: Mapping[str, Any]) -> tuple[Sequence[Alert], int, bool]:
    """A page of alerts, newest first, the count of all, and whether more follow."""
    alerts = _filtered(visibility, query)
    count = session.scalar(sa.select(sa.func.count()).select_from(alerts.subquery())) or 0
    if query.get("cursor") is not None:
        at, alert_id = query["cursor"]
        alerts = alerts.where(sa.or_(Alert.triggered_at < at, sa.and_(Alert.triggered_at == at, Alert.id < alert_id)))
    cut = alerts.order_by(Alert.triggered_at.desc(), Alert.id.desc()).offset(query["offset"])
    rows = list(session.scalars(cut.limit(query["limit"] + 1)))
    return rows[: query["limit"]], count, len(rows) > query["limit"]


def get(session: Session, visibility: Visibility, alert_id: int) -> Alert:
    """An alert; raises Problem (404) if the caller may not see it."""
    alert: Alert | None = session.scalar(_visible(visibility).where(Alert.id == alert_id))
    if alert is None:
        raise not_found(sentence("thing.alert", "alert"))
    return alert


def deliveries(session: Session, alerts: Sequence[Alert]) -> dict[int, list[dict[str, Any]]]:
    """The state of each alert's deliveries."""
    return outbox.states(session, "alert", [alert.id for alert in alerts])


def acknowledge(session: Session, visibility: Visibility, alert_id: int, username: str) -> Alert:
    """Acknowledge an alert; repetitions do not change the first acknowledgement."""
    alert = get(session, visibility, alert_id)
    _acknowledge(session, [alert.id], username)
    session.refresh(alert)
    return alert


def acknowledge_all(session: Session, visibility: Visibility, username: str) -> int:
    """Acknowledge the caller's own alerts, at most the newest 10,000; returns their number.

    The newest 300 get an event each.
    """
    waiting = _visible(visibility).where(Alert.acknowledged.is_(False), Alert.user_id == visibility.user_id)
    newest = waiting.with_only_columns(Alert.id).order_by(Alert.id.desc()).limit(ACKNOWLEDGED_AT_ONCE)
    return _acknowledge(session, session.scalars(newest).all(), username)


def stats(session: Session, visibility: Visibility, days: int) -> dict[str, Any]:
    """Alerts of the last days in numbers."""
    since = utcnow() - timedelta(days=days)
    seen = _visible(visibility).where(Alert.triggered_at >= since, counted(session, Alert.simulated)).subquery()
    number = sa.func.count()
    per = session.execute(sa.select(seen.c.priority, number).group_by(seen.c.priority))
    by_priority = dict.fromkeys(PRIORITIES, 0) | {row[0]: row[1] for row in per}
    last_at = sa.func.max(seen.c.triggered_at, type_=Alert.triggered_at.type)
    rules = session.execute(
        sa.select(
            seen.c.rule_id,
            sa.func.max(seen.c.rule_name).label("rule_name"),
            number.label("number"),
            last_at.label("last_at"),
        )
        .group_by(seen.c.rule_id)
        .order_by(number.desc(), seen.c.rule_id)
        .limit(RULES_NAMED)
    ).all()
    total = sum(by_priority.values())
    own_rules = sa.select(number).select_from(AlertRule).where(own(AlertRule, visibility))
    return {
        "total": total,
        "unacknowledged": _count(session, seen, seen.c.acknowledged.is_(False)),
        "active": _count(session, seen, seen.c.cleared_at.is_(None)),
        "by_priority": by_priority,
        "by_rule": [
            {"rule_id": r.rule_id, "rule_name": r.rule_name, "count": r.number, "last_at": to_iso(r.last_at)}
            for r in rules
        ],
        "by_day": _by_day(session, seen),
        "rules": session.scalar(own_rules) or 0,
        "rules_enabled": session.scalar(own_rules.where(AlertRule.enabled)) or 0,
        "per_day": round(total / days, 2),
    }


def _by_day(session: Session, seen: Any) -> list[dict[str, Any]]:
    if session.get_bind().dialect.name == "postgresql":
        day: Any = sa.func.to_char(sa.func.timezone("UTC", seen.c.triggered_at), "YYYY-MM-DD")
    else:
        day = sa.func.strftime("%Y-%m-%d", seen.c.triggered_at)
    rows = session.execute(sa.select(day.label("day"), sa.func.count().label("number")).group_by(sa.text("1")))
    return [{"day": row.day, "count": row.number} for row in sorted(rows, key=lambda row: row.day)]


def _count(session: Session, seen: Any, condition: Any) -> int:
    return session.scalar(sa.select(sa.func.count()).select_from(seen).where(condition)) or 0


def _visible(visibility: Visibility) -> sa.Select[Any]:
    query = sa.select(Alert).where(own(Alert, visibility))
    return query if visibility.military else query.where(civil_rows(Alert))


def _filtered(visibility: Visibility, query: Mapping[str, Any]) -> sa.Select[Any]:
    alerts = _visible(visibility)
    if query.get("rule") is not None:
        alerts = alerts.where(Alert.rule_id == query["rule"])
    if query.get("icao_hex") is not None:
        alerts = alerts.where(Alert.icao_hex == query["icao_hex"].upper())
    if query.get("priority") is not None:
        alerts = alerts.where(Alert.priority == query["priority"])
    if query.get("acknowledged") is not None:
        alerts = alerts.where(Alert.acknowledged.is_(query["acknowledged"]))
    if query.get("from") is not None:
        alerts = alerts.where(Alert.triggered_at >= query["from"])
    if query.get("to") is not None:
        alerts = alerts.where(Alert.triggered_at < query["to"])
    if query.get("q") is not None:
        # A message may contain a registration; searching for one needs the right to see it.
        columns = SEARCHED if visibility.details else tuple(name for name in SEARCHED if name != "message")
        text = query["q"]
        alerts = alerts.where(sa.or_(*(getattr(Alert, name).icontains(text, autoescape=True) for name in columns)))
    return alerts


def _acknowledge(session: Session, ids: Sequence[int], username: str) -> int:
    """Acknowledge alerts, the newest first; those that were not get an event each, up to a limit."""
    values = {"acknowledged": True, "acknowledged_by": username, "acknowledged_at": utcnow()}
    changed: list[int] = []
    for start in range(0, len(ids), IDS_A_STATEMENT):
        some = ids[start : start + IDS_A_STATEMENT]
        statement = sa.update(Alert).where(Alert.id.in_(some), Alert.acknowledged.is_(False)).values(**values)
        statement = statement.execution_options(synchronize_session=False)
        changed += session.scalars(statement.returning(Alert.id))
    shown = sorted(changed, reverse=True)[:ANNOUNCED_AT_ONCE]
    read_again = sa.select(Alert).where(Alert.id.in_(shown)).order_by(Alert.id)
    alerts = session.scalars(read_again.execution_options(populate_existing=True)).all()
    states = deliveries(session, alerts)
    for alert in alerts:
        if alert.user_id is not None:
            event = message("alert:acknowledged", alert, states.get(alert.id, []), alert.user_id)
            events.publish(session, event)
    return len(changed)

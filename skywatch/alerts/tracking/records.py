"""Writes the decisions of the engine: matches, alerts, their deliveries and events, all in one transaction.

The primary key of ``alert_matches`` prevents duplicates: a second tracker, or one that was restarted, conflicts with
the existing row. Decisions of an older revision of a rule are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.conditions.quiet_hours import parse_windows
from skywatch.alerts.engine.rule import NOBODY, Adopted, Change, Cleared, Fired
from skywatch.alerts.history.announcing import message, notification
from skywatch.alerts.history.wording import message_of
from skywatch.alerts.models import Alert, AlertMatch, AlertRule, AlertSubscription
from skywatch.core.database.engine import insert_into
from skywatch.core.publishing import events
from skywatch.notify.deliveries import outbox
from skywatch.notify.deliveries.outbox import Notification

_matches: Any = AlertMatch.__table__


@dataclass(frozen=True)
class _Recipient:
    rule: AlertRule
    user_id: int
    channels: tuple[int, ...]


def write(session: Session, changes: Sequence[Change]) -> int:
    """Write changes in their order; returns the number of announced alerts."""
    recipients = _recipients(session, changes)
    announced: list[tuple[Alert, _Recipient]] = []
    cleared: list[tuple[Alert, _Recipient]] = []
    for change in changes:
        recipient = recipients.get(change.rule_id)
        if recipient is None or recipient.rule.revision != change.revision:
            continue
        if isinstance(change, Fired):
            alert = _fire(session, change, recipient)
            if alert is not None:
                announced.append((alert, recipient))
        elif isinstance(change, Cleared):
            ended = _clear(session, change, recipient)
            if ended is not None:
                cleared.append((ended, recipient))
        else:
            _adopt(session, change, recipient)
    _publish(session, "triggered", announced)
    _publish(session, "cleared", cleared)
    return len(announced)


def _recipients(session: Session, changes: Iterable[Change]) -> dict[Any, _Recipient]:
    """The rule and channels of each pair of rule and user."""
    keys = {change.rule_id for change in changes}
    rules = {
        rule.id: rule
        for rule in session.scalars(sa.select(AlertRule).where(AlertRule.id.in_({rule_id for rule_id, _ in keys})))
    }
    recipients = {}
    for rule_id, user_id in keys:
        rule = rules.get(rule_id)
        if rule is None or not rule.enabled:
            continue
        if rule.user_id == user_id:
            recipients[(rule_id, user_id)] = _Recipient(rule, user_id, tuple(rule.channels))
            continue
        following = session.get(AlertSubscription, (rule_id, user_id))
        if following is not None and rule.visibility == "shared":
            recipients[(rule_id, user_id)] = _Recipient(rule, user_id, tuple(following.channels))
    return recipients


def _fire(session: Session, change: Fired, to: _Recipient) -> Alert | None:
    """The new alert, or None if the pair matches already or is in its cooldown."""
    at = _moment(change.at)
    if not _claim(session, change, to, at):
        return None
    rule, aircraft = to.rule, change.aircraft
    alert = Alert(
        user_id=to.user_id,
        rule_id=rule.id,
        rule_name=rule.name,
        priority=rule.priority,
        icao_hex=change.address.upper() if change.address != NOBODY else None,
        callsign=_text(aircraft.get("flight"), 8),
        registration=_text(aircraft.get("r"), 12),
        message=message_of(change, name=rule.name, priority=rule.priority, template=rule.message),
        aircraft=dict(aircraft),
        matched=list(change.matched),
        geofence=change.geofence,
        count=change.count,
        military=change.military,
        triggered_at=at,
        cleared_at=None,
        acknowledged=False,
    )
    session.add(alert)
    session.flush()
    session.execute(sa.update(_matches).where(*_key(change, to)).values(alert_id=alert.id))
    return alert


def _claim(session: Session, change: Fired, to: _Recipient, at: datetime) -> bool:
    values = {"matching": True, "fired_at": at, "alert_id": None, "updated_at": at}
    row = {"rule_id": to.rule.id, "user_id": to.user_id, "icao_hex": change.address, **values}
    # A clock that was set back must not suppress a rule's alerts forever.
    over = sa.or_(
        _matches.c.fired_at.is_(None),
        _matches.c.fired_at <= at - timedelta(seconds=to.rule.cooldown_s),
        _matches.c.fired_at > at + timedelta(days=1),
    )
    statement = insert_into(session, _matches).values(row)
    claimed = statement.on_conflict_do_update(
        index_elements=["rule_id", "user_id", "icao_hex"],
        set_=values,
        where=sa.and_(_matches.c.matching.is_(False), over),
    )
    return session.execute(claimed.returning(_matches.c.rule_id)).first() is not None


def _clear(session: Session, change: Cleared, to: _Recipient) -> Alert | None:
    """The alert that ended, None if there was none."""
    at = _moment(change.at)
    row = session.execute(
        sa.update(_matches)
        .where(*_key(change, to), _matches.c.matching)
        .values(matching=False, updated_at=at)
        .returning(_matches.c.alert_id)
    ).first()
    alert = session.get(Alert, row.alert_id) if row is not None and row.alert_id is not None else None
    if alert is None or alert.cleared_at is not None:
        return None
    alert.cleared_at = at
    return alert


def _adopt(session: Session, change: Adopted, to: _Recipient) -> None:
    at = _moment(change.at)
    values = {"matching": True, "updated_at": at}
    for address in change.addresses:
        row = {"rule_id": to.rule.id, "user_id": to.user_id, "icao_hex": address, **values}
        statement = insert_into(session, _matches).values(row)
        session.execute(statement.on_conflict_do_update(index_elements=["rule_id", "user_id", "icao_hex"], set_=values))
    if change.is_last:
        to.rule.adopted_revision = max(to.rule.adopted_revision, change.revision)


def _publish(session: Session, transition: str, alerts: Sequence[tuple[Alert, _Recipient]]) -> None:
    """Enqueue deliveries and publish events of alerts; ``transition`` is ``triggered`` or ``cleared``."""
    session.flush()
    notifications = [_notification(transition, alert, to) for alert, to in alerts if to.channels]
    if notifications:
        outbox.enqueue(session, notifications)
    states = outbox.states(session, "alert", [alert.id for alert, _ in alerts])
    events.publish(
        session, *(message(f"alert:{transition}", alert, states.get(alert.id, []), to.user_id) for alert, to in alerts)
    )


def _notification(transition: str, alert: Alert, to: _Recipient) -> Notification:
    windows, _ = parse_windows(to.rule.quiet_hours)
    return notification(transition, alert, to.user_id, to.channels, rule_id=to.rule.id, quiet_hours=windows)


def _key(change: Fired | Cleared, to: _Recipient) -> tuple[Any, ...]:
    return (
        _matches.c.rule_id == to.rule.id,
        _matches.c.user_id == to.user_id,
        _matches.c.icao_hex == change.address,
    )


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _text(value: Any, length: int) -> str | None:
    return str(value).strip()[:length] or None if value else None

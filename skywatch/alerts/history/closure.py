"""The end of alerts whose rule stops for a user: it expires, is switched off, deleted or no longer shared or followed,
or the user may not see alerts any more. An alert is active as long as a stored match refers to it.

Its end goes to the channels that the alert went to: the rule may be gone, or name other channels now.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.conditions.quiet_hours import parse_windows
from skywatch.alerts.history.announcement import message, notification
from skywatch.alerts.models import Alert, AlertMatch, AlertRule
from skywatch.core import events
from skywatch.core.clock import utcnow
from skywatch.notify.deliveries import outbox
from skywatch.notify.deliveries.quiet_hours import QuietWindow


def end_matches(session: Session, *which: sa.ColumnElement[bool], forget: bool = False) -> None:
    """End these matches and their alerts, enqueue deliveries and publish the events; ``forget`` also deletes their
    cooldowns.
    """
    # The tracker locks a match before its alert, too: an alert that it is ending now is ended once.
    session.execute(sa.select(AlertMatch.rule_id).where(*which, AlertMatch.matching).with_for_update())
    _end(session, Alert.id.in_(sa.select(AlertMatch.alert_id).where(*which, AlertMatch.matching)))
    if forget:
        session.execute(sa.delete(AlertMatch).where(*which))
        return
    ended = sa.update(AlertMatch).where(*which, AlertMatch.matching)
    session.execute(ended.values(matching=False, updated_at=utcnow()))


def has_abandoned(session: Session) -> bool:
    """Whether there are active alerts without a match: their rule or user was deleted, and the match with it."""
    return session.scalar(sa.select(sa.exists().where(_is_abandoned(), Alert.cleared_at.is_(None)))) or False


def end_abandoned(session: Session) -> None:
    """End the active alerts without a match."""
    _end(session, _is_abandoned())


def _is_abandoned() -> sa.ColumnElement[bool]:
    named = sa.select(AlertMatch.alert_id).where(AlertMatch.matching, AlertMatch.alert_id.is_not(None))
    return Alert.id.not_in(named)


def _end(session: Session, which: Any) -> None:
    now = utcnow()
    active = sa.select(Alert).where(which, Alert.cleared_at.is_(None)).order_by(Alert.id)
    alerts = list(session.scalars(active))
    for alert in alerts:
        alert.cleared_at = now
    session.flush()
    # Alerts of a deleted user have no owner.
    owned = [(alert, alert.user_id) for alert in alerts if alert.user_id is not None]
    _enqueue(session, owned)
    states = outbox.states(session, "alert", [alert.id for alert in alerts])
    events.publish(
        session, *(message("alert:cleared", alert, states.get(alert.id, []), user_id) for alert, user_id in owned)
    )


def _enqueue(session: Session, owned: Sequence[tuple[Alert, int]]) -> None:
    routes = outbox.routes(session, "alert", [alert.id for alert, _ in owned])
    quiet_hours = _quiet_hours(session, {route.rule_id for route in routes.values()})
    outbox.enqueue(
        session,
        [
            notification(
                "cleared",
                alert,
                user_id,
                route.channel_ids,
                rule_id=route.rule_id,
                quiet_hours=quiet_hours.get(route.rule_id, ()),
            )
            for alert, user_id in owned
            if (route := routes.get(alert.id)) is not None
        ],
    )


def _quiet_hours(session: Session, rule_ids: Collection[int | None]) -> dict[int | None, tuple[QuietWindow, ...]]:
    """The quiet hours of those of these rules that still exist, by rule id."""
    rules = sa.select(AlertRule.id, AlertRule.quiet_hours).where(AlertRule.id.in_(rule_ids))
    return {rule_id: parse_windows(stored)[0] for rule_id, stored in session.execute(rules)}

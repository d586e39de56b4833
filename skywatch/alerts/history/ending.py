"""The end of alerts whose rule stops for a user: it expires, is switched off, deleted or no longer shared or followed,
or the user may not see alerts any more. An alert is active as long as a stored match refers to it.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.history.announcing import message
from skywatch.alerts.models import Alert, AlertMatch
from skywatch.core import events
from skywatch.core.clock import utcnow
from skywatch.notify import outbox


def end_matches(session: Session, *which: sa.ColumnElement[bool], forget: bool = False) -> None:
    """End these matches and their alerts, and publish the events; ``forget`` also deletes their cooldowns."""
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
    alerts = list(session.scalars(sa.select(Alert).where(which, Alert.cleared_at.is_(None)).order_by(Alert.id)))
    for alert in alerts:
        alert.cleared_at = now
    session.flush()
    states = outbox.states(session, "alert", [alert.id for alert in alerts])
    # Alerts of a deleted user have no owner.
    owned = [(alert, alert.user_id) for alert in alerts if alert.user_id is not None]
    events.publish(
        session, *(message("alert:cleared", alert, states.get(alert.id, []), user_id) for alert, user_id in owned)
    )

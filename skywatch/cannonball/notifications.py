"""Enqueues Cannonball alerts for the users' channels that subscribe to them."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.models import CannonballAlert
from skywatch.cannonball.shown import full_alert
from skywatch.core.clock import to_iso
from skywatch.notify.outbox import Notification, enqueue


def notify_of(session: Session, alert: CannonballAlert, channel_ids: tuple[int, ...]) -> bool:
    """Add an alert to the outbox, in the transaction that stores it; returns whether any channel accepts it."""
    if not channel_ids:
        return False
    body = {
        name: to_iso(value) if name.endswith("_at") and value is not None else value
        for name, value in full_alert(alert).items()
    }
    notification = Notification(
        kind="cannonball",
        subject_id=alert.id,
        user_id=alert.user_id,
        priority=alert.priority,
        channel_ids=channel_ids,
        body=body,
        title=alert.title,
        text=alert.message,
        at=alert.created_at,
        event="cannonball.alert",
        military=alert.military,
    )
    return enqueue(session, [notification]) > 0


def delivered(session: Session, alert_ids: Sequence[int]) -> None:
    """Mark alerts as delivered to their user."""
    session.execute(sa.update(CannonballAlert).where(CannonballAlert.id.in_(alert_ids)).values(notified=True))

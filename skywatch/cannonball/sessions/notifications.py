"""Enqueues Cannonball alerts for the users' channels that subscribe to them, and records what reached their users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.cannonball.models import CannonballAlert
from skywatch.cannonball.sessions.answers import alert_answer
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.feature import WrittenEvent
from skywatch.http.resources.render import to_builtins
from skywatch.notify.deliveries.outbox import Notification, enqueue

# What ``delivered_by`` calls the real-time channel, in addition to the kinds of channels.
REALTIME = "realtime"


class _WithId(msgspec.Struct):
    id: int


_ids = msgspec.json.Decoder(_WithId)


def notify_of(session: Session, alert: CannonballAlert, channel_ids: tuple[int, ...]) -> None:
    """Add an alert to the outbox, in the transaction that stores it."""
    if not channel_ids:
        return
    notification = Notification(
        kind="cannonball",
        subject_id=alert.id,
        user_id=alert.user_id,
        priority=alert.priority,
        channel_ids=channel_ids,
        body=to_builtins(alert_answer(alert)),
        title=alert.title,
        text=alert.message,
        at=alert.created_at,
        event="cannonball.alert",
        military=alert.military,
        aircraft=(alert.session_icao,),
    )
    enqueue(session, [notification])


def delivered(session: Session, channel_kind: str, alert_ids: Sequence[int]) -> None:
    """Record that a channel of a kind accepted alerts."""
    _record(session, channel_kind, dict.fromkeys(alert_ids, utcnow()))


def written(session: Session, events: Sequence[WrittenEvent]) -> None:
    """Record that the real-time channel wrote alerts to a connection of their user."""
    moments: dict[int, datetime] = {}
    for event in events:
        moments.setdefault(_ids.decode(event.data).id, event.at)
    _record(session, REALTIME, moments)


def _record(session: Session, kind: str, moments: Mapping[int, datetime]) -> None:
    """The first delivery of each kind counts. The rows are locked: a worker and a server may record at once."""
    alerts = sa.select(CannonballAlert).where(CannonballAlert.id.in_(sorted(moments))).order_by(CannonballAlert.id)
    for alert in session.scalars(alerts.with_for_update().execution_options(populate_existing=True)):
        if all(delivery["kind"] != kind for delivery in alert.delivered_by):
            alert.delivered_by = [*alert.delivered_by, {"kind": kind, "at": to_iso(moments[alert.id])}]
        alert.notified = True
    session.flush()

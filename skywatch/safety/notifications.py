"""Notifications of safety events through the channels of users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from skywatch.notify.channels.queries import subscribers_of
from skywatch.notify.deliveries.outbox import Notification, enqueue, states
from skywatch.safety.models import SafetyEvent

KIND = "safety"


def notify_of(session: Session, events: Sequence[tuple[SafetyEvent, Mapping[str, Any]]]) -> None:
    """Write events, each with its document, to the outbox of every user with a channel for safety events, once each.

    Whether a user may see an event is decided when it is sent.
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
            )
            for row, document in events
            if not earlier[row.id]
            for user_id, channel_ids in subscribers.items()
        ],
    )

"""The outbox: notifications become deliveries in the transaction that stores their alert or event."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core import events
from skywatch.core.bus import Message
from skywatch.core.clock import utcnow
from skywatch.notify.deliveries.quiet_hours import QuietWindow, end_of_quiet
from skywatch.notify.deliveries.schedule import expiry
from skywatch.notify.models import Channel, Delivery
from skywatch.notify.vocabulary import ChannelState, DeliveryState, is_at_least
from skywatch.sentences import sentence

CHANNEL_DISABLED = sentence("notify.channel_disabled", "The channel is disabled.")
# The bus topic that wakes workers when deliveries were added.
WAKE_TOPIC = "notify.wake"


@dataclass(frozen=True, kw_only=True)
class Notification:
    """A message for one user, and the ids of the channels that it goes through.

    ``kind`` is ``alert``, ``cannonball`` or ``safety`` and ``subject_id`` the number of that alert or event. ``body``
    is the JSON document for programs, ``title`` and ``text`` are for people. ``aircraft`` are the addresses that it is
    about (upper case), ``military``: one of them is military now. ``quiet_hours`` delay it. A ``cleared``
    notification goes only to channels that have ``send_cleared``.
    """

    kind: str
    subject_id: int
    user_id: int
    priority: str
    channel_ids: tuple[int, ...]
    body: Mapping[str, Any]
    title: str
    text: str
    at: datetime
    event: str = "alert.triggered"
    military: bool = False
    aircraft: tuple[str, ...] = ()
    rule_id: int | None = None
    quiet_hours: tuple[QuietWindow, ...] = field(default=())
    cleared: bool = False


@dataclass(frozen=True)
class Route:
    """The channels that the notifications of a subject went to, and the rule that sent it there."""

    channel_ids: tuple[int, ...]
    rule_id: int | None


def enqueue(session: Session, notifications: Iterable[Notification]) -> int:
    """Insert one delivery for each notification and channel; returns their number.

    Call it in the transaction that stores the alert or event: either both are committed or neither. Channels that are
    not the user's own, are switched off or have a higher minimum priority are skipped; one that the service has
    disabled gets a dead delivery, which can be retried.
    """
    notifications = list(notifications)
    ids = {channel_id for notification in notifications for channel_id in notification.channel_ids}
    if not ids:
        return 0
    channels = {channel.id: channel for channel in session.scalars(sa.select(Channel).where(Channel.id.in_(ids)))}
    now = utcnow()
    rows = [
        _row(notification, channel, now)
        for notification in notifications
        for channel_id in dict.fromkeys(notification.channel_ids)
        if (channel := channels.get(channel_id)) is not None and _accepts(channel, notification)
    ]
    if rows:
        session.execute(sa.insert(Delivery), rows)
        wake_after_commit(session)
    return len(rows)


def states(session: Session, kind: str, subject_ids: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
    """For each subject the state of its first delivery on each channel: ``{channel, state}``.

    Later deliveries, such as the end of an alert, are ignored. Subjects without deliveries have an empty list.
    """
    states_by_subject: dict[int, list[dict[str, Any]]] = {subject_id: [] for subject_id in subject_ids}
    if not states_by_subject:
        return states_by_subject
    rows = session.execute(
        sa.select(Delivery.subject_id, Delivery.channel_id, Delivery.state)
        .where(Delivery.kind == kind, Delivery.subject_id.in_(states_by_subject))
        .order_by(Delivery.id)
    )
    seen: set[tuple[int, int]] = set()
    for subject_id, channel_id, state in rows:
        if subject_id is not None and (subject_id, channel_id) not in seen:
            seen.add((subject_id, channel_id))
            states_by_subject[subject_id].append({"channel": channel_id, "state": state})
    return states_by_subject


def routes(session: Session, kind: str, subject_ids: Sequence[int]) -> dict[int, Route]:
    """The route of each subject that has deliveries."""
    if not subject_ids:
        return {}
    rows = session.execute(
        sa.select(Delivery.subject_id, Delivery.channel_id, Delivery.rule_id)
        .where(Delivery.kind == kind, Delivery.subject_id.in_(subject_ids))
        .order_by(Delivery.id)
    )
    routes_by_subject: dict[int, Route] = {}
    for subject_id, channel_id, rule_id in rows:
        assert subject_id is not None
        earlier = routes_by_subject.get(subject_id, Route((), rule_id)).channel_ids
        routes_by_subject[subject_id] = Route(tuple(dict.fromkeys((*earlier, channel_id))), rule_id)
    return routes_by_subject


def _accepts(channel: Channel, notification: Notification) -> bool:
    return (
        channel.user_id == notification.user_id
        and channel.enabled
        and is_at_least(notification.priority, channel.minimum_priority)
        and (channel.send_cleared or not notification.cleared)
    )


def _row(notification: Notification, channel: Channel, now: datetime) -> dict[str, Any]:
    disabled = channel.state == ChannelState.DISABLED
    quiet_until = end_of_quiet(notification.quiet_hours, now) if notification.quiet_hours else None
    due = quiet_until or now
    if channel.digest_s and quiet_until is None:
        due = now + timedelta(seconds=channel.digest_s)
    state = DeliveryState.DEAD if disabled else DeliveryState.HELD if quiet_until else DeliveryState.PENDING
    return {
        "message_id": new_message_id(),
        "channel_id": channel.id,
        "user_id": channel.user_id,
        "kind": notification.kind,
        "event": notification.event,
        "subject_id": notification.subject_id,
        "rule_id": notification.rule_id,
        "priority": notification.priority,
        "military": notification.military,
        "aircraft": sorted(set(notification.aircraft)),
        "title": notification.title[:200],
        "text": notification.text,
        "body": dict(notification.body),
        "at": notification.at,
        "state": state.value,
        "attempts": 0,
        "next_at": None if disabled else due,
        "expires_at": expiry(notification.priority, due),
        "batch": None,
        "reached": [],
        "last_error": CHANNEL_DISABLED if disabled else None,
        "created_at": now,
        "delivered_at": None,
    }


def new_message_id() -> str:
    """A new id, which all attempts of a delivery or digest share."""
    return f"msg_{secrets.token_hex(16)}"


def wake_after_commit(session: Session) -> None:
    """Wake the workers of all processes when the transaction is committed; they also poll."""
    events.publish(session, Message(WAKE_TOPIC, "wake", b""), stored=False)

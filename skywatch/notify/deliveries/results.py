"""Results of sending: recorded in one short transaction for the deliveries and the channel."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.notify.deliveries.leases import LeasedMessage
from skywatch.notify.deliveries.outbox import CHANNEL_DISABLED, Notification, enqueue
from skywatch.notify.deliveries.schedule import FAILURES_UNTIL_DISABLED, MAX_RETRY_AFTER_S, next_attempt
from skywatch.notify.hooks import NotificationKind
from skywatch.notify.models import BrowserSubscription, Channel, Delivery
from skywatch.notify.senders.base import Outcome, SendFailed
from skywatch.notify.vocabulary import OPEN_STATES, ChannelState, DeliveryState
from skywatch.settings import Settings

P, S = DeliveryState.PENDING, DeliveryState.SENDING


def delivered(session: Session, settings: Settings, claim: LeasedMessage, outcome: Outcome) -> None:
    """Record that a message was accepted, and call the features' ``delivered`` hooks."""
    now = utcnow()
    channel = _leased(session, claim)
    _delete_expired_browsers(session, outcome)
    session.execute(
        sa.update(BrowserSubscription).where(BrowserSubscription.id.in_(outcome.reached)).values(last_success_at=now)
    )
    rows = _rows(session, claim)
    for delivery in rows:
        delivery.state, delivery.delivered_at, delivery.next_at = DeliveryState.DELIVERED.value, now, None
        delivery.last_error = None
    if channel is not None:
        channel.state, channel.failures, channel.last_success_at = ChannelState.HEALTHY.value, 0, now
        channel.last_error = None
    _call_delivered_hooks(session, settings, claim.recipient.kind, rows)


def failed(session: Session, claim: LeasedMessage, failure: SendFailed) -> bool:
    """Record that a message was not accepted; returns whether the channel has been disabled by it."""
    now = utcnow()
    channel = _leased(session, claim)
    _delete_expired_browsers(session, failure.outcome)
    if channel is None:
        # The lease expired and another worker has claimed the deliveries: that worker records their result.
        return False
    for delivery in _rows(session, claim):
        delivery.reached = [*delivery.reached, *map(str, failure.outcome.reached)]
        retry_at = None
        if not failure.final:
            retry_at = next_attempt(delivery.attempts, now, delivery.expires_at, failure.retry_after_s)
        if retry_at is None:
            _give_up(delivery, str(failure))
        else:
            delivery.state, delivery.next_at, delivery.last_error = P.value, retry_at, str(failure)
    if not failure.ours:
        channel.failures += 1
    channel.state, channel.last_error, channel.last_error_at = ChannelState.FAILING.value, str(failure), now
    if failure.retry_after_s is not None:
        channel.paused_until = now + timedelta(seconds=min(failure.retry_after_s, MAX_RETRY_AFTER_S))
    if failure.gone or channel.failures >= FAILURES_UNTIL_DISABLED:
        disable(session, channel)
        _notify_owner(session, channel)
        return True
    return False


def disable(session: Session, channel: Channel) -> None:
    """Disable a channel; its open deliveries become dead and can be retried."""
    channel.state = ChannelState.DISABLED.value
    channel.lease = channel.leased_until = None
    session.execute(
        sa.update(Delivery)
        .where(Delivery.channel_id == channel.id, Delivery.state.in_(OPEN_STATES))
        .values(state=DeliveryState.DEAD.value, next_at=None, last_error=CHANNEL_DISABLED)
    )


def abandon(session: Session, claim: LeasedMessage) -> None:
    """Make the deliveries of a claim pending again, where the worker is stopped before they were sent."""
    if _leased(session, claim) is None:
        return
    for delivery in _rows(session, claim):
        delivery.state, delivery.next_at = P.value, utcnow()
        delivery.attempts -= 1
    session.execute(
        sa.update(Channel).where(Channel.id == claim.recipient.channel_id).values(lease=None, leased_until=None)
    )


def _notify_owner(session: Session, channel: Channel) -> None:
    """Notify the owner through their other channels that this one is disabled."""
    others = session.scalars(
        sa.select(Channel.id).where(
            Channel.user_id == channel.user_id,
            Channel.id != channel.id,
            Channel.enabled,
            Channel.state == ChannelState.HEALTHY.value,
        )
    ).all()
    text = f"The channel {channel.name} is disabled: {channel.last_error} Enable it again when it works."
    enqueue(
        session,
        [
            Notification(
                kind="channel",
                subject_id=channel.id,
                user_id=channel.user_id,
                priority="critical",
                channel_ids=tuple(others),
                body={"channel": channel.id, "name": channel.name, "last_error": channel.last_error},
                title="Channel disabled",
                text=text,
                at=utcnow(),
                event="channel.disabled",
            )
        ],
    )


def _leased(session: Session, claim: LeasedMessage) -> Channel | None:
    """The channel, if this worker still holds its lease."""
    return session.scalar(
        sa.select(Channel).where(Channel.id == claim.recipient.channel_id, Channel.lease == claim.lease)
    )


def _rows(session: Session, claim: LeasedMessage) -> list[Delivery]:
    """The deliveries of a claim that are still being sent."""
    query = sa.select(Delivery).where(Delivery.id.in_(claim.delivery_ids), Delivery.state == S).order_by(Delivery.id)
    return list(session.scalars(query))


def _give_up(delivery: Delivery, reason: str) -> None:
    delivery.state, delivery.next_at, delivery.last_error = DeliveryState.DEAD.value, None, reason


def _delete_expired_browsers(session: Session, outcome: Outcome) -> None:
    if outcome.gone:
        session.execute(sa.delete(BrowserSubscription).where(BrowserSubscription.id.in_(outcome.gone)))


def _call_delivered_hooks(session: Session, settings: Settings, channel_kind: str, rows: Sequence[Delivery]) -> None:
    by_kind: dict[str, list[int]] = {}
    for row in rows:
        if row.subject_id is not None:
            by_kind.setdefault(row.kind, []).append(row.subject_id)
    kinds = {kind.name: kind for kind in settings.features.provided(NotificationKind)}
    for name, subject_ids in by_kind.items():
        delivered = kinds[name].delivered if name in kinds else None
        if delivered is not None:
            delivered(session, channel_kind, subject_ids)

"""What came of a message: recorded in one short transaction for its deliveries and its channel."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.feature import load
from skywatch.notify.claims import Claim
from skywatch.notify.models import BrowserSubscription, Channel, Delivery
from skywatch.notify.outbox import CHANNEL_DISABLED, Notification, enqueue
from skywatch.notify.schedule import FAILURES_UNTIL_DISABLED, LONGEST_RETRY_AFTER_S, next_attempt
from skywatch.notify.senders.base import Outcome, SendFailed
from skywatch.notify.vocabulary import OPEN_STATES, ChannelState, DeliveryState
from skywatch.settings import Settings

P, S = DeliveryState.PENDING, DeliveryState.SENDING


def delivered(session: Session, settings: Settings, made: Claim, outcome: Outcome) -> None:
    """Record that a message was accepted, and let the features know."""
    now = utcnow()
    channel = _leased(session, made)
    _forget_gone(session, outcome)
    session.execute(
        sa.update(BrowserSubscription).where(BrowserSubscription.id.in_(outcome.reached)).values(last_success_at=now)
    )
    rows = _rows(session, made)
    for delivery in rows:
        delivery.state, delivery.delivered_at, delivery.next_at = DeliveryState.DELIVERED.value, now, None
        delivery.last_error = None
    if channel is not None:
        channel.state, channel.failures, channel.last_success_at = ChannelState.HEALTHY.value, 0, now
        channel.last_error = None
    _tell_features(session, settings, rows)


def failed(session: Session, made: Claim, failure: SendFailed) -> bool:
    """Record that a message was not accepted; returns whether the channel has been disabled by it."""
    now = utcnow()
    channel = _leased(session, made)
    _forget_gone(session, failure.outcome)
    if channel is None:
        # The lease ran out, and another worker has the deliveries: what comes of them is for it to say.
        return False
    for delivery in _rows(session, made):
        delivery.reached = [*delivery.reached, *map(str, failure.outcome.reached)]
        following = None
        if not failure.final:
            following = next_attempt(delivery.attempts, now, delivery.expires_at, failure.retry_after_s)
        if following is None:
            _give_up(delivery, str(failure))
        else:
            delivery.state, delivery.next_at, delivery.last_error = P.value, following, str(failure)
    if not failure.ours:
        channel.failures += 1
    channel.state, channel.last_error, channel.last_error_at = ChannelState.FAILING.value, str(failure), now
    if failure.retry_after_s is not None:
        channel.paused_until = now + timedelta(seconds=min(failure.retry_after_s, LONGEST_RETRY_AFTER_S))
    if failure.gone or channel.failures >= FAILURES_UNTIL_DISABLED:
        disable(session, channel)
        _tell_owner(session, channel)
        return True
    return False


def disable(session: Session, channel: Channel) -> None:
    """Disable a channel; what waits for it is given up and can be retried."""
    channel.state = ChannelState.DISABLED.value
    channel.lease = channel.leased_until = None
    session.execute(
        sa.update(Delivery)
        .where(Delivery.channel_id == channel.id, Delivery.state.in_(OPEN_STATES))
        .values(state=DeliveryState.DEAD.value, next_at=None, last_error=CHANNEL_DISABLED)
    )


def abandon(session: Session, made: Claim) -> None:
    """Put back what a worker could not bring to an end because it was told to stop."""
    if _leased(session, made) is None:
        return
    for delivery in _rows(session, made):
        delivery.state, delivery.next_at = P.value, utcnow()
        delivery.attempts -= 1
    session.execute(
        sa.update(Channel).where(Channel.id == made.recipient.channel_id).values(lease=None, leased_until=None)
    )


def _tell_owner(session: Session, channel: Channel) -> None:
    """Say through the owner's other channels that this one is disabled."""
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


def _leased(session: Session, made: Claim) -> Channel | None:
    """The channel, where this worker still has it."""
    return session.scalar(
        sa.select(Channel).where(Channel.id == made.recipient.channel_id, Channel.lease == made.lease)
    )


def _rows(session: Session, made: Claim) -> list[Delivery]:
    """The deliveries of a claim that nobody has dealt with meanwhile."""
    query = sa.select(Delivery).where(Delivery.id.in_(made.delivery_ids), Delivery.state == S).order_by(Delivery.id)
    return list(session.scalars(query))


def _give_up(delivery: Delivery, reason: str) -> None:
    delivery.state, delivery.next_at, delivery.last_error = DeliveryState.DEAD.value, None, reason


def _forget_gone(session: Session, outcome: Outcome) -> None:
    if outcome.gone:
        session.execute(sa.delete(BrowserSubscription).where(BrowserSubscription.id.in_(outcome.gone)))


def _tell_features(session: Session, settings: Settings, rows: Sequence[Delivery]) -> None:
    by_kind: dict[str, list[int]] = {}
    for row in rows:
        if row.subject_id is not None:
            by_kind.setdefault(row.kind, []).append(row.subject_id)
    for name, subject_ids in by_kind.items():
        kind = settings.features.notifications.get(name)
        if kind is not None and kind.delivered:
            load(kind.delivered)(session, subject_ids)

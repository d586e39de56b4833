"""How workers share deliveries: a worker leases a channel and claims its due deliveries.

Every function is one short transaction. When a lease expires because its worker died or froze, another worker may
lease the channel; deliveries in flight are then sent again under the same message id.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.columns import UNREADABLE
from skywatch.notify.deliveries.outbox import new_message_id
from skywatch.notify.messages import OutgoingMessage, compose
from skywatch.notify.models import BrowserSubscription, Channel, Delivery
from skywatch.notify.senders.base import Browser, Recipient, SendFailed
from skywatch.notify.user_rights import UserRights
from skywatch.notify.vocabulary import OPEN_STATES, ChannelKind, ChannelState, DeliveryState
from skywatch.settings import Settings

LEASE = timedelta(seconds=30)
WINDOW = timedelta(minutes=1)
NOT_PERMITTED = "not permitted"
# Deliveries in one digest; further ones go with the next.
MAX_DIGEST = 500
P, H, S = DeliveryState.PENDING, DeliveryState.HELD, DeliveryState.SENDING


@dataclass(frozen=True)
class LeasedMessage:
    """A message to send, its recipient, and the lease under which it is sent."""

    lease: str
    recipient: Recipient
    message: OutgoingMessage
    delivery_ids: tuple[int, ...]


@dataclass(frozen=True)
class DueChannel:
    """A channel with due deliveries, and whether its last attempt failed."""

    id: int
    user_id: int
    kind: str
    failing: bool


def due_channels(session: Session, now: datetime, limit: int) -> list[DueChannel]:
    """The channels that have due deliveries and are not leased."""
    waiting = sa.select(Delivery.channel_id).where(Delivery.state.in_(OPEN_STATES), Delivery.next_at <= now)
    rows = session.execute(
        sa.select(Channel.id, Channel.user_id, Channel.kind, Channel.state)
        .where(Channel.id.in_(waiting), _is_free(now))
        .order_by(Channel.state.desc(), Channel.id)
        .limit(limit)
    )
    return [DueChannel(row.id, row.user_id, row.kind, row.state == ChannelState.FAILING) for row in rows]


def claim(session: Session, settings: Settings, channel_id: int, lease: str | None = None) -> LeasedMessage | None:
    """Lease a channel and claim its due deliveries; None if there are none or another worker serves the channel.

    ``lease`` is this worker's lease of the last claim. Deliveries that the user may no longer receive become dead.
    """
    now = utcnow()
    may_lease = _is_free(now) if lease is None else sa.and_(_is_on(), Channel.lease == lease, _is_not_paused(now))
    lease = lease or secrets.token_hex(16)
    leased = session.execute(
        sa.update(Channel).where(Channel.id == channel_id, may_lease).values(lease=lease, leased_until=now + LEASE)
    )
    if leased.rowcount != 1:  # type: ignore[attr-defined]
        return None
    channel = session.get_one(Channel, channel_id, populate_existing=True)
    rights = UserRights(session, settings, channel.user_id)
    while batch := _due(session, channel, now):
        permitted = [delivery for delivery in batch if rights.may_receive(delivery)]
        for delivery in batch:
            if delivery not in permitted:
                delivery.state, delivery.next_at, delivery.last_error = DeliveryState.DEAD.value, None, NOT_PERMITTED
        if permitted:
            return _take(session, channel, permitted, lease, now)
        session.flush()
    channel.lease = channel.leased_until = None
    return None


def release(session: Session, channel_id: int, lease: str) -> None:
    """Release a lease before it expires."""
    session.execute(
        sa.update(Channel).where(Channel.id == channel_id, Channel.lease == lease).values(lease=None, leased_until=None)
    )


def _is_on() -> Any:
    return sa.and_(Channel.enabled, Channel.state != ChannelState.DISABLED.value)


def _is_not_paused(now: datetime) -> Any:
    return sa.or_(Channel.paused_until.is_(None), Channel.paused_until <= now)


def _is_free(now: datetime) -> Any:
    return sa.and_(_is_on(), _is_not_paused(now), sa.or_(Channel.leased_until.is_(None), Channel.leased_until <= now))


def _due(session: Session, channel: Channel, now: datetime) -> list[Delivery]:
    """The deliveries that go out together next: one, or those of a digest."""
    waiting = sa.select(Delivery).where(Delivery.channel_id == channel.id).order_by(Delivery.id).limit(MAX_DIGEST)
    due = waiting.where(Delivery.next_at <= now)
    # A digest of an earlier attempt stays as it was: a receiver may have it already, under the same id.
    first = session.scalar(due.where(sa.or_(Delivery.state == S, Delivery.batch.is_not(None)), _open()).limit(1))
    if first is not None:
        if first.batch is None:
            return [first]
        return list(session.scalars(waiting.where(Delivery.batch == first.batch, _open())))
    if _over_rate(channel, now):
        return []
    fresh = due.where(Delivery.attempts == 0)
    ended_quiet = list(session.scalars(fresh.where(Delivery.state == H)))
    if ended_quiet:
        return ended_quiet
    if channel.over_rate:
        channel.over_rate = False
        if collected := list(session.scalars(fresh.where(Delivery.state == P))):
            return collected
    if channel.digest_s and session.scalar(fresh.where(Delivery.state == P).limit(1)) is not None:
        return list(session.scalars(waiting.where(Delivery.attempts == 0, Delivery.state == P)))
    return list(session.scalars(due.where(_open()).limit(1)))


def _open() -> Any:
    return Delivery.state.in_(OPEN_STATES)


def _over_rate(channel: Channel, now: datetime) -> bool:
    """Count in windows of a minute; a channel above its rate is paused to the end of the window."""
    if channel.window_at is None or now >= channel.window_at + WINDOW or now < channel.window_at:
        channel.window_at, channel.window_count = now, 0
    if channel.window_count >= channel.rate_per_minute:
        channel.over_rate = True
        channel.paused_until = channel.window_at + WINDOW
        return True
    return False


def _take(session: Session, channel: Channel, batch: Sequence[Delivery], lease: str, now: datetime) -> LeasedMessage:
    first = batch[0]
    message_id = first.batch or (new_message_id() if len(batch) > 1 else first.message_id)
    for delivery in batch:
        delivery.state = S.value
        delivery.attempts += 1
        delivery.next_at = now
        if len(batch) > 1 or first.batch:
            delivery.batch = message_id
    channel.window_count += 1
    return LeasedMessage(
        lease,
        recipient_of(session, channel, now, skip=set(first.reached)),
        compose(batch, message_id, now),
        tuple(delivery.id for delivery in batch),
    )


def check_readable(recipient: Recipient) -> None:
    """Raise SendFailed if address or secret were encrypted with another secret of the installation."""
    if recipient.address == UNREADABLE:
        raise SendFailed("The address was stored with another secret of the service; enter it again.", ours=True)
    if UNREADABLE in recipient.secrets[:1]:
        raise SendFailed("The channel's secret was stored with another secret of the service; rotate it.", ours=True)


def recipient_of(session: Session, channel: Channel, now: datetime, skip: set[str] | None = None) -> Recipient:
    """The recipient value of a channel."""
    keys = [channel.secret]
    if channel.previous_secret and channel.previous_secret_until and channel.previous_secret_until > now:
        keys.append(channel.previous_secret)
    browsers: list[Browser] = []
    if channel.kind == ChannelKind.WEB_PUSH:
        rows = session.scalars(
            sa.select(BrowserSubscription)
            .where(BrowserSubscription.user_id == channel.user_id)
            .order_by(BrowserSubscription.id)
        )
        browsers = [
            Browser(row.id, row.endpoint, row.public_key, row.auth_secret)
            for row in rows
            if str(row.id) not in (skip or ())
        ]
    return Recipient(
        channel.id,
        channel.user_id,
        channel.kind,
        channel.address,
        tuple(key for number, key in enumerate(keys) if key and (number == 0 or key != UNREADABLE)),
        tuple(browsers),
        some_reached=bool(skip),
    )

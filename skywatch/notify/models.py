"""The tables of channels, deliveries, browser subscriptions and the installation's keys."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.accounts.models import User
from skywatch.airframes.military import declare_civil, names_military
from skywatch.core.clock import utcnow
from skywatch.core.database.columns import Sealed
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId


class Channel(Base):
    """A way to reach one user. ``address`` and the secrets never leave the service, and are stored encrypted.

    ``leased_until`` is set by the worker that serves the channel; until ``paused_until`` nothing is sent
    (rate limit, Retry-After); ``window_at`` and ``window_count`` count what was sent in the current minute.
    """

    __tablename__ = "notify_channels"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(sa.String(120))
    kind: Mapped[str] = mapped_column(sa.String(16))
    address: Mapped[str] = mapped_column(Sealed, default="")
    secret: Mapped[str] = mapped_column(Sealed, default="")
    previous_secret: Mapped[str] = mapped_column(Sealed, default="")
    previous_secret_until: Mapped[datetime | None]
    sources: Mapped[list[str]] = mapped_column(default=list)
    enabled: Mapped[bool] = mapped_column(default=True)
    minimum_priority: Mapped[str] = mapped_column(sa.String(8), default="info")
    rate_per_minute: Mapped[int] = mapped_column(default=30)
    digest_s: Mapped[int | None]
    send_cleared: Mapped[bool] = mapped_column(default=False)
    state: Mapped[str] = mapped_column(sa.String(8), default="healthy")
    failures: Mapped[int] = mapped_column(default=0)
    last_success_at: Mapped[datetime | None]
    last_error: Mapped[str | None] = mapped_column(sa.String(200))
    last_error_at: Mapped[datetime | None]
    lease: Mapped[str | None] = mapped_column(sa.String(32))
    leased_until: Mapped[datetime | None]
    paused_until: Mapped[datetime | None]
    window_at: Mapped[datetime | None]
    window_count: Mapped[int] = mapped_column(default=0)
    over_rate: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    updated_at: Mapped[datetime] = mapped_column(default=utcnow)

    def __repr__(self) -> str:
        return f"<Channel {self.id} {self.kind}>"


class Delivery(Base):
    """One notification for one channel. ``message_id`` is the same for all attempts.

    ``aircraft`` are the addresses that it is about; ``military``: one of them was military when it was written.
    ``batch`` is the message id of the digest that contains it. After ``expires_at`` it is not retried. ``reached`` are
    the ids of the browsers that accepted it.
    """

    __tablename__ = "notify_deliveries"
    __table_args__ = (
        sa.Index("ix_notify_deliveries_state_next_at", "state", "next_at"),
        sa.Index("ix_notify_deliveries_channel_id_state", "channel_id", "state"),
        sa.Index("ix_notify_deliveries_kind_subject_id", "kind", "subject_id"),
        sa.Index("ix_notify_deliveries_user_id_created_at", "user_id", "created_at"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    message_id: Mapped[str] = mapped_column(sa.String(40), unique=True)
    channel_id: Mapped[int] = mapped_column(sa.ForeignKey(Channel.id, ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(sa.String(16))
    event: Mapped[str] = mapped_column(sa.String(40))
    subject_id: Mapped[int | None] = mapped_column(BigId)
    rule_id: Mapped[int | None] = mapped_column(BigId, index=True)
    priority: Mapped[str] = mapped_column(sa.String(8))
    military: Mapped[bool] = mapped_column(default=False)
    aircraft: Mapped[list[str]] = mapped_column(default=list, server_default="[]")
    title: Mapped[str] = mapped_column(sa.String(200))
    text: Mapped[str] = mapped_column(sa.Text)
    body: Mapped[dict[str, Any]]
    at: Mapped[datetime]
    state: Mapped[str] = mapped_column(sa.String(10), default="pending")
    attempts: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime | None]
    expires_at: Mapped[datetime]
    batch: Mapped[str | None] = mapped_column(sa.String(40), index=True)
    reached: Mapped[list[str]] = mapped_column(default=list)
    last_error: Mapped[str | None] = mapped_column(sa.String(200))
    created_at: Mapped[datetime] = mapped_column(default=utcnow, index=True)
    delivered_at: Mapped[datetime | None]


declare_civil(Delivery, sa.not_(names_military(Delivery.aircraft, Delivery.military)))


class BrowserSubscription(Base):
    """A browser of a user that is subscribed to Web Push: its endpoint and its keys (RFC 8291).

    Whoever has the endpoint and the secret can send to it: both are stored encrypted.
    """

    __tablename__ = "notify_browsers"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(sa.String(120))
    endpoint: Mapped[str] = mapped_column(Sealed)
    # SHA-256 of the endpoint, for the unique index.
    endpoint_hash: Mapped[str] = mapped_column(sa.String(64), unique=True)
    public_key: Mapped[str] = mapped_column(sa.String(120))
    auth_secret: Mapped[str] = mapped_column(Sealed)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    last_success_at: Mapped[datetime | None]


class InstallationKey(Base):
    """A private key of the installation, by its use (``vapid``); PEM, stored encrypted."""

    __tablename__ = "notify_keys"

    name: Mapped[str] = mapped_column(sa.String(32), primary_key=True)
    private_key: Mapped[str] = mapped_column(Sealed)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)


class PublisherState(Base):
    """A publisher's (``mqtt``) last published alert, the lease of its worker, and the ids of announced rules."""

    __tablename__ = "notify_publishers"

    name: Mapped[str] = mapped_column(sa.String(32), primary_key=True)
    position: Mapped[int] = mapped_column(BigId)
    announced: Mapped[list[str]]
    lease: Mapped[str | None] = mapped_column(sa.String(32))
    leased_until: Mapped[datetime | None]

"""The tables of single sign-on: who a provider's people are here, claim mappings, and sign-ons under way."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from skywatch.accounts.models import Role, User
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId


class ExternalIdentity(Base):
    """A person at a provider, identified by issuer and subject, never by an e-mail address."""

    __tablename__ = "external_identities"
    __table_args__ = (sa.UniqueConstraint("issuer", "subject"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"), index=True)
    issuer: Mapped[str] = mapped_column(sa.String(512))
    subject: Mapped[str] = mapped_column(sa.String(255))
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    last_login: Mapped[datetime] = mapped_column(default=utcnow)

    user: Mapped[User] = relationship()


class ClaimMapping(Base):
    """A rule that gives a role to users with a claim; ``provider`` None applies to all providers."""

    __tablename__ = "claim_mappings"
    __table_args__ = (sa.UniqueConstraint("name"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(120))
    claim_name: Mapped[str] = mapped_column(sa.String(200))
    match_type: Mapped[str] = mapped_column(sa.String(16))
    claim_value: Mapped[str] = mapped_column(sa.String(500))
    role_id: Mapped[int] = mapped_column(sa.ForeignKey("roles.id", ondelete="CASCADE"), index=True)
    provider: Mapped[str | None] = mapped_column(sa.String(32))
    priority: Mapped[int] = mapped_column(default=0)
    is_active: Mapped[bool] = mapped_column(default=True)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    updated_at: Mapped[datetime] = mapped_column(default=utcnow, onupdate=utcnow)

    role: Mapped[Role] = relationship()


class PendingLogin(Base):
    """A sign-on that has been sent to a provider; state and browser are stored as SHA-256 only."""

    __tablename__ = "pending_logins"
    __table_args__ = (sa.Index("ix_pending_logins_browser_hash", "browser_hash"),)

    state_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    browser_hash: Mapped[str] = mapped_column(sa.String(64))
    provider: Mapped[str] = mapped_column(sa.String(32))
    redirect_uri: Mapped[str] = mapped_column(sa.String(1024))
    opener_origin: Mapped[str] = mapped_column(sa.String(300))
    nonce: Mapped[str] = mapped_column(sa.String(64))
    verifier: Mapped[str] = mapped_column(sa.String(128))
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    expires_at: Mapped[datetime] = mapped_column(index=True)


class ExternalLogin(Base):
    """What the provider calls the session that a login began with, so that either side can end both."""

    __tablename__ = "external_logins"
    __table_args__ = (sa.Index("ix_external_logins_issuer_subject", "issuer", "subject"),)

    login_id: Mapped[str] = mapped_column(sa.ForeignKey("logins.id", ondelete="CASCADE"), primary_key=True)
    provider: Mapped[str] = mapped_column(sa.String(32))
    issuer: Mapped[str] = mapped_column(sa.String(512))
    subject: Mapped[str] = mapped_column(sa.String(255))
    session_id: Mapped[str | None] = mapped_column(sa.String(255))
    # Sealed (``SignOn.sealer``); the provider asks for it when the person logs out.
    id_token: Mapped[str] = mapped_column(sa.Text)


class UsedLogoutToken(Base):
    """A logout token that has been obeyed, remembered until it expires, so that it is obeyed once."""

    __tablename__ = "used_logout_tokens"

    token_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    expires_at: Mapped[datetime] = mapped_column(index=True)

"""The tables of users, roles, assignments, logins, API keys and feature access settings."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId

# What an account is: a person logs in, a program has API keys alone.
PERSON, SERVICE = "person", "service"


class User(Base):
    """A person or program with an account. ``*_key`` columns hold the form in which names are compared."""

    __tablename__ = "users"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    username: Mapped[str] = mapped_column(sa.String(64))
    username_key: Mapped[str] = mapped_column(sa.String(64), unique=True)
    email: Mapped[str] = mapped_column(sa.String(254))
    email_key: Mapped[str | None] = mapped_column(sa.String(254), unique=True)
    # Written by the user and confirmed neither by an administrator nor by a provider; then ``email_key`` is null.
    email_self_given: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    display_name: Mapped[str] = mapped_column(sa.String(120))
    kind: Mapped[str] = mapped_column(sa.String(16), default=PERSON, server_default=PERSON)
    # Who created a service account: both are one person where people share something, also once the user is deleted.
    owner_id: Mapped[int | None] = mapped_column(BigId)
    password_hash: Mapped[str | None] = mapped_column(sa.String(255))
    is_active: Mapped[bool] = mapped_column(default=True)
    auth_provider: Mapped[str] = mapped_column(sa.String(32), default="local")
    preferences: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    updated_at: Mapped[datetime] = mapped_column(default=utcnow, onupdate=utcnow)
    last_login: Mapped[datetime | None]

    assignments: Mapped[list[UserRole]] = relationship(
        back_populates="user", cascade="all, delete-orphan", passive_deletes=True, foreign_keys="UserRole.user_id"
    )

    @property
    def is_service(self) -> bool:
        """Whether it is a program's account: without e-mail address, password and login."""
        return self.kind == SERVICE

    @property
    def email_confirmed(self) -> bool:
        """Whether the address serves for login and linking."""
        return self.email_key is not None

    def __repr__(self) -> str:
        return f"<User {self.id} {self.username!r}>"


class Role(Base):
    """A named set of permissions."""

    __tablename__ = "roles"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(64), unique=True)
    display_name: Mapped[str] = mapped_column(sa.String(120))
    description: Mapped[str] = mapped_column(sa.String(1000), default="")
    permissions: Mapped[list[str]]
    priority: Mapped[int] = mapped_column(default=0)
    is_system: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    updated_at: Mapped[datetime] = mapped_column(default=utcnow, onupdate=utcnow)


class UserRole(Base):
    """A role of a user, perhaps for a time.

    ``source`` is its origin: ``manual`` or ``oidc`` (a claim mapping, which may take back only its own).
    """

    __tablename__ = "user_roles"
    __table_args__ = (sa.UniqueConstraint("user_id", "role_id", "source"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"))
    role_id: Mapped[int] = mapped_column(sa.ForeignKey("roles.id", ondelete="CASCADE"), index=True)
    source: Mapped[str] = mapped_column(sa.String(16), default="manual")
    expires_at: Mapped[datetime | None]
    assigned_by: Mapped[int | None] = mapped_column(sa.ForeignKey("users.id", ondelete="SET NULL"), index=True)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)

    user: Mapped[User] = relationship(back_populates="assignments", foreign_keys=[user_id])
    role: Mapped[Role] = relationship()


class Login(Base):
    """One login and the chain of tokens that grew from it; ``refresh_id`` is the only refresh token still unused."""

    __tablename__ = "logins"
    __table_args__ = (sa.Index("ix_logins_user_id_network", "user_id", "network"),)

    id: Mapped[str] = mapped_column(sa.String(32), primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"))
    method: Mapped[str] = mapped_column(sa.String(16))
    refresh_id: Mapped[str] = mapped_column(sa.String(32))
    network: Mapped[str | None] = mapped_column(sa.String(64))
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    expires_at: Mapped[datetime] = mapped_column(index=True)
    ended_at: Mapped[datetime | None]
    ended_reason: Mapped[str | None] = mapped_column(sa.String(32))


class UsedRefreshToken(Base):
    """A refresh token that was exchanged a moment ago; older ones of a login are deleted with its next exchange."""

    __tablename__ = "used_refresh_tokens"

    token_id: Mapped[str] = mapped_column(sa.String(32), primary_key=True)
    login_id: Mapped[str] = mapped_column(sa.ForeignKey("logins.id", ondelete="CASCADE"), index=True)
    used_at: Mapped[datetime]


class HandoverCode(Base):
    """A code with which one browser goes on in the web application with a login; both are stored as SHA-256."""

    __tablename__ = "handover_codes"

    code_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    browser_hash: Mapped[str] = mapped_column(sa.String(64))
    login_id: Mapped[str] = mapped_column(sa.ForeignKey("logins.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime] = mapped_column(index=True)


class ApiKey(Base):
    """An API key, known only by the SHA-256 of its text."""

    __tablename__ = "api_keys"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(sa.String(120))
    key_prefix: Mapped[str] = mapped_column(sa.String(16))
    key_hash: Mapped[str] = mapped_column(sa.String(64), unique=True)
    scopes: Mapped[list[str]]
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]

    def __repr__(self) -> str:
        return f"<ApiKey {self.id} {self.key_prefix}>"


class PasswordReset(Base):
    """A link with which its user may give themselves a new password, known only by the SHA-256 of its text."""

    __tablename__ = "password_resets"

    token_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"), unique=True)
    # Null is the command line. A link is deleted with the user who made it.
    created_by: Mapped[int | None] = mapped_column(sa.ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime] = mapped_column(default=utcnow)
    expires_at: Mapped[datetime]


class FeatureAccessSetting(Base):
    """The access setting of one feature; a feature without a row has the one of a fresh installation."""

    __tablename__ = "feature_access"

    feature: Mapped[str] = mapped_column(sa.String(32), primary_key=True)
    read_access: Mapped[str] = mapped_column(sa.String(16))
    write_access: Mapped[str] = mapped_column(sa.String(16))
    is_enabled: Mapped[bool]
    updated_at: Mapped[datetime] = mapped_column(default=utcnow, onupdate=utcnow)


class AccessVersion(Base):
    """One row that every change of accounts locks and raises by one.

    The lock puts such changes in a row, so that two of them cannot each remove what the other left as the last.
    A process whose cache has another number reads accounts again.
    """

    __tablename__ = "access_version"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    version: Mapped[int] = mapped_column(BigId, default=0)

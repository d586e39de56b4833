"""The present state of a user, a login, an API key or a feature, as frozen values."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.models import ApiKey, FeatureAccessSetting, Login, Role, User, UserRole
from skywatch.core.clock import utcnow
from skywatch.security.contexts import FeatureAccess, default_access, feature_access
from skywatch.security.permissions import Permission

SUPERADMIN = "superadmin"
_ALL = frozenset(Permission)


@dataclass(frozen=True)
class Rights:
    """What a user may do until ``valid_until`` (unix seconds), when the next role ends by itself."""

    user_id: int
    username: str
    is_active: bool
    permissions: frozenset[Permission]
    roles: frozenset[str]
    valid_until: float | None
    owner_id: int | None = None


@dataclass(frozen=True)
class LoginState:
    """A login that has not ended."""

    user_id: int


@dataclass(frozen=True)
class KeyState:
    """An API key that has not been deleted; it may have expired."""

    key_id: int
    user_id: int
    scopes: frozenset[str]
    expires_at: float | None


def role_permissions(name: str, is_system: bool, stored: list[str]) -> frozenset[Permission]:
    """The permissions of a role; superadmin has all; names unknown to this version are ignored."""
    if is_system and name == SUPERADMIN:
        return _ALL
    return _known(tuple(stored))


@functools.lru_cache(maxsize=256)
def _known(names: tuple[str, ...]) -> frozenset[Permission]:
    values = {permission.value for permission in Permission}
    return frozenset(Permission(name) for name in names if name in values)


def in_force(at: datetime) -> sa.ColumnElement[bool]:
    """The condition that an assignment counts at a moment."""
    return sa.or_(UserRole.expires_at.is_(None), UserRole.expires_at > at)


def load_rights(session: Session, user_id: int) -> Rights | None:
    """A user's rights now, or None where there is no such user."""
    user = session.execute(
        sa.select(User.username, User.is_active, User.owner_id).where(User.id == user_id)
    ).one_or_none()
    if user is None:
        return None
    rows = session.execute(
        sa.select(Role.name, Role.is_system, Role.permissions, UserRole.expires_at)
        .join(UserRole, UserRole.role_id == Role.id)
        .where(UserRole.user_id == user_id, in_force(utcnow()))
    ).all()
    rights: frozenset[Permission] = frozenset()
    for name, is_system, stored, _ in rows:
        rights |= role_permissions(name, is_system, stored)
    ends = [row.expires_at.timestamp() for row in rows if row.expires_at is not None]
    return Rights(
        user_id,
        user.username,
        user.is_active,
        rights,
        frozenset(row.name for row in rows),
        min(ends, default=None),
        user.owner_id,
    )


def load_login(session: Session, login_id: str) -> LoginState | None:
    """A login, or None where it has ended or never was."""
    user_id = session.scalar(sa.select(Login.user_id).where(Login.id == login_id, Login.ended_at.is_(None)))
    return LoginState(user_id) if user_id is not None else None


def load_key(session: Session, condition: sa.ColumnElement[bool]) -> KeyState | None:
    """The API key that a condition names, or None."""
    row = session.execute(
        sa.select(ApiKey.id, ApiKey.user_id, ApiKey.scopes, ApiKey.expires_at).where(condition)
    ).one_or_none()
    if row is None:
        return None
    expires_at = row.expires_at.timestamp() if row.expires_at is not None else None
    return KeyState(row.id, row.user_id, frozenset(row.scopes), expires_at)


def load_access(session: Session) -> dict[str, FeatureAccess]:
    """The access settings that are stored, by feature."""
    rows = session.scalars(sa.select(FeatureAccessSetting)).all()
    return {row.feature: feature_access(row.read_access, row.write_access, row.is_enabled) for row in rows}


def access_of(stored: dict[str, FeatureAccess], feature: str) -> FeatureAccess:
    """The access setting of a feature: the stored one, or that of a fresh installation."""
    return stored.get(feature) or default_access(feature)

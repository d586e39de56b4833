"""The visibility of users outside of requests; the rights of a channel's user, checked at every attempt."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import Base
from skywatch.core.feature import FeatureSet
from skywatch.notify.models import Delivery
from skywatch.security.contexts import AccessLookup, FeatureAccess, default_access
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility, visibility_of
from skywatch.settings import Settings

SUPERADMIN = "superadmin"


class UserRights:
    """The rights of one user at one moment."""

    def __init__(self, session: Session, settings: Settings, user_id: int) -> None:
        self._features: FeatureSet = settings.features
        self._may = visibilities(session, settings, [user_id]).get(user_id)

    def may_receive(self, delivery: Delivery) -> bool:
        """Whether this may be sent to the user: an active account, the kind's permission, and the military one."""
        kind = self._features.notifications.get(delivery.kind)
        if self._may is None or (kind is not None and kind.permission not in self._may.permissions):
            return False
        return self._may.military or not delivery.military


def visibilities(session: Session, settings: Settings, user_ids: Iterable[int]) -> dict[int, Visibility]:
    """The visibility of active users, in three queries; deleted and deactivated accounts are omitted."""
    ids = list(set(user_ids))
    if not ids:
        return {}
    users = _table("users")
    names = dict(
        session.execute(sa.select(users.c.id, users.c.username).where(users.c.id.in_(ids), users.c.is_active)).all()
    )
    permissions = _permissions_of(session, names)
    access = _access(session)
    return {
        user_id: visibility_of(
            Identity(user_id, name, "jwt", frozenset(permissions[user_id])), settings.auth_mode, access
        )
        for user_id, name in names.items()
    }


def existing_users(session: Session, user_ids: Iterable[int]) -> set[int]:
    """Those of the users whose account is not deleted."""
    ids, users = list(set(user_ids)), _table("users")
    return set(session.scalars(sa.select(users.c.id).where(users.c.id.in_(ids)))) if ids else set()


def _permissions_of(session: Session, user_ids: Iterable[int]) -> dict[int, set[Permission]]:
    """The permissions of each user by the role assignments in force."""
    by_user: dict[int, set[Permission]] = {user_id: set() for user_id in user_ids}
    roles, assignments = _table("roles"), _table("user_roles")
    rows = session.execute(
        sa.select(assignments.c.user_id, roles.c.name, roles.c.is_system, roles.c.permissions)
        .join(roles, roles.c.id == assignments.c.role_id)
        .where(
            assignments.c.user_id.in_(list(by_user)),
            sa.or_(assignments.c.expires_at.is_(None), assignments.c.expires_at > utcnow()),
        )
    )
    for user_id, role, is_system, permissions in rows:
        by_user[user_id] |= _permissions_of_role(role, is_system, permissions)
    return by_user


def _permissions_of_role(role: str, is_system: bool, stored: Iterable[str]) -> set[Permission]:
    if is_system and role == SUPERADMIN:
        return set(Permission)
    names = {permission.value for permission in Permission}
    return {Permission(name) for name in stored if name in names}


def _access(session: Session) -> AccessLookup:
    rows = session.execute(sa.select(_table("feature_access")))
    stored = {row.feature: FeatureAccess(row.read_access, row.write_access, row.is_enabled) for row in rows}
    return lambda feature: stored.get(feature) or default_access(feature)


def _table(name: str) -> sa.Table:
    # Tables of accounts, whose models are on a higher floor and cannot be imported.
    return Base.metadata.tables[name]

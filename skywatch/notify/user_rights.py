"""What the user of a channel may be sent now: rights are checked again with every attempt."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.db import Base
from skywatch.core.feature import FeatureSet
from skywatch.notify.models import Delivery
from skywatch.security.contexts import AccessLookup, FeatureAccess, default_access
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission
from skywatch.security.visibility import visibility_of
from skywatch.settings import Settings

SUPERADMIN = "superadmin"


def _table(name: str) -> sa.Table:
    # The accounts' tables: the models stand on a higher floor, the schema is everybody's.
    return Base.metadata.tables[name]


class UserRights:
    """The rights of one user at one moment."""

    def __init__(self, session: Session, settings: Settings, user_id: int) -> None:
        self._features: FeatureSet = settings.features
        identity = _identity(session, user_id)
        self._may = visibility_of(identity, settings.auth_mode, _access(session)) if identity is not None else None

    def may_receive(self, delivery: Delivery) -> bool:
        """Whether this may be sent to the user: an active account, the kind's permission, and the military one."""
        kind = self._features.notifications.get(delivery.kind)
        if self._may is None or (kind is not None and kind.permission not in self._may.permissions):
            return False
        return self._may.military or not delivery.military


def _identity(session: Session, user_id: int) -> Identity | None:
    """The user as somebody logged in; None where the account is gone or deactivated."""
    users, roles, assignments = _table("users"), _table("roles"), _table("user_roles")
    name = session.scalar(sa.select(users.c.username).where(users.c.id == user_id, users.c.is_active))
    if name is None:
        return None
    in_force = sa.or_(assignments.c.expires_at.is_(None), assignments.c.expires_at > utcnow())
    rows = session.execute(
        sa.select(roles.c.name, roles.c.is_system, roles.c.permissions)
        .join(assignments, assignments.c.role_id == roles.c.id)
        .where(assignments.c.user_id == user_id, in_force)
    ).all()
    names = {permission.value for permission in Permission}
    held = {Permission(name) for row in rows for name in row.permissions if name in names}
    if any(row.is_system and row.name == SUPERADMIN for row in rows):
        held = set(Permission)
    return Identity(user_id, name, "jwt", frozenset(held), frozenset(row.name for row in rows))


def _access(session: Session) -> AccessLookup:
    rows: list[Any] = list(session.execute(sa.select(_table("feature_access"))))
    stored = {row.feature: FeatureAccess(row.read_access, row.write_access, row.is_enabled) for row in rows}
    return lambda feature: stored.get(feature) or default_access(feature)

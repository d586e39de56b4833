"""What the users of rules may see now, all of them in three queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.engine.program import Rights
from skywatch.core.clock import utcnow
from skywatch.core.db import Base
from skywatch.security.contexts import FeatureAccess, default_access
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility, visibility_of
from skywatch.settings import Settings

SUPERADMIN = "superadmin"


def rights_of(session: Session, settings: Settings, user_ids: Iterable[int]) -> dict[int, Rights]:
    """The rights of those users who are active and may see alerts."""
    return {
        user_id: Rights(may.military, may.details, may.full_texts)
        for user_id, may in visibilities(session, settings, user_ids).items()
        if Permission.ALERTS_VIEW in may.permissions
    }


def visibilities(session: Session, settings: Settings, user_ids: Iterable[int]) -> dict[int, Visibility]:
    """What active users may see."""
    ids = list(set(user_ids))
    if not ids:
        return {}
    # The accounts' tables by name: features meet in the database.
    users, roles, assignments, access = (
        Base.metadata.tables[name] for name in ("users", "roles", "user_roles", "feature_access")
    )
    names = dict(
        session.execute(sa.select(users.c.id, users.c.username).where(users.c.id.in_(ids), users.c.is_active)).all()
    )
    held: dict[int, set[Permission]] = {user_id: set() for user_id in names}
    rows = session.execute(
        sa.select(assignments.c.user_id, roles.c.name, roles.c.is_system, roles.c.permissions)
        .join(roles, roles.c.id == assignments.c.role_id)
        .where(
            assignments.c.user_id.in_(ids),
            sa.or_(assignments.c.expires_at.is_(None), assignments.c.expires_at > utcnow()),
        )
    )
    for user_id, role, is_system, permissions in rows:
        if user_id in held:
            held[user_id] |= _permissions(role, is_system, permissions)
    stored = {
        row.feature: FeatureAccess(row.read_access, row.write_access, row.is_enabled)
        for row in session.execute(sa.select(access))
    }
    return {user_id: _visibility(user_id, names, held, settings, stored) for user_id in names}


def _visibility(
    user_id: int, names: Mapping[int, str], held: Mapping[int, set[Permission]], settings: Settings, stored: Any
) -> Visibility:
    identity = Identity(user_id, names[user_id], "jwt", frozenset(held[user_id]))
    return visibility_of(identity, settings.auth_mode, lambda feature: stored.get(feature) or default_access(feature))


def _permissions(role: str, is_system: bool, stored: Iterable[str]) -> set[Permission]:
    if is_system and role == SUPERADMIN:
        return set(Permission)
    known = {permission.value for permission in Permission}
    return {Permission(name) for name in stored if name in known}

"""The visibility of many users outside of requests (``Feature.visibilities``)."""

from __future__ import annotations

import functools
from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.identity.rights import access_of, in_force, load_access, role_permissions
from skywatch.accounts.models import Role, User, UserRole
from skywatch.core.clock import utcnow
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility, visibility_of
from skywatch.settings import AuthMode


def visibilities(session: Session, mode: AuthMode, user_ids: Collection[int]) -> dict[int, Visibility]:
    """The visibility of active users, in three queries; deleted and deactivated accounts are omitted."""
    users = session.execute(sa.select(User.id, User.username).where(User.id.in_(user_ids), User.is_active))
    names = {row.id: row.username for row in users}
    permissions = _permissions_of(session, names)
    access = functools.partial(access_of, load_access(session))
    return {
        user_id: visibility_of(Identity(user_id, name, "jwt", frozenset(permissions[user_id])), mode, access)
        for user_id, name in names.items()
    }


def _permissions_of(session: Session, user_ids: Collection[int]) -> dict[int, set[Permission]]:
    """The permissions of each user by the role assignments in force."""
    by_user: dict[int, set[Permission]] = {user_id: set() for user_id in user_ids}
    rows = session.execute(
        sa.select(UserRole.user_id, Role.name, Role.is_system, Role.permissions)
        .join(Role, Role.id == UserRole.role_id)
        .where(UserRole.user_id.in_(list(by_user)), in_force(utcnow()))
    )
    for user_id, role, is_system, stored in rows:
        by_user[user_id] |= role_permissions(role, is_system, stored)
    return by_user

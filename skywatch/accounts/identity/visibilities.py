"""The visibility of many users outside of requests (``UserDirectory``), and their persons (``people``)."""

from __future__ import annotations

import functools
from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.identity.rights import access_of, in_force, load_access, role_permissions
from skywatch.accounts.models import Role, User, UserRole
from skywatch.core.clock import utcnow
from skywatch.security.identity import Identity, person_of_user
from skywatch.security.permissions import FEATURES, Permission
from skywatch.security.visibility import Visibility, visibility_under
from skywatch.settings import AuthMode


def visibilities(session: Session, mode: AuthMode, user_ids: Collection[int]) -> dict[int, Visibility]:
    """The visibility of active users, in four queries; deleted and deactivated accounts are omitted."""
    users = session.scalars(sa.select(User.id).where(User.id.in_(user_ids), User.is_active)).all()
    permissions = _permissions_of(session, users)
    access = load_access(session)
    settings = tuple([access_of(access, feature) for feature in FEATURES])
    # Most users have the permissions of many others.
    granted = {
        held: visibility_under(Identity(0, "", "jwt", held), mode, settings).permissions
        for held in set(permissions.values())
    }
    return {user_id: Visibility(user_id, granted[held]) for user_id, held in permissions.items()}


def people(session: Session, user_ids: Collection[int]) -> dict[int, str]:
    """Who has their part of what people share, of each of these users: service accounts count as their owners."""
    owned = sa.select(User.id, User.owner_id).where(User.id.in_(user_ids), User.owner_id.is_not(None))
    owners = {row.id: row.owner_id for row in session.execute(owned)}
    return {user_id: person_of_user(user_id, owners.get(user_id)) for user_id in user_ids}


def _permissions_of(session: Session, user_ids: Collection[int]) -> dict[int, frozenset[Permission]]:
    """The permissions of each user by the role assignments in force."""
    roles_by_user: dict[int, set[int]] = {user_id: set() for user_id in user_ids}
    assigned = sa.select(UserRole.user_id, UserRole.role_id).where(
        UserRole.user_id.in_(list(roles_by_user)), in_force(utcnow())
    )
    for user_id, role_id in session.execute(assigned):
        roles_by_user[user_id].add(role_id)
    rows = session.execute(sa.select(Role.id, Role.name, Role.is_system, Role.permissions))
    roles = {role_id: role_permissions(name, is_system, stored) for role_id, name, is_system, stored in rows}
    # A role that was deleted in between has no permissions any more.
    union = functools.cache(lambda ids: frozenset().union(*(roles.get(role_id, ()) for role_id in ids)))
    return {user_id: union(frozenset(ids)) for user_id, ids in roles_by_user.items()}

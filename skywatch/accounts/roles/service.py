"""Roles: their permissions, and the rule that a role cannot have more than its author's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.identity.caller import Caller, check_covers
from skywatch.accounts.identity.rights import SUPERADMIN, in_force
from skywatch.accounts.models import Role, UserRole
from skywatch.accounts.roles.schemas import RoleChangeFields, RoleCreateFields
from skywatch.accounts.users.service import permissions_of_role
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, not_found
from skywatch.core.storage import audit
from skywatch.http.resources.fields import UNSET
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence


def find_roles(session: Session, *, limit: int, offset: int) -> tuple[Sequence[Role], int]:
    """A page of roles, the most privileged first, and how many there are."""
    count = session.scalar(sa.select(sa.func.count(Role.id))) or 0
    query = sa.select(Role).order_by(Role.priority.desc(), Role.name).limit(limit).offset(offset)
    return session.scalars(query).all(), count


def holders(session: Session, role_ids: Sequence[int]) -> dict[int, int]:
    """How many users hold each role now."""
    rows = session.execute(
        sa.select(UserRole.role_id, sa.func.count(sa.distinct(UserRole.user_id)))
        .where(UserRole.role_id.in_(role_ids), in_force(utcnow()))
        .group_by(UserRole.role_id)
    )
    counted = {row[0]: row[1] for row in rows}
    return {role_id: counted.get(role_id, 0) for role_id in role_ids}


def get_role(session: Session, role_id: int) -> Role:
    """A role; raises Problem (404)."""
    role = session.get(Role, role_id)
    if role is None:
        raise not_found(sentence("thing.role", "role"))
    return role


def create_role(session: Session, caller: Caller, fields: RoleCreateFields) -> Role:
    """A new role of the installation's own."""
    rights = caller.begin(session, Permission.ROLES_CREATE)
    role = Role(
        name=fields.name,
        display_name=fields.display_name or fields.name,
        description=fields.description or "",
        permissions=sorted(set(fields.permissions or [])),
        priority=fields.priority or 0,
    )
    check_covers(rights, permissions_of_role(role), sentence("accounts.the_role", "The role"))
    _check_unique(session, role.name)
    session.add(role)
    session.flush()
    audit.record(session, caller.actor, "role.created", target_of(role), after=_audited(role))
    return role


def update_role(session: Session, caller: Caller, role_id: int, fields: RoleChangeFields) -> Role:
    """Change a role; the permissions of its holders change at once."""
    rights = caller.begin(session, Permission.ROLES_EDIT)
    role = get_role(session, role_id)
    check_covers(rights, permissions_of_role(role), sentence("accounts.the_role", "The role"))
    before = _audited(role)
    if fields.name is not UNSET and fields.name != role.name:
        if role.is_system:
            raise Problem("conflict", sentence("accounts.system_role_name", "A system role keeps its name."))
        _check_unique(session, fields.name)
        role.name = fields.name
    if fields.permissions is not UNSET:
        permissions = sorted(set(fields.permissions))
        if role.is_system and role.name == SUPERADMIN and set(permissions) != set(Permission):
            raise Problem(
                "conflict", sentence("accounts.superadmin_has_all", "The superadmin role has every permission.")
            )
        role.permissions = permissions
        check_covers(rights, permissions_of_role(role), sentence("accounts.the_role", "The role"))
    if fields.display_name is not UNSET:
        role.display_name = fields.display_name
    if fields.description is not UNSET:
        role.description = fields.description
    if fields.priority is not UNSET:
        role.priority = fields.priority
    audit.record(session, caller.actor, "role.changed", target_of(role), before=before, after=_audited(role))
    session.flush()
    return role


def delete_role(session: Session, caller: Caller, role_id: int, *, force: bool) -> None:
    """Delete a role; one that is assigned only with ``force``."""
    rights = caller.begin(session, Permission.ROLES_DELETE)
    role = get_role(session, role_id)
    check_covers(rights, permissions_of_role(role), sentence("accounts.the_role", "The role"))
    if role.is_system:
        raise Problem("conflict", sentence("accounts.system_role_stays", "A system role cannot be deleted."))
    count = holders(session, [role.id])[role.id]
    if count and not force:
        raise Problem(
            "conflict",
            sentence(
                "accounts.role_held",
                "The role is held by {n} user; delete it all the same with ?force=true."
                "|The role is held by {n} users; delete it all the same with ?force=true.",
                n=count,
            ),
        )
    audit.record(session, caller.actor, "role.deleted", target_of(role), before=_audited(role) | {"user_count": count})
    session.delete(role)


def target_of(role: Role) -> audit.Target:
    """The role as the audit log names it."""
    return audit.Target("role", role.id, role.name)


def _check_unique(session: Session, name: str) -> None:
    if session.scalar(sa.select(Role.id).where(Role.name == name)) is not None:
        raise Problem("conflict", sentence("accounts.role_name_taken", "There is a role of this name already."))


def _audited(role: Role) -> dict[str, Any]:
    names = ("name", "display_name", "description", "permissions", "priority")
    return {name: getattr(role, name) for name in names}

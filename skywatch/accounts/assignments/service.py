"""Role assignments: which user has which role, and until when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session, joinedload

from skywatch.accounts.identity.caller import Caller, check_covers
from skywatch.accounts.models import Role, User, UserRole
from skywatch.accounts.superadmins import keeping_a_superadmin
from skywatch.accounts.users.service import get_user, permissions_of, permissions_of_role, target_of
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid, invalid_fields, not_found
from skywatch.core.storage import audit
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

NOT_TO_COME = sentence("field.in_future", "must be in the future")

MANUAL = "manual"


def find_assignments(
    session: Session, *, user_id: int | None, role_id: int | None, limit: int, offset: int
) -> tuple[Sequence[UserRole], int]:
    """A page of assignments, and how many match."""
    query = sa.select(UserRole)
    if user_id is not None:
        query = query.where(UserRole.user_id == user_id)
    if role_id is not None:
        query = query.where(UserRole.role_id == role_id)
    count = session.scalar(sa.select(sa.func.count()).select_from(query.subquery())) or 0
    return session.scalars(query.options(*_whole()).order_by(UserRole.id).limit(limit).offset(offset)).all(), count


def get_assignment(session: Session, assignment_id: int) -> UserRole:
    """An assignment; raises Problem (404)."""
    assignment = session.scalars(
        sa.select(UserRole).where(UserRole.id == assignment_id).options(*_whole())
    ).one_or_none()
    if assignment is None:
        raise not_found(sentence("thing.role_assignment", "role assignment"))
    return assignment


def create_assignment(
    session: Session, caller: Caller, user_id: int, role_id: int, expires_at: datetime | None
) -> UserRole:
    """Assign a role to a user, optionally until a time; an expired assignment is replaced.

    One whose time is past is stored and has no effect.
    """
    rights = caller.begin(session, Permission.USERS_EDIT)
    user, role = session.get(User, user_id), session.get(Role, role_id)
    faults: dict[str, str] = {}
    if user is None:
        faults["user"] = sentence("accounts.no_such_user", "there is no such user")
    if role is None:
        faults["role"] = sentence("accounts.no_such_role", "there is no such role")
    if user is None or role is None or faults:
        raise invalid_fields(faults)
    check_covers(rights, permissions_of(user), sentence("accounts.the_user", "The user"))
    check_covers(rights, permissions_of_role(role), sentence("accounts.the_role", "The role"))
    same = sa.select(UserRole).where(
        UserRole.user_id == user.id, UserRole.role_id == role.id, UserRole.source == MANUAL
    )
    present = session.scalars(same).one_or_none()
    if present is not None:
        if not is_expired(present):
            raise Problem(
                "conflict",
                sentence("accounts.role_assigned", "The user has this role already; change the assignment instead."),
            )
        session.delete(present)
        session.flush()
    assignment = UserRole(user=user, role=role, source=MANUAL, expires_at=expires_at, assigned_by=caller.actor.user_id)
    session.add(assignment)
    session.flush()
    audit.record(
        session, caller.actor, "assignment.created", _target(assignment), after={"expires_at": assignment.expires_at}
    )
    return assignment


def update_assignment(session: Session, caller: Caller, assignment_id: int, expires_at: datetime | None) -> UserRole:
    """Change when an assignment ends; None means never."""
    rights = caller.begin(session, Permission.USERS_EDIT)
    assignment = _editable(session, rights, assignment_id)
    before = {"expires_at": assignment.expires_at}
    with keeping_a_superadmin(session):
        assignment.expires_at = expires_at
    audit.record(
        session,
        caller.actor,
        "assignment.changed",
        _target(assignment),
        before=before,
        after={"expires_at": expires_at},
    )
    return assignment


def replace_assignments(session: Session, caller: Caller, user_id: int, end_of: Mapping[str, datetime | None]) -> User:
    """Assign exactly these roles to a user (name -> end, None for none); what stays as it is keeps its source and age.

    Raises Problem: 400 for a role that is not there or an end that is past, 403 for rights that the caller lacks, 409
    where the last superadmin would go.
    """
    rights = caller.begin(session, Permission.USERS_EDIT)
    user = get_user(session, user_id)
    check_covers(rights, permissions_of(user), sentence("accounts.the_user", "The user"))
    roles = {role.name: role for role in session.scalars(sa.select(Role).where(Role.name.in_(end_of)))}
    unknown = sorted(set(end_of) - set(roles))
    if unknown:
        raise invalid("roles", sentence("accounts.unknown_roles", "there is no role {names}", names=", ".join(unknown)))
    before = {name: row.expires_at for name, row in deciding(user).items()}
    changed = [name for name in end_of if name not in before or before[name] != end_of[name]]
    faults = {f"ends.{name}": NOT_TO_COME for name in changed if not _is_to_come(end_of[name])}
    if faults:
        raise invalid_fields(faults)
    for name in changed:
        check_covers(
            rights, permissions_of_role(roles[name]), sentence("accounts.the_role_named", "The role {name}", name=name)
        )
    with keeping_a_superadmin(session):
        _replace(session, caller, user, roles, end_of)
    after = {name: row.expires_at for name, row in deciding(user).items()}
    audit.record(session, caller.actor, "user.changed", target_of(user), before=_audited(before), after=_audited(after))
    return user


def _replace(
    session: Session,
    caller: Caller,
    user: User,
    roles: Mapping[str, Role],
    end_of: Mapping[str, datetime | None],
) -> None:
    present = deciding(user)
    for row in list(user.assignments):
        # One that has run out goes, also where its role is given again.
        if row.role.name not in end_of or is_expired(row):
            user.assignments.remove(row)
    # Removed ones go first: the same role may come back at once, and only one row of it may exist.
    session.flush()
    for name, end in end_of.items():
        if name in present:
            present[name].expires_at = end
        else:
            given = UserRole(role=roles[name], source=MANUAL, expires_at=end, assigned_by=caller.actor.user_id)
            user.assignments.append(given)
    session.flush()


def deciding(user: User) -> dict[str, UserRole]:
    """Role name -> the assignment in force that an editor shows and changes: the one made by hand where there is."""
    rows = sorted(user.assignments, key=lambda row: row.source == MANUAL)
    return {row.role.name: row for row in rows if not is_expired(row)}


def _audited(ends: Mapping[str, datetime | None]) -> dict[str, Any]:
    limited = {name: end for name, end in ends.items() if end is not None}
    return {"roles": sorted(ends), "role_ends": limited}


def delete_assignment(session: Session, caller: Caller, assignment_id: int) -> None:
    """Take a role from a user."""
    rights = caller.begin(session, Permission.USERS_EDIT)
    assignment = _editable(session, rights, assignment_id)
    with keeping_a_superadmin(session):
        audit.record(
            session,
            caller.actor,
            "assignment.deleted",
            _target(assignment),
            before={"expires_at": assignment.expires_at},
        )
        session.delete(assignment)


def is_expired(assignment: UserRole) -> bool:
    """Whether an assignment has run out."""
    return assignment.expires_at is not None and assignment.expires_at <= utcnow()


def _editable(session: Session, rights: frozenset[Permission], assignment_id: int) -> UserRole:
    """An assignment that the caller may change: neither its user nor its role, run out or not, goes beyond them."""
    assignment = get_assignment(session, assignment_id)
    check_covers(
        rights, permissions_of(get_user(session, assignment.user_id)), sentence("accounts.the_user", "The user")
    )
    check_covers(rights, permissions_of_role(assignment.role), sentence("accounts.the_role", "The role"))
    return assignment


def _is_to_come(expires_at: datetime | None) -> bool:
    return expires_at is None or expires_at > utcnow()


def _whole() -> tuple[Any, ...]:
    return joinedload(UserRole.user), joinedload(UserRole.role)


def _target(assignment: UserRole) -> audit.Target:
    return audit.Target("assignment", assignment.id, f"{assignment.user.username}: {assignment.role.name}")

"""The rule that the last active superadmin stays, so that an installation can always be administered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.models import Role, User, UserRole
from skywatch.accounts.rights import SUPERADMIN
from skywatch.core.problems import Problem


def lasting_superadmins(session: Session) -> int:
    """How many active users are superadmin without an end to it."""
    count = session.scalar(
        sa.select(sa.func.count(sa.distinct(User.id)))
        .join(UserRole, UserRole.user_id == User.id)
        .join(Role, Role.id == UserRole.role_id)
        .where(User.is_active, Role.name == SUPERADMIN, Role.is_system, UserRole.expires_at.is_(None))
    )
    return count or 0


@contextmanager
def keeping_a_superadmin(session: Session) -> Iterator[None]:
    """Raise Problem (409) where what happens within would take the last one away; the caller rolls back.

    Only to be used within a change (``begin_change``): no other change happens between the two counts.
    """
    before = lasting_superadmins(session)
    yield
    session.flush()
    if before > 0 and lasting_superadmins(session) == 0:
        raise Problem("conflict", "The last active superadmin can be neither removed, deactivated nor demoted.")

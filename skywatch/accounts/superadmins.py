"""The rule that the last active superadmin stays, so that an installation can always be administered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.identity.rights import SUPERADMIN
from skywatch.accounts.models import PERSON, Role, User, UserRole
from skywatch.core.problems import Problem
from skywatch.sentences import sentence

LAST = sentence(
    "accounts.last_superadmin", "The last active superadmin can be neither removed, deactivated nor demoted."
)


def lasting_superadmins(session: Session) -> int:
    """How many active users are superadmin without an end to it; a program cannot log in, and does not count."""
    return session.scalar(sa.select(sa.func.count()).select_from(_lasting().subquery())) or 0


def is_last_superadmin(session: Session, user: User) -> bool:
    """Whether a user is the one who must stay superadmin."""
    return list(session.scalars(_lasting().limit(2))) == [user.id]


def _lasting() -> Any:
    return (
        sa.select(User.id)
        .distinct()
        .join(UserRole, UserRole.user_id == User.id)
        .join(Role, Role.id == UserRole.role_id)
        .where(
            User.is_active, User.kind == PERSON, Role.name == SUPERADMIN, Role.is_system, UserRole.expires_at.is_(None)
        )
    )


@contextmanager
def keeping_a_superadmin(session: Session) -> Iterator[None]:
    """Raise Problem (409) where what happens within would take the last one away; the caller rolls back.

    Only to be used within a change (``begin_change``): no other change happens between the two counts.
    """
    before = lasting_superadmins(session)
    yield
    session.flush()
    if before > 0 and lasting_superadmins(session) == 0:
        raise Problem("conflict", LAST)

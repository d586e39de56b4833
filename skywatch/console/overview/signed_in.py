"""The signed-in users (those with an active login), and the number of users."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.models import Login, User
from skywatch.core.clock import utcnow

# The page Users has them all.
MAX_SHOWN = 8


@dataclass(frozen=True)
class SignedIn:
    """A user with the number of their logins and the beginning of the newest."""

    user_id: int
    username: str
    logins: int
    since: datetime


@dataclass(frozen=True)
class People:
    """The users whose logins began last, and how many there are of whom."""

    newest: list[SignedIn]
    signed_in: int
    logins: int
    users: int
    deactivated: int


def find_people(session: Session) -> People:
    """Count users and logins, and find those that began last."""
    goes_on = Login.ended_at.is_(None) & (Login.expires_at > utcnow())
    since: Any = sa.func.max(Login.created_at)
    rows = session.execute(
        sa.select(User.id, User.username, sa.func.count(), since)
        .join(Login, Login.user_id == User.id)
        .where(goes_on)
        .group_by(User.id, User.username)
        .order_by(since.desc(), User.id)
        .limit(MAX_SHOWN)
    )
    signed_in, logins = session.execute(
        sa.select(sa.func.count(Login.user_id.distinct()), sa.func.count()).where(goes_on)
    ).one()
    by_state = session.execute(sa.select(User.is_active, sa.func.count()).group_by(User.is_active))
    users: dict[bool, int] = {row[0]: row[1] for row in by_state}
    return People([SignedIn(*row) for row in rows], signed_in, logins, sum(users.values()), users.get(False, 0))

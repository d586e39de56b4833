"""Users as answers show them."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.models import User
from skywatch.accounts.users.schemas import Profile, UserSummary
from skywatch.accounts.users.service import permissions_of, roles_of
from skywatch.http.resources.answer import answer


def summary(user: User) -> dict[str, Any]:
    """The user of a login's answer."""
    return answer(UserSummary, user, **_rights(user))


def profile(user: User) -> dict[str, Any]:
    """All that is shown of a user."""
    return answer(Profile, user, **_rights(user))


def _rights(user: User) -> dict[str, list[str]]:
    return {"permissions": sorted(permissions_of(user)), "roles": [role.name for role in roles_of(user)]}

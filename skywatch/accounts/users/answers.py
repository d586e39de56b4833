"""Users as the API answers them."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.models import User
from skywatch.accounts.users.schemas import Profile, UserSummary
from skywatch.accounts.users.service import permissions_of, roles_of
from skywatch.http.resources.answer import answer


def user_answer(user: User) -> dict[str, Any]:
    """A user as the API answers a login."""
    return answer(UserSummary, user, **_rights(user))


def profile_answer(user: User) -> dict[str, Any]:
    """A user as the API answers it, with all that is shown of one."""
    return answer(Profile, user, **_rights(user))


def _rights(user: User) -> dict[str, list[str]]:
    return {"permissions": sorted(permissions_of(user)), "roles": [role.name for role in roles_of(user)]}

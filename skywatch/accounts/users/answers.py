"""Users as the API answers them."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.models import User
from skywatch.accounts.users.schemas import Profile, UserSummary
from skywatch.accounts.users.service import permissions_of, roles_of
from skywatch.http.resources.answer import answer
from skywatch.http.resources.render import encode

# Forms of an answer that are remembered for a user: one for logins, and one for each set of scopes of their keys.
MAX_BODIES = 16


def user_answer(user: User) -> dict[str, Any]:
    """A user as the API answers a login."""
    return answer(UserSummary, user, **_rights(user))


def profile_answer(user: User) -> dict[str, Any]:
    """A user as the API answers it, with all that is shown of one."""
    return answer(Profile, user, **_rights(user))


def _rights(user: User) -> dict[str, list[str]]:
    return {"permissions": sorted(permissions_of(user)), "roles": [role.name for role in roles_of(user)]}


class RememberedProfile:
    """A user as the API answers it, encoded once for each set of permissions that a credential of theirs has."""

    def __init__(self, shown: dict[str, Any]) -> None:
        self.shown = shown
        self._bodies: dict[frozenset[str], bytes] = {}

    def body(self, permissions: frozenset[str]) -> bytes:
        """The answer to a credential with these permissions, as JSON."""
        body = self._bodies.get(permissions)
        if body is None:
            body = encode({**self.shown, "permissions": sorted(permissions)})
            if len(self._bodies) < MAX_BODIES:
                self._bodies[permissions] = body
        return body

"""The roles that a form offers: all there are, those that give more than the viewer holds not to be chosen."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy.orm import Session

from skywatch.accounts.roles.service import find_roles
from skywatch.accounts.users.service import permissions_of_role
from skywatch.http.lists.pagination import MAX_LIMIT
from skywatch.security.permissions import Permission

PROPOSED = "viewer"


def proposed_role(session: Session, rights: frozenset[Permission]) -> list[str]:
    """The role that a new account is offered: the one that may only look, where it is there and within the viewer's
    own rights."""
    roles = find_roles(session, limit=MAX_LIMIT, offset=0)[0]
    return [role.name for role in roles if role.name == PROPOSED and permissions_of_role(role) <= rights]


def role_choices(
    session: Session, rights: frozenset[Permission], marked: Collection[str], kept: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Every role: whether it is marked, and whether it is beyond the viewer; ``kept`` ones may stay all the same."""
    return [
        {
            "role": role,
            "is_marked": role.name in marked,
            "is_beyond": role.name not in kept and not permissions_of_role(role) <= rights,
        }
        for role in find_roles(session, limit=MAX_LIMIT, offset=0)[0]
    ]

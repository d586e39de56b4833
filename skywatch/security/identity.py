"""The identity of a request or connection: a frozen value with principals and without database objects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from skywatch.core.network.addresses import network_of
from skywatch.security.permissions import Permission

EVERYONE = "system.Everyone"
AUTHENTICATED = "system.Authenticated"

Method = Literal["jwt", "api_key", "console"]


@dataclass(frozen=True)
class Identity:
    """An authenticated user.

    ``scopes`` is None for a login and the key's features for an API key. ``login_id`` is the login a token
    belongs to, ``key_id`` the API key, whichever applies. ``owner_id`` is the user who created a service account.
    """

    user_id: int
    username: str
    method: Method
    permissions: frozenset[Permission] = frozenset()
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] | None = None
    login_id: str | None = None
    key_id: int | None = None
    expires_at: float | None = None
    owner_id: int | None = None

    @cached_property
    def principals(self) -> tuple[str, ...]:
        """The principals for ACLs."""
        return EVERYONE, AUTHENTICATED, f"user:{self.user_id}", *(f"permission:{p}" for p in self.permissions)


def principals_of(identity: Identity | None) -> tuple[str, ...]:
    """The principals for ACLs; an anonymous caller has only ``system.Everyone``."""
    return identity.principals if identity is not None else (EVERYONE,)


def person_of(identity: Identity | None, address: str) -> str:
    """Who has their part of what people share: a user with their keys and service accounts, else a network.

    ``address`` is that of the client; callers without an identity are one person for each IPv4 /24 or IPv6 /64.
    """
    if identity is None:
        return f"network {network_of(address)}"
    return person_of_user(identity.user_id, identity.owner_id)


def person_of_user(user_id: int, owner_id: int | None) -> str:
    """The same of a user outside of requests; ``owner_id`` is that of a service account."""
    return f"user {user_id if owner_id is None else owner_id}"

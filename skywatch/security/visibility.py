"""What a caller may see: one frozen value, made once a request or connection from the decisions of the policy.

Queries, responses and events use this value, so that the policy is evaluated once for a caller.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from skywatch.security.contexts import AccessLookup, FeatureAccess, prepared_context
from skywatch.security.identity import Identity
from skywatch.security.permissions import FEATURES, Permission
from skywatch.security.policy import decide
from skywatch.settings import AuthMode

# Size of the cache: the same permissions under the same access settings always give the same value.
MAX_REMEMBERED = 4_096


MANAGING: frozenset[str] = frozenset(permission for permission in Permission if permission.kind == "manage")


@dataclass(frozen=True)
class Visibility:
    """What one caller may see (``user_id`` None: an anonymous one).

    ``permissions`` are all that the policy grants this caller under the present mode and access settings; the rest is
    derived from them. ``is_local``: the caller is on this machine.
    """

    user_id: int | None = None
    permissions: frozenset[str] = frozenset()
    is_local: bool = False

    @functools.cached_property
    def military(self) -> bool:
        """Whether military aircraft are shown."""
        return Permission.AIRCRAFT_VIEW_MILITARY in self.permissions

    @functools.cached_property
    def details(self) -> bool:
        """Whether registration, owner and operator are shown."""
        return Permission.AIRCRAFT_VIEW_DETAILS in self.permissions

    @functools.cached_property
    def manages(self) -> frozenset[str]:
        """The permissions to manage what belongs to others."""
        return self.permissions & MANAGING

    @functools.cached_property
    def exact_station(self) -> bool:
        """Whether the place of the antenna, and what follows from it, may be known exactly."""
        return self.is_local or Permission.SYSTEM_MANAGE in self.permissions


def visibility_of(identity: Identity | None, mode: AuthMode, access: AccessLookup) -> Visibility:
    """What an identity (None: an anonymous caller) may see under the present mode and access settings."""
    return visibility_under(identity, mode, tuple([access(feature) for feature in FEATURES]))


def visibility_under(
    identity: Identity | None, mode: AuthMode, settings: tuple[FeatureAccess, ...], *, is_local: bool = False
) -> Visibility:
    """Like ``visibility_of``, with the access settings of all features in the order of ``FEATURES``."""
    if identity is None:
        return _visibility(None, _granted(None, None, mode, settings), is_local)
    return _visibility(identity.user_id, _granted(identity.permissions, identity.scopes, mode, settings), is_local)


EVERYTHING = Visibility(None, frozenset(Permission))
"""The visibility of commands and background work, which act for no user."""


# Every request has one; what is derived from the permissions takes longer than to find it.
_visibility = functools.lru_cache(maxsize=MAX_REMEMBERED)(Visibility)


@functools.lru_cache(maxsize=MAX_REMEMBERED)
def _granted(
    granted: frozenset[Permission] | None,
    scopes: frozenset[str] | None,
    mode: AuthMode,
    settings: tuple[FeatureAccess, ...],
) -> frozenset[str]:
    """The permissions that the policy grants; they depend on the permissions held, not on the user."""
    identity = None if granted is None else Identity(0, "", "jwt", granted, scopes=scopes)
    contexts = {
        feature: prepared_context(feature, mode, access) for feature, access in zip(FEATURES, settings, strict=True)
    }
    return frozenset(
        permission for permission in Permission if decide(contexts[permission.feature], identity, permission)
    )

"""Feature contexts: the resource of a request, with the ACL that follows from deployment mode and access settings.

The tables of permissions (``skywatch.security.permissions``) are read here and nowhere else.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from pyramid.authorization import ALL_PERMISSIONS, Allow, Deny

from skywatch.security.identity import AUTHENTICATED, EVERYONE
from skywatch.security.permissions import (
    ADMINISTRATION,
    BEHAVIOUR,
    FEATURES,
    OPTIONAL_SCOPES,
    RESTRICTED,
    Level,
    Permission,
    ViewPermission,
)
from skywatch.settings import AuthMode

Acl = list[tuple[str, str, Any]]


def within(permissions: Iterable[Permission], scopes: Collection[str]) -> frozenset[Permission]:
    """The permissions that views of these features may ask for: an API key has those within its scopes."""
    return frozenset(p for p in permissions if any(p.is_asked_in(scope) for scope in scopes))


@dataclass(frozen=True)
class FeatureAccess:
    """The access setting of one feature."""

    read_access: Level
    write_access: Level
    is_enabled: bool = True


@functools.lru_cache(maxsize=64)
def feature_access(read_access: Level, write_access: Level, is_enabled: bool) -> FeatureAccess:
    """A setting, one object for each: what follows from settings is cached by them, and these are not compared then."""
    return FeatureAccess(read_access, write_access, is_enabled)


class AccessSettings(tuple[FeatureAccess, ...]):
    """The access settings of all features, with a hash that is computed once: every request is looked up by them."""

    _hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash


def _default_access(feature: str) -> FeatureAccess:
    """A new installation is open to its users; what users have for themselves they write, too."""
    if feature in ADMINISTRATION or feature in RESTRICTED:
        return feature_access("permission", "permission", True)
    return feature_access("authenticated", "authenticated" if feature in OPTIONAL_SCOPES else "permission", True)


DEFAULT_ACCESS: dict[str, FeatureAccess] = {feature: _default_access(feature) for feature in FEATURES}

AccessLookup = Callable[[str], FeatureAccess]


def default_access(feature: str) -> FeatureAccess:
    """The access setting of a new installation."""
    return DEFAULT_ACCESS[feature]


class AccessSource(Protocol):
    """Where the access settings in force are read."""

    def feature_access(self, feature: str) -> FeatureAccess:
        """The access setting of a feature now."""

    def access_settings(self) -> tuple[FeatureAccess, ...]:
        """The access settings of all features now, in the order of ``FEATURES``: every request needs them."""


class DefaultAccess:
    """The access settings of a new installation."""

    def __init__(self) -> None:
        self._settings = AccessSettings(DEFAULT_ACCESS.values())

    def feature_access(self, feature: str) -> FeatureAccess:
        return DEFAULT_ACCESS[feature]

    def access_settings(self) -> tuple[FeatureAccess, ...]:
        return self._settings


class FeatureContext:
    """A feature as the resource of a request; ``feature`` None is the service itself (open views, own account)."""

    def __init__(self, feature: str | None, mode: AuthMode, access: FeatureAccess | None) -> None:
        self.feature = feature
        self.mode = mode
        self.access = access

    @property
    def is_enabled(self) -> bool:
        return self.access is None or self.access.is_enabled

    @functools.cached_property
    def __acl__(self) -> Acl:
        """The ACL as Pyramid reads it, computed once."""
        return acl_of(self.feature if self.access is not None else None, self.mode, self.access)


def acl_of(feature: str | None, mode: AuthMode, access: FeatureAccess | None) -> Acl:
    """Return the ACL of a feature (None: of the service itself) from the tables of permissions."""
    if access is not None and not access.is_enabled:
        return [(Allow, EVERYONE, str(ViewPermission.OPEN)), (Deny, EVERYONE, ALL_PERMISSIONS)]
    acl: Acl = []
    for row in (*ViewPermission, *Permission):
        if row.is_asked_in(feature):
            behaviour = BEHAVIOUR[row.kind]
            level: Level = getattr(access, behaviour.decided_by) if behaviour.decided_by else "public"
            who = behaviour.granted_to(mode, level)
            principals = {"everyone": EVERYONE, "identity": AUTHENTICATED, "holder": f"permission:{row.held}"}
            acl.append((Allow, principals[who], str(row)))
    return acl


@functools.lru_cache(maxsize=512)
def prepared_context(feature: str | None, mode: AuthMode, access: FeatureAccess | None) -> FeatureContext:
    """The context of these three, made once: its ACL depends on them alone and is evaluated several times a request."""
    return FeatureContext(feature, mode, access)

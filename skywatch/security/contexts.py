"""Feature contexts: the resource of a request, with the ACL that follows from deployment mode and access settings.

The principals of a permission are looked up in the table of kinds (``skywatch.security.kinds``) and nowhere else.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from pyramid.authorization import ALL_PERMISSIONS, Allow, Deny

from skywatch.security.identity import AUTHENTICATED, EVERYONE
from skywatch.security.kinds import BEHAVIOUR, Kind, Level
from skywatch.security.permissions import ADMINISTRATION, FEATURES, OPTIONAL_SCOPES, RESTRICTED, Permission
from skywatch.settings import AuthMode

Acl = list[tuple[str, str, Any]]

OPEN = "open"
"""The permission of views that need no credential, in every mode and even of a feature that is switched off.

Credentials that come along are not read: neither a monitoring system nor a login must be refused because of an expired
token. What a valid one shows in addition, a view looks up itself.
"""
OPEN_UNLESS_PRIVATE = "open_unless_private"
"""The permission of views that everybody may see, but in private mode only identified callers."""
IDENTIFIED = "identified"
"""The permission of views that show the caller's identity: any identity, in every mode."""
OWN_ACCOUNT = "own_account"
"""The permission of views that change the caller's own account: any login, but no API key."""

PERSONAL_READ = "personal_read"
"""The permission of views that show the caller's own records of a feature, at its read level."""
PERSONAL_WRITE = "personal_write"
"""The permission of views that write the caller's own records of a feature, at its write level."""

# Features whose records belong to their users.
PERSONAL_FEATURES = frozenset(p.feature for p in Permission if p.kind in ("own", "edit_own"))


# Permissions of another feature that views of a feature ask for; the access settings of the latter decide.
BORROWED: dict[str, tuple[Permission, ...]] = {
    feature: lent for feature in FEATURES if (lent := tuple(p for p in Permission if feature in p.lent_to))
}


# The other kind as which views may ask for permissions of a kind: many records of one's own are imported as one
# uploads, and a feature of one's own may have something that it shows to all.
OTHER_KINDS: dict[Kind, Kind] = {"edit_own": "write", "own": "view"}


def as_other_kind(permission: Permission) -> str:
    """The permission of views that is held like ``permission``, but granted as the other kind in ``OTHER_KINDS``."""
    return f"{permission}:{OTHER_KINDS[permission.kind]}"


def permission_held(name: str) -> str:
    """The permission that a caller holds for a view's permission: without the other kind."""
    return name.partition(":")[0]


OF_OTHER_KINDS: frozenset[str] = frozenset(as_other_kind(p) for p in Permission if p.kind in OTHER_KINDS)
"""Every permission of views that is granted as another kind."""


def within(permissions: Iterable[Permission], scopes: Collection[str]) -> frozenset[Permission]:
    """The permissions that views of these features may ask for: an API key has those within its scopes."""
    borrowed = {permission for scope in scopes for permission in BORROWED.get(scope, ())}
    return frozenset(p for p in permissions if p.feature in scopes or p in borrowed)


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
        acl: Acl = [
            (Allow, EVERYONE, OPEN),
            (Allow, AUTHENTICATED if self.mode == "private" else EVERYONE, OPEN_UNLESS_PRIVATE),
            (Allow, AUTHENTICATED, IDENTIFIED),
            (Allow, AUTHENTICATED, OWN_ACCOUNT),
        ]
        if self.feature is None or self.access is None:
            # The access settings belong to no feature, so that disabling one can never make them unreachable.
            return [*acl, (Allow, f"permission:{Permission.SYSTEM_MANAGE}", str(Permission.SYSTEM_MANAGE))]
        if not self.access.is_enabled:
            return [(Allow, EVERYONE, OPEN), (Deny, EVERYONE, ALL_PERMISSIONS)]
        for permission in Permission:
            if permission.feature == self.feature or permission in BORROWED.get(self.feature, ()):
                level = _level_of(permission.kind, self.access)
                acl.append(self._entry(str(permission), permission.kind, level, permission))
                if (other := OTHER_KINDS.get(permission.kind)) is not None:
                    level = _level_of(other, self.access)
                    acl.append(self._entry(as_other_kind(permission), other, level, permission))
        if self.feature in PERSONAL_FEATURES:
            view = Permission(f"{self.feature}.view")
            acl.append(self._entry(PERSONAL_READ, "own", self.access.read_access, view))
            acl.append(self._entry(PERSONAL_WRITE, "own", self.access.write_access, view))
        return acl

    def _entry(self, permission: str, kind: Kind, level: Level, permission_held: Permission) -> tuple[str, str, Any]:
        """The ACL entry of a permission by the table of kinds; holders are those of ``permission_held``."""
        holder = f"permission:{permission_held}"
        who = BEHAVIOUR[kind].granted_to(self.mode, level)
        return (Allow, {"everyone": EVERYONE, "identity": AUTHENTICATED, "holder": holder}[who], permission)


def _level_of(kind: Kind, access: FeatureAccess) -> Level:
    return access.write_access if BEHAVIOUR[kind].decided_by == "write_access" else access.read_access


@functools.lru_cache(maxsize=512)
def prepared_context(feature: str | None, mode: AuthMode, access: FeatureAccess | None) -> FeatureContext:
    """The context of these three, made once: its ACL depends on them alone and is evaluated several times a request."""
    return FeatureContext(feature, mode, access)

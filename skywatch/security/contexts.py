"""Feature contexts: what is asked for, with the ACL that the deployment mode and the access settings give it.

A level ``public`` lets everybody, ``authenticated`` any identity, ``permission`` only holders. An operation with
a permission of its own needs it whenever an identity is known, in every mode but public.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pyramid.authorization import ALL_PERMISSIONS, Allow, Deny

from skywatch.security.identity import AUTHENTICATED, EVERYONE
from skywatch.security.permissions import FEATURES, Permission
from skywatch.settings import AuthMode

Level = Literal["public", "authenticated", "permission"]
Acl = list[tuple[str, str, Any]]

OPEN = "open"
"""The permission of the few views that everybody may see in every mode, even of a feature that is switched off."""
OPEN_UNLESS_PRIVATE = "open_unless_private"
"""The permission of views that everybody may see, but in private mode only who is identified."""
EXCHANGE = "exchange"
"""The permission of views that exchange one credential for another (login, refresh): everybody may try, and what
other credentials the request carries, perhaps expired ones, is not looked at."""
IDENTIFIED = "identified"
"""The permission of views that tell the caller who they are: any identity, in every mode."""
OWN_ACCOUNT = "own_account"
"""The permission of views that change the caller's own account: any login, but no API key."""

PERSONAL_WRITE = "personal_write"
"""The permission of views that write the caller's own records of a personal feature, at its write level."""

# Features whose records belong to the caller: nobody in particular has none, so every mode asks for an identity.
PERSONAL_FEATURES = frozenset({"cannonball"})
# Managing the installation needs an identity with the permission in every mode, public included.
MANAGED_FEATURES = frozenset({"users", "roles"})
MANAGED_PERMISSIONS = frozenset({Permission.SYSTEM_MANAGE, Permission.CANNONBALL_MANAGE, Permission.ALERTS_MANAGE_ALL})
# What reading a feature needs at the level ``permission``; such a permission is the feature's read level itself.
VIEW_PERMISSIONS = frozenset({p for p in Permission if p.action == "view"} | {Permission.SYSTEM_VIEW_STATUS})
# Operations that read: they follow the read level where nobody is identified.
READ_OPERATIONS = frozenset(
    {
        Permission.AIRCRAFT_VIEW_DETAILS,
        Permission.AIRCRAFT_VIEW_MILITARY,
        Permission.ACARS_VIEW_FULL,
        Permission.HISTORY_EXPORT,
        Permission.SYSTEM_VIEW_METRICS,
    }
)


@dataclass(frozen=True)
class FeatureAccess:
    """The access setting of one feature."""

    read_access: Level
    write_access: Level
    is_enabled: bool = True


DEFAULT_ACCESS: dict[str, FeatureAccess] = {
    feature: FeatureAccess("authenticated", "permission") for feature in FEATURES
}
DEFAULT_ACCESS["cannonball"] = FeatureAccess("authenticated", "authenticated")
DEFAULT_ACCESS["users"] = DEFAULT_ACCESS["roles"] = FeatureAccess("permission", "permission")

AccessLookup = Callable[[str], FeatureAccess]


def default_access(feature: str) -> FeatureAccess:
    """The access setting a fresh installation has."""
    return DEFAULT_ACCESS[feature]


class FeatureContext:
    """A feature as it is asked for; ``feature`` None is the service itself (open views, own account)."""

    def __init__(self, feature: str | None, mode: AuthMode, access: FeatureAccess | None) -> None:
        self.feature = feature
        self.mode = mode
        self.access = access

    @property
    def is_enabled(self) -> bool:
        return self.access is None or self.access.is_enabled

    def __acl__(self) -> Acl:
        acl: Acl = [
            (Allow, EVERYONE, OPEN),
            (Allow, EVERYONE, EXCHANGE),
            (Allow, AUTHENTICATED if self.mode == "private" else EVERYONE, OPEN_UNLESS_PRIVATE),
            (Allow, AUTHENTICATED, IDENTIFIED),
            (Allow, AUTHENTICATED, OWN_ACCOUNT),
        ]
        if self.feature is None or self.access is None:
            # The access settings themselves: of no feature, so that none that is switched off can lock them away.
            return [*acl, (Allow, f"permission:{Permission.SYSTEM_MANAGE}", str(Permission.SYSTEM_MANAGE))]
        if not self.access.is_enabled:
            return [(Allow, EVERYONE, OPEN), (Deny, EVERYONE, ALL_PERMISSIONS)]
        if self.feature in PERSONAL_FEATURES:
            return [*acl, *self._personal_rules(self.feature, self.access)]
        for permission in Permission:
            if permission.feature == self.feature:
                acl.extend(self._rules(permission, self.access))
        return acl

    def _personal_rules(self, feature: str, access: FeatureAccess) -> Acl:
        view = Permission(f"{feature}.view")
        acl: Acl = []
        for permission, level in ((str(view), access.read_access), (PERSONAL_WRITE, access.write_access)):
            needs_holder = level == "permission" and self.mode != "public"
            acl.append((Allow, f"permission:{view}" if needs_holder else AUTHENTICATED, permission))
        operations = [p for p in Permission if p.feature == feature and p is not view]
        acl.extend((Allow, f"permission:{operation}", operation) for operation in operations)
        return acl

    def _rules(self, permission: Permission, access: FeatureAccess) -> Acl:
        holder = f"permission:{permission}"
        if permission in MANAGED_PERMISSIONS:
            return [(Allow, holder, permission)]
        if self.feature in MANAGED_FEATURES:
            # Names and addresses of people are shown to nobody in particular, whatever the mode and the setting.
            opened = permission in VIEW_PERMISSIONS and access.read_access != "permission" and self.mode != "public"
            return [(Allow, AUTHENTICATED if opened else holder, permission)]
        if self.mode == "public":
            return [(Allow, EVERYONE, permission)]
        reads = permission in VIEW_PERMISSIONS or permission in READ_OPERATIONS
        level = access.read_access if reads else access.write_access
        if self.mode == "private" and level == "public":
            level = "authenticated"
        if permission in VIEW_PERMISSIONS:
            who = {"public": EVERYONE, "authenticated": AUTHENTICATED, "permission": holder}[level]
            return [(Allow, who, permission)]
        # Anonymous callers of a public feature hold no permission: they see what everybody may see, and
        # may write, but nothing that is kept from identified callers (military, details, full texts).
        if level == "public" and not reads:
            return [
                (Allow, holder, permission),
                (Deny, AUTHENTICATED, permission),
                (Allow, EVERYONE, permission),
            ]
        return [(Allow, holder, permission)]


@functools.lru_cache(maxsize=512)
def prepared_context(feature: str | None, mode: AuthMode, access: FeatureAccess | None) -> FeatureContext:
    """A context whose ACL is worked out once: it depends on these three alone, and is asked several times a request."""
    context = FeatureContext(feature, mode, access)
    setattr(context, "__acl__", context.__acl__())  # noqa: B010
    return context

"""What access settings let somebody do with each feature, decided by the same policy that decides on requests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from skywatch.security.contexts import FeatureAccess, prepared_context
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.security.policy import decide
from skywatch.settings import AuthMode

# The kinds of permission with which somebody looks; all others change something.
LOOKING = ("view", "read", "own", "directory")


@dataclass(frozen=True)
class Reach:
    """What somebody may do with a feature."""

    sees: bool
    changes: bool


def reach_of(
    mode: AuthMode, access: Mapping[str, FeatureAccess], permissions: Collection[Permission] | None
) -> dict[str, Reach]:
    """Feature -> what a caller with these permissions may do there; None is a caller who is not signed in."""
    identity = None if permissions is None else Identity(0, "", "jwt", frozenset(permissions))
    reach = {}
    for feature, setting in access.items():
        context = prepared_context(feature, mode, setting)
        granted = [p for p in Permission if p.feature == feature and decide(context, identity, str(p))]
        # Where records of one's own have no permission to write them, that of the feature's users counts.
        writes_own = bool(decide(context, identity, ViewPermission.PERSONAL_WRITE))
        reach[feature] = Reach(
            sees=any(p.kind in LOOKING for p in granted),
            changes=writes_own or any(p.kind not in LOOKING for p in granted),
        )
    return reach

"""Kinds of permission: whom deployment mode and access level grant a permission of each kind.

The ACLs of the feature contexts are looked up here, and the manual prints the table (docs/reference/permissions.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from skywatch.settings import AuthMode

Level = Literal["public", "authenticated", "permission"]
Kind = Literal["view", "read", "acknowledge", "write", "own", "edit_own", "directory", "manage"]
Who = Literal["everyone", "identity", "holder"]


@dataclass(frozen=True)
class Behaviour:
    """Whom a kind of permission is granted to.

    ``decided_by`` is the access setting that applies, ``in_public_mode`` overrides it, and the other three
    are its levels. In the mode ``private`` the level ``public`` counts as ``authenticated``.
    """

    meaning: str
    decided_by: Literal["read_access", "write_access"] | None
    in_public_mode: Who
    public: Who
    authenticated: Who
    permission: Who

    def granted_to(self, mode: AuthMode, level: Level) -> Who:
        """The principals that have such a permission under a mode, at the level of the access setting that applies."""
        if mode == "public":
            return self.in_public_mode
        if level == "permission":
            return self.permission
        return self.public if level == "public" and mode == "hybrid" else self.authenticated


BEHAVIOUR: dict[Kind, Behaviour] = {
    "view": Behaviour(
        "see what a feature shows to all its users", "read_access", "everyone", "everyone", "identity", "holder"
    ),
    "read": Behaviour(
        "see more than that (military aircraft, details, full texts, exports, metrics)",
        "read_access", "everyone", "holder", "holder", "holder",
    ),
    "acknowledge": Behaviour(
        "mark as seen what belongs to nobody in particular",
        "write_access", "everyone", "everyone", "identity", "holder",
    ),
    "write": Behaviour(
        "upload, have transcribed, delete one's own, or import many",
        "write_access", "holder", "holder", "identity", "holder",
    ),
    "own": Behaviour(
        "use a feature whose records belong to users: one's own, all of them only with its `manage` permission",
        "read_access", "identity", "identity", "identity", "holder",
    ),
    "edit_own": Behaviour(
        "create and change records of one's own, where that has a permission of its own",
        "write_access", "identity", "identity", "identity", "holder",
    ),
    "directory": Behaviour(
        "see who has an account, and with which roles", "read_access", "holder", "identity", "identity", "holder"
    ),
    "manage": Behaviour(
        "manage the installation or what belongs to others", None, "holder", "holder", "holder", "holder"
    ),
}  # fmt: skip

"""Who may do what, on one page: three tables from which the ACLs are made (``skywatch.security.contexts``).

``BEHAVIOUR`` says whom a kind of permission is granted to under each mode and access level; ``Permission`` has the
permissions that roles hold, ``ViewPermission`` what views ask for besides. The manual prints them
(docs/reference/permissions.md). Each default role includes the permissions of the one before it. Which features have
access settings, and which of them an API key may be given, follows from the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from skywatch.settings import AuthMode

Level = Literal["public", "authenticated", "permission"]
Kind = Literal[
    "view",
    "read",
    "acknowledge",
    "write",
    "own",
    "edit_own",
    "directory",
    "manage",
    "open",
    "unless_private",
    "identity",
]
Who = Literal["everyone", "identity", "holder"]


@dataclass(frozen=True)
class Behaviour:
    """Whom a kind of permission is granted to.

    ``decided_by`` is the access setting that applies (None: its level is ``public``), ``in_public_mode`` overrides it,
    and the other three are its levels. In the mode ``private`` the level ``public`` counts as ``authenticated``.
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
    "open": Behaviour(
        "see what everybody may know, or exchange a credential", None, "everyone", "everyone", "everyone", "everyone"
    ),
    "unless_private": Behaviour(
        "see what everybody may know but in private mode", None, "everyone", "everyone", "identity", "identity"
    ),
    "identity": Behaviour(
        "see who one is, change one's own account", None, "identity", "identity", "identity", "identity"
    ),
}  # fmt: skip


class Permission(StrEnum):
    """Every permission, one row each; features in the order in which people are shown them, each alphabetical.

    Names have the form ``feature.action``. Views of the features in ``lent_to`` ask for the permission too; the access
    settings of those features decide there. None is the service itself, which has no access settings.
    """

    _value_: str
    kind: Kind
    role: str
    meaning: str
    lent_to: tuple[str | None, ...]

    # The defaults are for type checkers, which take ``Permission(name)`` for a call of this.
    def __new__(
        cls, name: str, kind: Kind = "manage", role: str = "", meaning: str = "", lent_to: tuple[str | None, ...] = ()
    ) -> Permission:
        member = str.__new__(cls, name)
        member._value_ = name
        member.kind, member.role, member.meaning, member.lent_to = kind, role, meaning, lent_to
        return member

    AIRCRAFT_VIEW = "aircraft.view", "view", "viewer", "See live aircraft that are not military"
    AIRCRAFT_VIEW_DETAILS = (
        "aircraft.view_details",
        "read",
        "operator",
        "See registration, owner and operator of aircraft",
    )
    AIRCRAFT_VIEW_MILITARY = (
        "aircraft.view_military",
        "read",
        "analyst",
        "See military aircraft, wherever aircraft are shown",
    )
    ALERTS_CREATE = "alerts.create", "edit_own", "operator", "Create alert rules, geofences and channels"
    ALERTS_DELETE = "alerts.delete", "write", "operator", "Delete own alert rules, geofences and channels"
    ALERTS_EDIT = "alerts.edit", "edit_own", "operator", "Change own alert rules, geofences and channels"
    ALERTS_MANAGE_ALL = (
        "alerts.manage_all",
        "manage",
        "admin",
        "See and change everybody's alert rules, geofences and channels",
    )
    ALERTS_VIEW = "alerts.view", "view", "viewer", "See alert rules and the alerts they raised"
    SAFETY_ACKNOWLEDGE = "safety.acknowledge", "acknowledge", "operator", "Acknowledge safety events"
    SAFETY_MANAGE = (
        "safety.manage",
        "manage",
        "admin",
        "Change the thresholds of safety events, see and forget what was learnt by place",
    )
    SAFETY_VIEW = "safety.view", "view", "viewer", "See safety events"
    AUDIO_DELETE = "audio.delete", "manage", "admin", "Delete audio transmissions"
    AUDIO_TRANSCRIBE = "audio.transcribe", "write", "analyst", "Have audio transmissions transcribed"
    AUDIO_UPLOAD = "audio.upload", "write", "admin", "Add audio transmissions"
    AUDIO_VIEW = "audio.view", "view", "viewer", "List and play audio transmissions"
    ACARS_VIEW = "acars.view", "view", "viewer", "See ACARS messages, their text shortened"
    ACARS_VIEW_FULL = "acars.view_full", "read", "analyst", "See the whole text and decoding of ACARS messages"
    HISTORY_EXPORT = "history.export", "read", "analyst", "Export history in bulk", ("acars",)
    HISTORY_VIEW = "history.view", "view", "viewer", "See past flights and tracks"
    SYSTEM_MANAGE = (
        "system.manage",
        "manage",
        "admin",
        "Change access settings and retention, set which aircraft are military, read the audit log",
        # By nobody's access settings, too: to disable a feature never makes the settings unreachable.
        ("aircraft", None),
    )
    SYSTEM_VIEW_METRICS = "system.view_metrics", "read", "analyst", "Read the metrics of the service"
    SYSTEM_VIEW_STATUS = "system.view_status", "view", "viewer", "See the state of the service and its receivers"
    CANNONBALL_MANAGE = (
        "cannonball.manage",
        "manage",
        "admin",
        "Change the list of known aircraft and see everybody's sessions and alerts",
    )
    CANNONBALL_VIEW = "cannonball.view", "own", "viewer", "Use the law-enforcement aircraft tracking"
    FEEDERS_MANAGE = "feeders.manage", "manage", "admin", "Change everybody's feeders, trust them, see their addresses"
    FEEDERS_OWN = "feeders.own", "edit_own", "operator", "Register, change and delete feeders of one's own"
    FEEDERS_VIEW = "feeders.view", "view", "viewer", "See the receivers that feed the service and their states"
    USERS_CREATE = "users.create", "manage", "superadmin", "Create users"
    USERS_DELETE = "users.delete", "manage", "superadmin", "Delete users"
    USERS_EDIT = "users.edit", "manage", "admin", "Change users and the roles they hold"
    USERS_VIEW = "users.view", "directory", "admin", "See users and the roles they hold"
    ROLES_CREATE = "roles.create", "manage", "superadmin", "Create roles"
    ROLES_DELETE = "roles.delete", "manage", "superadmin", "Delete roles"
    ROLES_EDIT = "roles.edit", "manage", "superadmin", "Change roles and claim mappings"
    ROLES_VIEW = "roles.view", "directory", "admin", "See roles"

    @property
    def feature(self) -> str:
        """The part before the dot."""
        return self.value.partition(".")[0]

    @property
    def action(self) -> str:
        """The part after the dot."""
        return self.value.partition(".")[2]

    @property
    def held(self) -> Permission:
        """The permission whose holders may do it."""
        return self

    def is_asked_in(self, feature: str | None) -> bool:
        """Whether views of a feature (None: of the service itself) ask for it."""
        return feature == self.feature or feature in self.lent_to


class ViewPermission(StrEnum):
    """What views ask for that no role holds by itself, one row each.

    Without ``held`` it is asked for in every feature and by the service itself. With it, it is asked for where ``held``
    is, and granted to the holders of ``held`` under another kind. ``meaning`` is who has it.
    """

    _value_: str
    kind: Kind
    held: Permission | None
    meaning: str

    def __new__(
        cls, name: str, kind: Kind = "open", held: Permission | None = None, meaning: str = ""
    ) -> ViewPermission:
        member = str.__new__(cls, name)
        member._value_ = name
        member.kind, member.held, member.meaning = kind, held, meaning
        return member

    # Credentials that come along are not read: neither a monitoring system nor a login must be refused because of an
    # expired token. What a valid one shows in addition, a view looks up itself. It holds of a feature that is switched
    # off, too.
    OPEN = "open", "open", None, "everybody, in every mode; credentials are not read"
    OPEN_UNLESS_PRIVATE = (
        "open_unless_private",
        "unless_private",
        None,
        "everybody; in private mode only who is identified",
    )
    IDENTIFIED = "identified", "identity", None, "every identity, API keys included"
    # The policy refuses API keys.
    OWN_ACCOUNT = "own_account", "identity", None, "every login, but no API key"
    # Many records of one's own are imported as one uploads, and removed as one deletes.
    ALERTS_IMPORT = "alerts.create:write", "write", Permission.ALERTS_CREATE
    WATCHLIST_IMPORT = "alerts.edit:write", "write", Permission.ALERTS_EDIT
    FEEDERS_DELETE = "feeders.own:write", "write", Permission.FEEDERS_OWN
    # The list of known aircraft is shown to all, and one's own location, sessions and alerts are written.
    KNOWN_AIRCRAFT_VIEW = "cannonball.view:view", "view", Permission.CANNONBALL_VIEW
    PERSONAL_WRITE = "personal_write", "edit_own", Permission.CANNONBALL_VIEW
    # Reports are the caller's own, in public mode too.
    REPORTS_OWN = "history.view:own", "own", Permission.HISTORY_VIEW

    def is_asked_in(self, feature: str | None) -> bool:
        """Whether views of a feature (None: of the service itself) ask for it."""
        return self.held is None or self.held.is_asked_in(feature)


def permission_held(name: str) -> str:
    """Return the permission that a view's permission is documented as: without its other kind."""
    return name.partition(":")[0]


@dataclass(frozen=True)
class DefaultRole:
    """A built-in role; higher priority means more privileged."""

    name: str
    display_name: str
    description: str
    priority: int


DEFAULT_ROLES: tuple[DefaultRole, ...] = (
    DefaultRole("viewer", "Viewer", "Sees live traffic and what was recorded of it", 10),
    DefaultRole("operator", "Operator", "Keeps alert rules of their own and acknowledges safety events", 20),
    DefaultRole("analyst", "Analyst", "Sees military traffic, full messages and metrics, and exports history", 30),
    DefaultRole("admin", "Administrator", "Runs the installation", 40),
    DefaultRole("superadmin", "Super administrator", "Holds every permission, also those of later versions", 100),
)


def default_permissions(role_name: str) -> frozenset[Permission]:
    """The permissions of a default role; raises KeyError where there is no such role."""
    ranks = {role.name: rank for rank, role in enumerate(DEFAULT_ROLES)}
    rank = ranks[role_name]
    return frozenset(permission for permission in Permission if ranks[permission.role] <= rank)


FEATURES: tuple[str, ...] = tuple(dict.fromkeys(permission.feature for permission in Permission))
"""The features that have permissions, and access settings with them."""
ADMINISTRATIVE_KINDS: tuple[Kind, ...] = ("directory", "manage")
ADMINISTRATION: tuple[str, ...] = tuple(
    feature for feature in FEATURES if all(p.kind in ADMINISTRATIVE_KINDS for p in Permission if p.feature == feature)
)
"""The features that are nothing but administration: their access is by permission, and no API key reaches them."""
OPTIONAL_SCOPES: tuple[str, ...] = tuple(dict.fromkeys(p.feature for p in Permission if p.kind == "own"))
"""The features that are for oneself alone. Keys of unattended devices may be given them, but no form selects them by
itself: what such a feature stores (where somebody was) is its user's, not its administrators'."""
RESTRICTED: tuple[str, ...] = ("feeders",)
"""The features that show people's homes, or what leads to them: read by permission by default, and no API key reaches
them."""
SCOPES: tuple[str, ...] = tuple(
    f for f in FEATURES if f not in ADMINISTRATION and f not in OPTIONAL_SCOPES and f not in RESTRICTED
)
"""The features that an API key may be given; each is the path area of the same name."""
WITHHELD_FROM_KEYS: frozenset[Permission] = frozenset(
    p for p in Permission if p.feature in OPTIONAL_SCOPES and p.kind == "manage"
)
"""Permissions that no key carries, whatever its scopes and its owner's rights."""

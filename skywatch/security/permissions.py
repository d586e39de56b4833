"""The one table of permissions: name, kind, the default role from which on it is held, and what it allows.

Names have the form ``feature.action``. What a kind means under each mode and access level is the table in
``skywatch.security.kinds``. Each default role includes the permissions of the one before it. Which features have
access settings, and which of them an API key may be given, follows from the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from skywatch.security.kinds import Kind


class Permission(StrEnum):
    """Every permission, one row each; features in the order in which people are shown them, each alphabetical.

    Views of the features in ``lent_to`` ask for the permission too; the access settings of those features decide there.
    """

    _value_: str
    kind: Kind
    role: str
    meaning: str
    lent_to: tuple[str, ...]

    # The defaults are for type checkers, which take ``Permission(name)`` for a call of this.
    def __new__(
        cls, name: str, kind: Kind = "manage", role: str = "", meaning: str = "", lent_to: tuple[str, ...] = ()
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
        ("aircraft",),
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

"""The one table of permissions: name, what it allows, and the default roles that hold it.

Names have the form ``feature.action``. Each default role holds all that the role before it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Permission(StrEnum):
    """Every permission, alphabetical."""

    ACARS_VIEW = "acars.view"
    ACARS_VIEW_FULL = "acars.view_full"
    AIRCRAFT_VIEW = "aircraft.view"
    AIRCRAFT_VIEW_DETAILS = "aircraft.view_details"
    AIRCRAFT_VIEW_MILITARY = "aircraft.view_military"
    ALERTS_CREATE = "alerts.create"
    ALERTS_DELETE = "alerts.delete"
    ALERTS_EDIT = "alerts.edit"
    ALERTS_MANAGE_ALL = "alerts.manage_all"
    ALERTS_VIEW = "alerts.view"
    AUDIO_DELETE = "audio.delete"
    AUDIO_TRANSCRIBE = "audio.transcribe"
    AUDIO_UPLOAD = "audio.upload"
    AUDIO_VIEW = "audio.view"
    CANNONBALL_MANAGE = "cannonball.manage"
    CANNONBALL_VIEW = "cannonball.view"
    HISTORY_EXPORT = "history.export"
    HISTORY_VIEW = "history.view"
    ROLES_CREATE = "roles.create"
    ROLES_DELETE = "roles.delete"
    ROLES_EDIT = "roles.edit"
    ROLES_VIEW = "roles.view"
    SAFETY_ACKNOWLEDGE = "safety.acknowledge"
    SAFETY_MANAGE = "safety.manage"
    SAFETY_VIEW = "safety.view"
    SYSTEM_MANAGE = "system.manage"
    SYSTEM_VIEW_METRICS = "system.view_metrics"
    SYSTEM_VIEW_STATUS = "system.view_status"
    USERS_CREATE = "users.create"
    USERS_DELETE = "users.delete"
    USERS_EDIT = "users.edit"
    USERS_VIEW = "users.view"

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
    """A role that every installation begins with; higher priority means more privileged."""

    name: str
    display_name: str
    description: str
    priority: int
    adds: tuple[Permission, ...]


P = Permission
MEANINGS: dict[Permission, str] = {
    P.ACARS_VIEW: "See ACARS messages, their text shortened",
    P.ACARS_VIEW_FULL: "See the whole text and decoding of ACARS messages",
    P.AIRCRAFT_VIEW: "See live aircraft that are not military",
    P.AIRCRAFT_VIEW_DETAILS: "See registration, owner and operator of aircraft",
    P.AIRCRAFT_VIEW_MILITARY: "See military aircraft, wherever aircraft are shown",
    P.ALERTS_CREATE: "Create alert rules, geofences and channels",
    P.ALERTS_DELETE: "Delete own alert rules, geofences and channels",
    P.ALERTS_EDIT: "Change own alert rules, geofences and channels",
    P.ALERTS_MANAGE_ALL: "See and change everybody's alert rules, geofences and channels",
    P.ALERTS_VIEW: "See alert rules and the alerts they raised",
    P.AUDIO_DELETE: "Delete audio transmissions",
    P.AUDIO_TRANSCRIBE: "Have audio transmissions transcribed",
    P.AUDIO_UPLOAD: "Add audio transmissions",
    P.AUDIO_VIEW: "List and hear audio transmissions",
    P.CANNONBALL_MANAGE: "Change the list of known aircraft and see everybody's sessions and alerts",
    P.CANNONBALL_VIEW: "Use the law-enforcement aircraft tracking",
    P.HISTORY_EXPORT: "Export history in bulk",
    P.HISTORY_VIEW: "See past flights and tracks",
    P.ROLES_CREATE: "Create roles",
    P.ROLES_DELETE: "Delete roles",
    P.ROLES_EDIT: "Change roles and claim mappings",
    P.ROLES_VIEW: "See roles",
    P.SAFETY_ACKNOWLEDGE: "Acknowledge safety events",
    P.SAFETY_MANAGE: "Change and remove safety events",
    P.SAFETY_VIEW: "See safety events",
    P.SYSTEM_MANAGE: "Change access settings and retention, read the audit log",
    P.SYSTEM_VIEW_METRICS: "Read the metrics of the service",
    P.SYSTEM_VIEW_STATUS: "See the state of the service and its receivers",
    P.USERS_CREATE: "Create users",
    P.USERS_DELETE: "Delete users",
    P.USERS_EDIT: "Change users and the roles they hold",
    P.USERS_VIEW: "See users and the roles they hold",
}

DEFAULT_ROLES: tuple[DefaultRole, ...] = (
    DefaultRole(
        "viewer",
        "Viewer",
        "Sees live traffic and what was recorded of it",
        10,
        (
            P.AIRCRAFT_VIEW,
            P.ALERTS_VIEW,
            P.SAFETY_VIEW,
            P.AUDIO_VIEW,
            P.ACARS_VIEW,
            P.HISTORY_VIEW,
            P.SYSTEM_VIEW_STATUS,
            P.CANNONBALL_VIEW,
        ),
    ),
    DefaultRole(
        "operator",
        "Operator",
        "Keeps alert rules of their own and acknowledges safety events",
        20,
        (P.AIRCRAFT_VIEW_DETAILS, P.ALERTS_CREATE, P.ALERTS_EDIT, P.ALERTS_DELETE, P.SAFETY_ACKNOWLEDGE),
    ),
    DefaultRole(
        "analyst",
        "Analyst",
        "Sees military traffic, full messages and metrics, and exports history",
        30,
        (
            P.AIRCRAFT_VIEW_MILITARY,
            P.AUDIO_TRANSCRIBE,
            P.ACARS_VIEW_FULL,
            P.HISTORY_EXPORT,
            P.SYSTEM_VIEW_METRICS,
        ),
    ),
    DefaultRole(
        "admin",
        "Administrator",
        "Runs the installation",
        40,
        (
            P.ALERTS_MANAGE_ALL,
            P.SAFETY_MANAGE,
            P.AUDIO_UPLOAD,
            P.AUDIO_DELETE,
            P.SYSTEM_MANAGE,
            P.CANNONBALL_MANAGE,
            P.USERS_VIEW,
            P.USERS_EDIT,
            P.ROLES_VIEW,
        ),
    ),
    DefaultRole(
        "superadmin",
        "Super administrator",
        "Holds every permission, also those of later versions",
        100,
        (P.USERS_CREATE, P.USERS_DELETE, P.ROLES_CREATE, P.ROLES_EDIT, P.ROLES_DELETE),
    ),
)


def default_permissions(role_name: str) -> frozenset[Permission]:
    """The permissions of a default role; raises KeyError where there is no such role."""
    held: set[Permission] = set()
    for role in DEFAULT_ROLES:
        held.update(role.adds)
        if role.name == role_name:
            return frozenset(Permission) if role.name == "superadmin" else frozenset(held)
    raise KeyError(role_name)


FEATURES: tuple[str, ...] = (
    "aircraft",
    "alerts",
    "safety",
    "audio",
    "acars",
    "history",
    "system",
    "cannonball",
    "users",
    "roles",
)
# The features an API key may be given; each is the path area of the same name.
SCOPES: tuple[str, ...] = ("aircraft", "alerts", "safety", "audio", "acars", "history", "system")

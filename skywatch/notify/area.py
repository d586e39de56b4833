"""The area of the API that channels, deliveries and browsers belong to: its paths, and the permissions of its views.

Notifications have no access settings of their own. Who may have channels is who may have alert rules.
"""

from __future__ import annotations

from typing import TypedDict

from skywatch.security.permissions import Permission

FEATURE = "alerts"
VIEW, CREATE = Permission.ALERTS_VIEW, Permission.ALERTS_CREATE
EDIT, DELETE = Permission.ALERTS_EDIT, Permission.ALERTS_DELETE
MANAGE_ALL = Permission.ALERTS_MANAGE_ALL


class Mount(TypedDict):
    """Where an ``ApiService`` stands."""

    name: str
    path: str
    feature: str
    trailing_slash: bool


def within(name: str, path: str) -> Mount:
    """Path and route of a resource of the area: ``within("channel", "/channels/{id}")``."""
    return Mount(
        name=f"{FEATURE}.{name}",
        path=f"/{FEATURE}{path}",
        feature=FEATURE,
        trailing_slash=True,
    )

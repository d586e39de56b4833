"""Checks across the members of a rule, and of the geofences, watch lists and channels that it refers to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.conditions.fields import Kind, momentary
from skywatch.alerts.conditions.tree import ConditionsFault, Node, references, tests_of, tree_of
from skywatch.alerts.models import Geofence, Watchlist
from skywatch.core.problems import Problem
from skywatch.notify.channels.queries import foreign_channels
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility

DEFAULT_FOR_S = 2.0


def with_duration(values: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a rule with ``for_s`` filled in: 0 for events, else the default."""
    completed = dict(values)
    if completed.get("for_s") is None:
        completed["for_s"] = 0.0 if _is_event(tree_of(completed["conditions"])) else DEFAULT_FOR_S
    return completed


def faults_of(session: Session, values: Mapping[str, Any], user_id: int) -> dict[str, str]:
    """The faults between members of a rule, by member; raises ConditionsFault."""
    faults: dict[str, str] = {}
    node = _node_of(values)
    if node is not None and _is_event(node):
        if values["for_s"]:
            faults["for_s"] = f"must be 0: {momentary()} are events"
        if values.get("count") is not None:
            faults["count"] = f"cannot be used with {momentary()}, which are events"
    starts_at, expires_at = values.get("starts_at"), values.get("expires_at")
    if starts_at is not None and expires_at is not None and expires_at <= starts_at:
        faults["expires_at"] = "must be after starts_at"
    for table, kind, noun in ((Geofence, Kind.GEOFENCE, "geofence"), (Watchlist, Kind.WATCHLIST, "watch list")):
        ids = references(node, kind) if node is not None else frozenset()
        unknown = _unknown(session, table, ids, user_id)
        if unknown:
            faults["conditions"] = f"there is no {noun} {', '.join(map(str, unknown))}"
    foreign = foreign_channels(session, user_id, values.get("channels", ()))
    if foreign:
        faults["channels"] = f"there is no channel {', '.join(map(str, foreign))} of yours"
    return faults


def check_rights(values: Mapping[str, Any], visibility: Visibility) -> None:
    """Raise Problem (403) if a rule needs a permission that its author does not have; raises ConditionsFault."""
    if values.get("mqtt") and Permission.ALERTS_MANAGE_ALL not in visibility.permissions:
        raise Problem("permission_denied", "Publishing a rule by MQTT needs alerts.manage_all.")
    node = _node_of(values)
    for field in (test.field for test in (tests_of(node) if node is not None else ())):
        if field.permission and field.permission not in visibility.permissions:
            raise Problem("permission_denied", f"A rule on {field.name} needs {field.permission}.")


def _node_of(values: Mapping[str, Any]) -> Node | None:
    """The tree of conditions; None for those of a rule that is off and that an older version accepted."""
    try:
        return tree_of(values["conditions"])
    except ConditionsFault:
        if values["enabled"]:
            raise
        return None


def _is_event(node: Node) -> bool:
    return any(test.is_event for test in tests_of(node))


def _unknown(session: Session, table: Any, ids: frozenset[int], user_id: int) -> list[int]:
    if not ids:
        return []
    existing = set(session.scalars(sa.select(table.id).where(table.id.in_(ids), table.user_id == user_id)))
    return sorted(ids - existing)

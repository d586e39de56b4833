"""Checks across the members of a rule, and of the geofences, watch lists and channels that it refers to."""

from __future__ import annotations

from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.conditions.fields import Kind, momentary
from skywatch.alerts.conditions.tree import ConditionsFault, Node, references, tests_of
from skywatch.alerts.models import Geofence, Watchlist
from skywatch.alerts.rules.schemas import RuleFields
from skywatch.core.problems import Problem
from skywatch.notify.channels.queries import foreign_channels
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

DEFAULT_FOR_S = 2.0


def with_duration(rule: RuleFields) -> RuleFields:
    """A rule with ``for_s`` filled in: 0 for events, else the default; raises ConditionsFault."""
    if rule.for_s is not None:
        return rule
    return msgspec.structs.replace(rule, for_s=0.0 if _is_event(rule.conditions.tree) else DEFAULT_FOR_S)


def faults_of(session: Session, rule: RuleFields, user_id: int) -> dict[str, str]:
    """The faults between members of a rule, by member; raises ConditionsFault."""
    faults: dict[str, str] = {}
    node = _node_of(rule)
    if node is not None and _is_event(node):
        if rule.for_s:
            faults["for_s"] = sentence("alerts.no_duration", "must be 0: {names} are events", names=momentary())
        if rule.count is not None:
            faults["count"] = sentence(
                "alerts.not_with_events", "cannot be used with {names}, which are events", names=momentary()
            )
    if node is not None and rule.count is not None and any(test.field.kind is Kind.STATE for test in tests_of(node)):
        faults["count"] = sentence(
            "alerts.not_with_state", "cannot be used with a state of the installation, which is not about aircraft"
        )
    if rule.starts_at is not None and rule.expires_at is not None and rule.expires_at <= rule.starts_at:
        faults["expires_at"] = sentence("alerts.ends_before_start", "must be after starts_at")
    for table, kind, noun in (
        (Geofence, Kind.GEOFENCE, sentence("thing.geofence", "geofence")),
        (Watchlist, Kind.WATCHLIST, sentence("thing.watch_list", "watch list")),
    ):
        ids = references(node, kind) if node is not None else frozenset()
        unknown = _unknown(session, table, ids, user_id)
        if unknown:
            faults["conditions"] = sentence(
                "alerts.no_such", "there is no {noun} {names}", noun=noun, names=", ".join(map(str, unknown))
            )
    foreign = foreign_channels(session, user_id, rule.channels)
    if foreign:
        faults["channels"] = sentence(
            "alerts.not_your_channels", "there is no channel {names} of yours", names=", ".join(map(str, foreign))
        )
    return faults


def check_rights(rule: RuleFields, visibility: Visibility) -> None:
    """Raise Problem (403) if a rule needs a permission that its author does not have; raises ConditionsFault."""
    if rule.mqtt and Permission.ALERTS_MANAGE_ALL not in visibility.permissions:
        raise Problem(
            "permission_denied",
            sentence("alerts.mqtt_needs_manage", "Publishing a rule by MQTT needs alerts.manage_all."),
        )
    node = _node_of(rule)
    for field in (test.field for test in (tests_of(node) if node is not None else ())):
        if field.permission and field.permission not in visibility.permissions:
            raise Problem(
                "permission_denied",
                sentence(
                    "alerts.field_needs_permission",
                    "A rule on {name} needs {permission}.",
                    name=field.name,
                    permission=field.permission,
                ),
            )


def _node_of(rule: RuleFields) -> Node | None:
    """The tree of conditions; None for those of a rule that is off and that an older version accepted."""
    try:
        return rule.conditions.tree
    except ConditionsFault:
        if rule.enabled:
            raise
        return None


def _is_event(node: Node) -> bool:
    return any(test.is_event for test in tests_of(node))


def _unknown(session: Session, table: Any, ids: frozenset[int], user_id: int) -> list[int]:
    if not ids:
        return []
    existing = set(session.scalars(sa.select(table.id).where(table.id.in_(ids), table.user_id == user_id)))
    return sorted(ids - existing)

"""The record of a rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skywatch.alerts.access import sees_all
from skywatch.alerts.models import AlertRule
from skywatch.alerts.tracking.faults import RuleFault
from skywatch.security.visibility import Visibility

PLAIN = (
    "id", "name", "description", "enabled", "priority", "conditions", "for_s", "cooldown_s", "count", "starts_at",
    "expires_at", "quiet_hours", "visibility", "message", "mqtt", "created_at", "updated_at",
)  # fmt: skip


def record_of(
    rule: AlertRule,
    visibility: Visibility,
    username: str,
    following: Sequence[int] | None,
    fault: RuleFault | None = None,
) -> dict[str, Any]:
    """The record of a rule; channels are the caller's, or the owner's for holders of ``alerts.manage_all``."""
    is_own = rule.user_id == visibility.user_id
    channels = rule.channels if is_own or sees_all(visibility) else following or []
    return {
        **{name: getattr(rule, name) for name in PLAIN},
        "user": rule.user_id,
        "username": username,
        "channels": list(channels),
        "is_own": is_own,
        "is_subscribed": following is not None,
        # A fault of an earlier revision may be mended.
        "fault": fault.detail if fault is not None and fault.revision == rule.revision and rule.enabled else None,
    }


def exported(rule: AlertRule) -> Mapping[str, Any]:
    """A rule for an export: without ids, owner and channels."""
    omitted = ("id", "mqtt", "created_at", "updated_at")
    return {name: getattr(rule, name) for name in PLAIN if name not in omitted}

"""A rule as one caller may see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skywatch.alerts.access import sees_all
from skywatch.alerts.models import AlertRule
from skywatch.alerts.rules.schemas import RuleRecord
from skywatch.alerts.tracking.faults import RuleFault
from skywatch.http.resources.answer import answer
from skywatch.security.visibility import Visibility


def rule_answer(
    rule: AlertRule,
    visibility: Visibility,
    username: str,
    following: Sequence[int] | None,
    fault: RuleFault | None = None,
) -> dict[str, Any]:
    """A rule as the API answers it; channels are the caller's, or the owner's for holders of ``alerts.manage_all``."""
    is_own = rule.user_id == visibility.user_id
    channels = rule.channels if is_own or sees_all(visibility) else following or []
    return answer(
        RuleRecord,
        rule,
        user=rule.user_id,
        username=username,
        channels=list(channels),
        is_own=is_own,
        is_subscribed=following is not None,
        # A fault of an earlier revision may be mended.
        fault=fault.detail if fault is not None and fault.revision == rule.revision and rule.enabled else None,
    )

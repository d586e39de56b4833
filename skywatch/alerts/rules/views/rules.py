"""The REST resources of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skywatch.alerts.access import sees_all
from skywatch.alerts.area import AlertService, alert_resource
from skywatch.alerts.conditions.states import check_state
from skywatch.alerts.models import AlertRule
from skywatch.alerts.rules import service
from skywatch.alerts.rules.faults import RuleFault, last_faults
from skywatch.alerts.rules.schemas import (
    FollowingRecord,
    NewRule,
    RuleChange,
    RuleChangeFields,
    RuleFields,
    RuleList,
    RuleQuery,
    RuleRecord,
    RuleSubscription,
    RuleSubscriptionFields,
)
from skywatch.http.clients.audit import actor_of
from skywatch.http.lists.pagination import page
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import UNSET, body_of
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.service import NUMBER, Resource, view
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility

VIEW, CREATE = Permission.ALERTS_VIEW, Permission.ALERTS_CREATE
EDIT, DELETE = Permission.ALERTS_EDIT, Permission.ALERTS_DELETE

subscription = AlertService("alerts.rule_subscribe", f"/alerts/rules/{{id:{NUMBER}}}/subscribe")


@alert_resource("rule", "/alerts/rules")
class Rules(Resource):
    """Alert rules of users."""

    @view(permission=VIEW, query=RuleQuery(), responses={200: RuleList()})
    def collection_get(self) -> dict[str, Any]:
        """List the caller's rules and those that others share

        Holders of `alerts.manage_all` see everybody's. A page ends before its limit where conditions are large.
        """
        rows, count = service.page(self.request.db, self.request.visibility, self.request.validated["querystring"])
        return page(self.request, "rules", _answers(self.request, rows), count, len(rows))

    @view(permission=CREATE, body=NewRule(), responses={201: RuleRecord()}, errors=(409,), creates=True)
    def collection_post(self) -> dict[str, Any]:
        """Create a rule

        It is tested from the next tick on, and alerts for all aircraft that match then.
        """
        fields = body_of(self.request, RuleFields)
        check_state(self.request.runtime, self.request.db, self.request.visibility, fields.conditions)
        row = service.create(self.request.db, self.request.visibility, actor_of(self.request), fields)
        return _answer(self.request, row)

    @view(permission=VIEW, path=RowId(), responses={200: RuleRecord()}, errors=(404,))
    def get(self) -> dict[str, Any]:
        """Show a rule"""
        return _answer(self.request, service.get(self.request.db, self.request.visibility, self.id))

    @view(permission=EDIT, path=RowId(), body=RuleChange(), responses={200: RuleRecord()}, errors=(404, 409))
    def patch(self) -> dict[str, Any]:
        """Change a rule

        Changed conditions restart it: their first matches count as announced. A change of anything else announces
        nothing. The change is in force within 2 s.
        """
        fields = body_of(self.request, RuleChangeFields)
        if fields.conditions is not UNSET:
            check_state(self.request.runtime, self.request.db, self.request.visibility, fields.conditions)
        row = service.change(self.request.db, self.request.visibility, actor_of(self.request), self.id, fields)
        return _answer(self.request, row)

    @view(permission=DELETE, path=RowId(), responses={204: None}, errors=(404,))
    def delete(self) -> None:
        """Delete a rule; its alerts stay"""
        service.delete(self.request.db, self.request.visibility, actor_of(self.request), self.id)
        self.request.response.status_code = 204


@subscription.post(
    permission=CREATE, path=RowId(), body=RuleSubscription(), responses={200: FollowingRecord()}, errors=(404, 409)
)
def subscribe_to_rule(request: Request) -> dict[str, Any]:
    """Follow a shared rule with channels of one's own

    The caller gets alerts of their own, by their own rights. Repeating it changes the channels.
    """
    channels = body_of(request, RuleSubscriptionFields).channels
    following = service.follow(request.db, request.visibility, row_id(request), channels)
    return answer(FollowingRecord, following, rule=following.rule_id)


@subscription.delete(permission=CREATE, path=RowId(), responses={204: None}, errors=(404,))
def unsubscribe_from_rule(request: Request) -> None:
    """Stop following a rule"""
    service.unfollow(request.db, request.visibility, row_id(request))
    request.response.status_code = 204


def _answer(request: Request, row: AlertRule) -> dict[str, Any]:
    return _answers(request, [row])[0]


def _answers(request: Request, rows: Sequence[AlertRule]) -> list[dict[str, Any]]:
    """Rules as the caller may see them."""
    session, visibility = request.db, request.visibility
    names, followed = service.usernames(session, rows), service.followed_channels(session, visibility, rows)
    faults = last_faults(request.runtime.bus)
    return [
        rule_answer(row, visibility, names.get(row.user_id, ""), followed.get(row.id), faults.get(row.id))
        for row in rows
    ]


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
    # A fault of an earlier revision may be mended.
    present = None if fault is None or fault.revision != rule.revision or not rule.enabled else fault
    return answer(
        RuleRecord,
        rule,
        user=rule.user_id,
        username=username,
        channels=list(channels),
        is_own=is_own,
        is_subscribed=following is not None,
        fault=present.detail if present is not None else None,
        fault_code=present.detail_code if present is not None else None,
        fault_params=present.detail_params if present is not None else None,
    )

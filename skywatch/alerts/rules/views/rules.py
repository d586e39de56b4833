"""The REST resources of rules."""

from __future__ import annotations

from typing import Any

from skywatch.alerts.models import AlertRule
from skywatch.alerts.rules.schemas import (
    FollowingRecord,
    NewRule,
    RuleChange,
    RuleList,
    RuleQuery,
    RuleRecord,
    RuleSubscription,
)
from skywatch.alerts.rules.service import RuleService
from skywatch.alerts.rules.shape import record_of
from skywatch.alerts.tracking.faults import last_faults
from skywatch.http.clients.actor import actor_of
from skywatch.http.lists.paging import page
from skywatch.http.requests.request import Request
from skywatch.http.resources.ids import RowId
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.security.permissions import Permission

VIEW, CREATE = Permission.ALERTS_VIEW, Permission.ALERTS_CREATE
EDIT, DELETE = Permission.ALERTS_EDIT, Permission.ALERTS_DELETE

rules = ApiService("alerts.rules", "/alerts/rules", feature="alerts", canonical="/api/v1/alerts/rules/")
rule = ApiService(
    "alerts.rule",
    f"/alerts/rules/{{id:{NUMBER}}}",
    feature="alerts",
    canonical=f"/api/v1/alerts/rules/{{id:{NUMBER}}}/",
)
subscription = ApiService(
    "alerts.rule_subscribe",
    f"/alerts/rules/{{id:{NUMBER}}}/subscribe",
    feature="alerts",
    canonical=f"/api/v1/alerts/rules/{{id:{NUMBER}}}/subscribe/",
)


def service(request: Request) -> RuleService:
    """The service for the caller of this request."""
    return RuleService(request.db, request.visibility, actor_of(request))


def record(request: Request, rule_row: AlertRule) -> dict[str, Any]:
    """One rule as the caller may see it."""
    return records(request, [rule_row])[0]


def records(request: Request, rule_rows: list[AlertRule]) -> list[dict[str, Any]]:
    """Rules as the caller may see them."""
    rule_service = service(request)
    names, followed = rule_service.usernames(rule_rows), rule_service.followed(rule_rows)
    faults = last_faults(request.runtime.bus)
    return [
        record_of(rule, request.visibility, names.get(rule.user_id, ""), followed.get(rule.id), faults.get(rule.id))
        for rule in rule_rows
    ]


@rules.get(permission=VIEW, query=RuleQuery(), responses={200: RuleList()})
def list_rules(request: Request) -> dict[str, Any]:
    """List the caller's rules and those that others share

    Holders of `alerts.manage_all` see everybody's. A page ends before its limit where conditions are large.
    """
    rule_rows, count = service(request).page(request.validated["querystring"])
    return page(request, "rules", records(request, list(rule_rows)), count, len(rule_rows))


@rules.post(permission=CREATE, body=NewRule(), responses={201: RuleRecord()}, errors=(409,), creates=rule)
def create_rule(request: Request) -> dict[str, Any]:
    """Create a rule

    It is tested from the next tick on, and alerts for all aircraft that match then.
    """
    return record(request, service(request).create(request.validated["body"]))


@rule.get(permission=VIEW, path=RowId(), responses={200: RuleRecord()}, errors=(404,))
def get_rule(request: Request) -> dict[str, Any]:
    """Show a rule"""
    return record(request, service(request).get(request.validated["path"]["id"]))


@rule.patch(permission=EDIT, path=RowId(), body=RuleChange(), responses={200: RuleRecord()}, errors=(404, 409))
def update_rule(request: Request) -> dict[str, Any]:
    """Change a rule

    Changed conditions restart it: their first matches count as announced. A change of anything else announces
    nothing. The change is in force within 2 s.
    """
    changed = service(request).change(request.validated["path"]["id"], request.validated["body"])
    return record(request, changed)


@rule.delete(permission=DELETE, path=RowId(), responses={204: None}, errors=(404,))
def delete_rule(request: Request) -> None:
    """Delete a rule; its alerts stay"""
    service(request).delete(request.validated["path"]["id"])
    request.response.status_code = 204


@subscription.post(
    permission=CREATE, path=RowId(), body=RuleSubscription(), responses={200: FollowingRecord()}, errors=(404, 409)
)
def subscribe_to_rule(request: Request) -> dict[str, Any]:
    """Follow a shared rule with channels of one's own

    The caller gets alerts of their own, by their own rights. Repeating it changes the channels.
    """
    following = service(request).follow(request.validated["path"]["id"], request.validated["body"]["channels"])
    return {"rule": following.rule_id, "channels": following.channels, "created_at": following.created_at}


@subscription.delete(permission=CREATE, path=RowId(), responses={204: None}, errors=(404,))
def unsubscribe_from_rule(request: Request) -> None:
    """Stop following a rule"""
    service(request).unfollow(request.validated["path"]["id"])
    request.response.status_code = 204

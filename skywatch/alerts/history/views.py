"""The REST resources of announced alerts."""

from __future__ import annotations

from typing import Any

from skywatch.alerts.area import AlertService
from skywatch.alerts.history import service
from skywatch.alerts.history.answers import alert_answer
from skywatch.alerts.history.schemas import (
    AlertHistoryList,
    AlertHistoryQuery,
    AlertHistoryRecord,
    AlertsAcknowledged,
    AlertStats,
    StatsQuery,
)
from skywatch.alerts.models import Alert
from skywatch.core.problems import Problem
from skywatch.http.limits.slow_work import statistics_limiter
from skywatch.http.lists.cursor import cursor_page
from skywatch.http.requests.request import Request
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.schema import OpenSchema
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

VIEW = Permission.ALERTS_VIEW

history = AlertService("alerts.history", "/alerts/history")
acknowledge_all = AlertService("alerts.acknowledge_all", "/alerts/history/acknowledge-all")
single_alert = AlertService("alerts.history_one", f"/alerts/history/{{id:{NUMBER}}}")
acknowledge = AlertService("alerts.acknowledge", f"/alerts/history/{{id:{NUMBER}}}/acknowledge")
stats = AlertService("alerts.stats", "/alerts/stats")


@history.get(permission=VIEW, query=AlertHistoryQuery(), responses={200: AlertHistoryList()})
def list_alerts(request: Request) -> dict[str, Any]:
    """List the caller's alerts, the newest first

    Holders of `alerts.manage_all` see everybody's. Alerts about military aircraft need `aircraft.view_military`.
    """
    alerts, count, more = service.page(request.db, request.visibility, request.validated["querystring"])
    states = service.deliveries(request.db, alerts)
    last = (alerts[-1].triggered_at, alerts[-1].id) if more and alerts else None
    return cursor_page(request, "alerts", [_answer(request, alert, states) for alert in alerts], count, last)


@single_alert.get(permission=VIEW, path=RowId(), responses={200: AlertHistoryRecord()}, errors=(404,))
def get_alert(request: Request) -> dict[str, Any]:
    """Show an alert"""
    alert = service.get(request.db, request.visibility, row_id(request))
    return _answer(request, alert, service.deliveries(request.db, [alert]))


@acknowledge.post(
    permission=VIEW, path=RowId(), body=OpenSchema(), responses={200: AlertHistoryRecord()}, errors=(404,)
)
def acknowledge_alert(request: Request) -> dict[str, Any]:
    """Acknowledge an alert; the first time is kept"""
    alert = service.acknowledge(request.db, request.visibility, row_id(request), _username(request))
    return _answer(request, alert, service.deliveries(request.db, [alert]))


@acknowledge_all.post(permission=VIEW, body=OpenSchema(), responses={200: AlertsAcknowledged()})
def acknowledge_all_alerts(request: Request) -> dict[str, Any]:
    """Acknowledge all of the caller's own alerts

    The newest 10,000 with one request; repeat it while `acknowledged` is 10,000. The newest 300 get an event each.
    """
    return {"acknowledged": service.acknowledge_all(request.db, request.visibility, _username(request))}


@stats.get(permission=VIEW, query=StatsQuery(), responses={200: AlertStats()})
def get_alert_stats(request: Request) -> dict[str, Any]:
    """Count the caller's alerts"""
    with request.runtime.shared(statistics_limiter).turn(request.person):
        return service.stats(request.db, request.visibility, request.validated["querystring"]["days"])


def _answer(request: Request, alert: Alert, states: dict[int, list[Any]]) -> dict[str, Any]:
    return alert_answer(alert, states.get(alert.id, []), request.visibility.permissions)


def _username(request: Request) -> str:
    if request.identity is None:
        raise Problem(
            "authentication_required", sentence("alerts.login_to_acknowledge", "Log in to acknowledge alerts.")
        )
    return str(request.identity.username)

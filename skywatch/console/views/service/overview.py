"""The first page: what is not well, what the service hears, who is signed in, and how long the room will do."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from skywatch.accounts.models import User
from skywatch.backup.schedule.state import read_state
from skywatch.console.overview.disk_space import outlook_of
from skywatch.console.overview.parts import (
    Concern,
    PartNames,
    describe_parts,
    find_concerns,
    find_old_backup,
    find_silent,
)
from skywatch.console.overview.signed_in import find_people
from skywatch.console.overview.sparkline import HEIGHT, WIDTH, lines_of
from skywatch.console.page import Page
from skywatch.console.pages.layout import layout_of
from skywatch.console.routes import HOME
from skywatch.console.texts.language import catalogue_of
from skywatch.core.clock import utcnow
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.reception.series import last_reception
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.sentences import reworded, sentence_of
from skywatch.system import status
from skywatch.system.extents import last_extents
from skywatch.system.health.checks import Check

PAGES = (Page(route="console.overview", path="", title="Overview"),)
# The script of the pages asks for this page again after so many seconds.
REFRESH_S = 15


@view_config(
    route_name="console.overview",
    request_method="GET",
    permission=ViewPermission.IDENTIFIED,
    renderer="overview.jinja2",
)
def show_overview(request: Request) -> dict[str, Any]:
    """What needs attention, receivers over a day, people who are signed in, and room on disk"""
    may_read = Permission.SYSTEM_VIEW_STATUS in request.visibility.permissions
    may_find = any(page.path == "/users" for page in layout_of(request).pages)
    return {
        "now": utcnow(),
        "refresh_s": REFRESH_S,
        "status": _status(request) if may_read else None,
        "people": find_people(request.db) if may_find else None,
        "information": status.information(request.runtime, request.visibility),
        "spark": {"width": WIDTH, "height": HEIGHT},
    }


def _status(request: Request) -> dict[str, Any]:
    runtime, catalogue = request.runtime, catalogue_of(request)
    names = PartNames(catalogue, runtime.features)
    document = status.status_answer(runtime, request.visibility)
    checks = [
        Check(check["name"], check["ok"], check["required"], reworded(check["detail"], **sentence_of(check, "detail")))
        for check in document["checks"]
    ]
    parts, receivers = describe_parts(names, checks), _receivers(request)
    concerns = find_concerns(names, checks)
    concerns += find_silent(catalogue, receivers, document["now"], document["uptime_s"] or 0.0)
    if Permission.SYSTEM_MANAGE in request.visibility.permissions and not any(c.page == "/backups" for c in concerns):
        since = request.db.scalar(sa.select(sa.func.min(User.created_at)))
        concerns += find_old_backup(catalogue, read_state(request.db).made_at, since, document["now"])
    return {
        **document,
        "concerns": _with_pages(request, concerns),
        "parts": parts,
        "working": sum(part.state == "ok" for part in parts),
        "receivers_now": receivers,
        "inputs": status.feature_inputs(runtime, request.visibility),
        "room": _room(request, document["database"]),
    }


def _with_pages(request: Request, concerns: list[Concern]) -> list[dict[str, Any]]:
    """What is not well, with the page that helps where the visitor may open it."""
    pages = {page.path: page for page in layout_of(request).pages}
    return [
        {
            "concern": concern,
            "address": HOME + concern.page if concern.page in pages else None,
            "page": pages[concern.page].title if concern.page in pages else "",
        }
        for concern in concerns
    ]


def _receivers(request: Request) -> list[dict[str, Any]]:
    reception = last_reception(request.runtime.bus)
    military = Permission.AIRCRAFT_VIEW_MILITARY in request.visibility.permissions
    return [
        {
            **receiver,
            "lines": lines_of(reception, receiver["name"], military),
            "observed_s": 0.0 if reception is None else reception.observed_s(receiver["name"]),
        }
        for receiver in status.receivers(request.runtime, request.visibility)
    ]


def _room(request: Request, database: dict[str, Any]) -> dict[str, Any]:
    """Size, free room, and when it is full where that is known."""
    runtime = request.runtime
    used, free, extents = database["bytes"], database["disk_free_bytes"], last_extents(runtime.bus)
    outlook, full_at = None, None
    if used is not None and free is not None and extents is not None:
        kinds = runtime.features.retention_kinds()
        outlook = outlook_of(kinds, extents.kinds, runtime.current, used, free, extents.at)
    if outlook is not None and not outlook.is_endless:
        full_at = _day(extents.at if extents is not None else utcnow(), outlook.days)
    return {"used": used, "free": free, "outlook": outlook, "full_at": full_at}


def _day(begin: datetime, days: float) -> str:
    """The day that many days later, as it is written everywhere (ISO 8601)."""
    return (begin + timedelta(days=days)).date().isoformat()

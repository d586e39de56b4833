"""The audit log: who did what, when and from where; as pages and as a file."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import colander
from pyramid.response import Response

from skywatch.accounts.audit_log.exports import csv_of, lines_of
from skywatch.accounts.audit_log.schemas import AuditQuery
from skywatch.accounts.audit_log.service import Search, actions
from skywatch.console.forms.form import read_query
from skywatch.console.forms.settings import OWN_PAGES
from skywatch.console.page import Page
from skywatch.console.pages.pagination import MAX_COUNTED, PAGE_SIZE, address
from skywatch.console.routes import HOME
from skywatch.core.database.models import AuditEntry
from skywatch.core.stored_settings import is_storable
from skywatch.http.lists.stream import stream
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.schema import QueryString, node
from skywatch.security.permissions import Permission
from skywatch.settings import names_of

PAGES = (
    Page(
        route="console.audit",
        path="/audit",
        feature="system",
        title="Audit",
        group="Service",
        permission=Permission.SYSTEM_MANAGE,
    ),
    Page(route="console.audit.export", path="/audit/export", feature="system"),
)
FILTERS = ("action", "actor", "address", "target_type", "target_id", "from", "to")
# Format -> media type, name and what writes it.
FORMATS = {
    "csv": ("text/csv", "skywatch-audit.csv", csv_of),
    "jsonl": ("application/x-ndjson", "skywatch-audit.jsonl", lines_of),
}


class ExportQuery(AuditQuery):
    format = node(QueryString(), validator=colander.OneOf(sorted(FORMATS)), missing="csv")


@view_config(
    route_name="console.audit", request_method="GET", permission=Permission.SYSTEM_MANAGE, renderer="audit.jinja2"
)
def show_audit(request: Request) -> dict[str, Any]:
    """Who did what, when and from where, the newest first"""
    query = read_query(request, AuditQuery())
    search, cursor = Search(request.db, query), query.get("cursor")
    rows = search.page(PAGE_SIZE + 1, cursor)
    shown, has_more = rows[:PAGE_SIZE], len(rows) > PAGE_SIZE
    # What fits on the first page is counted already.
    count = len(rows) if cursor is None and not has_more else search.count(MAX_COUNTED + 1)
    given = {name: request.GET.get(name, "").strip() for name in FILTERS}
    parameters = {name: value for name, value in given.items() if value}
    return {
        "entries": shown,
        "undo": {entry.id: way for entry in shown if (way := _way_back(request, entry)) is not None},
        "count": count,
        "most": MAX_COUNTED,
        "query": given,
        "is_filtered": bool(parameters),
        "actions": actions(request.db),
        "newest": address(request) if cursor is not None else None,
        "older": address(request, cursor=shown[-1].id) if has_more else None,
        "exports": [
            (name, f"{HOME}/audit/export?{urlencode({**parameters, 'format': name})}") for name in sorted(FORMATS)
        ],
        "sees_users": Permission.USERS_VIEW in request.visibility.permissions,
    }


def _way_back(request: Request, entry: AuditEntry) -> str | None:
    """The form that opens with what was before a change, where there is one; nothing is changed until it is saved."""
    settings, permissions = request.runtime.settings, request.visibility.permissions
    if entry.action == "safety.settings_changed" and Permission.SAFETY_MANAGE in permissions:
        return f"{HOME}/thresholds?{urlencode({'before': entry.id})}"
    if entry.action != "setting.changed" or entry.target_id not in names_of(type(settings)).single:
        return None
    if entry.target_id in OWN_PAGES:
        return None
    before = entry.before or {}
    if not is_storable(settings, entry.target_id) or "value" not in before:
        return None
    return f"{HOME}/settings/{entry.target_id}?{urlencode({'value': before['value'] or ''})}"


@view_config(route_name="console.audit.export", request_method="GET", permission=Permission.SYSTEM_MANAGE)
def export_audit(request: Request) -> Response:
    """All entries that match as a file: CSV or JSON lines, streamed"""
    query = read_query(request, ExportQuery())
    media_type, name, write = FORMATS[query["format"]]
    return stream(request, lambda session: write(session, query), media_type, name)

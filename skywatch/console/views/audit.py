"""The audit log: who did what, when and from where."""

from __future__ import annotations

from typing import Any

from pyramid.view import view_config

from skywatch.accounts.audit_log import service as log
from skywatch.accounts.audit_log.schemas import AuditQuery
from skywatch.console.forms import read_query
from skywatch.console.page import Page
from skywatch.console.paging import PAGE_SIZE, address
from skywatch.http.request import Request
from skywatch.security.permissions import Permission

FILTERS = ("action", "actor", "address", "target_type", "target_id", "from", "to")

PAGES = (
    Page(
        route="console.audit",
        path="/audit",
        feature="system",
        title="Audit",
        group="Accounts",
        permission=Permission.SYSTEM_MANAGE,
    ),
)


@view_config(
    route_name="console.audit", request_method="GET", permission=Permission.SYSTEM_MANAGE, renderer="audit.jinja2"
)
def show_audit(request: Request) -> dict[str, Any]:
    """Who did what, when and from where, the newest first"""
    query = read_query(request, AuditQuery())
    entries, count = log.find_entries(
        request.db, query, limit=PAGE_SIZE, offset=query["offset"], before_id=query.get("cursor")
    )
    return {
        "entries": entries,
        "count": count,
        "query": {name: request.GET.get(name, "").strip() for name in FILTERS},
        "newest": address(request) if "cursor" in query else None,
        "older": address(request, cursor=entries[-1].id) if len(entries) == PAGE_SIZE else None,
        "sees_users": Permission.USERS_VIEW in request.may.permissions,
    }

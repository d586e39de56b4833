"""``system/audit``: who did what."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from skywatch.accounts.audit_log import schemas, service
from skywatch.http.lists.pagination import page
from skywatch.http.requests.links import link_base
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import Permission

audit_service = ApiService("system.audit", "/system/audit", feature="system")


@audit_service.get(
    permission=Permission.SYSTEM_MANAGE, query=schemas.AuditQuery(), responses={200: schemas.AuditList()}
)
def list_audit_entries(request: Request) -> dict[str, Any]:
    """Who did what, when and from where, the newest first"""
    query = request.validated["querystring"]
    limit, offset, cursor = query["limit"], query["offset"], query.get("cursor")
    more, count = service.find_entries(request.db, query, limit=limit + 1, offset=offset, before_id=cursor)
    entries = more[:limit]
    shown = page(request, "entries", [answer(schemas.AuditRecord, entry) for entry in entries], count)
    if cursor is not None or offset == 0:
        # Entries are added while somebody reads: from the first page on, `next` goes by the last entry seen.
        shown["previous"] = None
        shown["next"] = _after(request, entries[-1].id) if len(more) > limit else None
    return shown


def _after(request: Request, entry_id: int) -> str:
    others = [(name, value) for name, value in request.GET.items() if name not in ("cursor", "offset")]
    return f"{link_base(request)}{request.current_service.canonical}?{urlencode([*others, ('cursor', entry_id)])}"

"""``feature-access`` and ``system/audit``: what the installation lets whom do, and who did what."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from pyramid.request import Request

from skywatch.accounts import schemas
from skywatch.accounts.caller import noting_refusals
from skywatch.accounts.services import access, log
from skywatch.accounts.views import shape
from skywatch.core.audit import Target
from skywatch.http.paging import PageQuery, link_base, page, page_of
from skywatch.http.service import ApiService
from skywatch.security.permissions import Permission

# Of no feature: a feature that is switched off, be it ``system``, must not lock away the switch.
settings_service = ApiService("feature_access", "/feature-access", feature=None)
setting_service = ApiService("feature_access.one", "/feature-access/{feature}", feature=None)
audit_service = ApiService("system.audit", "/system/audit", feature="system")


@settings_service.get(permission=Permission.SYSTEM_MANAGE, query=PageQuery(), responses={200: schemas.AccessList()})
def get_settings(request: Request) -> dict[str, Any]:
    """The access settings of all features"""
    found = [shape.access(entry) for entry in access.find_access(request.db)]
    return page_of(request, "feature_access", found)


@setting_service.get(permission=Permission.SYSTEM_MANAGE, responses={200: schemas.AccessEntry()})
def get_setting(request: Request) -> dict[str, Any]:
    """The access setting of one feature"""
    return shape.access(access.get_access(request.db, request.matchdict["feature"]))


@setting_service.patch(
    permission=Permission.SYSTEM_MANAGE, body=schemas.AccessChange(), responses={200: schemas.AccessEntry()}
)
def patch_setting(request: Request) -> dict[str, Any]:
    """Change parts of the access setting of one feature; it holds at once"""
    return _change(request)


@setting_service.put(
    permission=Permission.SYSTEM_MANAGE, body=schemas.AccessReplacement(), responses={200: schemas.AccessEntry()}
)
def put_setting(request: Request) -> dict[str, Any]:
    """Set the whole access setting of one feature; it holds at once"""
    return _change(request)


@audit_service.get(
    permission=Permission.SYSTEM_MANAGE, query=schemas.AuditQuery(), responses={200: schemas.AuditList()}
)
def get_audit(request: Request) -> dict[str, Any]:
    """Who did what, when and from where, the newest first"""
    query = request.validated["querystring"]
    limit, offset, cursor = query["limit"], query["offset"], query.get("cursor")
    more, count = log.find_entries(request.db, query, limit=limit + 1, offset=offset, before_id=cursor)
    found = more[:limit]
    answer = page(request, "entries", [shape.audit_entry(entry) for entry in found], count)
    if cursor is not None or offset == 0:
        # Entries are added while somebody reads: from the first page on, `next` goes by the last entry seen.
        answer["previous"] = None
        answer["next"] = _after(request, found[-1].id) if len(more) > limit else None
    return answer


def _change(request: Request) -> dict[str, Any]:
    feature = request.matchdict["feature"]
    with noting_refusals(request, "feature_access.changed", Target("feature_access", feature)) as caller:
        return shape.access(access.change_access(request.db, caller, feature, request.validated["body"]))


def _after(request: Request, entry_id: int) -> str:
    others = [(name, value) for name, value in request.GET.items() if name not in ("cursor", "offset")]
    return f"{link_base(request)}{request.current_service.canonical}?{urlencode([*others, ('cursor', entry_id)])}"

"""``auth/permissions`` and ``auth/my-permissions``."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.permissions import schemas
from skywatch.http.lists.paging import PageQuery, page_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.service import ApiService
from skywatch.security.contexts import IDENTIFIED, OPEN
from skywatch.security.permissions import Permission

permissions_service = ApiService("auth.permissions", "/auth/permissions", feature=None)
own_permissions_service = ApiService("auth.my_permissions", "/auth/my-permissions", feature=None)


@permissions_service.get(permission=OPEN, query=PageQuery(), responses={200: schemas.PermissionList()})
def list_permissions(request: Request) -> dict[str, Any]:
    """All permissions and what they allow"""
    return page_of(request, "permissions", [_answer(permission) for permission in sorted(Permission)])


@own_permissions_service.get(permission=IDENTIFIED, responses={200: schemas.OwnPermissions()})
def get_own_permissions(request: Request) -> dict[str, Any]:
    """What the caller may do; for an API key, within its scopes"""
    return {"permissions": sorted(request.caller.permissions), "roles": sorted(request.caller.roles)}


def _answer(permission: Permission) -> dict[str, Any]:
    return answer(schemas.PermissionEntry, permission, name=str(permission), description=permission.meaning)

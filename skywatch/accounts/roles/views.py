"""``roles``, ``auth/permissions`` and ``auth/my-permissions``."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.identity.caller import noting_refusals
from skywatch.accounts.models import Role
from skywatch.accounts.roles import schemas, service
from skywatch.core.storage.audit import Target
from skywatch.http.lists.pagination import PageQuery, page, page_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.security.permissions import Permission, ViewPermission

roles_service = ApiService("roles", "/roles", feature="roles")
role_service = ApiService("roles.one", f"/roles/{{id:{NUMBER}}}", feature="roles")
permissions_service = ApiService("auth.permissions", "/auth/permissions", feature=None)
own_permissions_service = ApiService("auth.my_permissions", "/auth/my-permissions", feature=None)


@roles_service.get(permission=Permission.ROLES_VIEW, query=PageQuery(), responses={200: schemas.RoleList()})
def list_roles(request: Request) -> dict[str, Any]:
    """All roles, the most privileged first"""
    query = request.validated["querystring"]
    roles, count = service.find_roles(request.db, limit=query["limit"], offset=query["offset"])
    counts = service.holders(request.db, [role.id for role in roles])
    return page(
        request, "roles", [answer(schemas.RoleEntry, role, user_count=counts[role.id]) for role in roles], count
    )


@roles_service.post(
    permission=Permission.ROLES_CREATE,
    body=schemas.RoleCreate(),
    responses={201: schemas.RoleEntry()},
    errors=(409,),
    creates=role_service,
)
def create_role(request: Request) -> dict[str, Any]:
    """Create a role within the caller's own permissions"""
    body = body_of(request, schemas.RoleCreateFields)
    with noting_refusals(request, "role.created", Target("role", None, body.name)) as caller:
        return _answer(request, service.create_role(request.db, caller, body))


@role_service.get(permission=Permission.ROLES_VIEW, responses={200: schemas.RoleEntry()})
def get_role(request: Request) -> dict[str, Any]:
    """One role"""
    return _answer(request, service.get_role(request.db, _id(request)))


@role_service.patch(
    permission=Permission.ROLES_EDIT, body=schemas.RoleChange(), responses={200: schemas.RoleEntry()}, errors=(409,)
)
def update_role(request: Request) -> dict[str, Any]:
    """Change a role; before and after it must be within the caller's own permissions"""
    with noting_refusals(request, "role.changed", Target("role", _id(request))) as caller:
        fields = body_of(request, schemas.RoleChangeFields)
        return _answer(request, service.update_role(request.db, caller, _id(request), fields))


@role_service.delete(
    permission=Permission.ROLES_DELETE, query=schemas.RoleDeletion(), responses={204: None}, errors=(409,)
)
def delete_role(request: Request) -> None:
    """Delete a role of the installation's own"""
    force = request.validated["querystring"]["force"]
    with noting_refusals(request, "role.deleted", Target("role", _id(request))) as caller:
        service.delete_role(request.db, caller, _id(request), force=force)
    request.response.status_code = 204


@permissions_service.get(permission=ViewPermission.OPEN, query=PageQuery(), responses={200: schemas.PermissionList()})
def list_permissions(request: Request) -> dict[str, Any]:
    """All permissions and what they allow"""
    return page_of(request, "permissions", [_permission_answer(permission) for permission in sorted(Permission)])


@own_permissions_service.get(permission=ViewPermission.IDENTIFIED, responses={200: schemas.OwnPermissions()})
def get_own_permissions(request: Request) -> dict[str, Any]:
    """What the caller may do; for an API key, within its scopes"""
    return {"permissions": sorted(request.caller.permissions), "roles": sorted(request.caller.roles)}


def _permission_answer(permission: Permission) -> dict[str, Any]:
    return answer(schemas.PermissionEntry, permission, name=str(permission), description=permission.meaning)


def _answer(request: Request, role: Role) -> dict[str, Any]:
    return answer(schemas.RoleEntry, role, user_count=service.holders(request.db, [role.id])[role.id])


def _id(request: Request) -> int:
    return int(request.matchdict["id"])

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
from skywatch.http.resources.service import ApiService, Resource, api_resource, view
from skywatch.security.permissions import Permission, ViewPermission

permissions_service = ApiService("auth.permissions", "/auth/permissions", feature=None)
own_permissions_service = ApiService("auth.my_permissions", "/auth/my-permissions", feature=None)


@api_resource("role", "/roles", feature="roles")
class Roles(Resource):
    """Roles: the built-in ones and those of the installation."""

    @view(permission=Permission.ROLES_VIEW, query=PageQuery(), responses={200: schemas.RoleList()})
    def collection_get(self) -> dict[str, Any]:
        """All roles, the most privileged first"""
        query = self.request.validated["querystring"]
        roles, count = service.find_roles(self.request.db, limit=query["limit"], offset=query["offset"])
        counts = service.holders(self.request.db, [role.id for role in roles])
        entries = [answer(schemas.RoleEntry, role, user_count=counts[role.id]) for role in roles]
        return page(self.request, "roles", entries, count)

    @view(
        permission=Permission.ROLES_CREATE,
        body=schemas.RoleCreate(),
        responses={201: schemas.RoleEntry()},
        errors=(409,),
        creates=True,
    )
    def collection_post(self) -> dict[str, Any]:
        """Create a role within the caller's own permissions"""
        body = body_of(self.request, schemas.RoleCreateFields)
        with noting_refusals(self.request, "role.created", Target("role", None, body.name)) as caller:
            return _answer(self.request, service.create_role(self.request.db, caller, body))

    @view(permission=Permission.ROLES_VIEW, responses={200: schemas.RoleEntry()})
    def get(self) -> dict[str, Any]:
        """One role"""
        return _answer(self.request, service.get_role(self.request.db, self.id))

    @view(
        permission=Permission.ROLES_EDIT, body=schemas.RoleChange(), responses={200: schemas.RoleEntry()}, errors=(409,)
    )
    def patch(self) -> dict[str, Any]:
        """Change a role; before and after it must be within the caller's own permissions"""
        with noting_refusals(self.request, "role.changed", Target("role", self.id)) as caller:
            fields = body_of(self.request, schemas.RoleChangeFields)
            return _answer(self.request, service.update_role(self.request.db, caller, self.id, fields))

    @view(permission=Permission.ROLES_DELETE, query=schemas.RoleDeletion(), responses={204: None}, errors=(409,))
    def delete(self) -> None:
        """Delete a role of the installation's own"""
        force = self.request.validated["querystring"]["force"]
        with noting_refusals(self.request, "role.deleted", Target("role", self.id)) as caller:
            service.delete_role(self.request.db, caller, self.id, force=force)
        self.request.response.status_code = 204


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

"""``user-roles``."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.assignments import schemas, service
from skywatch.accounts.identity.caller import noting_refusals
from skywatch.accounts.models import UserRole
from skywatch.core.storage.audit import Target
from skywatch.http.lists.pagination import page
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.service import Resource, api_resource, view
from skywatch.security.permissions import Permission


@api_resource("user_role", "/user-roles", feature="users")
class Assignments(Resource):
    """Role assignments: which user has which role, and until when."""

    @view(permission=Permission.USERS_VIEW, query=schemas.AssignmentQuery(), responses={200: schemas.AssignmentList()})
    def collection_get(self) -> dict[str, Any]:
        """Which user has which role, and until when"""
        query = self.request.validated["querystring"]
        assignments, count = service.find_assignments(
            self.request.db,
            user_id=query.get("user"),
            role_id=query.get("role"),
            limit=query["limit"],
            offset=query["offset"],
        )
        return page(self.request, "user_roles", [_answer(entry) for entry in assignments], count)

    @view(
        permission=Permission.USERS_EDIT,
        body=schemas.AssignmentCreate(),
        responses={201: schemas.AssignmentEntry()},
        errors=(409,),
        creates=True,
    )
    def collection_post(self) -> dict[str, Any]:
        """Assign a role within the caller's own permissions to a user, perhaps for a time"""
        body = body_of(self.request, schemas.AssignmentCreateFields)
        with noting_refusals(self.request, "assignment.created", Target("user", body.user)) as caller:
            created = service.create_assignment(self.request.db, caller, body.user, body.role, body.expires_at)
        return _answer(created)

    @view(permission=Permission.USERS_VIEW, responses={200: schemas.AssignmentEntry()})
    def get(self) -> dict[str, Any]:
        """One role assignment"""
        return _answer(service.get_assignment(self.request.db, self.id))

    @view(
        permission=Permission.USERS_EDIT,
        body=schemas.AssignmentChange(),
        responses={200: schemas.AssignmentEntry()},
        errors=(409,),
    )
    def patch(self) -> dict[str, Any]:
        """Change when a role assignment ends"""
        expires_at = body_of(self.request, schemas.AssignmentChangeFields).expires_at
        with noting_refusals(self.request, "assignment.changed", Target("assignment", self.id)) as caller:
            return _answer(service.update_assignment(self.request.db, caller, self.id, expires_at))

    @view(permission=Permission.USERS_EDIT, responses={204: None}, errors=(409,))
    def delete(self) -> None:
        """Take a role from a user"""
        with noting_refusals(self.request, "assignment.deleted", Target("assignment", self.id)) as caller:
            service.delete_assignment(self.request.db, caller, self.id)
        self.request.response.status_code = 204


def _answer(entry: UserRole) -> dict[str, Any]:
    return answer(
        schemas.AssignmentEntry,
        entry,
        user=entry.user_id,
        username=entry.user.username,
        role=entry.role_id,
        role_name=entry.role.name,
        is_expired=service.is_expired(entry),
    )

"""``user-roles``."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.assignments import schemas, service
from skywatch.accounts.identity.caller import noting_refusals
from skywatch.accounts.models import UserRole
from skywatch.core.storage.audit import Target
from skywatch.http.lists.pagination import page
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.security.permissions import Permission

assignments_service = ApiService("user_roles", "/user-roles", feature="users")
assignment_service = ApiService("user_roles.one", f"/user-roles/{{id:{NUMBER}}}", feature="users")


@assignments_service.get(
    permission=Permission.USERS_VIEW, query=schemas.AssignmentQuery(), responses={200: schemas.AssignmentList()}
)
def list_user_roles(request: Request) -> dict[str, Any]:
    """Which user has which role, and until when"""
    query = request.validated["querystring"]
    assignments, count = service.find_assignments(
        request.db,
        user_id=query.get("user"),
        role_id=query.get("role"),
        limit=query["limit"],
        offset=query["offset"],
    )
    return page(request, "user_roles", [_answer(entry) for entry in assignments], count)


@assignments_service.post(
    permission=Permission.USERS_EDIT,
    body=schemas.AssignmentCreate(),
    responses={201: schemas.AssignmentEntry()},
    errors=(409,),
    creates=assignment_service,
)
def create_user_role(request: Request) -> dict[str, Any]:
    """Assign a role within the caller's own permissions to a user, perhaps for a time"""
    body = body_of(request, schemas.AssignmentCreateFields)
    with noting_refusals(request, "assignment.created", Target("user", body.user)) as caller:
        created = service.create_assignment(request.db, caller, body.user, body.role, body.expires_at)
    return _answer(created)


@assignment_service.get(permission=Permission.USERS_VIEW, responses={200: schemas.AssignmentEntry()})
def get_user_role(request: Request) -> dict[str, Any]:
    """One role assignment"""
    return _answer(service.get_assignment(request.db, _id(request)))


@assignment_service.patch(
    permission=Permission.USERS_EDIT,
    body=schemas.AssignmentChange(),
    responses={200: schemas.AssignmentEntry()},
    errors=(409,),
)
def update_user_role(request: Request) -> dict[str, Any]:
    """Change when a role assignment ends"""
    expires_at = body_of(request, schemas.AssignmentChangeFields).expires_at
    with noting_refusals(request, "assignment.changed", Target("assignment", _id(request))) as caller:
        return _answer(service.update_assignment(request.db, caller, _id(request), expires_at))


@assignment_service.delete(permission=Permission.USERS_EDIT, responses={204: None}, errors=(409,))
def delete_user_role(request: Request) -> None:
    """Take a role from a user"""
    with noting_refusals(request, "assignment.deleted", Target("assignment", _id(request))) as caller:
        service.delete_assignment(request.db, caller, _id(request))
    request.response.status_code = 204


def _id(request: Request) -> int:
    return int(request.matchdict["id"])


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

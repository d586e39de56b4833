"""``users`` and ``user-roles``."""

from __future__ import annotations

from typing import Any

from pyramid.request import Request

from skywatch.accounts import schemas
from skywatch.accounts.caller import noting_refusals
from skywatch.accounts.services import assignments, users
from skywatch.accounts.views import shape
from skywatch.core.audit import Target
from skywatch.http.paging import page
from skywatch.http.service import NUMBER, ApiService
from skywatch.security.permissions import Permission

users_service = ApiService("users", "/users", feature="users")
user_service = ApiService("users.one", f"/users/{{id:{NUMBER}}}", feature="users")
assignments_service = ApiService("user_roles", "/user-roles", feature="users")
assignment_service = ApiService("user_roles.one", f"/user-roles/{{id:{NUMBER}}}", feature="users")


@users_service.get(permission=Permission.USERS_VIEW, query=schemas.UserQuery(), responses={200: schemas.UserList()})
def get_users(request: Request) -> dict[str, Any]:
    """All users, by name"""
    query = request.validated["querystring"]
    found, count = users.find_users(
        request.db,
        search=query.get("search"),
        is_active=query.get("is_active"),
        role=query.get("role"),
        limit=query["limit"],
        offset=query["offset"],
    )
    return page(request, "users", [shape.profile(user) for user in found], count)


@users_service.post(
    permission=Permission.USERS_CREATE,
    body=schemas.UserCreate(),
    responses={201: schemas.Profile()},
    errors=(409,),
    creates=user_service,
)
def post_user(request: Request) -> dict[str, Any]:
    """Create a user, with roles that give no more than the caller holds"""
    body = request.validated["body"]
    with noting_refusals(request, "user.created", Target("user", None, body["username"])) as caller:
        return shape.profile(users.create_user(request.db, caller, body))


@user_service.get(permission=Permission.USERS_VIEW, responses={200: schemas.Profile()})
def get_user(request: Request) -> dict[str, Any]:
    """One user"""
    return shape.profile(users.get_user(request.db, _id(request)))


@user_service.patch(
    permission=Permission.USERS_EDIT, body=schemas.UserChange(), responses={200: schemas.Profile()}, errors=(409,)
)
def patch_user(request: Request) -> dict[str, Any]:
    """Change a user who holds no more than the caller; a new password or deactivation ends all logins"""
    with noting_refusals(request, "user.changed", Target("user", _id(request))) as caller:
        return shape.profile(users.update_user(request.db, caller, _id(request), request.validated["body"]))


@user_service.delete(permission=Permission.USERS_DELETE, responses={204: None}, errors=(409,))
def delete_user(request: Request) -> None:
    """Delete a user who holds no more than the caller, with all that is theirs alone"""
    with noting_refusals(request, "user.deleted", Target("user", _id(request))) as caller:
        users.delete_user(request.db, caller, _id(request))
    request.response.status_code = 204


@assignments_service.get(
    permission=Permission.USERS_VIEW, query=schemas.AssignmentQuery(), responses={200: schemas.AssignmentList()}
)
def get_assignments(request: Request) -> dict[str, Any]:
    """Who holds which role, and until when"""
    query = request.validated["querystring"]
    found, count = assignments.find_assignments(
        request.db,
        user_id=query.get("user"),
        role_id=query.get("role"),
        limit=query["limit"],
        offset=query["offset"],
    )
    return page(request, "user_roles", [shape.assignment(entry) for entry in found], count)


@assignments_service.post(
    permission=Permission.USERS_EDIT,
    body=schemas.AssignmentCreate(),
    responses={201: schemas.AssignmentEntry()},
    errors=(409,),
    creates=assignment_service,
)
def post_assignment(request: Request) -> dict[str, Any]:
    """Let a user hold a role that gives no more than the caller holds, perhaps for a time"""
    body = request.validated["body"]
    with noting_refusals(request, "assignment.created", Target("user", body["user"])) as caller:
        created = assignments.create_assignment(request.db, caller, body["user"], body["role"], body["expires_at"])
    return shape.assignment(created)


@assignment_service.get(permission=Permission.USERS_VIEW, responses={200: schemas.AssignmentEntry()})
def get_assignment(request: Request) -> dict[str, Any]:
    """One role assignment"""
    return shape.assignment(assignments.get_assignment(request.db, _id(request)))


@assignment_service.patch(
    permission=Permission.USERS_EDIT,
    body=schemas.AssignmentChange(),
    responses={200: schemas.AssignmentEntry()},
    errors=(409,),
)
def patch_assignment(request: Request) -> dict[str, Any]:
    """Change when a role assignment ends"""
    expires_at = request.validated["body"]["expires_at"]
    with noting_refusals(request, "assignment.changed", Target("assignment", _id(request))) as caller:
        return shape.assignment(assignments.update_assignment(request.db, caller, _id(request), expires_at))


@assignment_service.delete(permission=Permission.USERS_EDIT, responses={204: None}, errors=(409,))
def delete_assignment(request: Request) -> None:
    """Take a role from a user"""
    with noting_refusals(request, "assignment.deleted", Target("assignment", _id(request))) as caller:
        assignments.delete_assignment(request.db, caller, _id(request))
    request.response.status_code = 204


def _id(request: Request) -> int:
    return int(request.matchdict["id"])

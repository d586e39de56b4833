"""Users: find them, see one, and change whether they may log in, what they hold and where they are logged in."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response
from pyramid.view import view_config

from skywatch.accounts.assignments.service import is_expired
from skywatch.accounts.models import User
from skywatch.accounts.roles import service as roles
from skywatch.accounts.users import service as users
from skywatch.accounts.users.schemas import UserChange, UserQuery
from skywatch.console.changes import changing, check_version, done, refused
from skywatch.console.entries import VERSION, version_of
from skywatch.console.forms import checked, read_form, read_query
from skywatch.console.page import Page
from skywatch.console.paging import PAGE_SIZE, turn_pages
from skywatch.core.audit import Target
from skywatch.core.problems import Problem, invalid
from skywatch.http.paging import MAXIMUM_LIMIT
from skywatch.http.request import Request
from skywatch.http.service import NUMBER
from skywatch.security.permissions import Permission

PAGES = (
    Page(
        route="console.users",
        path="/users",
        feature="users",
        title="Users",
        group="Accounts",
        permission=Permission.USERS_VIEW,
    ),
    Page(route="console.user", path=f"/users/{{id:{NUMBER}}}", feature="users"),
)


@view_config(
    route_name="console.users", request_method="GET", permission=Permission.USERS_VIEW, renderer="users.jinja2"
)
def show_users(request: Request) -> dict[str, Any]:
    """Users by name, found by a part of name or address, by state and by role"""
    query = read_query(request, UserQuery())
    found, count = users.find_users(
        request.db,
        search=query.get("search"),
        is_active=query.get("is_active"),
        role=query.get("role"),
        limit=PAGE_SIZE,
        offset=query["offset"],
    )
    return {
        "users": [{"user": user, "roles": users.roles_of(user)} for user in found],
        "query": {name: query.get(name) for name in ("search", "is_active", "role")},
        "roles": roles.find_roles(request.db, limit=MAXIMUM_LIMIT, offset=0)[0],
        "pages": turn_pages(request, query["offset"], count),
    }


@view_config(route_name="console.user", request_method="GET", permission=Permission.USERS_VIEW, renderer="user.jinja2")
def show_user(request: Request) -> dict[str, Any]:
    """One user"""
    return _page(request)


@view_config(route_name="console.user", request_method="POST", permission=Permission.USERS_EDIT, renderer="user.jinja2")
def post_user(request: Request) -> dict[str, Any] | Response:
    """Activate or deactivate a user, end all their logins, or set their roles"""
    form = read_form(request, "change", VERSION, several="roles")
    try:
        text = _change(request, form)
    except Problem as problem:
        chosen = form["roles"] if form.get("change") == "roles" else None
        return refused(request, problem, _page(request, chosen))
    return done(request, request.path, text)


def _change(request: Request, form: dict[str, Any]) -> str:
    user_id, what = _id(request), form.get("change")
    if what == "roles":
        return _set_roles(request, user_id, form)
    if what in ("activate", "deactivate"):
        with changing(request, "user.changed", Target("user", user_id)) as (session, caller):
            user = users.update_user(session, caller, user_id, {"is_active": what == "activate"})
            return f"{user.username} is {'active' if user.is_active else 'deactivated, and logged out everywhere'}."
    if what == "end_logins":
        with changing(request, "user.logged_out", Target("user", user_id)) as (session, caller):
            user, count = users.end_all_logins(session, caller, user_id)
            return f"{count} login{'s' if count != 1 else ''} of {user.username} ended."
    raise invalid("change", "is not a known change")


def _set_roles(request: Request, user_id: int, form: dict[str, Any]) -> str:
    fields = checked(UserChange(), {"roles": form["roles"]})
    target = Target("user", user_id)
    with changing(request, "user.changed", target) as (session, caller):
        caller.begin(session, Permission.USERS_EDIT)
        check_version(session, target, form.get(VERSION, ""), _held(users.get_user(session, user_id)))
        user = users.update_user(session, caller, user_id, fields)
        return f"{user.username} now holds {', '.join(role.name for role in users.roles_of(user)) or 'no role'}."


def _page(request: Request, chosen: list[str] | None = None) -> dict[str, Any]:
    user = users.get_user(request.db, _id(request))
    held = request.caller.permissions
    names = {role.name for role in users.roles_of(user)}
    marked = names if chosen is None else set(chosen)
    return {
        "user": user,
        "form_version": version_of(_held(user)),
        # Nobody changes who holds rights they lack, nor hands such rights out.
        "lacking": sorted(users.permissions_of(user) - held),
        "roles": [
            {
                "role": role,
                "is_marked": role.name in marked,
                "is_beyond": role.name not in names and not users.permissions_of_role(role) <= held,
            }
            for role in roles.find_roles(request.db, limit=MAXIMUM_LIMIT, offset=0)[0]
        ],
        "assignments": [
            {"entry": entry, "is_expired": is_expired(entry)}
            for entry in sorted(user.assignments, key=lambda entry: entry.role.name)
        ],
        "may_edit": Permission.USERS_EDIT in request.may.permissions,
        "may_audit": Permission.SYSTEM_MANAGE in request.may.permissions,
        "is_self": user.id == request.caller.user_id,
        "problem": None,
    }


def _held(user: User) -> list[str]:
    """The roles, as a form is opened with them."""
    return sorted(role.name for role in users.roles_of(user))


def _id(request: Request) -> int:
    return int(request.matchdict["id"])

"""Users: find them, and create one."""

from __future__ import annotations

from typing import Any

from pyramid.renderers import render
from pyramid.response import Response

from skywatch.accounts.roles import service as roles
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.users import resets
from skywatch.accounts.users import service as users
from skywatch.accounts.users.schemas import UserCreate, UserCreateFields, UserQuery
from skywatch.console.forms.changes import changing, done
from skywatch.console.forms.choices import proposed_role, role_choices
from skywatch.console.forms.edit_page import EditPage
from skywatch.console.forms.entries import Entries, fields_of, part
from skywatch.console.forms.form import read_query
from skywatch.console.page import Page
from skywatch.console.pages.pagination import MAX_COUNTED, PAGE_SIZE, CursorPosition, cut
from skywatch.console.routes import HOME, reset_address
from skywatch.console.texts.language import translate
from skywatch.console.views.people import user_edit
from skywatch.console.views.people.access import open_to_write
from skywatch.core.storage.audit import Target
from skywatch.http.lists.pagination import MAX_LIMIT
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.fields import UNSET
from skywatch.security.permissions import Permission

FILTERS = ("search", "is_active", "role")
PERSON = part(UserCreate(), "username", "email", "password", "display_name", "roles")


class UserFilter(UserQuery, CursorPosition):
    """The filters of the API, and a position in the list."""


@view_config(
    route_name="console.users", request_method="GET", permission=Permission.USERS_VIEW, renderer="users.jinja2"
)
def show_users(request: Request) -> dict[str, Any]:
    """Users by name, found by a part of name or address, by state and by role"""
    query = read_query(request, UserFilter())
    filters = {name: query.get(name) for name in FILTERS}
    rows = users.find_users_from(
        request.db, **filters, limit=PAGE_SIZE + 1, after=query.get("after"), before=query.get("before")
    )
    # What fits on the first page is counted already.
    is_whole = len(rows) <= PAGE_SIZE and "after" not in query and "before" not in query
    count = len(rows) if is_whole else users.count_users(request.db, **filters, most=MAX_COUNTED + 1)
    shown, pages = cut(request, rows, query, count, lambda user: user.username)
    return {
        "users": [{"user": user, "roles": users.roles_of(user)} for user in shown],
        "query": filters,
        "roles": roles.find_roles(request.db, limit=MAX_LIMIT, offset=0)[0],
        "pages": pages,
        "may_create": Permission.USERS_CREATE in request.visibility.permissions,
    }


def _proposed(request: Request) -> Entries:
    return Entries({"roles": proposed_role(request.db, request.caller.permissions)})


def _create(request: Request, entries: Entries) -> Response:
    """Create the user; who has no password gets an invitation, whose card is shown at once."""
    # Without a password only single sign-on or an invitation lets them in.
    fields = UserCreateFields.of(fields_of(PERSON, entries, blank=("password", "display_name", "email")))
    is_local = request.runtime.settings.of(AccountSettings).local_auth_enabled
    token = None
    with changing(request, "user.created", Target("user", None, fields.username)) as (session, caller):
        user = users.create_user(session, caller, fields)
        may_invite = is_local and user.is_active and Permission.USERS_EDIT in request.visibility.permissions
        if fields.password is UNSET and may_invite:
            _, token = resets.create_reset(session, caller, user.id)
        invited = user_edit.link_page(user, reset_address(request, token)) if token is not None else None
    if invited is not None:
        return Response(render("user_link.jinja2", invited, request))
    return done(request, f"{HOME}/users/{user.id}", translate(request, "{name} is created.", name=user.username))


def _new(request: Request, entries: Entries) -> dict[str, Any]:
    choices = role_choices(request.db, request.caller.permissions, entries.values["roles"])
    return {"entries": entries, "choices": choices, "open_to_write": open_to_write(request), "problem": None}


PAGES = (
    Page(
        route="console.users",
        path="/users",
        feature="users",
        title="Users",
        group="People",
        permission=Permission.USERS_VIEW,
    ),
    EditPage(
        route="console.users.new",
        path="/users/new",
        feature="users",
        permission=Permission.USERS_CREATE,
        shows="The form of a new user",
        does="Create a user with roles that give no more than the viewer holds",
        template="user_new.jinja2",
        schema=PERSON,
        proposed=_proposed,
        save=_create,
        page=_new,
    ),
)

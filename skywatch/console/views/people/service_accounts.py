"""Service accounts: a program's account, and its API keys, which an administrator makes."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from skywatch.accounts.keys import service as keys
from skywatch.accounts.keys.schemas import ALL_SCOPES, KeyCreate, KeyCreateFields
from skywatch.accounts.models import SERVICE, User
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.users import service as users
from skywatch.accounts.users.schemas import UserCreate, UserCreateFields
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.choices import proposed_role, role_choices
from skywatch.console.forms.entries import Entries, fields_of, part, read_entries
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.console.views.people.user import changeable_user, id_of
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Target
from skywatch.http.requests.request import Request
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import SCOPES, Permission

PAGES = (
    Page(route="console.users.new_service", path="/users/new/service", feature="users"),
    Page(route="console.user.keys.new", path=f"/users/{{id:{NUMBER}}}/keys/new", feature="users"),
)
ACCOUNT = part(UserCreate(), "username", "display_name", "roles")
KEY = part(KeyCreate(), "name", "scopes", "expires_at")


new_service_page = FormPage("console.users.new_service", "service_new.jinja2", Permission.USERS_CREATE)


@new_service_page.get
def show_new_service(request: Request) -> dict[str, Any]:
    """The form of a new service account"""
    return _account(request, Entries({"roles": proposed_role(request.db, request.caller.permissions)}))


@new_service_page.post
def post_new_service(request: Request) -> dict[str, Any] | Response:
    """Create a service account with roles that give no more than the viewer holds, and go on to its first key"""
    entries = read_entries(request, ACCOUNT)
    try:
        fields = UserCreateFields.of({**fields_of(ACCOUNT, entries, blank=("display_name",)), "kind": SERVICE})
        with changing(request, "user.created", Target("user", None, fields.username)) as (session, caller):
            user = users.create_user(session, caller, fields)
    except Problem as problem:
        return refused(request, problem, _account(request, entries.refused(problem)))
    may_go_on = Permission.USERS_EDIT in request.visibility.permissions and _keys_are_on(request)
    onward = f"{HOME}/users/{user.id}/keys/new" if may_go_on else f"{HOME}/users/{user.id}"
    return done(request, onward, translate(request, "{name} is created.", name=user.username))


key_page = FormPage("console.user.keys.new", "key_new.jinja2", Permission.USERS_EDIT)


@key_page.get
def show_new_key(request: Request) -> dict[str, Any]:
    """The form of a new key of a service account"""
    user = _service_account(request)
    features = {permission.feature for permission in users.permissions_of(user)}
    return _key(request, user, Entries({"scopes": [scope for scope in SCOPES if scope in features]}))


@key_page.post
def post_new_key(request: Request) -> dict[str, Any]:
    """Create a key of a service account; its text is shown this once"""
    entries, user_id = read_entries(request, KEY), id_of(request)
    try:
        _check_keys_are_on(request)
        fields = KeyCreateFields.of(fields_of(KEY, entries))
        with changing(request, "api_key.created", Target("user", user_id)) as (session, caller):
            _, text = keys.create_key(
                session, caller, fields.name, fields.scopes, fields.expires_at, service_id=user_id
            )
    except Problem as problem:
        return refused(request, problem, _key(request, _service_account(request), entries.refused(problem)))
    return _key(request, _service_account(request), entries, text)


def _service_account(request: Request) -> User:
    """The account that an address names; raises Problem (403, 404) where no key can be made for it."""
    user = changeable_user(request)
    if not user.is_service:
        raise Problem("permission_denied", "People create their own keys.")
    _check_keys_are_on(request)
    return user


def _check_keys_are_on(request: Request) -> None:
    if not _keys_are_on(request):
        raise Problem("permission_denied", "API keys are switched off.")


def _keys_are_on(request: Request) -> bool:
    return request.runtime.settings.of(AccountSettings).api_key_enabled


def _account(request: Request, entries: Entries) -> dict[str, Any]:
    choices = role_choices(request.db, request.caller.permissions, entries.values["roles"])
    return {"entries": entries, "choices": choices, "problem": None}


def _key(request: Request, user: User, entries: Entries, text: str | None = None) -> dict[str, Any]:
    return {"user": user, "entries": entries, "scopes": ALL_SCOPES, "text": text, "problem": None}

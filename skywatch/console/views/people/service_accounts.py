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
from skywatch.console.forms.changes import changing, done
from skywatch.console.forms.choices import proposed_role, role_choices
from skywatch.console.forms.edit_page import EditPage
from skywatch.console.forms.entries import Entries, fields_of, part
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.console.views.people.user import changeable_user, id_of
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Target
from skywatch.http.requests.links import link_base
from skywatch.http.requests.request import Request
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import SCOPES, Permission
from skywatch.sentences import sentence

ACCOUNT = part(UserCreate(), "username", "display_name", "roles")
KEY = part(KeyCreate(), "name", "scopes", "expires_at")


def _proposed_account(request: Request) -> Entries:
    return Entries({"roles": proposed_role(request.db, request.caller.permissions)})


def _create_account(request: Request, entries: Entries) -> Response:
    fields = UserCreateFields.of({**fields_of(ACCOUNT, entries, blank=("display_name",)), "kind": SERVICE})
    with changing(request, "user.created", Target("user", None, fields.username)) as (session, caller):
        user = users.create_user(session, caller, fields)
    may_go_on = Permission.USERS_EDIT in request.visibility.permissions and _keys_are_on(request)
    onward = f"{HOME}/users/{user.id}/keys/new" if may_go_on else f"{HOME}/users/{user.id}"
    return done(request, onward, translate(request, "{name} is created.", name=user.username))


def _proposed_key(request: Request) -> Entries:
    features = {permission.feature for permission in users.permissions_of(_service_account(request))}
    return Entries({"scopes": [scope for scope in SCOPES if scope in features]})


def _create_key(request: Request, entries: Entries) -> dict[str, Any]:
    user_id = id_of(request)
    _check_keys_are_on(request)
    fields = KeyCreateFields.of(fields_of(KEY, entries))
    with changing(request, "api_key.created", Target("user", user_id)) as (session, caller):
        _, text = keys.create_key(session, caller, fields.name, fields.scopes, fields.expires_at, service_id=user_id)
    curl = f'curl -H "X-API-Key: {text}" {link_base(request)}/api/v1/aircraft'
    return {**_key(request, entries), "text": text, "curl": curl}


def _service_account(request: Request) -> User:
    """The account that an address names; raises Problem (403, 404) where no key can be made for it."""
    user = changeable_user(request)
    if not user.is_service:
        raise Problem("permission_denied", sentence("console.people_own_keys", "People create their own keys."))
    _check_keys_are_on(request)
    return user


def _check_keys_are_on(request: Request) -> None:
    if not _keys_are_on(request):
        raise Problem("permission_denied", sentence("accounts.keys_off", "API keys are switched off."))


def _keys_are_on(request: Request) -> bool:
    return request.runtime.settings.of(AccountSettings).api_key_enabled


def _account(request: Request, entries: Entries) -> dict[str, Any]:
    choices = role_choices(request.db, request.caller.permissions, entries.values["roles"])
    return {"entries": entries, "choices": choices, "problem": None}


def _key(request: Request, entries: Entries) -> dict[str, Any]:
    user = _service_account(request)
    return {"user": user, "entries": entries, "scopes": ALL_SCOPES, "text": None, "problem": None}


PAGES = (
    EditPage(
        route="console.users.new_service",
        path="/users/new/service",
        feature="users",
        permission=Permission.USERS_CREATE,
        shows="The form of a new service account",
        does="Create a service account with roles that give no more than the viewer holds, and go on to its first key",
        template="service_new.jinja2",
        schema=ACCOUNT,
        proposed=_proposed_account,
        save=_create_account,
        page=_account,
    ),
    EditPage(
        route="console.user.keys.new",
        path=f"/users/{{id:{NUMBER}}}/keys/new",
        feature="users",
        permission=Permission.USERS_EDIT,
        shows="The form of a new key of a service account",
        does="Create a key of a service account; its text is shown this once",
        template="key_new.jinja2",
        schema=KEY,
        proposed=_proposed_key,
        save=_create_key,
        page=_key,
    ),
)

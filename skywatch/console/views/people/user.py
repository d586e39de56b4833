"""One user: whether they may log in, what they hold and until when, where they are logged in, and their API keys."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response

from skywatch.accounts.identity.caller import check_covers
from skywatch.accounts.keys.service import find_keys, is_active, revoke_key
from skywatch.accounts.login_tokens import find_logins, handle_of
from skywatch.accounts.models import User
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.superadmins import is_last_superadmin
from skywatch.accounts.users import service as users
from skywatch.accounts.users.resets import is_invitation
from skywatch.accounts.users.schemas import UserChangeFields
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.entries import Entries
from skywatch.console.forms.form import pairs_of, read_form
from skywatch.console.page import FormPage, Page
from skywatch.console.pages.pagination import PAGE_SIZE
from skywatch.console.texts.language import translate
from skywatch.console.views.people import user_roles
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Target
from skywatch.http.requests.request import Request
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

PAGES = (Page(route="console.user", path=f"/users/{{id:{NUMBER}}}", feature="users"),)
MAX_LOGINS = 100


user_page = FormPage("console.user", "user.jinja2", Permission.USERS_VIEW, post_permission=Permission.USERS_EDIT)


@user_page.get
def show_user(request: Request) -> dict[str, Any]:
    """One user"""
    return _page(request)


@user_page.post
def post_user(request: Request) -> dict[str, Any] | Response:
    """Activate or deactivate a user, set their roles, end their logins, revoke their API keys"""
    if ("change", "roles") in pairs_of(request):
        return _set_roles(request)
    form = read_form(request, "change", "login", "key")
    try:
        text = _change(request, form)
    except Problem as problem:
        return refused(request, problem, _page(request))
    return done(request, request.path, text)


def _set_roles(request: Request) -> dict[str, Any] | Response:
    entries = user_roles.read(request)
    try:
        text = user_roles.save(request, id_of(request), entries)
    except Problem as problem:
        stored = user_roles.opened(users.get_user(request.db, id_of(request)))
        return refused(request, problem, _page(request, entries.refused(problem, stored)))
    return done(request, request.path, text)


def _change(request: Request, form: dict[str, Any]) -> str:
    user_id, what = id_of(request), form.get("change")
    target = Target("user", user_id)
    if what in ("activate", "deactivate"):
        with changing(request, "user.changed", target) as (session, caller):
            user = users.update_user(session, caller, user_id, UserChangeFields(is_active=what == "activate"))
            if user.is_active:
                return translate(request, "{name} is active.", name=user.username)
            return translate(request, "{name} is deactivated and signed out everywhere.", name=user.username)
    if what == "end_logins":
        with changing(request, "user.logged_out", target) as (session, caller):
            user, count = users.end_all_logins(session, caller, user_id)
            return translate(
                request, "{n} login of {name} ended.|{n} logins of {name} ended.", n=count, name=user.username
            )
    if what == "end_login":
        with changing(request, "user.logged_out", target) as (session, caller):
            user = users.end_one_login(session, caller, user_id, form.get("login", ""))
            return translate(request, "A login of {name} ended.", name=user.username)
    if what == "revoke_key":
        return revoke(request, form.get("key", ""))
    raise invalid("change", sentence("console.unknown_change", "is not a known change"))


def revoke(request: Request, number: str) -> str:
    """Revoke an API key; gives what to say of it."""
    if not number.isascii() or not number.isdigit() or len(number) > 18:
        raise invalid("key", sentence("console.key_number", "must be the number of a key"))
    with changing(request, "api_key.deleted", Target("api_key", int(number))) as (session, caller):
        key = revoke_key(session, caller, int(number))
        return translate(request, "The API key {name} ({prefix}...) is revoked.", name=key.name, prefix=key.key_prefix)


def _page(request: Request, entries: Entries | None = None) -> dict[str, Any]:
    session = request.db
    user = users.get_user(session, id_of(request))
    rights, permissions = request.caller.permissions, request.visibility.permissions
    entries = entries or user_roles.opened(user)
    keys, key_count = find_keys(session, user.id, limit=PAGE_SIZE, offset=0)
    # Nobody changes who holds rights they lack, nor hands such rights out.
    lacking = sorted(users.permissions_of(user) - rights)
    is_last = is_last_superadmin(session, user)
    return {
        "user": user,
        "lacking": lacking,
        "entries": entries,
        "roles": user_roles.rows(session, rights, user, entries),
        "logins": [
            {"entry": login, "handle": handle_of(login.id)} for login in find_logins(session, user.id, MAX_LOGINS)
        ],
        "keys": [{"entry": key, "is_active": is_active(key)} for key in keys],
        "key_count": key_count,
        "may_edit": Permission.USERS_EDIT in permissions and not lacking,
        "may_delete": Permission.USERS_DELETE in permissions and not lacking and not is_last,
        "may_deactivate": not is_last,
        "may_audit": Permission.SYSTEM_MANAGE in permissions,
        "has_local_login": request.runtime.settings.of(AccountSettings).local_auth_enabled,
        "is_self": user.id == request.caller.user_id,
        "is_invited": is_invitation(user),
        "problem": None,
    }


def changeable_user(request: Request) -> User:
    """The user that an address names, for a page that changes them; raises Problem (404; 403 where the viewer lacks
    rights of theirs: the form could only be refused)."""
    user = users.get_user(request.db, id_of(request))
    check_covers(request.caller.permissions, users.permissions_of(user), sentence("accounts.the_user", "The user"))
    return user


def id_of(request: Request) -> int:
    """The number of the user that an address names."""
    return int(request.matchdict["id"])

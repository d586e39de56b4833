"""A new password for whoever was given a link by an administrator.

The link's token goes into a cookie and out of the address at once, so that neither the history of the browser nor
another page gets it. Opening the link uses nothing up; setting the password does.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from typing import Any

from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.identity.caller import Caller, anonymous_actor
from skywatch.accounts.login_tokens import begin_login
from skywatch.accounts.models import User
from skywatch.accounts.nodes import password_node
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.sign_in.handover import Handover, create_code
from skywatch.accounts.users import resets
from skywatch.console.forms.changes import SHOWN_ON_THE_PAGE
from skywatch.console.forms.entries import Entries, fields_of, read_entries
from skywatch.console.forms.form import parameter
from skywatch.console.page import FormPage
from skywatch.console.pages.notes import flash, take
from skywatch.console.routes import RESET, see_other
from skywatch.console.sessions.handover import page_of
from skywatch.console.sessions.session import set_cookie
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Actor
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import Schema, string_node
from skywatch.security.permissions import ViewPermission
from skywatch.sentences import sentence
from skywatch.web.settings import WebSettings

PAGES = ()
COOKIE = "skywatch_console_reset"
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
LINK_S = int(resets.LIFETIME.total_seconds())


class NewPassword(Schema):
    password = password_node()
    again = string_node(missing="")


reset_page = FormPage("console.reset", "reset.jinja2", ViewPermission.OPEN)


@reset_page.get
def show_reset(request: Request) -> dict[str, Any] | Response:
    """Take the token out of the address; then the form of the new password"""
    link = parameter(request, "link")
    if link is not None:
        response = see_other(request, RESET)
        # What is no token cannot be one of the database, and nothing else goes into a cookie.
        _remember(request, response, link if TOKEN.fullmatch(link) else "", max_age_s=LINK_S)
        return response
    note = take(request)
    if note is not None:
        return _page(request, note=note)
    return _form(request, Entries())


@reset_page.post
def post_reset(request: Request) -> dict[str, Any] | Response:
    """Set the password, and go on to the map signed in; the link is used up, and earlier logins of the user end"""
    entries = read_entries(request, NewPassword())
    try:
        if not request.runtime.settings.of(AccountSettings).local_auth_enabled:
            raise Problem("local_auth_disabled")
        fields = fields_of(NewPassword(), entries)
        if fields["again"] != fields["password"]:
            raise invalid("again", sentence("console.not_same_password", "is not the same as the password"))
        actor = anonymous_actor(request)
        user, made = resets.use_reset(
            request.runtime.sessions, _token(request), fields["password"], actor, partial(_sign_in, request, actor)
        )
    except Problem as problem:
        if problem.kind.status not in SHOWN_ON_THE_PAGE:
            raise
        request.response.status_code = problem.kind.status
        return _form(request, entries.refused(problem))
    if made is not None:
        # On to the map, signed in: whoever has the link and the password has nothing more to prove.
        response = page_of(request, made, has_console=False)
        _remember(request, response, "", max_age_s=0)
        return response
    response = see_other(request, RESET)
    _remember(request, response, "", max_age_s=0)
    flash(request, response, translate(request, "{name} has a new password.", name=user.username))
    return response


def _sign_in(request: Request, actor: Actor, session: Session, user: User) -> Handover | None:
    """A login of the user and its code for the map; None where there is no map."""
    if not request.runtime.settings.of(WebSettings).web_enabled:
        return None
    lifetime = timedelta(seconds=request.runtime.shared(Authenticator).codec.refresh_lifetime_s)
    login = begin_login(session, user, resets.METHOD, actor, lifetime)
    session.flush()
    who = Actor(user.username, resets.METHOD, user.id, actor.address, actor.request_id)
    return create_code(session, Caller(who), login.id)


def _form(request: Request, entries: Entries) -> dict[str, Any]:
    user = resets.user_of_reset(request.db, _token(request))
    is_invited = resets.is_invitation(user)
    return _page(request, username=user.username, entries=entries, problem=entries.problem, is_invited=is_invited)


def _page(request: Request, **values: Any) -> dict[str, Any]:
    has_web = request.runtime.settings.of(WebSettings).web_enabled
    return {
        "note": None,
        "username": "",
        "entries": None,
        "problem": None,
        "has_web": has_web,
        "is_invited": False,
        **values,
    }


def _token(request: Request) -> str:
    token = request.cookies.get(COOKIE, "")
    return token if TOKEN.fullmatch(token) else ""


def _remember(request: Request, response: Response, token: str, max_age_s: int) -> None:
    set_cookie(request, response, COOKIE, token, max_age_s=max_age_s)

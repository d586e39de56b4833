"""Sign in to the console through an identity provider, by the rules of the API's single sign-on.

The provider sends people back to an address of the console's own, and what begins is a session of the console: no
token leaves the service. A cookie ties the sign-on to the browser that began it.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, unquote

from pyramid.httpexceptions import HTTPSeeOther
from pyramid.response import Response

from skywatch.accounts.identity.caller import anonymous_actor
from skywatch.console.forms.form import read_query
from skywatch.console.routes import SIGNED_ON, local, see_other
from skywatch.console.sessions.session import Sessions, set_cookie
from skywatch.console.sessions.sign_in import sign_on
from skywatch.console.sessions.sso_trial import TRIAL, finish_trial
from skywatch.console.views.entrance.session import show_refusal
from skywatch.core.problems import Problem
from skywatch.http.clients.origins import origin_of
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.security.permissions import ViewPermission
from skywatch.sentences import sentence
from skywatch.sso import problems
from skywatch.sso.pending_sign_ons import LIFETIME
from skywatch.sso.schemas import CallbackQuery
from skywatch.sso.sign_on.addresses import own_address
from skywatch.sso.sign_on.answer import Answer
from skywatch.sso.sign_on.flow import SignOn

PAGES = ()
COOKIE = "skywatch_console_sso"
# The name of the browser, and the page to go on to.
VALUE = re.compile(r"(?P<browser>[A-Za-z0-9_-]{43})(?P<onward>[A-Za-z0-9_.~%-]*)")


@view_config(
    route_name="console.sign_on", request_method="GET", permission=ViewPermission.OPEN, renderer="sign_in.jinja2"
)
def start_sign_on(request: Request) -> dict[str, Any] | Response:
    """Send the browser to an identity provider"""
    onward = None
    try:
        onward = local(request.GET.get("next"))
        url, begun = request.runtime.shared(SignOn).authorize(
            request.GET.get("provider"), None, _address(request), origin_of(own_address(request)), _cookie(request)[0]
        )
    except UnicodeDecodeError:
        return show_refusal(
            request,
            Problem("not_found", sentence("console.provider_unknown", "There is no such identity provider.")),
            onward,
        )
    except Problem as problem:
        return show_refusal(request, problem, onward)
    response = HTTPSeeOther(url)
    _remember(request, response, begun.browser + quote(onward, safe=""), int(LIFETIME.total_seconds()))
    return response


@view_config(
    route_name="console.signed_on", request_method="GET", permission=ViewPermission.OPEN, renderer="sign_in.jinja2"
)
def finish_sign_on(request: Request) -> dict[str, Any] | Response:
    """Take the answer of an identity provider, once, and begin a session"""
    browser, onward = _cookie(request)
    actor, providers = anonymous_actor(request), request.runtime.shared(SignOn)
    try:
        answer = Answer.of(read_query(request, CallbackQuery()), request.GET.get("error_description"))
        begun = providers.take(answer, browser, actor, needs_browser=True)
        if begun.redirect_uri != _address(request):
            raise Problem(
                problems.STATE_UNKNOWN,
                sentence("console.sign_on_elsewhere", "The sign-on was not begun at this console."),
            )
        if onward == TRIAL:
            response = see_other(request, finish_trial(request, begun, answer))
            _remember(request, response, "", 0)
            return response
        login = sign_on(request.runtime, providers, begun, answer, actor)
    except Problem as problem:
        return show_refusal(request, problem, onward)
    response = see_other(request, onward)
    request.runtime.shared(Sessions).begin(request, response, login.user_id, login.id, login.expires_at)
    _remember(request, response, "", 0)
    return response


def _address(request: Request) -> str:
    """Where the provider sends people back to."""
    return own_address(request) + SIGNED_ON


def _cookie(request: Request) -> tuple[str | None, str]:
    """The browser that a sign-on was begun in, and where it goes on to."""
    match = VALUE.fullmatch(request.cookies.get(COOKIE, ""))
    return (match["browser"], local(unquote(match["onward"]))) if match is not None else (None, local(None))


def _remember(request: Request, response: Response, value: str, max_age_s: int) -> None:
    set_cookie(request, response, COOKIE, value, max_age_s=max_age_s)

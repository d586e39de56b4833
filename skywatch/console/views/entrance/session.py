"""Sign in and out, and the style of the pages."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from pyramid.renderers import render
from pyramid.response import Response

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.identity.caller import Caller, anonymous_actor
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.sign_in.attempts import guess_limits
from skywatch.accounts.sign_in.schemas import Credentials
from skywatch.accounts.sign_in.service import log_out
from skywatch.console.forms.form import checked, parameter, read_form
from skywatch.console.page import FormPage
from skywatch.console.pages.layout import SCRIPT_FILE, STYLE_SHEET
from skywatch.console.pages.notes import flash, take
from skywatch.console.routes import SETUP, SIGN_IN, SIGN_ON, local, see_other
from skywatch.console.sessions.first_run import FirstRun
from skywatch.console.sessions.session import Sessions, needs_tls
from skywatch.console.sessions.sign_in import METHOD, sign_in
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Actor
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.security.permissions import ViewPermission
from skywatch.sso.sign_on.flow import SignOn
from skywatch.sso.sign_on.logout import logout_url

sign_in_page = FormPage("console.sign_in", "sign_in.jinja2", ViewPermission.OPEN)


@sign_in_page.get
def show_sign_in(request: Request) -> dict[str, Any] | Response:
    """The form to sign in with"""
    if request.runtime.shared(FirstRun).is_open:
        return see_other(request, SETUP)
    return _form(request, onward=parameter(request, "next"))


@sign_in_page.post
def post_sign_in(request: Request) -> dict[str, Any] | Response:
    """Sign in with username (or e-mail address) and password"""
    form = read_form(request, "username", "password", "next")
    onward = local(form.pop("next", None))
    try:
        credentials = checked(Credentials(), form)
        login = sign_in(
            request.runtime,
            request.runtime.shared(guess_limits),
            credentials["username"],
            credentials["password"],
            anonymous_actor(request),
        )
    except Problem as problem:
        return show_refusal(request, problem, onward, form.get("username", ""))
    response = see_other(request, onward)
    request.runtime.shared(Sessions).begin(request, response, login.user_id, login.id, login.expires_at)
    return response


@view_config(route_name="console.sign_out", request_method="POST", permission=ViewPermission.OPEN)
def post_sign_out(request: Request) -> Response:
    """Sign out: the session ends; who came by single sign-on is offered to end the session at the provider too"""
    read_form(request)
    session = request.runtime.shared(Sessions).read(request)
    rights = request.runtime.shared(Authenticator).rights(session.user_id) if session is not None else None
    if session is not None and rights is not None and rights.is_active:
        actor = Actor(rights.username, METHOD, rights.user_id, request.client_address, request.request_id)
        log_out(request.db, Caller(actor), {session.login_id})
        url = logout_url(request.runtime, request.runtime.shared(SignOn), {session.login_id})
        if url is not None:
            page = render("signed_out.jinja2", {"logout_url": url}, request)
            response = Response(page)
            request.runtime.shared(Sessions).forget(request, response)
            return response
    response = see_other(request, SIGN_IN)
    request.runtime.shared(Sessions).forget(request, response)
    flash(request, response, translate(request, "You are signed out."))
    return response


@view_config(route_name="console.style", request_method="GET", permission=ViewPermission.OPEN)
def show_style(request: Request) -> Response:
    """The style sheet of the pages"""
    return _file(STYLE_SHEET, "text/css")


@view_config(route_name="console.script", request_method="GET", permission=ViewPermission.OPEN)
def show_script(request: Request) -> Response:
    """The script of the pages"""
    return _file(SCRIPT_FILE, "text/javascript")


def _file(body: bytes, content_type: str) -> Response:
    response = Response(body=body, content_type=content_type, charset="utf-8")
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


def show_refusal(request: Request, problem: Problem, onward: str | None, username: str = "") -> dict[str, Any]:
    """The sign-in page with the reason for the refusal."""
    request.response.status_code = problem.kind.status
    request.response.headers.update(problem.headers)
    if problem.kind.status == 401:
        request.response.headers["WWW-Authenticate"] = 'Form realm="skywatch console"'
    return _form(request, onward=onward, username=username, problem=problem)


def _form(
    request: Request, *, onward: str | None, username: str = "", problem: Problem | None = None
) -> dict[str, Any]:
    settings = request.runtime.settings
    return {
        "onward": local(onward),
        "username": username,
        "problem": problem,
        "note": take(request),
        "providers": [
            (party.provider.display_name, f"{SIGN_ON}?{urlencode({'provider': name, 'next': local(onward)})}")
            for name, party in request.runtime.shared(SignOn).parties.items()
        ],
        "is_local_enabled": settings.of(AccountSettings).local_auth_enabled,
        # The browser will not send the cookie back: better said before than wondered at after.
        "needs_tls": needs_tls(request),
    }

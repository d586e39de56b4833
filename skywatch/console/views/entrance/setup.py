"""The first of three steps of a new installation: its administrator, made with the one-time password of ``init``."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import quote

import colander
from pyramid.response import Response

from skywatch.accounts import first_run
from skywatch.accounts.logins.service import begin_login
from skywatch.accounts.nodes import email_node, password_node, username_node
from skywatch.console.forms.changes import SHOWN_ON_THE_PAGE
from skywatch.console.forms.entries import Entries, fields_of, read_entries
from skywatch.console.pages.page import FormPage
from skywatch.console.routes import HOME, SETUP, SIGN_IN, STATION_STEP, see_other
from skywatch.console.settings import ConsoleSettings
from skywatch.console.signing.session import needs_tls
from skywatch.console.signing.signing_in import METHOD
from skywatch.core.database.engine import writing
from skywatch.core.problems import Problem
from skywatch.core.storing.audit import Actor, Target, record_apart
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import JsonString, Schema
from skywatch.security.contexts import EXCHANGE

PAGES = ()
# Who acts until there is a user.
NAME = "first run"


class FirstAdministrator(Schema):
    """The one-time password, and the administrator."""

    setup_password = colander.SchemaNode(JsonString(), validator=colander.Length(max=100))
    username = username_node()
    email = email_node(missing="")
    password = password_node()


setup_page = FormPage("console.setup", "setup.jinja2", EXCHANGE)


@setup_page.get
def show_setup(request: Request) -> dict[str, Any] | Response:
    """The form of the first administrator; elsewhere where there is one"""
    return _elsewhere(request) or _page(request, Entries({"username": "admin"}))


@setup_page.post
def post_setup(request: Request) -> dict[str, Any] | Response:
    """Create the first administrator, who is signed in and goes on with the station"""
    elsewhere = _elsewhere(request)
    if elsewhere is not None:
        return elsewhere
    entries = read_entries(request, FirstAdministrator())
    actor = Actor(NAME, METHOD, None, request.client_address, request.request_id)
    runtime = request.runtime
    try:
        fields = fields_of(FirstAdministrator(), entries, blank=("email",))
        password = fields.pop("setup_password")
        with writing(runtime.sessions) as session:
            user = first_run.create_first_administrator(session, actor, password, fields)
            lifetime = timedelta(hours=runtime.settings.of(ConsoleSettings).console_session_hours)
            login = begin_login(session, user, METHOD, actor, lifetime)
    except Problem as problem:
        if problem.kind.status not in SHOWN_ON_THE_PAGE:
            raise
        if any(error["name"] == "setup_password" for error in problem.errors or []):
            reason = {"reason": "setup_password"}
            record_apart(runtime.sessions, actor, "login.failed", Target("user"), after=reason)
        request.response.status_code = problem.kind.status
        return _page(request, entries.refused(problem))
    request.registry["first_run"].expire()
    response = see_other(request, STATION_STEP)
    request.registry["console_sessions"].begin(request, response, login.user_id, login.id, login.expires_at)
    return response


def _elsewhere(request: Request) -> Response | None:
    state = request.registry["first_run"].state
    if state == "create":
        return None
    return see_other(request, f"{SIGN_IN}?next={quote(STATION_STEP, safe='/')}" if state else HOME)


def _page(request: Request, entries: Entries) -> dict[str, Any]:
    return {"entries": entries, "setup": SETUP, "needs_tls": needs_tls(request), "problem": entries.problem}

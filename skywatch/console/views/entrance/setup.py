"""The first of three steps of a new installation: its administrator, created with the one-time password.

The form is for visitors of this machine and for browsers without script; elsewhere the link opens the set-up.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import colander
from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.accounts.login_tokens import begin_login
from skywatch.accounts.models import Login, User
from skywatch.accounts.nodes import email_node, password_node, username_node
from skywatch.accounts.setup.service import NO_LONGER, create_first_administrator
from skywatch.accounts.setup.views import NAME
from skywatch.accounts.users.schemas import UserCreateFields
from skywatch.console.forms.changes import SHOWN_ON_THE_PAGE
from skywatch.console.forms.entries import Entries, fields_of, read_entries
from skywatch.console.page import FormPage
from skywatch.console.routes import HOME, SETUP, STATION_STEP, see_other
from skywatch.console.sessions.first_run import FirstRun
from skywatch.console.sessions.session import Sessions, needs_tls
from skywatch.console.sessions.sign_in import METHOD
from skywatch.console.settings import ConsoleSettings
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Actor
from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import Schema, string_node
from skywatch.security.permissions import ViewPermission
from skywatch.sentences import sentence

PAGES = ()
NOT_HERE = sentence(
    "console.setup_here_only",
    "The one-time password is taken on the machine itself only. Elsewhere open the link "
    "that `skywatch setup-link FILE.ini` prints there.",
)


class FirstAdministrator(Schema):
    """The one-time password, and the administrator."""

    setup_password = string_node(validator=colander.Length(max=100))
    username = username_node()
    email = email_node(missing="")
    password = password_node()


setup_page = FormPage("console.setup", "setup.jinja2", ViewPermission.OPEN)


@setup_page.get
def show_setup(request: Request) -> dict[str, Any] | Response:
    """The form of the first administrator; the overview where there is one"""
    return _elsewhere(request) or _page(request, Entries({"username": "admin"}))


@setup_page.post
def post_setup(request: Request) -> dict[str, Any] | Response:
    """Create the first administrator, who is signed in and goes on with the station"""
    elsewhere = _elsewhere(request)
    if elsewhere is not None:
        return elsewhere
    entries = read_entries(request, FirstAdministrator())
    if not request.visibility.is_local:
        raise Problem("permission_denied", NOT_HERE)
    actor = Actor(NAME, METHOD, None, request.client_address, request.request_id)
    runtime = request.runtime
    try:
        fields = fields_of(FirstAdministrator(), entries, blank=("email",))
        password = fields.pop("setup_password")
        first = UserCreateFields.of(fields)
        lifetime = timedelta(hours=runtime.settings.of(ConsoleSettings).console_session_hours)

        def begin(session: Session, user: User) -> Login:
            return begin_login(session, user, METHOD, actor, lifetime)

        login = create_first_administrator(runtime.sessions, actor, password, first, begin)
    except Problem as problem:
        if problem.kind.code == "token_invalid":
            problem = invalid("setup_password", NO_LONGER)
        if problem.kind.status not in SHOWN_ON_THE_PAGE:
            raise problem from None
        request.response.status_code = problem.kind.status
        return _page(request, entries.refused(problem))
    request.runtime.shared(FirstRun).expire()
    response = see_other(request, STATION_STEP)
    request.runtime.shared(Sessions).begin(request, response, login.user_id, login.id, login.expires_at)
    return response


def _elsewhere(request: Request) -> Response | None:
    return None if request.runtime.shared(FirstRun).is_open else see_other(request, HOME)


def _page(request: Request, entries: Entries) -> dict[str, Any]:
    return {
        "entries": entries,
        "setup": SETUP,
        "is_local": request.visibility.is_local,
        "needs_tls": needs_tls(request),
        "problem": entries.problem,
    }

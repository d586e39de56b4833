"""The way to the map with the console's login: a page with a code, which the application exchanges for tokens."""

from __future__ import annotations

from pyramid.renderers import render
from pyramid.response import Response

from skywatch.accounts.identity.caller import caller_of
from skywatch.accounts.sign_in.cookies import remember_browser
from skywatch.accounts.sign_in.handover import LIFETIME, Handover, create_code
from skywatch.core.problems import Problem, invalid
from skywatch.http.requests.request import Request
from skywatch.sentences import sentence
from skywatch.web.settings import WebSettings

# The application's own script asks the API; its addresses count from where the application is.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'"
)
# The page of the application on which a click on the map says where the antenna is.
STATION = "station"


def to_map(request: Request, to: str = "") -> Response:
    """The page of a new code, which leads to the application or to one of its pages (``to``).

    Raises Problem: 404 where there is no application, 400 for a page that nobody goes on to from here.
    """
    if to not in ("", STATION):
        raise invalid("to", sentence("console.not_a_map_page", "is not a page of the map that is opened from here"))
    login_id = request.caller.login_id
    if not request.runtime.settings.of(WebSettings).web_enabled or login_id is None:
        raise Problem("not_found", sentence("console.web_off", "The web application is switched off (`web_enabled`)."))
    return page_of(request, create_code(request.db, caller_of(request), login_id), to)


def page_of(request: Request, made: Handover, to: str = "", *, has_console: bool = True) -> Response:
    """The page of a code, in this browser alone; ``has_console`` is whether its reader came from the console."""
    values = {"code": made.code, "to": to, "has_console": has_console}
    response = Response(render("handover.jinja2", values, request))
    remember_browser(request, response, made.browser, LIFETIME)
    response.headers["Content-Security-Policy"] = POLICY
    return response

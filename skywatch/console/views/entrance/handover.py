"""One sign-in for the web application and the console: each goes on with the login of the other.

The application sends its access token and gets a session. The console makes a code for this browser, which stands in
the body of a page and nowhere else; the application's script on that page exchanges it for tokens of the login.
"""

from __future__ import annotations

import colander
from pyramid.response import Response

from skywatch.console.forms.form import read_form, read_query
from skywatch.console.page import FormPage, Page
from skywatch.console.routes import HOME, see_other
from skywatch.console.sessions.entrance import check_origin, enter, holder_of_token
from skywatch.console.sessions.handover import to_map
from skywatch.console.sessions.session import Sessions
from skywatch.console.texts.catalogue import LANGUAGES
from skywatch.console.texts.language import remember_language
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.schema import QueryString, Schema, node
from skywatch.security.permissions import ViewPermission

PAGES = (Page(route="console.map", path="/map"),)
map_page = FormPage("console.map", "handover.jinja2", ViewPermission.IDENTIFIED)


class EnterQuery(Schema):
    """The language that the reader has chosen in the application, if any."""

    language = node(QueryString(), missing="", validator=colander.OneOf(LANGUAGES))


@view_config(route_name="console.enter", request_method="POST", permission=ViewPermission.OPEN, require_csrf=False)
def post_enter(request: Request) -> Response:
    """Begin a session for the login of an access token, sent by a page of this service"""
    check_origin(request)
    language: str = read_query(request, EnterQuery())["language"]
    identity = holder_of_token(request)
    login_id, ends_at = enter(request, identity)
    response = Response(status=204)
    request.runtime.shared(Sessions).begin(request, response, identity.user_id, login_id, ends_at)
    remember_language(request, response, language)
    return response


@map_page.get
def show_map(request: Request) -> Response:
    """Whoever had to sign in first, or loads the page of a code again, begins at the overview"""
    return see_other(request, HOME)


@map_page.post
def post_map(request: Request) -> Response:
    """Go on in the web application with the login of the session"""
    return to_map(request, read_form(request, "to").get("to", ""))

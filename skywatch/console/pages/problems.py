"""Problems as pages: visitors are sent to sign in and back, everybody else sees what is wrong."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from pyramid.renderers import render
from pyramid.response import Response

from skywatch.console.routes import ENTER, HOME, SETUP, SIGN_IN, SIGN_OUT, local, see_other
from skywatch.console.sessions.first_run import FirstRun
from skywatch.console.sessions.session import Sessions
from skywatch.core.problems import Problem
from skywatch.http.errors import CHALLENGE, problem_document, with_headers
from skywatch.http.requests.database import SAFE_METHODS
from skywatch.http.requests.request import Request


def show_problem(problem: Problem, request: Request) -> Response:
    """The page of a problem; nothing that is out of reach is needed to show it."""
    if request.environ.get("PATH_INFO") == ENTER:
        return _for_application(problem, request)
    if problem.kind.status == 401:
        return _sign_in_first(request)
    values = {
        "problem": problem,
        "back": _page_of(request),
        "may_sign_out": _has_session(request),
        "request_id": getattr(request, "request_id", ""),
    }
    response = Response(render("problem.jinja2", values, request), status=problem.kind.status)
    return with_headers(response, problem)


def _for_application(problem: Problem, request: Request) -> Response:
    """The web application asks for the session itself; what it gets is the document of the API."""
    response = problem_document(problem, request)
    if problem.kind.status == 401:
        response.headers["WWW-Authenticate"] = CHALLENGE
    return with_headers(response, problem)


def _sign_in_first(request: Request) -> Response:
    if request.runtime.shared(FirstRun).is_open:
        return see_other(request, SETUP)
    page = _page_of(request)
    onward = f"?next={quote(page, safe='/')}" if page != HOME else ""
    response = see_other(request, SIGN_IN + onward)
    request.runtime.shared(Sessions).forget(request, response)
    return response


def _page_of(request: Request) -> str:
    """The page that a request was sent from or asked for; every form goes to the address of its own page."""
    path = quote(request.environ.get("PATH_INFO", ""), safe="/")
    if path in (SIGN_IN, SIGN_OUT):
        return local(urlsplit(request.headers.get("Referer", "")).path.removeprefix(request.path_prefix))
    query = request.environ.get("QUERY_STRING", "")
    return local(f"{path}?{query}" if query and request.method in SAFE_METHODS else path)


def _has_session(request: Request) -> bool:
    if request.environ.get("PATH_INFO") in (SIGN_IN, SIGN_OUT):
        return False
    try:
        return request.runtime.shared(Sessions).read(request) is not None
    except Problem:
        return False

"""Every error as ``application/problem+json`` (RFC 9457) with a stable code; a 5xx never shows internals."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

import msgspec
from pyramid.config import Configurator
from pyramid.exceptions import PredicateMismatch, URLDecodeError
from pyramid.httpexceptions import HTTPException, HTTPForbidden, HTTPMethodNotAllowed, HTTPNotFound
from pyramid.response import Response
from sqlalchemy.exc import DBAPIError, TimeoutError

from skywatch.core.bus import BusError
from skywatch.core.database.engine import is_unavailable, outage_of, reason
from skywatch.core.problems import KINDS, Problem
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.http.pages import problem_page_of
from skywatch.http.requests.request import Request
from skywatch.security.area import area_of
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
# During an outage of the database thousands of requests fail: the log has one line for them.
outage = FaultLog(log, "requests are answered with 503", "requests that need the database or the bus are answered")
CHALLENGE = 'Bearer realm="skywatch", ApiKey realm="skywatch"'
RETRY_AFTER_S = 5
_BY_STATUS = {
    400: "malformed_body",
    401: "authentication_required",
    403: "permission_denied",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    413: "payload_too_large",
    415: "unsupported_media_type",
    421: "misdirected_request",
    429: "rate_limited",
    503: "unavailable",
}


def problem_response(problem: Problem, request: Request) -> Response:
    """The response for a problem in the form of its area, with the headers of its status."""
    area = area_of(request)
    if area is not None:
        return area.show_problem(problem, request)
    page = problem_page_of(request)
    response = page(problem, request) if page is not None else problem_document(problem, request)
    if problem.kind.status == 401:
        response.headers["WWW-Authenticate"] = CHALLENGE
    return with_headers(response, problem)


def problem_document(problem: Problem, request: Request) -> Response:
    """The document of RFC 9457, for programs."""
    body = problem.as_dict(getattr(request, "request_id", None))
    response = Response(body=msgspec.json.encode(body), status=problem.kind.status)
    response.content_type = "application/problem+json"
    response.charset = None
    return response


def with_headers(response: Response, problem: Problem) -> Response:
    """Add the status line and the headers that a problem has in every form."""
    # WebOb does not know the names of all statuses.
    response.status = f"{problem.kind.status} {HTTPStatus(problem.kind.status).phrase}"
    if problem.kind.status == 503:
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    response.headers.update(problem.headers)
    response.headers["Cache-Control"] = "no-store"
    return response


def problem_view(problem: Problem, request: Request) -> Response:
    return problem_response(problem, request)


def forbidden_view(error: HTTPForbidden, request: Request) -> Response:
    return denied_response(error.result, request)


def denied_response(denied: Any, request: Request) -> Response:
    """A denied permission: 401 for anonymous callers, 403 with the reason for others."""
    reason = str(getattr(denied, "s", "") or "")
    if reason == "feature_disabled":
        return problem_response(Problem("feature_disabled"), request)
    if request.identity is None:
        return problem_response(Problem("authentication_required"), request)
    if reason == "scope_denied":
        return problem_response(Problem("scope_denied"), request)
    return problem_response(Problem("permission_denied"), request)


def not_found_view(error: HTTPNotFound, request: Request) -> Response:
    """404 for an unknown path, 405 for one with other methods (Cornice's services say so themselves)."""
    if isinstance(error, PredicateMismatch) and request.matched_route is not None:
        allowed = _methods(request.registry, request.matched_route.name)
        if allowed and request.method not in allowed:
            return _method_not_allowed(sorted(allowed), request)
    return problem_response(
        Problem("not_found", sentence("http.nothing_here", "There is nothing at this address.")), request
    )


def undecodable_view(error: URLDecodeError, request: Request) -> Response:
    return problem_response(
        Problem("not_found", sentence("http.address_not_utf8", "The address is not valid UTF-8.")), request
    )


def _methods(registry: Any, route: str) -> frozenset[str]:
    """The methods that the views of a route answer; empty where one of them answers all."""
    methods: set[str] = set()
    for view in registry.introspector.get_category("views", default=[]):
        if view["introspectable"]["route_name"] == route:
            named = view["introspectable"]["request_methods"]
            if named is None:
                return frozenset()
            methods.update((named,) if isinstance(named, str) else named)
    return frozenset(methods | {"HEAD"} if "GET" in methods else methods)


def method_not_allowed_view(error: HTTPMethodNotAllowed, request: Request) -> Response:
    return _method_not_allowed(sorted(set(error.allow or ())), request)


def _method_not_allowed(methods: list[str], request: Request) -> Response:
    allowed = ", ".join(methods)
    detail = sentence("http.methods", "This address answers {methods}.", methods=allowed) if allowed else None
    return problem_response(Problem("method_not_allowed", detail, headers={"Allow": allowed}), request)


def http_exception_view(error: HTTPException, request: Request) -> Response:
    """Exceptions of Pyramid and WebOb."""
    code = _BY_STATUS.get(error.status_code)
    if error.status_code < 400:
        return error
    if code is None:
        code = "internal_error" if error.status_code >= 500 else "malformed_body"
    return problem_response(Problem(code), request)


def unavailable_view(error: Exception, request: Request) -> Response:
    """Database or bus unreachable or read-only: 503."""
    if not isinstance(error, BusError) and not is_unavailable(error):
        return internal_error_view(error, request)
    outage.failed(reason(error), cause=outage_of(error))
    return problem_response(Problem("unavailable"), request)


def internal_error_view(error: Exception, request: Request) -> Response:
    log.exception("request %s failed", getattr(request, "request_id", "-"), exc_info=error)
    return problem_response(Problem("internal_error"), request)


def includeme(config: Configurator) -> None:
    views: list[tuple[Any, type[BaseException]]] = [
        (problem_view, Problem),
        (http_exception_view, HTTPException),
        (unavailable_view, DBAPIError),
        (unavailable_view, TimeoutError),
        (unavailable_view, BusError),
        (internal_error_view, Exception),
    ]
    for view, context in views:
        config.add_exception_view(view, context=context)
    config.add_forbidden_view(forbidden_view)


assert set(_BY_STATUS.values()) <= set(KINDS)

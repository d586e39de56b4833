"""Tweens: processing of every request before routing and of every response, one concern each."""

from __future__ import annotations

import logging
import random
import re
import time
from collections.abc import Callable
from typing import Any

from pyramid.response import Response
from sqlalchemy.exc import DBAPIError, TimeoutError

from skywatch.core.bus import BusError
from skywatch.core.problems import Problem
from skywatch.core.runtime import runtime_of
from skywatch.core.telemetry import logs
from skywatch.http import metrics
from skywatch.http.errors import internal_error_view, outage, problem_response, unavailable_view
from skywatch.http.limits.admission import is_question
from skywatch.http.path_rules import PathRules
from skywatch.http.requests.compression import compress, takes_gzip
from skywatch.http.requests.headers import add_vary, media_type
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.security.area import area_of
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
Handler = Callable[[Request], Response]

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,128}")
MIN_COMPRESSED_BYTES = 1024
# The API, and the addresses of readsb's clients and of assistants.
API_PATHS = ("/api/", "/data/", "/re-api/", "/v2/", "/globe_history/", "/mcp/")
COMPRESSIBLE = ("application/json", "application/problem+json", "application/geo+json", "text/")

# The pattern, never the path: clients must not be able to create time series.
UNROUTED = "(none)"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def request_id_tween(handler: Handler, registry: Any) -> Handler:
    """Set the id of every request, the client's if it is well formed, and release its references at the end."""

    def tween(request: Request) -> Response:
        offered = request.environ.get("HTTP_X_REQUEST_ID", "")
        request.request_id = offered if REQUEST_ID.fullmatch(offered) else f"{random.getrandbits(64):016x}"
        request.add_finished_callback(Request.let_go)
        token = logs.request_id.set(request.request_id)
        try:
            response = handler(request)
        finally:
            logs.request_id.reset(token)
        # No view sets it: it is added, not looked for.
        response.headerlist.append(("X-Request-ID", request.request_id))
        return response

    return tween


def measure_tween(handler: Handler, registry: Any) -> Handler:
    """Measure the time until the response begins; a streamed body comes after it.

    A request whose body was only admitted is counted when it comes with its body.
    """

    # The metrics find theirs by names and a lock each time; what is counted once is counted again and again.
    counters: dict[tuple[str, str, str], Any] = {}
    timers: dict[tuple[str, str], Any] = {}

    def tween(request: Request) -> Response:
        began, was_question = time.perf_counter(), is_question(request)
        metrics.HTTP_IN_FLIGHT.inc()
        status = "500"
        try:
            response = handler(request)
            status = str(response.status_code)
            return response
        finally:
            metrics.HTTP_IN_FLIGHT.dec()
            matched = getattr(request, "matched_route", None)
            route = matched.pattern if matched is not None else UNROUTED
            method = request.method if request.method in METHODS else "OTHER"
            if not was_question or is_question(request):
                counter = counters.get((method, route, status))
                if counter is None:
                    counter = counters[method, route, status] = metrics.HTTP_REQUESTS.labels(method, route, status)
                timer = timers.get((method, route))
                if timer is None:
                    timer = timers[method, route] = metrics.HTTP_LATENCY.labels(method, route)
                counter.inc()
                timer.observe(time.perf_counter() - began)

    return tween


def compression_tween(handler: Handler, registry: Any) -> Handler:
    """gzip for bodies over 1 KiB, if the client accepts it."""

    def tween(request: Request) -> Response:
        response = handler(request)
        if not media_type(response).startswith(COMPRESSIBLE):
            return response
        add_vary(response, "Accept-Encoding")  # A stream that compresses itself has done so already.
        if (
            takes_gzip(request)
            and response.content_encoding is None
            and isinstance(response.app_iter, list)
            and (response.content_length or 0) > MIN_COMPRESSED_BYTES
        ):
            compress(response)
            # The ETag names the uncompressed form as well: weak validators compare equal (RFC 9110, 8.8.3.2).
        return response

    return tween


def last_resort_tween(handler: Handler, registry: Any) -> Handler:
    """Answer errors that no exception view handles: those of the tweens below, such as a failed commit."""

    def tween(request: Request) -> Response:
        try:
            response = handler(request)
            if outage.count and response.status_int < 500 and "db" in request.__dict__:
                outage.succeeded()
            return response
        except Problem as problem:
            return problem_response(problem, request)
        except (DBAPIError, TimeoutError, BusError) as error:
            return unavailable_view(error, request)
        except Exception as error:
            return internal_error_view(error, request)

    return tween


def trailing_slash_tween(handler: Handler, registry: Any) -> Handler:
    """Paths of the API, of readsb and in an area work the same with and without a trailing slash."""

    def tween(request: Request) -> Response:
        path = request.environ.get("PATH_INFO", "")
        if (
            path.endswith("/")
            and not path.endswith("//")
            and (path.startswith(API_PATHS) or area_of(request) is not None)
        ):
            request.environ["PATH_INFO"] = path[:-1]
        return handler(request)

    return tween


def body_limit_tween(handler: Handler, registry: Any) -> Handler:
    """Refuse bodies over the limit before anything reads them; routes with a larger one are listed by prefix."""
    runtime = runtime_of(registry)
    limit, exceptions = runtime.settings.of(HttpSettings).max_body_bytes, runtime.shared(PathRules).body_limits

    def tween(request: Request) -> Response:
        area = area_of(request)
        max_bytes = limit if area is None else area.max_body_bytes
        for prefix, larger in exceptions.items():
            if request.environ.get("PATH_INFO", "").startswith(prefix):
                max_bytes = larger
        if (request.content_length or 0) > max_bytes:
            return problem_response(
                Problem(
                    "payload_too_large",
                    sentence("body.too_large", "The body may have at most {most} bytes.", most=max_bytes),
                ),
                request,
            )
        return handler(request)

    return tween

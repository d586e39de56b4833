"""Counts and times every request by method, route pattern and status, for ``system/metrics``."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from pyramid.response import Response

from skywatch.http import metrics
from skywatch.http.limits.admission import is_question
from skywatch.http.requests.request import Request

Handler = Callable[[Request], Response]
# The pattern, never the path: clients must not be able to create time series.
UNROUTED = "(none)"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


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

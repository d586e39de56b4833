"""Limits of dry runs: how many at once, how many a minute, and how long one may take.

They hold before the body is read: the expressions of a rule are compiled while it is checked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from pyramid.response import Response

from skywatch.alerts.settings import AlertSettings
from skywatch.core.limits import ConcurrencyLimiter
from skywatch.core.runtime import Runtime
from skywatch.http.limits.slow_work import deadline_of, slow_work
from skywatch.http.limits.throttle import count_in
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.sentences import sentence

# At once in this process; each occupies a worker thread of the API, and half of them must stay free.
MOST = 2
# Time limit of a dry run, from its body to its result (s). Over history what was tested until then is the result.
LIVE_S, PAST_S = 5.0, 40.0
# Held by the one that calculates.
calculating = threading.Lock()
View = Callable[[Any, Request], Response]


def dry_run_limiter(runtime: Runtime) -> ConcurrencyLimiter:
    """Create the limiter of dry runs."""
    at_once = max(1, min(MOST, runtime.settings.of(HttpSettings).api_threads // 2))
    words = (sentence("work.dry_run", "dry run"), sentence("work.many_dry_runs", "dry runs"))
    return slow_work(runtime, "dry_runs", *words, at_once=at_once, wait_s=2.0)


def limited(view: View) -> View:
    """Decorator of views (Pyramid's ``decorator``): a dry run within its limits; sets ``request.deadline``."""

    def dry_run(context: Any, request: Request) -> Response:
        count_in(request, "dry_run", request.runtime.settings.of(AlertSettings).throttle_dry_run)
        with request.runtime.shared(dry_run_limiter).turn(request.person):
            deadline = request.deadline = deadline_of(
                request, sentence("work.the_dry_run", "The dry run"), LIVE_S, calculating
            )
            with deadline:
                return view(context, request)

    return dry_run

"""Limits of dry runs: how many at once, how many a minute, and how long one may take.

They hold before the body is read: the expressions of a rule are compiled while it is checked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pyramid.response import Response

from skywatch.alerts.settings import AlertSettings
from skywatch.core.problems import Problem
from skywatch.http.limits.deadline import deadline_of
from skywatch.http.limits.throttle import count_in, subject_of
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings

# At once in this process; each occupies a worker thread of the API, and half of them must stay free.
MOST = 2
# Time limit of a dry run, from its body to its result (s). Over history what was tested until then is the result.
LIVE_S, PAST_S = 5.0, 40.0
RETRY_AFTER_S = 2
View = Callable[[Any, Request], Response]


class DryRunLimiter:
    """Slots of dry runs: at most ``most`` in all, and one for each caller. Safe to use from any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._guard = threading.Lock()
        self._callers: set[str] = set()
        self.turn = threading.Lock()
        """Held by the one that calculates."""

    @contextmanager
    def slot(self, caller: str) -> Iterator[None]:
        """One slot; raises Problem (503) where there is none."""
        with self._guard:
            if caller in self._callers:
                raise _refusal("Another dry run of yours is running; try again when it has ended.")
            if len(self._callers) >= self._most:
                raise _refusal(f"Other dry runs are running (at most {self._most} at once); try again in a moment.")
            self._callers.add(caller)
        try:
            yield
        finally:
            with self._guard:
                self._callers.discard(caller)


def create_limiter(settings: HttpSettings) -> DryRunLimiter:
    """The limiter of one application."""
    return DryRunLimiter(max(1, min(MOST, settings.api_threads // 2)))


def limited(view: View) -> View:
    """Decorator of views (Pyramid's ``decorator``): a dry run within its limits; sets ``request.deadline``."""

    def dry_run(context: Any, request: Request) -> Response:
        count_in(request, "dry_run", request.runtime.settings.of(AlertSettings).throttle_dry_run)
        limiter: DryRunLimiter = request.registry["dry_runs"]
        deadline = request.deadline = deadline_of(request, "The dry run", LIVE_S, limiter.turn)
        with limiter.slot(subject_of(request)), deadline:
            return view(context, request)

    return dry_run


def _refusal(detail: str) -> Problem:
    return Problem("unavailable", detail, headers={"Retry-After": str(RETRY_AFTER_S)})

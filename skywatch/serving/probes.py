"""Answers liveness probes in a separate thread: a service whose workers are all busy must not be killed."""

from __future__ import annotations

from typing import Any

from waitress.parser import HTTPRequestParser
from waitress.task import ThreadedTaskDispatcher

from skywatch.http.throttle import HEALTH_PATH, LIVENESS_QUERY

# Requests with credentials or a body are served by workers.
_CREDENTIALS = ("AUTHORIZATION", "X_API_KEY", "COOKIE")


class ProbeDispatcher(ThreadedTaskDispatcher):
    """Waitress' dispatcher with one more thread, for probes only."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self.set_thread_count(threads)
        self._probes = ThreadedTaskDispatcher()
        self._probes.set_thread_count(1)

    def add_task(self, task: Any) -> None:
        """Queue a connection whose first request waits for an answer."""
        if task.requests and is_probe(task.requests[0]):
            self._probes.add_task(task)
        else:
            super().add_task(task)

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        """End all threads."""
        self._probes.shutdown(cancel_pending, timeout)
        return bool(super().shutdown(cancel_pending, timeout))


def is_probe(request: HTTPRequestParser) -> bool:
    """Whether a request is a liveness probe."""
    return (
        not request.error
        and request.path.rstrip("/") == HEALTH_PATH
        and request.query == LIVENESS_QUERY
        and not request.content_length
        and not any(name in request.headers for name in _CREDENTIALS)
    )

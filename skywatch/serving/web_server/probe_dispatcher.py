"""Answers liveness probes in a separate thread: a service whose workers are all busy must not be killed."""

from __future__ import annotations

import threading
from typing import Any

from waitress.parser import HTTPRequestParser
from waitress.task import ThreadedTaskDispatcher

from skywatch.http.limits.throttle import HEALTH_PATH, LIVENESS_QUERY

# Requests with credentials or a body are served by workers.
_CREDENTIALS = ("AUTHORIZATION", "X_API_KEY", "COOKIE")


class ProbeDispatcher(ThreadedTaskDispatcher):
    """Waitress' pool of workers, with one more thread for probes only, and one for each stream that occupies one."""

    def __init__(self, threads: int) -> None:
        super().__init__()
        self._lending, self._thread_count, self._is_closed = threading.Lock(), threads, False
        self.set_thread_count(threads)
        self._probes = ThreadedTaskDispatcher()
        self._probes.set_thread_count(1)

    def add_task(self, task: Any) -> None:
        """Queue a connection whose first request waits for an answer."""
        if task.requests and is_probe(task.requests[0]):
            self._probes.add_task(task)
        else:
            super().add_task(task)

    def lend_thread(self) -> None:
        """Start a thread in place of the caller's, which is occupied for long; raises RuntimeError without room."""
        self._change_thread_count(1)

    def take_thread_back(self) -> None:
        """End one that was started so, as soon as it has nothing to do."""
        self._change_thread_count(-1)

    def _change_thread_count(self, change: int) -> None:
        with self._lending:
            if not self._is_closed:
                self.set_thread_count(self._thread_count + change)
            self._thread_count += change

    def start_new_thread(self, target: Any, thread_no: int) -> None:
        """Called by waitress, which counts the thread before."""
        try:
            super().start_new_thread(target, thread_no)
        except RuntimeError:
            self.threads.discard(thread_no)
            raise

    def shutdown(self, cancel_pending: bool = True, timeout: float = 5) -> bool:
        """End all threads."""
        with self._lending:
            self._is_closed = True
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

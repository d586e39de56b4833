"""Opens what a process needs, and waits for it: a database or bus that cannot be reached may be there in a moment.

Meanwhile a process with the REST API listens already: the liveness probe is answered, health shows what is missing,
and everything else gets 503.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec
from waitress import wasyncore

from skywatch.core.bus import BusAwayError
from skywatch.core.db import DatabaseAwayError
from skywatch.core.fault_log import FaultLog
from skywatch.core.health import LIVE
from skywatch.core.migrations import check_schema
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.http.errors import RETRY_AFTER_S
from skywatch.http.settings import HttpSettings
from skywatch.http.throttle import HEALTH_PATH, LIVENESS_QUERY
from skywatch.serving.api_server import create_server, sockets_of
from skywatch.settings import Role, Settings

log = logging.getLogger(__name__)
# Pause between two attempts (s).
RETRY_S = 1.0
HEADERS = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))
# How long requests that are being answered may take when the wait ends (s).
WORKERS_S = 1.0

StartResponse = Callable[[str, list[tuple[str, str]]], Any]


@contextmanager
def open_means(settings: Settings, roles: Sequence[Role]) -> Iterator[Runtime]:
    """Database and bus for as long as the process runs, with the lock of the tracker where this process is the tracker.

    Waits up to ``start_wait_s``. Raises DatabaseError, BusError or SettingsError with a line for the administrator.
    """
    with ExitStack() as means:
        runtime = _wait_for(lambda: _open(means, settings, roles), settings, roles)
        yield runtime


def _open(means: ExitStack, settings: Settings, roles: Sequence[Role]) -> Runtime:
    with ExitStack() as opened:
        runtime = Runtime.open(settings)
        opened.callback(runtime.close)
        check_schema(runtime.engine)
        if "tracker" in roles:
            from skywatch.picture.only_tracker import OnlyTracker

            lock = runtime.shared(OnlyTracker)
            lock.acquire()
            opened.callback(lock.close)
        means.push(opened.pop_all())
        return runtime


def _wait_for(attempt: Callable[[], Runtime], settings: Settings, roles: Sequence[Role]) -> Runtime:
    faults = FaultLog(log, f"the start waits up to {settings.start_wait_s:g} s (start_wait_s)", "the start goes on")
    deadline = time.monotonic() + settings.start_wait_s
    with ExitStack() as waiting:
        answers: WaitingApp | None = None
        while True:
            try:
                runtime = attempt()
            except (DatabaseAwayError, BusAwayError) as error:
                if time.monotonic() + RETRY_S > deadline:
                    raise
                faults.failed(str(error))
                if answers is None and "api" in roles:
                    answers = waiting.enter_context(_answering(settings.of(HttpSettings)))
                if answers is not None:
                    answers.missing = "database" if isinstance(error, DatabaseAwayError) else "bus"
                time.sleep(RETRY_S)
            else:
                faults.succeeded()
                return runtime


class WaitingApp:
    """The WSGI application of a process that waits; ``missing`` is the check of health that fails."""

    missing = "database"

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer any request."""
        if environ["PATH_INFO"].rstrip("/") != HEALTH_PATH:
            problem = Problem("unavailable", "The service is starting and waits for its database or bus.")
            return _answer(start_response, 503, problem.as_dict(), "application/problem+json")
        if environ.get("QUERY_STRING") == LIVENESS_QUERY:
            return _answer(start_response, 200, LIVE)
        check = {"name": self.missing, "ok": False, "required": True, "detail": "does not answer; the start waits"}
        body = {"status": "failing", "live": True, "ready": False, "checks": [check]}
        return _answer(start_response, 503, body)


def _answer(
    start_response: StartResponse, status: int, body: dict[str, Any], media_type: str = "application/json"
) -> list[bytes]:
    data = msgspec.json.encode(body)
    headers = [("Content-Type", media_type), ("Content-Length", str(len(data))), *HEADERS]
    if status == 503:
        headers.append(("Retry-After", str(RETRY_AFTER_S)))
    start_response("200 OK" if status == 200 else "503 Service Unavailable", headers)
    return [data]


@contextmanager
def _answering(settings: HttpSettings) -> Iterator[WaitingApp]:
    """Serve a ``WaitingApp`` from a thread; raises SettingsError if the address is not available."""
    app, stop = WaitingApp(), threading.Event()
    server = create_server(app, settings, {})

    def serve() -> None:
        while not stop.is_set():
            wasyncore.loop(timeout=0.1, use_poll=True, map=sockets_of(server), count=1)
        server.task_dispatcher.shutdown(timeout=WORKERS_S)
        wasyncore.close_all(sockets_of(server), ignore_all=True)

    thread = threading.Thread(target=serve, name="waiting-api", daemon=True)
    thread.start()
    try:
        yield app
    finally:
        stop.set()
        thread.join()

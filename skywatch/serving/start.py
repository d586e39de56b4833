"""Opens what a process needs, and waits for it: a database or bus that cannot be reached may be there in a moment.

Meanwhile a process with the REST API listens already: the liveness probe is answered, health shows what is missing,
and everything else gets 503. The same server then goes on with the application.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import msgspec
import sqlalchemy as sa

from skywatch.core.bus import BusAwayError
from skywatch.core.database.engine import DatabaseAwayError
from skywatch.core.database.migrations import check_schema
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import LIVE
from skywatch.http.errors import RETRY_AFTER_S
from skywatch.http.limits.throttle import HEALTH_PATH, LIVENESS_QUERY
from skywatch.http.settings import HttpSettings
from skywatch.sentences import sentence, worded
from skywatch.serving.web_server.api_server import create_server
from skywatch.settings import Role, Settings, SettingsError
from skywatch.system.health.checks import Check, check_disk

log = logging.getLogger(__name__)
# Pause between two attempts (s).
RETRY_S = 1.0
HEADERS = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))

StartResponse = Callable[[str, list[tuple[str, str]]], Any]


@dataclass(frozen=True)
class Means:
    """What a process runs on; ``waiting`` is the server that has answered meanwhile where the start had to wait."""

    runtime: Runtime
    waiting: WaitingServer | None = None


@contextmanager
def open_means(settings: Settings, roles: Sequence[Role], runtime: Runtime | None = None) -> Iterator[Means]:
    """Database and bus for as long as the process runs, with the lock of the tracker where this process is the tracker.

    ``runtime`` is one that is open already. Waits up to ``start_wait_s``. Raises DatabaseError, BusError or
    SettingsError with a line for the administrator.
    """
    with ExitStack() as opened:
        yield _wait_for(opened, settings, roles, runtime)


def _open(means: ExitStack, settings: Settings, roles: Sequence[Role], runtime: Runtime | None) -> Runtime:
    with ExitStack() as opened:
        runtime = runtime or Runtime.open(settings)
        opened.callback(runtime.close)
        check_schema(runtime.engine)
        if "tracker" in roles:
            from skywatch.core.election.tracker_election import OnlyTracker

            tracker = runtime.shared(OnlyTracker)
            if stands_by(settings):
                tracker.stand_by()
            else:
                tracker.acquire()
            opened.callback(tracker.close)
        means.push(opened.pop_all())
        return runtime


def stands_by(settings: Settings) -> bool:
    """Whether a tracker waits where another one leads; raises SettingsError where the database cannot elect one."""
    is_server = sa.make_url(settings.database_url).get_backend_name() == "postgresql"
    if settings.tracker_standby and not is_server:
        raise SettingsError("tracker_standby", "needs PostgreSQL; SQLite serves one host and one tracker")
    return is_server if settings.tracker_standby is None else settings.tracker_standby


def _wait_for(opened: ExitStack, settings: Settings, roles: Sequence[Role], given: Runtime | None) -> Means:
    faults = FaultLog(log, f"the start waits up to {settings.start_wait_s:g} s (start_wait_s)", "the start goes on")
    deadline = time.monotonic() + settings.start_wait_s
    waiting: WaitingServer | None = None
    while True:
        try:
            runtime = _open(opened, settings, roles, given)
        except (DatabaseAwayError, BusAwayError) as error:
            if time.monotonic() + RETRY_S > deadline:
                raise
            faults.failed(str(error))
            if waiting is None and "api" in roles:
                waiting = WaitingServer(settings)
                opened.callback(waiting.close)
            if waiting is not None:
                waiting.app.missing = "database" if isinstance(error, DatabaseAwayError) else "bus"
            time.sleep(RETRY_S)
        else:
            faults.succeeded()
            return Means(runtime, waiting)


class WaitingApp:
    """The WSGI application of a process that waits; ``missing`` is the check of health that fails."""

    missing = "database"

    def __init__(self, database_url: str) -> None:
        self._database_url = sa.make_url(database_url)

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer any request."""
        if environ["PATH_INFO"].rstrip("/") != HEALTH_PATH:
            problem = Problem(
                "unavailable",
                sentence("serving.starting", "The service is starting and waits for its database or bus."),
            )
            return _answer(start_response, 503, problem.as_dict(), "application/problem+json")
        if environ.get("QUERY_STRING") == LIVENESS_QUERY:
            return _answer(start_response, 200, LIVE)
        checks = [
            Check(self.missing, False, True, sentence("health.start_waits", "does not answer; the start waits")),
            check_disk(self._database_url),
        ]
        records = [{"name": c.name, "ok": c.ok, "required": c.required, **worded("detail", c.detail)} for c in checks]
        body = {"status": "failing", "live": True, "ready": False, "checks": records, "trackers": []}
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


class WaitingServer:
    """Serves a ``WaitingApp``; raises SettingsError if the address is not available.

    ``server`` goes on with the application of the service after ``hand_over``: no connection is closed in between.
    """

    def __init__(self, settings: Settings) -> None:
        self.app = WaitingApp(settings.database_url)
        self.server = create_server(self.app, settings.of(HttpSettings))
        self._is_handed_over = False
        self.server.start()

    def hand_over(self) -> None:
        """Leave the server to the caller."""
        self._is_handed_over = True

    def close(self) -> None:
        """Answer open requests and close the server, unless it was handed over."""
        if not self._is_handed_over:
            self.server.drain()
            self.server.close()

"""One process of an installation: opens its means, runs its roles, and ends in the reverse order."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from skywatch.console.settings import ConsoleSettings
from skywatch.core import health
from skywatch.core.announce import Announcer
from skywatch.core.migrations import check_schema
from skywatch.core.runtime import Runtime
from skywatch.http.settings import HttpSettings
from skywatch.serving.api_server import create_api_server, run_until_interrupted
from skywatch.serving.roles import LoopThread, create_services
from skywatch.serving.shutdown import Shutdown
from skywatch.serving.status_line import StatusLine
from skywatch.settings import Role, Settings, SettingsError
from skywatch.sso.defaults import check_default_roles

# What this process alone has of the bus: whether it sends and receives.
BUS_LINK = "bus_link"


def run(settings: Settings, roles: Sequence[Role]) -> None:
    """Run these roles until SIGINT or SIGTERM; to be called in the main thread."""
    if settings.bus == "memory" and "tracker" not in roles:
        raise SettingsError("roles", "with bus = memory all roles run in one process; tracker is missing")
    shutdown = Shutdown()
    shutdown.install()
    # A signal that comes while the process starts ends it like one that comes later.
    with contextlib.suppress(KeyboardInterrupt):
        runtime = Runtime.open(settings)
        try:
            check_schema(runtime.engine)
            with only_tracker(runtime) if "tracker" in roles else contextlib.nullcontext():
                _run(runtime, roles, shutdown)
        finally:
            runtime.close()


def _run(runtime: Runtime, roles: Sequence[Role], shutdown: Shutdown) -> None:
    if runtime.settings.bus != "memory":
        health.watch(BUS_LINK, runtime.bus.state)
    if "api" in roles:
        check_default_roles(runtime)
    # The API's view of the picture must be there before the first tick, and its port before any work begins.
    server = create_api_server(runtime) if "api" in roles else None
    loop = LoopThread(create_services(runtime, roles))
    announcer = Announcer(runtime.bus, roles)
    try:
        loop.start()
        announcer.start()
        with StatusLine(runtime, describe_start(runtime.settings, roles, server)):
            _wait(server)
    finally:
        # First what was accepted and is not written yet; the bus may keep the announcer waiting.
        loop.stop(shutdown.remaining_s())
        announcer.close()
        if server is not None:
            server.close()


@contextlib.contextmanager
def only_tracker(runtime: Runtime) -> Iterator[None]:
    """Keep other trackers of the installation from starting; raises DatabaseError where one is at work."""
    from skywatch.picture.only_tracker import OnlyTracker

    lock = runtime.shared(OnlyTracker)
    lock.acquire()
    try:
        yield
    finally:
        lock.close()


def describe_start(settings: Settings, roles: Sequence[Role], server: Any) -> list[str]:
    """Where the service listens, printed once at the start."""
    lines = [f"Skywatch is running ({', '.join(roles)})."]
    if server is not None:
        host, port = server.effective_host, server.effective_port
        address = f"http://[{host}]:{port}" if ":" in str(host) else f"http://{host}:{port}"
        lines.append(f"REST API:  {address}/api/v1/aircraft   (documentation: {address}/api/v1/docs)")
        if settings.of(ConsoleSettings).console_enabled:
            lines.append(f"Console:   {address}/console")
    if "realtime" in roles:
        http = settings.of(HttpSettings)
        address = f"{http.realtime_listen}{http.realtime_path}"
        lines.append(f"Real time: ws://{address}   (Socket.IO: /socket.io/)")
    return lines


def _wait(server: Any) -> None:
    """Serve requests, or nothing, until interrupted."""
    if server is not None:
        run_until_interrupted(server)
        return
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()

"""One process of an installation: opens its resources, runs its roles, and closes them in reverse order."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from skywatch.accounts.settings import AccountSettings, looks_like_several_secrets
from skywatch.console.settings import ConsoleSettings
from skywatch.core import limits
from skywatch.core.process import late_imports
from skywatch.core.process.announcer import Announcer
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime, runtime_of
from skywatch.core.telemetry import health
from skywatch.http.clients.exposure import ADVICE, exposure, listen_addresses
from skywatch.http.settings import HttpSettings
from skywatch.serving.memory import (
    RETURN_EVERY_S,
    exempt_from_garbage_collection,
    garbage_collection_paused,
    limit_heaps,
    return_free_memory,
)
from skywatch.serving.roles import LoopThread, create_services
from skywatch.serving.shutdown import Shutdown
from skywatch.serving.start import Means, open_means
from skywatch.serving.status_line import StatusLine
from skywatch.serving.web_server.api_server import ApiServer, create_api_server
from skywatch.settings import Role, Settings, SettingsError
from skywatch.sso.defaults import check_default_roles

if TYPE_CHECKING:
    from pyramid.router import Router

log = logging.getLogger(__name__)
# The state of this process's own connection to the bus.
BUS_LINK = "bus_link"
# Who waits for what people share.
SHARED_LIMITS = "shared_limits"


def run(settings: Settings, roles: Sequence[Role], app: Router | None = None) -> None:
    """Run these roles until SIGINT or SIGTERM; call it in the main thread.

    ``app`` is the application to serve where it is there already, with its means.
    """
    if settings.bus == "memory" and "tracker" not in roles:
        raise SettingsError("roles", "with bus = memory all roles run in one process; tracker is missing")
    shutdown = Shutdown()
    shutdown.install()
    limit_heaps()
    late_imports.check_installed()
    # A signal during the start ends the process like a later one.
    with contextlib.suppress(KeyboardInterrupt), ExitStack() as start:
        start.enter_context(garbage_collection_paused())
        with open_means(settings, roles, runtime_of(app.registry) if app is not None else None) as means:
            _run(means, roles, shutdown, start, app)


def _run(means: Means, roles: Sequence[Role], shutdown: Shutdown, start: ExitStack, app: Router | None) -> None:
    """Run the roles; ``start`` is closed when everything is made."""
    runtime = means.runtime
    if runtime.settings.bus != "memory":
        health.watch(BUS_LINK, runtime.bus.state)
    health.watch(SHARED_LIMITS, limits.state)
    exposed = exposure(runtime.settings, listen_addresses(runtime.settings, roles))
    if exposed is not None:
        log.warning("%s; %s", exposed, ADVICE)
    if "api" in roles:
        check_default_roles(runtime)
        if (advice := looks_like_several_secrets(runtime.settings.of(AccountSettings))) is not None:
            log.warning("jwt_secret_key: %s", advice)
    # The API must subscribe to the picture before the first tick, and listen before any work begins.
    server = _open_api(means, app) if "api" in roles else None
    loop = LoopThread(create_services(runtime, roles))
    # Before collection goes on: its first pass would look at all of it.
    exempt_from_garbage_collection()
    start.close()
    announcer = Announcer(runtime.bus, roles, _tracker_of(runtime) if "tracker" in roles else None)
    memory = PeriodicTask("memory", RETURN_EVERY_S, return_free_memory)
    try:
        loop.start()
        announcer.start()
        memory.start()
        with StatusLine(runtime, describe_start(runtime.settings, roles, server)):
            _wait(server)
    finally:
        # Pending writes first; closing the bus may block.
        loop.stop(shutdown.remaining_s())
        announcer.close()
        memory.close()
        if server is not None:
            server.close()


def _tracker_of(runtime: Runtime) -> Callable[[], tuple[str, float, str]]:
    from skywatch.core.election.tracker_election import OnlyTracker

    only = runtime.shared(OnlyTracker)
    return lambda: only.standing


def _open_api(means: Means, app: Router | None) -> ApiServer:
    """The server of the REST API: the one that has answered while the start waited, where there is one."""
    if means.waiting is None:
        return create_api_server(means.runtime, app=app)
    server = create_api_server(means.runtime, means.waiting.server)
    means.waiting.hand_over()
    return server


def describe_start(settings: Settings, roles: Sequence[Role], server: ApiServer | None) -> list[str]:
    """The addresses of the service, printed once at the start."""
    lines = [f"Skywatch is running ({', '.join(roles)})."]
    if server is not None:
        host, port = server.host, server.port
        address = f"http://[{host}]:{port}" if ":" in str(host) else f"http://{host}:{port}"
        lines.insert(0, f"Map:       {address}/")
        lines.append(f"REST API:  {address}/api/v1/aircraft   (documentation: {address}/api/v1/docs)")
        if settings.of(ConsoleSettings).console_enabled:
            lines.append(f"Console:   {address}/console")
    if "realtime" in roles:
        http = settings.of(HttpSettings)
        address = f"{http.realtime_listen}{http.realtime_path}"
        lines.append(f"Real time: ws://{address}   (Socket.IO: /socket.io/)")
    return lines


def _wait(server: ApiServer | None) -> None:
    """Serve requests, or nothing, until interrupted."""
    if server is not None:
        server.run()
        return
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()

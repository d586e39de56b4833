"""``skywatch serve FILE.ini``: runs the roles that the ini names in one process, until it is told to stop."""

from __future__ import annotations

import contextlib
import signal
import threading
from pathlib import Path
from typing import Any

import click

from skywatch.cli.api_server import create_api_server, run_until_interrupted
from skywatch.cli.common import ini_argument, one_line_errors, read_ini, set_up_logging
from skywatch.cli.roles import LoopThread, create_services
from skywatch.cli.status_line import StatusLine
from skywatch.core.announce import Announcer
from skywatch.core.migrations import check_schema
from skywatch.core.runtime import Runtime
from skywatch.settings import ROLES, Role, Settings, SettingsError
from skywatch.sso.defaults import check_default_roles


@click.command()
@ini_argument
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES), help="Run only this role (repeatable).")
@one_line_errors
def serve(ini: Path, roles: tuple[Role, ...]) -> None:
    """Run Skywatch as FILE.ini says, until interrupted."""
    settings, _ = read_ini(ini)
    set_up_logging(settings)
    run(settings, roles or settings.roles)


def run(settings: Settings, roles: tuple[Role, ...]) -> None:
    """Run these roles until SIGINT or SIGTERM."""
    if settings.bus == "memory" and "tracker" not in roles:
        raise SettingsError("roles", "with bus = memory all roles run in one process; tracker is missing")
    signal.signal(signal.SIGTERM, _interrupt)
    runtime = Runtime.open(settings)
    try:
        check_schema(runtime.engine)
        if "api" in roles:
            check_default_roles(runtime)
        # The API's view of the picture must be there before the first tick, and its port before any work begins.
        server = create_api_server(runtime) if "api" in roles else None
        loop = LoopThread(create_services(runtime, roles))
        announcer = Announcer(runtime.bus, roles)
        try:
            loop.start()
            announcer.start()
            with StatusLine(runtime, announce(settings, roles, server)):
                wait(server)
        finally:
            announcer.close()
            loop.stop()
            if server is not None:
                server.close()
    finally:
        runtime.close()


def announce(settings: Settings, roles: tuple[Role, ...], server: Any) -> list[str]:
    """What is said once at the start: where the service listens."""
    lines = [f"Skywatch is running ({', '.join(roles)})."]
    if server is not None:
        host, port = server.effective_host, server.effective_port
        address = f"http://[{host}]:{port}" if ":" in str(host) else f"http://{host}:{port}"
        lines.append(f"REST API:  {address}/api/v1/aircraft   (documentation: {address}/api/v1/docs)")
        if settings.console_enabled:
            lines.append(f"Console:   {address}/console")
    if "realtime" in roles:
        lines.append(f"Real time: ws://{settings.realtime_listen}{settings.realtime_path}   (Socket.IO: /socket.io/)")
    return lines


def wait(server: Any) -> None:
    """Serve requests, or nothing, until interrupted."""
    if server is not None:
        run_until_interrupted(server)
        return
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt

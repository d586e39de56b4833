"""``pserve FILE.ini``: the server of ``[server:main] use = egg:skywatch``, which runs the roles that FILE.ini names.

It is ``skywatch serve`` with the application that Pyramid has made, after what ``make run`` does before.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from pyramid.router import Router

from skywatch.cli.init import prepare_installation
from skywatch.core.database.engine import sqlite_file
from skywatch.core.runtime import runtime_of
from skywatch.core.terminal.command import one_line_errors, read_section, set_up_logging
from skywatch.features import load
from skywatch.serving.process import run
from skywatch.settings import SettingsError


@one_line_errors
def server_factory(global_conf: dict[str, str], **options: str) -> Callable[[Router], None]:
    """Prepare an SQLite database, and return what serves the application (a server factory of PasteDeploy).

    It is called before the application is made.
    """
    if options:
        raise SettingsError(next(iter(options)), "belongs into [app:main]; the section of the server has none")
    ini = Path(global_conf["__file__"])
    settings = dataclasses.replace(load(read_section(ini, global_conf)), ini=str(ini.resolve()))
    set_up_logging(settings)
    if sqlite_file(settings.database_url) is not None:
        prepare_installation(settings, ini, first_administrator=True, demonstration=True)
    return serve


@one_line_errors
def serve(app: Router) -> None:
    """Run the roles that the application's settings name, until interrupted."""
    if not isinstance(app, Router) or "runtime" not in app.registry:
        raise SettingsError("[server:main]", "egg:skywatch serves the application egg:skywatch, and nothing around it")
    settings = runtime_of(app.registry).settings
    run(settings, settings.roles, app)

"""``skywatch serve FILE.ini``: runs the roles that the ini names in one process, until it is stopped."""

from __future__ import annotations

import contextlib
import signal
from pathlib import Path

import click

from skywatch.core.terminal.command import SIGNALS, ini_argument, interrupt, one_line_errors, read_ini, set_up_logging
from skywatch.serving.process import run
from skywatch.settings import ROLES, Role


@click.command()
@ini_argument
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES), help="Run only this role (repeatable).")
@one_line_errors
def serve(ini: Path, roles: tuple[Role, ...]) -> None:
    """Run Skywatch as FILE.ini says, until interrupted."""
    # To end when asked is no fault, also before there is anything to end.
    for number in SIGNALS:
        signal.signal(number, interrupt)
    with contextlib.suppress(KeyboardInterrupt):
        settings, _ = read_ini(ini)
        set_up_logging(settings)
        run(settings, roles or settings.roles)

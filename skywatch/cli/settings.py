"""``skywatch settings FILE.ini``: every setting, its value and where it came from; secrets are masked."""

from __future__ import annotations

from pathlib import Path

import click

from skywatch.core.stored_settings import look_up
from skywatch.core.telemetry.logs import without_passwords
from skywatch.core.terminal.command import ini_argument, one_line_errors, read_ini
from skywatch.settings import origins_of


@click.command()
@ini_argument
@one_line_errors
def settings(ini: Path) -> None:
    """Show every setting, its value and where it comes from: environment, FILE.ini, database or default.

    Secrets are masked.
    """
    settings, fault = look_up(read_ini(ini)[0])
    if fault:
        click.echo(f"skywatch: settings of the console are not shown: {fault}", err=True)
    origins = origins_of(settings)
    width = max(len(origin.name) for origin in origins)
    for origin in sorted(origins, key=lambda o: o.name):
        shown = "********" if origin.secret and origin.value else without_passwords(_text(origin.value))
        click.echo(f"{origin.name:<{width}}  {shown}  ({origin.source})")


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)

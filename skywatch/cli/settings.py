"""``skywatch settings FILE.ini``: every setting, its value and where it came from; secrets are masked."""

from __future__ import annotations

import re
from pathlib import Path

import click

from skywatch.core.command import ini_argument, one_line_errors, read_ini
from skywatch.core.logs import mask

# The password in an address: all before its last @, for a password may hold what should have been escaped.
PASSWORD = re.compile(r"(://[^\s:@/]*:)\S*(?=@)")


@click.command()
@ini_argument
@one_line_errors
def settings(ini: Path) -> None:
    """Show every setting of FILE.ini and the environment, its value and its origin; secrets are masked."""
    _, origins = read_ini(ini)
    width = max(len(origin.name) for origin in origins)
    for origin in sorted(origins, key=lambda o: o.name):
        shown = "********" if origin.secret and origin.value else without_passwords(_text(origin.value))
        click.echo(f"{origin.name:<{width}}  {shown}  ({origin.source})")


def without_passwords(text: str) -> str:
    """The value of a setting without the credentials that an address in it holds."""
    return mask(PASSWORD.sub(r"\1********", text))


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)

"""``skywatch firsts rebuild FILE.ini``: count firsts and records again."""

from __future__ import annotations

from pathlib import Path

import click

from skywatch.core.database.migrations import check_schema
from skywatch.core.runtime import Runtime
from skywatch.core.terminal.command import ini_argument, one_line_errors, read_ini

TOLD_EVERY = 10_000


@click.group()
def firsts() -> None:
    """What was seen for the first time, records, and the journal."""


@firsts.command("rebuild")
@ini_argument
@one_line_errors
def rebuild_(ini: Path) -> None:
    """Count firsts, records and days again from the flights that are stored; what they do not tell any more stays."""
    from skywatch.firsts.rebuild import rebuild

    settings, _ = read_ini(ini)
    runtime = Runtime.open(settings)
    try:
        check_schema(runtime.engine)
        flights = rebuild(runtime, _tell)
    finally:
        runtime.close()
    click.echo(f"{flights:,} flights counted.")


def _tell(flights: int) -> None:
    if flights and flights % TOLD_EVERY == 0:
        click.echo(f"firsts: {flights:,} flights", err=True)

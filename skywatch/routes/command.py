"""``skywatch routes import FILE.ini FILE|FOLDER|ZIP``: import a table of routes."""

from __future__ import annotations

import zipfile
from pathlib import Path

import click

from skywatch.core.database.migrations import check_schema
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.routes.table import ImportFailed, Report, files_of, import_routes

# Refused rows that are printed; all are counted.
REFUSALS_SHOWN = 20
TOLD_EVERY = 100_000


@click.group()
def routes() -> None:
    """Where flights come from and go to, by callsign."""


@routes.command("import")
@ini_argument
@click.argument("file", metavar="FILE|FOLDER|ZIP", type=click.Path(path_type=Path))
@one_line_errors
def import_(ini: Path, file: Path) -> None:
    """Replace the table of routes by FILE (CSV), or by every *.csv of a folder or a ZIP file."""
    settings, _ = read_ini(ini)
    runtime = Runtime.open(settings)
    try:
        check_schema(runtime.engine)
        with files_of(file) as files:
            report = import_routes(runtime, COMMAND_LINE, files, file.resolve().name, _tell)
    except (ImportFailed, zipfile.BadZipFile) as error:
        fail(f"{file}: {error}")
    except OSError as error:
        fail(f"{file}: {error.strerror or error}")
    finally:
        runtime.close()
    _show(report)


def _tell(rows: int) -> None:
    if rows % TOLD_EVERY == 0:
        click.echo(f"routes: {rows:,} rows", err=True)


def _show(report: Report) -> None:
    click.echo(f"{report.routes:,} routes; {report.refused:,} rows refused.")
    for refused in report.errors[:REFUSALS_SHOWN]:
        click.echo(f"  {refused.file}, line {refused.line} {refused.detail}")
    if report.refused > REFUSALS_SHOWN:
        click.echo(f"  and {report.refused - REFUSALS_SHOWN:,} more")

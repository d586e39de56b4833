"""``skywatch airframes import FILE.ini FILE --format tar1090|opensky``: import a database of airframes."""

from __future__ import annotations

from pathlib import Path

import click

from skywatch.airframes.importers.importer import FORMATS, ImportFailed, Outcome, import_file
from skywatch.airframes.military import CHANGED, TOPIC
from skywatch.core.bus import BusError, Message, open_bus
from skywatch.core.database.engine import check_connection, create_engine
from skywatch.core.database.migrations import check_schema
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.core.terminal.progress import progress_of_file
from skywatch.settings import Settings


@click.group()
def airframes() -> None:
    """Airframe data by address: registration, type, operator."""


@airframes.command("import")
@ini_argument
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--format", "source", type=click.Choice(FORMATS), required=True, help="Format of the file.")
@one_line_errors
def import_(ini: Path, file: Path, source: str) -> None:
    """Replace the data of one database by FILE (CSV, gzip or not), entirely or not at all."""
    settings, _ = read_ini(ini)
    engine = create_engine(settings.database_url)
    check_connection(engine)
    check_schema(engine)
    try:
        with progress_of_file(file, "airframes") as progress:
            outcome = import_file(engine, file, source, progress)
    except ImportFailed as error:
        fail(error)
    finally:
        engine.dispose()
    _tell(settings)
    _show(outcome)


def _tell(settings: Settings) -> None:
    """Notify a running service; one without a shared bus polls for imports."""
    if settings.bus == "memory":
        return
    try:
        bus = open_bus(settings.bus, settings.bus_prefix)
    except BusError as error:
        click.echo(f"The service loads the import within a minute; it could not be notified: {error}", err=True)
        return
    bus.publish(Message(TOPIC, CHANGED, b"{}"))
    bus.close()


def _show(outcome: Outcome) -> None:
    click.echo(
        f"{outcome.aircraft:,} airframes: {outcome.added:,} new, {outcome.changed:,} changed, "
        f"{outcome.removed:,} removed; {outcome.refused:,} lines refused."
    )
    for refused in outcome.examples:
        click.echo(f"  line {refused.line}: {refused.reason}")
    if outcome.refused > len(outcome.examples):
        click.echo(f"  and {outcome.refused - len(outcome.examples):,} more")

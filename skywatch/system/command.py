"""``skywatch simulated remove FILE.ini``: removes what was recorded of simulated aircraft."""

from __future__ import annotations

import time
from pathlib import Path

import click

from skywatch.core.database.engine import check_connection, create_engine, create_session_factory, writing
from skywatch.core.database.migrations import check_schema
from skywatch.core.storage import audit
from skywatch.core.storage.audit import COMMAND_LINE, Target
from skywatch.core.stored_settings import in_force
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.receivers.settings import ReceiverSettings
from skywatch.system.simulated import REMOVED, count, remove, simulators


@click.group()
def simulated() -> None:
    """What was recorded of simulated aircraft."""


@simulated.command(name="remove")
@ini_argument
@click.option("--dry-run", is_flag=True, help="Only say how much there is.")
@one_line_errors
def remove_simulated(ini: Path, dry_run: bool) -> None:
    """Remove what was recorded of simulated aircraft; the service may keep running.

    Flights with their positions, safety and Cannonball events, alerts and reception go where they carry the mark.
    Flights of a release that did not mark them go where their positions are marked. The archive keeps what it has,
    marked. Exit code 1: a receiver still simulates aircraft.
    """
    settings, _ = read_ini(ini)
    engine = create_engine(settings.database_url)
    try:
        check_connection(engine)
        check_schema(engine)
        sessions = create_session_factory(engine)
        with sessions() as session:
            counts = count(session, settings.features)
        for title, number in counts.items():
            click.echo(f"{title}: {number:,}")
        if dry_run:
            if not counts:
                click.echo("Nothing is marked as simulated.")
            return
        running = simulators(in_force(settings, engine).of(ReceiverSettings))
        if running:
            fail(f"{running[0]} simulates aircraft: switch it off first")
        removed = remove(sessions, settings.features, None, time.sleep)
        with writing(sessions) as session:
            audit.record(session, COMMAND_LINE, REMOVED, Target("simulated"), after=removed)
    finally:
        engine.dispose()
    click.echo(f"{sum(removed.values()):,} rows removed.")

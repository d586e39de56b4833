"""``skywatch history import|prune|compact FILE.ini``: import old history, apply retention now, shrink the file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from sqlalchemy.engine import Engine

from skywatch.archive.writing.removal import RemovalGuard
from skywatch.core.database.engine import check_connection, create_engine, create_session_factory, reason
from skywatch.core.database.migrations import check_schema
from skywatch.core.storing.retention import Pruner, database_bytes
from skywatch.core.storing.stored_settings import in_force
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.core.terminal.progress import progress_of
from skywatch.history.importing.service import import_traces
from skywatch.history.settings import HistorySettings
from skywatch.receivers.reports.traces import find
from skywatch.settings import Settings

SHOWN_REFUSED = 10


@click.group()
def history() -> None:
    """Recorded flights: import older history, apply retention, free disk space."""


@contextmanager
def _open_database(ini: Path) -> Iterator[tuple[Settings, Engine]]:
    settings, _ = read_ini(ini)
    engine = create_engine(settings.database_url)
    try:
        check_connection(engine)
        check_schema(engine)
        yield settings, engine
    finally:
        engine.dispose()


@history.command("import")
@ini_argument
@click.argument("path", type=click.Path(path_type=Path))
@one_line_errors
def import_(ini: Path, path: Path) -> None:
    """Import readsb's history: a trace_full_*.json file or a globe_history folder. Safe to repeat."""
    if not path.exists():
        fail(f"{path}: no such file or folder")
    with _open_database(ini) as (settings, engine):
        files = find(path)
        if not files:
            fail(f"{path}: contains no trace_full_*.json files")
        with progress_of(len(files), "traces") as progress:
            outcome = import_traces(create_session_factory(engine), settings.of(HistorySettings), path, progress)
    click.echo(
        f"{outcome.flights:,} flights with {outcome.positions:,} positions from {outcome.files:,} files "
        f"({outcome.points:,} points kept); {outcome.existing:,} flights existed already, "
        f"{outcome.skipped:,} entries were skipped."
    )
    refused = outcome.refused or []
    for why in refused[:SHOWN_REFUSED]:
        click.echo(why, err=True)
    if len(refused) > SHOWN_REFUSED:
        click.echo(f"... and {len(refused) - SHOWN_REFUSED:,} more files that are not traces", err=True)
    if refused and not outcome.files:
        fail("nothing was imported")


@history.command()
@ini_argument
@one_line_errors
def prune(ini: Path) -> None:
    """Apply retention now; the service may keep running."""
    with _open_database(ini) as (settings, engine):

        def pause(seconds: float) -> bool:
            time.sleep(seconds)
            return False

        settings = in_force(settings, engine)
        sessions = create_session_factory(engine)
        guard = RemovalGuard(sessions, settings)
        pruner = Pruner(engine, sessions, settings, settings.features.retention_kinds(), pause, guard)
        pruner.run()
        used, _ = database_bytes(engine)
    for kind, removed in pruner.removed.items():
        click.echo(f"{kind}: {removed:,} rows removed")
    click.echo(f"The database takes {used / 1e6:,.1f} MB.")
    if pruner.faults:
        fail("; ".join(f"retention of {part} failed: {reason(error)}" for part, error in pruner.faults.items()))


@history.command()
@ini_argument
@one_line_errors
def compact(ini: Path) -> None:
    """Rewrite a SQLite file so that it can shrink by itself; only for files made before Skywatch set auto_vacuum.

    Needs as much free disk space as the file takes. Stop the service first.
    """
    with _open_database(ini) as (_, engine):
        if engine.dialect.name != "sqlite":
            fail("compact is for SQLite only; PostgreSQL does this by itself (autovacuum)")
        pooled = engine.raw_connection()
        try:
            raw = pooled.driver_connection
            assert raw is not None
            raw.execute("PRAGMA auto_vacuum=INCREMENTAL")
            raw.execute("VACUUM")
        finally:
            pooled.close()
        used, _ = database_bytes(engine)
    click.echo(f"The database takes {used / 1e6:,.1f} MB.")

"""``skywatch history import|prune|compact FILE.ini``: import older history, apply retention now, shrink the file."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click
from sqlalchemy.engine import Engine

from skywatch.archive.errors import ArchiveError
from skywatch.archive.reader.archive_reader import reaching
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.writer.removal import RemovalGuard
from skywatch.archive.writer.run import CLOCK, find_waiting, only_writer, open_archiver, run
from skywatch.core.clock import utcnow
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import check_connection, create_engine, create_session_factory, reason, writing
from skywatch.core.database.migrations import check_schema
from skywatch.core.database.upkeep import database_bytes, let_file_shrink
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.core.storage.retention import Pruner
from skywatch.core.storage.retention_clock import RetentionClock, confirm
from skywatch.core.stored_settings import in_force
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.core.terminal.progress import progress_of
from skywatch.history.imports.imported_points import EARLIEST
from skywatch.history.imports.service import Outcome, import_sources
from skywatch.history.imports.sources import KINDS, Reading, Source, SourceError, find
from skywatch.history.imports.spool import SpoolError
from skywatch.history.imports.writer import Storing
from skywatch.history.settings import HistorySettings
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.mode_s.position.plausibility import DEFAULT_RANGE_NM
from skywatch.receivers.site import FARTHEST_NM
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


class MomentType(click.ParamType):  # type: ignore[type-arg]
    """A moment such as 2026-11-24T08:00:00Z; without a zone it is UTC."""

    name = "moment"

    def convert(self, value: str | datetime, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Parse it."""
        if isinstance(value, datetime):
            return value
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a moment such as 2026-11-24T08:00:00Z", param, ctx)
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        if not EARLIEST <= moment.timestamp() <= utcnow().timestamp():
            self.fail(f"{value!r} is no time between 2002 and now", param, ctx)
        return moment


@history.command("import")
@ini_argument
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--start", type=MomentType(), help="When a recording without dates begins (Beast, AVR).")
@click.option("--lat", type=click.FloatRange(-90, 90), help="Latitude of the receiver (degrees), if not the station's.")
@click.option("--lon", type=click.FloatRange(-180, 180), help="Its longitude (degrees).")
@click.option(
    "--range-nm",
    type=click.FloatRange(0, FARTHEST_NM),
    default=DEFAULT_RANGE_NM,
    show_default=True,
    help="Believe positions of frames within this distance of the receiver (0: anywhere).",
)
@one_line_errors
def import_(
    ini: Path,
    paths: tuple[Path, ...],
    start: datetime | None,
    lat: float | None,
    lon: float | None,
    range_nm: float,
) -> None:
    """Import older history; the service may keep running. Safe to repeat and to interrupt.

    Takes readsb's traces (files, a globe_history folder, adsb.lol's tar of a day), state vectors of OpenSky (CSV, .gz,
    .tar) and recordings (SBS, Beast, AVR, JSON Lines). Each file is recognised by its content.
    """
    if (lat is None) != (lon is None):
        fail("--lat and --lon belong together")
    with _open_database(ini) as (settings, engine):
        station = settings.of(PictureSettings).station if lat is None or lon is None else (lat, lon)
        try:
            sources = find(paths)
            if not sources:
                fail(f"{paths[0]}: contains nothing that can be imported ({KINDS})")
            reading = Reading(station, start.timestamp() if start else None, range_nm or math.inf)
            outcome = _import(settings, engine, sources, reading)
        except (SourceError, SpoolError) as error:
            fail(error)
        except Problem as error:
            fail(f"stopped: {error.detail} What is imported stays; the same command goes on.")
        except OSError as error:
            fail(f"{tempfile.gettempdir()}: {error.strerror or error} (files are unpacked there; see TMPDIR)")
        _tell(outcome)
        if outcome.refused and not outcome.files:
            fail("nothing was imported")
        if outcome.flights:
            _warn(in_force(settings, engine), outcome)
            _archive(settings, engine)


def _import(settings: Settings, engine: Engine, sources: list[Source], reading: Reading) -> Outcome:
    sessions = create_session_factory(engine)
    with reaching(settings, "history import") as reach, ExitStack() as stack:
        on_read = stack.enter_context(progress_of(sum(source.size for source in sources), "read"))
        bars: list[Callable[[int], None]] = []

        def on_write(done: int, total: int) -> None:
            if not bars:
                bars.append(stack.enter_context(progress_of(total, "import")))
            bars[0](done)

        storing = Storing(sessions, settings.of(HistorySettings), reach)
        return import_sources(storing, sources, reading, on_read, on_write)


def _tell(outcome: Outcome) -> None:
    skipped = sum(outcome.skipped.values())
    reasons = ", ".join(f"{name} {count:,}" for name, count in sorted(outcome.skipped.items()))
    click.echo(
        f"{outcome.flights:,} flights with {outcome.positions:,} positions from {outcome.files:,} files "
        f"({outcome.points:,} points kept); {outcome.existing:,} flights existed already, "
        f"{skipped:,} entries were skipped{f' ({reasons})' if reasons else ''}."
    )
    for why in outcome.refused[:SHOWN_REFUSED]:
        click.echo(why, err=True)
    if len(outcome.refused) > SHOWN_REFUSED:
        click.echo(f"... and {len(outcome.refused) - SHOWN_REFUSED:,} more files that cannot be imported", err=True)


def _warn(settings: Settings, outcome: Outcome) -> None:
    """Say what retention will delete again, where there is no archive for it."""
    days = settings.of(HistorySettings).retention_positions_days
    age = (utcnow().timestamp() - outcome.oldest) / 86_400
    if days and age > days and not settings.of(ArchiveSettings).archive_url:
        click.echo(
            f"retention_positions_days is {days:g}: positions that are older will be deleted again. "
            "Set archive_url, or a longer retention.",
            err=True,
        )


def _archive(settings: Settings, engine: Engine) -> None:
    """Archive the days that were changed, as the worker would within a quarter of an hour."""
    if not settings.of(ArchiveSettings).archive_url:
        return
    try:
        with only_writer(settings):
            seal_columns(engine, settings.secret)
            archiver = open_archiver(create_session_factory(engine), settings)
            archive, now = settings.of(ArchiveSettings), utcnow()
            with progress_of(len(find_waiting(archiver, archive, now)), "archive") as progress:
                outcome = run(archiver, archive, now, step=progress, clock=RetentionClock(archiver.sessions, CLOCK))
    except ArchiveError as error:
        click.echo(f"The changed days are not archived yet: {error}", err=True)
        return
    click.echo(f"{len(outcome.days):,} days archived.")
    for line in outcome.faults.values():
        click.echo(line, err=True)


@history.command()
@ini_argument
@click.option("--yes", is_flag=True, help="The clock is right: delete all that is too old at once.")
@one_line_errors
def prune(ini: Path, yes: bool) -> None:
    """Apply retention now; the service may keep running.

    Without --yes at most three days of data go, as in the service; where the clock is doubted nothing does.
    """
    with _open_database(ini) as (settings, engine):

        def pause(seconds: float) -> bool:
            time.sleep(seconds)
            return False

        settings = in_force(settings, engine)
        sessions = create_session_factory(engine)
        clock = RetentionClock(sessions, at_once=yes)
        guard = RemovalGuard(sessions, settings, clock.believed)
        pruner = Pruner(engine, sessions, settings, settings.features.retention_kinds(), pause, guard, clock)
        if yes:
            with writing(sessions) as session:
                confirm(session, COMMAND_LINE)
        pruner.run()
        used, _ = database_bytes(engine)
    for kind, removed in pruner.removed.items():
        click.echo(f"{kind}: {removed:,} rows removed")
    click.echo(f"The database takes {used / 1e6:,.1f} MB.")
    if clock.record.hold is not None:
        fail(f"retention by age waits: {clock.record.describe()}")
    if clock.record.left:
        click.echo(f"{clock.record.describe()}; --yes deletes them now.")
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
        let_file_shrink(engine)
        used, _ = database_bytes(engine)
    click.echo(f"The database takes {used / 1e6:,.1f} MB.")

"""``skywatch archive FILE.ini [FROM TO]``: archives complete days as Parquet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import click

from skywatch.archive.errors import ArchiveError
from skywatch.archive.kinds import DAY
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.writer.backlog import last_complete_day
from skywatch.archive.writer.run import CLOCK, RunOutcome, find_waiting, only_writer, open_archiver, run
from skywatch.core.clock import utcnow
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import check_connection, create_engine, create_session_factory
from skywatch.core.database.migrations import check_schema
from skywatch.core.storage.retention_clock import RetentionClock
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.core.terminal.progress import progress_of
from skywatch.settings import Settings

MAX_DAYS = 36_600


class DayType(click.ParamType):  # type: ignore[type-arg]
    """A day such as 2026-11-24."""

    name = "day"

    def convert(self, value: str | date, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """Parse it."""
        if isinstance(value, date):
            return value
        try:
            if len(value) != len("2026-11-24"):
                raise ValueError(value)
            return date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is not a day such as 2026-11-24", param, ctx)


@contextmanager
def archive_errors() -> Iterator[None]:
    """What is wrong with the archive as one line and exit code 1."""
    try:
        yield
    except ArchiveError as error:
        fail(error)


@click.command()
@ini_argument
@click.argument("begin", metavar="[FROM", type=DayType(), required=False)
@click.argument("end", metavar="TO]", type=DayType(), required=False)
@one_line_errors
def archive(ini: Path, begin: date | None, end: date | None) -> None:
    """Archive complete days as Parquet in archive_url; the service may keep running. Safe to repeat and to interrupt.

    Without FROM and TO every day that is not archived yet; else the days from FROM on, before TO, also those that are.
    """
    settings, _ = read_ini(ini)
    if not settings.of(ArchiveSettings).archive_url:
        fail("setting archive_url: is not set: there is no archive")
    if (begin is None) != (end is None):
        fail("give both FROM and TO, or neither")
    days = None if begin is None or end is None else days_between(begin, end)
    engine = create_engine(settings.database_url)
    try:
        check_connection(engine)
        check_schema(engine)
        seal_columns(engine, settings.secret)
        with archive_errors(), only_writer(settings):
            archiver = open_archiver(create_session_factory(engine), settings)
            archive_settings = settings.of(ArchiveSettings)
            now, clock = utcnow(), RetentionClock(archiver.sessions, CLOCK)
            if days is not None:
                days = _complete(days, settings)
            waiting = find_waiting(archiver, archive_settings, now) if days is None else days
            with progress_of(len(waiting), "archive") as progress:
                outcome = run(archiver, archive_settings, now, days, progress, clock)
    finally:
        engine.dispose()
    if clock.record.describe():
        click.echo(f"Deletion from the archive: {clock.record.describe()}.")
    _tell(outcome)


def days_between(begin: date, end: date) -> list[date]:
    """The days from ``begin`` on, before ``end``; refused where there is none, or too many."""
    if begin >= end:
        fail("FROM must be before TO, which is not archived itself")
    if (end - begin).days > MAX_DAYS:
        fail("FROM and TO may be at most a hundred years apart")
    return [begin + number * DAY for number in range((end - begin).days)]


def _complete(days: list[date], settings: Settings) -> list[date]:
    last = last_complete_day(utcnow(), settings.of(ArchiveSettings).archive_after_hours)
    complete = [day for day in days if day <= last]
    if len(complete) < len(days):
        click.echo(f"{days[len(complete)].isoformat()} and later days are not complete yet (archive_after_hours).")
    return complete


def _tell(outcome: RunOutcome) -> None:
    archived = [day for day in outcome.days if day.manifest is not None]
    rows = sum(file.rows for day in archived if day.manifest for file in day.manifest.files)
    size = sum(day.manifest.bytes for day in archived if day.manifest)
    count = len(archived)
    click.echo(
        f"{count:,} {'day' if count == 1 else 'days'} archived: {rows:,} rows in {size / 1e6:,.1f} MB,"
        f" {outcome.written / 1e6:,.1f} MB of them written."
    )
    for day in outcome.waiting:
        click.echo(f"{day.day.isoformat()} waits for {', '.join(day.waiting)}: some rows will still change.")
    if outcome.expired:
        click.echo(f"{outcome.expired:,} files deleted (archive_keep_days).")
    for line in outcome.faults.values():
        click.echo(f"skywatch: {line}", err=True)
    if outcome.faults:
        sys.exit(1)

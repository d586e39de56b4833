"""``skywatch batch FILE.ini JOB FROM TO``: runs a job over archived days."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Any

import click

from skywatch.archive.batch.cluster import DaskCluster, require_dask
from skywatch.archive.batch.pool import ProcessPool
from skywatch.archive.batch.run import RunOutcome, Workers, only_runner, open_batch
from skywatch.archive.command import DayType, archive_errors, days_between
from skywatch.archive.settings import ArchiveSettings
from skywatch.core.batch import BatchJob, batch_jobs
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import check_connection, create_engine, create_session_factory
from skywatch.core.database.migrations import check_schema
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.core.terminal.progress import progress_of
from skywatch.features import FEATURES

JOBS = ("patterns", "safety", "rules", "coverage", "hotspots")
WORKER = [sys.executable, "-m", "skywatch.cli.batch.worker"]
MAX_WORKERS = 256
# Days named one by one at the end; the rest are counted.
NAMED = 20


@click.command()
@ini_argument
@click.argument("job", type=click.Choice(JOBS))
@click.argument("begin", metavar="FROM", type=DayType())
@click.argument("end", metavar="TO", type=DayType())
@click.option("--scheduler", metavar="URL", help="Run on the Dask cluster of this scheduler (tcp://HOST:8786).")
@click.option(
    "--workers", type=click.IntRange(1, MAX_WORKERS), help="Processes of this machine; by default one a processor."
)
@one_line_errors
def batch(ini: Path, job: str, begin: date, end: date, scheduler: str | None, workers: int | None) -> None:
    """Run JOB over the archived days from FROM on, before TO, a day a task. Results are Parquet in the archive.

    patterns: flight patterns. safety: proximity, vertical rates and low altitude (what needs more than stored
    positions is not detected). rules: every enabled alert rule, with its owner's rights. coverage: the range of
    reception. hotspots: near misses by cell, which history/hotspots serves.

    Safe to interrupt and to repeat: a day whose files have not changed since is passed over. A day that cannot be done
    is named, the others are done, and the exit code is 1.
    """
    settings, _ = read_ini(ini)
    if not settings.of(ArchiveSettings).archive_url:
        fail("setting archive_url: is not set: there is no archive")
    if scheduler is not None and workers is not None:
        fail("--workers: a cluster has its own; give either --scheduler or --workers")
    days = days_between(begin, end)
    chosen = batch_jobs(FEATURES)[job]
    engine = create_engine(settings.database_url)
    began = time.monotonic()
    try:
        check_connection(engine)
        check_schema(engine)
        seal_columns(engine, settings.secret)
        with archive_errors(), only_runner(settings, job):
            if scheduler is not None:
                require_dask()
            sessions = create_session_factory(engine)
            run, options = open_batch(sessions, settings, chosen, with_keys=scheduler is None)
            for note in (*filter(None, [chosen.note]), *options.notes):
                click.echo(note)
            with (
                closing(_workers(scheduler, workers, len(days))) as used,
                progress_of(len(days), f"batch {job}") as step,
            ):
                outcome = run.run(days, used, step)
    finally:
        engine.dispose()
    _report(chosen, outcome, time.monotonic() - began)


def _workers(scheduler: str | None, workers: int | None, days: int) -> Any:
    used: Workers
    if scheduler is not None:
        from skywatch.cli.batch.worker import work

        used = DaskCluster(scheduler, work, _tell)
    else:
        used = ProcessPool(WORKER, min(workers or processors(), days), _tell)
    return used


def processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tell(line: str) -> None:
    click.echo(f"skywatch: {line}", err=True)


def _report(job: BatchJob, outcome: RunOutcome, took_s: float) -> None:
    done = len(outcome.days)
    text = f"{job.name}: {done:,} {'day' if done == 1 else 'days'} done, {outcome.rows:,} rows"
    text += f" in {outcome.bytes / 1e6:,.1f} MB"
    if done:
        text += f"; {done / max(took_s, 1e-3) * 60:,.1f} days a minute, {outcome.cpu_s:,.1f} s of processors"
    click.echo(f"{text}.")
    if outcome.before:
        count = outcome.before
        click.echo(f"{count:,} {'day has' if count == 1 else 'days have'} a result of the same files already.")
    _name(outcome.incomplete, lambda day: "the day after is not archived yet; run this again when it is.", err=False)
    _name(
        sorted(outcome.left_out),
        lambda day: f"done without what reaches over from a day that cannot be read: {outcome.left_out[day]}",
        err=True,
    )
    _name(sorted(outcome.faults), lambda day: outcome.faults[day], err=True)
    if outcome.faults:
        sys.exit(1)


def _name(days: list[date], text: Callable[[date], str], *, err: bool) -> None:
    for day in sorted(days)[:NAMED]:
        click.echo(f"{'skywatch: ' if err else ''}{day.isoformat()}: {text(day)}", err=err)
    if len(days) > NAMED:
        click.echo(f"{'skywatch: ' if err else ''}and {len(days) - NAMED:,} more days.", err=err)

"""``skywatch known-aircraft import FILE.ini FILE --format ...``: lists of law-enforcement aircraft from files."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from skywatch.cannonball.known.changes import announce
from skywatch.cannonball.known.formats.delimited_table import DELIMITERS, ENCODINGS, Dialect, Table, Unreadable
from skywatch.cannonball.known.formats.faa import read_models
from skywatch.cannonball.known.imports.lists import FORMS, stage_list
from skywatch.cannonball.known.imports.staging import Staged
from skywatch.cannonball.known.imports.update import ImportRefused, Report, import_staged
from skywatch.cannonball.vocabulary import Source, values
from skywatch.core.database.migrations import check_schema
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.core.terminal.progress import progress_of

# Largest number of refused lines printed; all are counted.
REFUSALS_SHOWN = 50


@click.group(name="known-aircraft")
def known_aircraft() -> None:
    """The list of known law-enforcement aircraft."""


@known_aircraft.command(name="import")
@ini_argument
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(list(FORMS)), required=True, help="Form of the list.")
@click.option("--source", type=click.Choice(values(Source)), help="Source of rows without one.")
@click.option("--encoding", type=click.Choice(ENCODINGS), default="utf-8", show_default=True)
@click.option("--delimiter", type=click.Choice(list(DELIMITERS)), default="comma", show_default=True)
@click.option("--dry-run", is_flag=True, help="Only report the changes, write nothing.")
@click.option("--keep-good", is_flag=True, help="Import the valid rows even if others are refused.")
@one_line_errors
def import_file(
    ini: Path,
    file: Path,
    form: str,
    source: str | None,
    encoding: str,
    delimiter: str,
    dry_run: bool,
    keep_good: bool,
) -> None:
    """Import FILE into the list of known aircraft, all rows or none unless --keep-good is given.

    For the FAA's registry FILE is the downloaded ZIP file, its folder, or MASTER.txt with ACFTREF.txt next to it.
    """
    settings, _ = read_ini(ini)
    runtime = Runtime.open(settings)
    try:
        check_schema(runtime.engine)
        with _stage(file, form, source, Dialect(encoding, DELIMITERS[delimiter])) as staged:
            report = _write(runtime, staged, dry_run=dry_run, keep_good=keep_good)
        if not report.dry_run:
            announce(runtime.bus)
        _show(report)
    except Unreadable as fault:
        fail(f"{file}: {fault}")
    except ImportRefused as refusal:
        _show_refused(refusal.report)
        fail(f"{file}: {refusal}; --keep-good imports the valid rows")
    finally:
        runtime.close()


def _stage(file: Path, form: str, source: str | None, dialect: Dialect) -> Staged:
    try:
        models = None
        if form == "faa":
            with _open(file, "ACFTREF.txt", optional=True) as (reference, _):
                models = read_models(Table(reference, dialect)) if reference is not None else None
        with _open(file, "MASTER.txt") as (listed, size):
            assert listed is not None
            with progress_of(size, "Reading") as reached:
                return stage_list(Table(listed, dialect, _accumulating(reached)), form, source, models)
    except OSError as error:
        fail(f"{file}: {error.strerror or error}")
    except zipfile.BadZipFile:
        fail(f"{file}: is not a ZIP file that can be read")


def _accumulating(reached: Callable[[int], None]) -> Callable[[int], None]:
    """A callback that adds up increments and reports the total."""
    total = 0

    def advance(more: int) -> None:
        nonlocal total
        total += more
        reached(total)

    return advance


@contextmanager
def _open(file: Path, member: str, optional: bool = False) -> Iterator[tuple[BinaryIO | None, int]]:
    """The file, or the member of a folder or ZIP file, and its size; ``optional`` yields None if it does not exist."""
    if file.suffix.lower() == ".zip":
        with zipfile.ZipFile(file) as archive:
            if optional and member not in archive.namelist():
                yield None, 0
            elif member not in archive.namelist():
                fail(f"{file}: has no {member}")
            else:
                with archive.open(member) as opened:
                    yield opened, archive.getinfo(member).file_size  # type: ignore[misc]
        return
    path = file / member if file.is_dir() else file
    if optional:
        path = path.with_name(member)
        if not path.is_file():
            yield None, 0
            return
    with path.open("rb") as opened:
        yield opened, path.stat().st_size


def _write(runtime: Runtime, staged: Staged, *, dry_run: bool, keep_good: bool) -> Report:
    with progress_of(staged.rows, "Comparing" if dry_run else "Writing") as reached:
        return import_staged(
            runtime.engine,
            staged,
            actor=COMMAND_LINE,
            dry_run=dry_run,
            keep_good=keep_good,
            advance=_accumulating(reached),
        )


def _show(report: Report) -> None:
    _show_refused(report)
    verb = "would be" if report.dry_run else "were"
    click.echo(
        f"{report.added} {verb} added, {report.updated} updated, {report.unchanged} unchanged; "
        f"{report.skipped} skipped, {report.refused_count} refused."
    )


def _show_refused(report: Report) -> None:
    for line in report.refused[:REFUSALS_SHOWN]:
        address_note = f" ({line.icao_hex})" if line.icao_hex.isalnum() else ""
        click.echo(f"line {line.line}{address_note}: {line.reason}", err=True)
    if report.refused_count > REFUSALS_SHOWN:
        click.echo(f"... and {report.refused_count - REFUSALS_SHOWN} lines more", err=True)

"""The command: runs the checks and prints a line each."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from skywatch.cli.doctor.means import (
    check_bus,
    check_clock,
    check_database,
    check_file,
    check_files,
    check_libraries,
    database_folder,
)
from skywatch.cli.doctor.ports import check_exposure, check_ports
from skywatch.core.hooks import DoctorCheck
from skywatch.core.terminal.checks import Finding, Inspection, check_room
from skywatch.core.terminal.command import ini_argument, one_line_errors, read_ini
from skywatch.http.clients.exposure import listen_addresses
from skywatch.settings import Origin, Settings

MARKS = {"ok": ("ok", "green"), "warning": ("warn", "yellow"), "fault": ("FAULT", "red")}


@click.command()
@ini_argument
@click.option(
    "--seconds", default=5.0, show_default=True, type=click.FloatRange(0.1, 300), help="How long receivers are tried."
)
@one_line_errors
def doctor(ini: Path, seconds: float) -> None:
    """Try what FILE.ini names (database, bus, ports, receivers, disk, clock) and say what to mend.

    Nothing is changed. The exit code is 1 where something does not work.
    """
    settings, origins = read_ini(ini)
    faults = warnings = 0
    for finding in findings(ini, settings, origins, seconds):
        faults += finding.level == "fault"
        warnings += finding.level == "warning"
        show(finding)
    if faults or warnings:
        click.echo(f"{faults} to mend, {warnings} to look at.")
    else:
        click.echo("All is well.")
    sys.exit(1 if faults else 0)


def findings(ini: Path, settings: Settings, origins: Sequence[Origin], seconds: float) -> Iterator[Finding]:
    """The findings of all checks, those that features declare last, each as soon as it is known."""
    yield from check_file(ini, origins)
    yield from check_database(settings, ini)
    yield from check_files(settings)
    yield from check_libraries()
    yield from check_bus(settings)
    yield from check_clock(time.time())
    folder = database_folder(settings)
    if folder is not None:
        yield check_room("disk", folder)
    addresses = listen_addresses(settings, settings.roles)
    yield from check_ports(addresses)
    yield from check_exposure(settings, addresses)
    inspection = Inspection(ini, settings, seconds)
    for hook in settings.features.provided(DoctorCheck):
        yield from hook.check(inspection)


def show(finding: Finding) -> None:
    """One line for the finding, and one for what to do about it."""
    mark, colour = MARKS[finding.level]
    click.echo(f"{click.style(f'{mark:<5}', fg=colour)}  {finding.part}: {finding.text}")
    if finding.advice:
        click.echo(f"       -> {finding.advice}")

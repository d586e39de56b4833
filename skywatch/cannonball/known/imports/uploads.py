"""Imports of lists that somebody uploads, through the API or the console: read, compared, written and announced."""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.cannonball.known.changes import announce
from skywatch.cannonball.known.formats.delimited_table import DELIMITERS, Dialect, text_table
from skywatch.cannonball.known.formats.faa import read_models
from skywatch.cannonball.known.imports.lists import stage_list
from skywatch.cannonball.known.imports.update import Report, import_staged
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import Actor


@dataclass(frozen=True)
class ImportOptions:
    """How a list is read, and what is done with it."""

    format: str
    delimiter: str
    encoding: str
    source: str | None = None
    dry_run: bool = False
    keep_good: bool = False


def import_list(
    runtime: Runtime, actor: Actor, options: ImportOptions, listed: bytes, reference: bytes = b""
) -> Report:
    """Import a list; ``reference`` is the FAA's list of models. Raises Unreadable, and ImportRefused if lines were
    refused.

    It uses a connection of its own: the session of a request would lock the database during the comparison.
    """
    dialect = Dialect(options.encoding, DELIMITERS[options.delimiter])
    models = read_models(text_table(reference, dialect)) if reference else None
    with stage_list(text_table(listed, dialect), options.format, options.source, models) as staged:
        report = import_staged(
            runtime.engine, staged, actor=actor, dry_run=options.dry_run, keep_good=options.keep_good
        )
    if not report.dry_run:
        announce(runtime.bus)
    return report

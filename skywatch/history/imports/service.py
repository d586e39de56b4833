"""Imports files of other software into history; safe to repeat, and after an interruption the next run does the rest.

All files are read first, into a temporary folder. Then flights are written, whole ones only: one that overlaps a flight
of the same aircraft that is there already, in the database or in the archive, is passed over.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from skywatch.core.clock import utcnow
from skywatch.history.imports.imported_points import good
from skywatch.history.imports.legs import ImportedFlight, flights_of
from skywatch.history.imports.sources import Reading, Source, SourceError, read
from skywatch.history.imports.spool import Spool
from skywatch.history.imports.writer import Stored, Storing

# Enough for chunks that hold several aircraft; the positions bound the memory.
FLIGHTS_AT_ONCE, POSITIONS_AT_ONCE = 512, 500_000
Step = Callable[[int], object]


@dataclass
class Outcome(Stored):
    """The counts of an import; ``refused`` has a line for each file that could not be read."""

    files: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    oldest: float = float("inf")


def import_sources(
    storing: Storing,
    sources: Sequence[Source],
    reading: Reading,
    on_read: Step = lambda size: None,
    on_write: Callable[[int, int], object] = lambda done, total: None,
) -> Outcome:
    """Import files; ``on_read`` is called with the bytes read, ``on_write`` with the positions done and how many.

    Raises SpoolError where they are too many, OSError where the temporary folder is full, and Problem where the
    archive has to be read and cannot be.
    """
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="skywatch-import-") as folder:
        spool = Spool(Path(folder))
        try:
            _read(spool, sources, reading, on_read)
            _write(storing, spool, reading.skipped, outcome, on_write)
        finally:
            spool.close()
    outcome.files, outcome.refused = reading.files, reading.refused
    outcome.skipped = {name: count for name, count in reading.skipped.items() if count}
    return outcome


def _read(spool: Spool, sources: Sequence[Source], reading: Reading, on_read: Step) -> None:
    now, done = utcnow().timestamp(), 0
    for source in sources:
        mark, size, files = spool.mark(), source.size, reading.files
        try:
            for rows in read(source, reading, lambda position, done=done: on_read(done + position)):  # type: ignore[misc]
                spool.add(good(rows, now, reading.skipped))
        except SourceError as error:
            # Nothing of a file that is damaged counts.
            spool.go_back(mark)
            reading.files = files
            reading.refused.append(str(error))
        done += size
        on_read(done)


def _write(
    storing: Storing,
    spool: Spool,
    skipped: Counter[str],
    outcome: Outcome,
    on_write: Callable[[int, int], object],
) -> None:
    total, done, batch = spool.rows, 0, list[ImportedFlight]()
    positions = 0
    for rows in spool.parts():
        for flight in flights_of(rows, storing.settings.history_flight_gap_s, skipped):
            outcome.oldest = min(outcome.oldest, flight.begin)
            batch.append(flight)
            positions += len(flight.rows)
            if len(batch) >= FLIGHTS_AT_ONCE or positions >= POSITIONS_AT_ONCE:
                storing.store(batch, outcome)
                batch, positions = [], 0
        done += len(rows)
        on_write(done, total)
    storing.store(batch, outcome)

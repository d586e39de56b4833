"""Exports: peak memory, processor time and size of each format, each in a process of its own through the real view.

``python -m benchmarks.history_exports --points 10000000`` runs the full size (points as they are stored, that is some
two hundred million positions received); without it one million. Memory is that of the whole process, the application
and its libraries included; ``idle`` is what it had before the export.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks._history import KINDS, START, Copies, Database, database, new_writer, record
from benchmarks._traffic import Traffic
from skywatch.history.exports import FORMATS
from skywatch.history.models import Chunk, Flight

AIRCRAFT = 500
FLOWN_S = 3600


def fill(base: Database, points: int) -> int:
    """At least so many points; an hour of traffic again and again. Returns how many there are in chunks."""
    record(base, Traffic(AIRCRAFT, START), FLOWN_S, new_writer(base))
    copies = Copies(base, FLOWN_S)
    copies.make(max(1, -(-points // copies.points)))
    base.settle()
    with base.sessions() as session:
        return int(session.scalar(sa.select(sa.func.sum(Chunk.points))) or 0)


def export(url: str, format_: str, end: float, *begins: float) -> list[dict[str, Any]]:
    """Export from each begin in one process of its own; what it says of each (see ``_export``)."""
    command = [sys.executable, "-m", "benchmarks._export", url, format_, str(end), *map(str, begins)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()[-len(begins) :]]


def main(arguments: list[str] | None = None) -> None:
    """Print a row for each format and database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--database", choices=KINDS, action="append")
    parser.add_argument("--format", choices=list(FORMATS), action="append")
    parser.add_argument("--folder", type=Path, help="where SQLite's file goes while it lasts")
    options = parser.parse_args([] if arguments is None else arguments)
    for kind in options.database or KINDS:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder, database(kind, Path(folder)) as base:
            points = fill(base, options.points)
            with base.sessions() as session:
                begin = session.scalar(sa.select(sa.func.min(Flight.first_seen_at)))
            print(f"  {kind}: {points:,} points in chunks")
            print(
                f"    {'':<10}{'peak MB':>9}{'idle MB':>9}{'MB out':>9}{'CPU s':>8}{'points/s of CPU':>17}", flush=True
            )
            for name in options.format or FORMATS:
                [figures] = export(base.url, name, START + FLOWN_S + 1, begin.timestamp() - 1)
                print(
                    f"    {name:<10}{figures['peak_mb']:>9.0f}{figures['idle_mb']:>9.0f}{figures['bytes'] / 1e6:>9.0f}"
                    f"{figures['cpu_s']:>8.1f}{points / figures['cpu_s']:>16,.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1:])

"""History: write rate and query times on SQLite and PostgreSQL, and how both grow with what is stored.

``python -m benchmarks.history --positions 10000000 --positions 100000000`` runs the full size; without it two million
positions of 500 aircraft at 1 Hz, a little more than an hour. Up to ten million (5.6 hours) are flown by the made-up
traffic of ``_traffic``; more are made of these: the same hours again and again, shifted back in time, decoded and
encoded again. Into what is then stored a sky of 15,000 aircraft is recorded, as fast as it goes.

``--year`` draws a year of 500 aircraft a day instead, and prints what the pages cost that are made of it: median, 95th
of a hundred and highest processor time of a request (ms), PostgreSQL's own included.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks._history import (
    KINDS,
    START,
    Copies,
    Database,
    database,
    land_everybody,
    new_writer,
    record,
    show,
    totals,
)
from benchmarks._history_queries import questions
from benchmarks._history_year import copy, costs_of_pages, draw
from benchmarks._rows import bytes_a_row, rows_of
from benchmarks._traffic import Traffic

AIRCRAFT = 500
ROW_SAMPLE = 300_000
FLOWN = 10_000_000
SKY = 15_000
PAGE_ROUNDS = 100


def stored(base: Database, empty: int, rows: float) -> dict[str, Any]:
    """What is stored and the room it takes, compared with ``rows`` bytes for a row."""
    positions, points = totals(base)
    base.settle()
    used = base.size() - empty
    return {
        "database": base.kind,
        "positions": positions,
        "points kept": points,
        "bytes": used,
        "bytes a position": used / positions,
        "bytes a point kept": used / points,
        "bytes a position as rows": rows,
        "times smaller": rows * positions / used,
    }


def run(base: Database, sizes: list[int], sky_seconds: int, tell: Callable[[dict[str, Any]], None]) -> None:
    """One database, grown from size to size."""
    traffic = Traffic(AIRCRAFT, START)
    rows = bytes_a_row(base, (rows_of(traffic()) for _ in range(min(ROW_SAMPLE, sizes[0]) // AIRCRAFT)))
    base.settle()
    empty = base.size()
    seconds = min(sizes[0], FLOWN) // AIRCRAFT
    flown = record(base, Traffic(AIRCRAFT, START), seconds, new_writer(base))
    copies = None
    for size in sizes:
        more = round(size / flown.positions) - round(totals(base)[0] / flown.positions)
        if more > 0:
            copies = copies or Copies(base, seconds)
            copies.make(more)
        stored_s = round(size / flown.positions) * seconds
        result = stored(base, empty, rows)
        result["positions recorded a second of one core"] = flown.positions / (flown.cpu_s + flown.server_cpu_s)
        result["longest flush (ms)"] = flown.longest_flush_s * 1000
        result |= {
            "query: median, longest, our processor time (ms)": "",
            **questions(base.url, START + seconds, stored_s),
        }
        tell(result)
    land_everybody(base)
    tell(full_sky(base, sky_seconds))


def full_sky(base: Database, seconds: int, aircraft: int = SKY) -> dict[str, Any]:
    """The cost of recording a sky of 15,000 aircraft into what is stored already."""
    already = totals(base)[0]
    # A day later and with addresses of its own.
    done = record(base, Traffic(aircraft, START + 86_400, first_address=0x800000), seconds, new_writer(base))
    return {
        "database": base.kind,
        "aircraft": aircraft,
        "seconds": seconds,
        "positions stored already": already,
        "share of one core": done.cpu_s / seconds,
        "share of one core in the server": done.server_cpu_s / seconds,
        "wall time for each second recorded": done.wall_s / seconds,
        "positions a second of one core": done.positions / (done.cpu_s + done.server_cpu_s),
        "longest flush (ms)": done.longest_flush_s * 1000,
    }


def main(arguments: list[str] | None = None) -> None:
    """Print storage and speed for both databases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, action="append", help="measure at so many (may be repeated)")
    parser.add_argument("--sky-seconds", type=int, default=60, help="how long the sky of 15,000 is recorded")
    parser.add_argument("--database", choices=KINDS, action="append")
    parser.add_argument("--folder", type=Path, help="where SQLite's file goes while it lasts")
    parser.add_argument("--year", action="store_true", help="draw a year instead, and ask for the pages made of it")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args([] if arguments is None else arguments)
    tell = (lambda result: print(json.dumps(result), flush=True)) if options.json else show
    if options.year:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder, database("sqlite", Path(folder)) as drawn:
            draw(drawn)
            tell({"database": drawn.kind, **costs_of_pages(drawn, PAGE_ROUNDS)})
            with database("postgresql", Path(folder)) as copied:
                copy(drawn, copied)
                copied.settle()
                tell({"database": copied.kind, **costs_of_pages(copied, PAGE_ROUNDS)})
        return
    for kind in options.database or KINDS:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder, database(kind, Path(folder)) as base:
            run(base, sorted(options.positions or [2_000_000]), options.sky_seconds, tell)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])

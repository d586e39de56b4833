"""History's room on disk over recordings and a simulated day, with the error of every single position.

Recordings are played through the picture into the writer, tick by tick, as the tracker does; the day is 500 aircraft
heard once a second by ``_traffic`` (``--hours 24``; without it one). Flights have ended and all is in chunks when the
room is measured, flights and indexes included; it is compared with one row for each position in the same database.
Then every received position is compared with the stored track as it is read: the traffic is flown again for that.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from benchmarks._error import Worst
from benchmarks._history import (
    ALTITUDE_ERROR_FT,
    ERROR_M,
    FLUSH_S,
    KINDS,
    START,
    Copies,
    Database,
    database,
    land_in,
    new_writer,
    record,
    show,
    totals,
)
from benchmarks._rows import bytes_a_row, rows_of
from benchmarks._traffic import Traffic
from skywatch.history.models import Chunk, Flight, Tail
from skywatch.history.reading.archive import Span, read
from skywatch.history.recording.recorder import FUTURE_S
from skywatch.history.recording.thinning import SAME_POSITION_S
from skywatch.history.storage.points import SEGMENT_S, SLICE_S, address_code
from skywatch.picture.picture import Picture
from skywatch.picture.state.sky import Sky
from skywatch.receivers.recordings import moments, recognise

AIRCRAFT = 500
ROW_SECONDS = 600
# The recordings alone fill so few pages that those every table and index has count for more than what is in them.
DAY_S, DAYS = 86_400, 50
TARGET_BYTES, TARGET_TIMES = 8.0, 10.0
_POSITION = ("position_at", "lat", "lon", "alt_baro_ft")


def recordings() -> Path | None:
    """The folder of recordings next to the checkout, which a user's clone does not have."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SKYWATCH_TEST_DATA", default)) / "feeds"
    return folder if folder.is_dir() else None


def skies(path: Path, seconds: float = math.inf) -> Iterator[Sky]:
    """The picture of every second of a recording, or of its first ``seconds``, in which anything was heard."""
    clock, end = [0.0], math.inf
    picture = Picture(clock=lambda: clock[0], monotonic=lambda: clock[0])
    for at, heard in moments(str(path), recognise(str(path)), None, Counter()):
        if at > clock[0]:
            if clock[0]:
                yield picture.tick()
            else:
                end = at + seconds
            if at > end:
                return
            clock[0] = float(math.ceil(at))
        picture.put("tape", heard.reports, heard.messages)
    yield picture.tick()


class Fresh:
    """Tells which positions of a sky have not been there before."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}

    def __call__(self, sky: Sky) -> Any:
        """A boolean column."""
        at, lat = sky.column("position_at"), sky.column("lat")
        last = np.array([self._last.get(address, -np.inf) for address in sky.hexes])
        fresh = (at > last + SAME_POSITION_S) & (at <= sky.now + FUTURE_S) & np.isfinite(lat)
        for row in np.flatnonzero(fresh).tolist():
            self._last[sky.hexes[row]] = float(at[row])
        return fresh


def tape(path: Path, *bases: Database, seconds: float = math.inf) -> tuple[list[dict[str, Any]], list[Worst]]:
    """Record a recording, or its first ``seconds``, in each database; its positions as rows, and the errors in each."""
    writers, fresh = [new_writer(base) for base in bases], Fresh()
    rows: list[dict[str, Any]] = []
    now = 0.0
    for number, sky in enumerate(skies(path, seconds)):
        now = sky.now
        rows += rows_of(sky, fresh(sky))
        for writer in writers:
            writer.recorder.take(sky)
            if number % FLUSH_S == FLUSH_S - 1:
                writer.flush()
    aircraft = np.array([address_code(row["icao_hex"]) for row in rows])
    columns = [np.array([row[name] for row in rows], float) for name in ("at", "lat", "lon", "alt")]
    errors = []
    for base, writer in zip(bases, writers, strict=True):
        land_in(writer, now)
        worst = Worst()
        with base.sessions() as session:
            points = read(session, Span(rows[0]["at"] - 3600, now + 3600))
        worst.look(points, aircraft, *columns)
        errors.append(worst)
    return rows, errors


def day_error(base: Database, traffic: Traffic, seconds: int) -> Worst:
    """Fly the traffic once more, and compare it slice by slice with what is stored."""
    worst = Worst()
    gathered: list[tuple[Any, ...]] = []
    for second in range(1, seconds + 1):
        sky = traffic()
        gathered.append((np.array([int(h, 16) for h in sky.hexes]), *(sky.column(name) for name in _POSITION)))
        if second % SLICE_S == 0 or second == seconds:
            columns = [np.concatenate(column) for column in zip(*gathered, strict=True)]
            gathered = []
            with base.sessions() as session:
                points = read(session, Span(columns[1].min() - SEGMENT_S, columns[1].max() + SEGMENT_S))
            worst.look(points, *columns)
    return worst


def result(base: Database, what: str, row_bytes: float, worst: Worst) -> dict[str, Any]:
    """The figures of what is stored, compared with ``row_bytes`` for each position as a row, without flights."""
    received, points = totals(base)
    tables = base.tables()
    tracks = sum(tables.get(table.__tablename__, 0) for table in (Chunk, Tail))
    both = tracks + tables.get(Flight.__tablename__, 0)
    with base.sessions() as session:
        data, count = session.execute(sa.select(sa.func.sum(sa.func.length(Chunk.data)), sa.func.count())).one()
        flights = session.scalar(sa.select(sa.func.count()).select_from(Flight)) or 1
    return {
        "stored": what,
        "database": base.kind,
        "positions": received,
        "points kept": points,
        "chunks": count,
        "flights": flights,
        "bytes of tracks and their indexes": tracks,
        "bytes a flight, indexes included": (both - tracks) / flights,
        "bytes a position: data of the tracks alone": data / received,
        "bytes a position: tracks": tracks / received,
        "bytes a position: tracks and flights": both / received,
        "bytes a position: as rows": row_bytes,
        "times smaller: tracks": row_bytes * received / tracks,
        "times smaller: tracks and flights": row_bytes * received / both,
        "target (8 bytes, 10 times): tracks": _reached(tracks / received, row_bytes),
        "target (8 bytes, 10 times): tracks and flights": _reached(both / received, row_bytes),
        "positions compared": worst.positions,
        f"largest error (m; bound {ERROR_M:.0f})": worst.metres,
        f"largest error of altitude (ft; bound {ALTITUDE_ERROR_FT:.0f})": worst.feet,
        "all within the bound": _yes(
            received % worst.positions == 0 and worst.metres <= ERROR_M and worst.feet <= ALTITUDE_ERROR_FT
        ),
    }


def _reached(used: float, row_bytes: float) -> str:
    return _yes(used <= TARGET_BYTES and row_bytes / used >= TARGET_TIMES)


def _yes(true: bool) -> str:
    return "yes" if true else "NO"


def feeds(kind: str, folder: Path) -> Iterator[dict[str, Any]]:
    """All recordings of a folder in one database: once, and on as many days as make its tables more than pages."""
    with tempfile.TemporaryDirectory() as place, database(kind, Path(place)) as base:
        together, rows = Worst(), list[dict[str, Any]]()
        for path in sorted(folder.glob("*.gz")):
            more, [worst] = tape(path, base)
            rows += more
            together.add(worst)
        row_bytes = bytes_a_row(base, [rows])
        # So little is stored that what was freed meanwhile would count for more than it.
        base.settle(full=True)
        yield result(base, "recordings", row_bytes, together)
        Copies(base, DAY_S).make(DAYS - 1)
        base.settle()
        yield result(base, f"recordings on {DAYS} days", row_bytes, together)


def day(kind: str, hours: float, folder: Path | None) -> dict[str, Any]:
    """So many hours of 500 aircraft."""
    with tempfile.TemporaryDirectory(dir=folder) as place, database(kind, Path(place)) as base:
        sample = Traffic(AIRCRAFT, START)
        row_bytes = bytes_a_row(base, (rows_of(sample()) for _ in range(ROW_SECONDS)))
        seconds = round(hours * 3600)
        writer, traffic = new_writer(base), Traffic(AIRCRAFT, START)
        record(base, traffic, seconds, writer)
        land_in(writer, traffic.now)
        base.settle()
        worst = day_error(base, Traffic(AIRCRAFT, START), seconds)
        return result(base, f"{hours:g} h, {AIRCRAFT} aircraft", row_bytes, worst)


def main(arguments: list[str] | None = None) -> None:
    """Print a table for the recordings and one for the simulated hours on each database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=1)
    parser.add_argument("--database", choices=KINDS, action="append")
    parser.add_argument("--folder", type=Path, help="where SQLite's file goes while it lasts")
    options = parser.parse_args([] if arguments is None else arguments)
    folder = recordings()
    if folder is None:
        print("  skipped: the recordings (../shared/data/feeds) are not here")
    for kind in options.database or KINDS:
        if folder is not None:
            for figures in feeds(kind, folder):
                show(figures)
        show(day(kind, options.hours, options.folder))


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])

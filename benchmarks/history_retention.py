"""Retention: a database aged by a year shrinks to its limits while it is written and read.

The year is the same traffic once a day (``--aircraft`` of them for ``--minutes``), made by ``_history.Copies``. A
writer flushes four times a second, each time five seconds of 500 aircraft; a reader asks the API for pictures,
tracks and flights as fast as it is answered. Both run in this process, as they do in an installation of one process,
which is the harder case. Their times stand without retention, while it removes by age and while it removes by room.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from benchmarks._history import KINDS, Copies, Database, database, new_writer, record
from benchmarks._history_queries import Client, iso
from benchmarks._traffic import Traffic
from skywatch.core.storing.retention import MEGABYTE, Pruner, extent
from skywatch.features import FEATURES, load
from skywatch.history.models import Chunk
from skywatch.history.storage.points import SLICE_S

DAY_S = 86_400
YEAR_DAYS = 365
KEPT_DAYS = 90
FLUSHES_A_SECOND, SECONDS_A_FLUSH = 4, 5
LIVE_AIRCRAFT = 500


class Load:
    """A writer and a reader at work; what each flush and each answer took (ms), under the name of the phase."""

    def __init__(self, base: Database, day_began: float, flown_s: int) -> None:
        self.phase = "alone"
        self.times: dict[tuple[str, str], list[float]] = {}
        self._base, self._day, self._flown_s = base, day_began, flown_s
        self._stop = threading.Event()
        self._failure: BaseException | None = None
        self._threads = [threading.Thread(target=self._guarded, args=(work,)) for work in (self._write, self._read)]

    @contextmanager
    def running(self) -> Iterator[None]:
        """While it works; raises what went wrong in it."""
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._stop.set()
            for thread in self._threads:
                thread.join()
        if self._failure is not None:
            raise self._failure

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            self._failure = error

    def _note(self, who: str, phase: str, began: float) -> None:
        self.times.setdefault((who, phase), []).append((time.perf_counter() - began) * 1000)

    def _write(self) -> None:
        writer = new_writer(self._base)
        writer.recover()
        traffic = Traffic(LIVE_AIRCRAFT, time.time(), first_address=0x800000)
        due = time.monotonic()
        while not self._stop.wait(max(0.0, due - time.monotonic())):
            due = max(due + 1 / FLUSHES_A_SECOND, time.monotonic())
            for _ in range(SECONDS_A_FLUSH):
                writer.recorder.take(traffic())
            began, phase = time.perf_counter(), self.phase
            writer.flush()
            self._note("flush", phase, began)

    def _read(self) -> None:
        client = Client(self._base.url)
        chance = np.random.default_rng(1)
        try:
            while not self._stop.is_set():
                # Days that stay, so that the answers are the same with retention as without.
                day = self._day - chance.integers(0, max(1, KEPT_DAYS // 4)) * DAY_S
                at = day + chance.uniform(0, self._flown_s)
                for path, query in (
                    ("picture", {"at": iso(at)}),
                    ("tracks/400001", {"from_": iso(day), "to": iso(day + DAY_S - 1)}),
                    ("flights", {"icao_hex": "400001"}),
                ):
                    began, phase = time.perf_counter(), self.phase
                    client(path, **query)
                    self._note(path.split("/")[0], phase, began)
        finally:
            client.runtime.close()


def on_disk(base: Database) -> int:
    """Bytes that the database takes on disk: of SQLite its file and its journal, of PostgreSQL what it says."""
    if base.kind == "postgresql":
        return base.size()
    path = Path(str(base.engine.url.database))
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))


def prune(base: Database, **limits: float) -> dict[str, Any]:
    """Hold limits once; what went, how long it took, and the steps' times (ms)."""
    ini = {"environment": "development", "auth_mode": "public", "database_url": base.url}
    steps: list[float] = []

    def pause(seconds: float) -> bool:
        steps.append(seconds * 1000)
        time.sleep(seconds)
        return False

    settings = load(ini | {name: str(value) for name, value in limits.items()}, {})
    pruner = Pruner(base.engine, base.sessions, settings, FEATURES.retention_kinds(), pause)
    began, cpu = time.perf_counter(), time.thread_time()
    removed = pruner.run()
    return {
        "rows removed": removed,
        "seconds": time.perf_counter() - began,
        "processor seconds": time.thread_time() - cpu,
        "steps: number, median, longest (ms)": (len(steps), float(np.median(steps)), max(steps)),
    }


def age(base: Database, aircraft: int, flown_s: int) -> float:
    """A year of days, the last of which began some hours ago; returns when (unix seconds)."""
    began = (time.time() - flown_s - SLICE_S) // SLICE_S * SLICE_S
    writer = new_writer(base)
    record(base, Traffic(aircraft, began), flown_s, writer)
    Copies(base, DAY_S).make(YEAR_DAYS)
    base.settle()
    return float(began)


def state(base: Database) -> dict[str, Any]:
    """How much there is."""
    positions = next(kind for kind in FEATURES.retention_kinds() if kind.name == "positions")
    with base.sessions() as session:
        found = extent(session, positions)
        real = session.scalar(sa.select(sa.func.sum(sa.func.length(Chunk.data)))) or 0
    return {
        "chunks": found.rows,
        "MB of tracks, as retention reckons": found.bytes / MEGABYTE,
        "MB of tracks, data alone": real / MEGABYTE,
        "days": (time.time() - found.oldest_at.timestamp()) / DAY_S if found.oldest_at else 0.0,
        "MB on disk": on_disk(base) / MEGABYTE,
    }


def show(title: str, figures: dict[str, Any]) -> None:
    """Print one phase."""
    print(f"    {title}")
    for name, value in figures.items():
        numbers = value if isinstance(value, tuple) else (value,)
        print(f"      {name:<46}" + "".join(f"{number:>12,.1f}" for number in numbers), flush=True)


def run(base: Database, aircraft: int, flown_s: int, alone_s: float) -> None:
    """Age, then shrink by age and by room under load."""
    load_ = Load(base, age(base, aircraft, flown_s), flown_s)
    print(f"  {base.kind}")
    show("a year old", state(base))
    with load_.running():
        time.sleep(2.0)
        load_.times.clear()
        time.sleep(alone_s)
        load_.phase = "by age"
        limits = {"retention_positions_days": KEPT_DAYS, "retention_flights_days": KEPT_DAYS}
        show(f"limit of {KEPT_DAYS} days", prune(base, **limits))
        now = state(base)
        show("", now)
        load_.phase = "by room"
        half = now["MB of tracks, as retention reckons"] / 2
        show(f"limit of {half:.1f} MB", prune(base, retention_positions_mb=half, **limits))
        load_.phase = "after"
    show("", state(base))
    base.settle(full=base.kind == "postgresql")
    show("when the server has tidied up (PostgreSQL: after VACUUM FULL)", {"MB on disk": on_disk(base) / MEGABYTE})
    print("    times while it is written and read (ms): number, median, 99%, longest")
    for (who, phase), times in sorted(load_.times.items()):
        numbers = len(times), float(np.median(times)), float(np.percentile(times, 99)), max(times)
        print(f"      {who:<12}{phase:<34}" + "".join(f"{number:>12,.1f}" for number in numbers), flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Print what retention does and costs on both databases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--aircraft", type=int, default=100)
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--alone", type=float, default=15.0, help="how long is measured without retention (s)")
    parser.add_argument("--database", choices=KINDS, action="append")
    parser.add_argument("--folder", type=Path, help="where SQLite's file goes while it lasts")
    options = parser.parse_args([] if arguments is None else arguments)
    for kind in options.database or KINDS:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder, database(kind, Path(folder)) as base:
            run(base, options.aircraft, options.minutes * 60, options.alone)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])

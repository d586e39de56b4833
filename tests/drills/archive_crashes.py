"""Kill -9 at each step between archiving a day and deleting it from the database: nothing is lost, nothing comes twice.

``python -m tests.drills.archive_crashes [--kills 30]``. A process archives three days of flights and applies retention;
at a step (a file put into the archive or deleted from it, a transaction before or after its commit) it kills itself, at
a later step each time. Then everything is read through the archive and the database and compared with what there was,
and the next process goes on from there; once all rows have gone from the database, it begins from the start. Exit code
1 where anything is missing or doubled.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import event

from skywatch.archive.reader.archive_reader import bind
from skywatch.archive.storage.folder import FolderStorage
from skywatch.core.bus import open_bus
from skywatch.core.database import migrations
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.history.flights.filter import FlightFilter
from skywatch.history.flights.service import search
from skywatch.history.storage.reader import Span, read
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from tests.archives import archive, counts, fill, prune

KILLS = 30
DAYS = 3
ALL = Span(datetime(2026, 2, 27, tzinfo=UTC).timestamp(), datetime(2026, 3, 8, tzinfo=UTC).timestamp())
EVERYTHING = Visibility(None, frozenset({Permission.AIRCRAFT_VIEW_MILITARY, Permission.AIRCRAFT_VIEW_DETAILS}))
# Each process is a fresh one: the libraries have threads that a copy would not have.
_processes = multiprocessing.get_context("spawn")


def open_runtime(folder: Path) -> Runtime:
    """The installation in a folder."""
    settings = load(
        {
            "secret": "x" * 40,
            "bus": "memory",
            "auth_mode": "public",
            "database_url": f"sqlite:///{folder}/a.sqlite",
            "archive_url": f"file://{folder}/archive",
            "retention_positions_days": "1",
            "retention_flights_days": "1",
        },
        {},
    )
    engine = create_engine(settings.database_url)
    return Runtime(settings, engine, create_session_factory(engine), open_bus("memory"))


def prepare(folder: Path) -> None:
    """A database with flights, and what is in it."""
    folder.mkdir()
    runtime = open_runtime(folder)
    migrations.upgrade(runtime.engine)
    fill(runtime.sessions, days=DAYS, aircraft=6)
    contents = everything(runtime)
    np.save(folder / "points.npy", contents[0])
    np.save(folder / "flights.npy", np.array(contents[1]))
    runtime.close()


def everything(runtime: Runtime) -> tuple[Any, list[str]]:
    """All points and flights, wherever they are."""
    with bind(runtime.sessions(), runtime, "drill") as session:
        rows, _, _ = search(session, FlightFilter(), visibility=EVERYTHING, limit=10_000)
        return read(session, ALL), [str(row) for row in rows]


def work(folder: str, kill_at: int) -> None:
    """Archive and delete; killed at a step."""
    runtime = open_runtime(Path(folder))
    steps = 0

    def step(*_: Any) -> None:
        nonlocal steps
        steps += 1
        if steps == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in ("put", "delete"):
        setattr(FolderStorage, name, _watched(getattr(FolderStorage, name), step))
    event.listen(runtime.engine, "commit", step)
    event.listen(runtime.engine, "begin", step)
    archive(runtime.sessions, runtime.settings)
    prune(runtime, runtime.settings)
    runtime.close()


def _watched(method: Any, step: Any) -> Any:
    def watched(self: Any, *arguments: Any) -> None:
        step()
        method(self, *arguments)
        step()

    return watched


def compare(folder: str) -> None:
    """Exit with 1 where anything is missing or doubled, with 2 where the database is empty already."""
    runtime = open_runtime(Path(folder))
    points, flights = everything(runtime)
    is_same = np.array_equal(points, np.load(f"{folder}/points.npy")) and flights == list(
        np.load(f"{folder}/flights.npy")
    )
    is_empty = counts(runtime.sessions) == (0, 0)
    runtime.close()
    sys.exit(1 if not is_same else 2 if is_empty else 0)


def _run(target: Any, *arguments: Any) -> int:
    process = _processes.Process(target=target, args=arguments)
    process.start()
    process.join()
    return process.exitcode or 0


def run(kills: int, show: Any = print) -> tuple[int, int]:
    """(kills, rounds in which everything went from the database); raises AssertionError where something is wrong."""
    killed, rounds, at = 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="skywatch-crashes-") as storage:
        prepare(Path(storage, "origin"))
        folder = _begin(storage, 0)
        while killed < kills:
            at += 7
            code = _run(work, str(folder), at)
            killed += code == -signal.SIGKILL
            assert code in (0, -signal.SIGKILL), f"the process ended with {code}"
            outcome = _run(compare, str(folder))
            assert outcome != 1, f"something is missing or doubled after a kill at step {at}"
            show(f"{killed} of {kills}: step {at}, {'killed' if code else 'done'}")
            if outcome == 2 or code == 0:
                rounds, at = rounds + 1, rounds % 7
                folder = _begin(storage, rounds)
    return killed, rounds


def _begin(storage: str, number: int) -> Path:
    folder = Path(storage, f"round{number}")
    shutil.copytree(Path(storage, "origin"), folder)
    return folder


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=KILLS)
    killed, rounds = run(parser.parse_args().kills)
    print(f"{killed} kills, {rounds} times to the end: nothing lost, nothing doubled")


if __name__ == "__main__":
    main()

"""Backup and restore of a database of history and of recordings: seconds, processor time and bytes a gigabyte.

Each command runs in a process of its own. While the backup is made a writer commits a row every few milliseconds: its
longest commit against the longest without a backup says whether writers wait. Seconds depend on the disk and on what
else the machine does; processor time is that of the command and its programs, without that of PostgreSQL's server.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._history import KINDS, START, Copies, Database, database, land_in, new_writer, record, show
from benchmarks._traffic import Traffic
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.database.models import StoredEvent
from tests.servers import postgresql_database

AIRCRAFT, FLOWN_S, DAY_S = 500, 600, 86_400
MEGABYTES, RECORDING_BYTES, RECORDINGS = 250, 500_000, 200
WRITE_EVERY_S, QUIET_S = 0.005, 3.0
GIGABYTE = 1e9


@dataclass(frozen=True)
class Ran:
    """What a command took: seconds, seconds of processor time, and the longest commit meanwhile (ms)."""

    seconds: float
    cpu_s: float
    commit_ms: float = 0.0


class Commits(threading.Thread):
    """Commits a small row again and again; ``longest_ms`` is the longest that took."""

    def __init__(self, base: Database) -> None:
        super().__init__(daemon=True)
        self._base, self._ended, self.longest_ms = base, threading.Event(), 0.0

    def run(self) -> None:
        """Write until ``close``."""
        while not self._ended.wait(WRITE_EVERY_S):
            begun = time.perf_counter()
            with writing(self._base.sessions) as session:
                session.add(StoredEvent(at=utcnow(), topic="benchmark", event="row", message=b"x" * 200))
            self.longest_ms = max(self.longest_ms, (time.perf_counter() - begun) * 1000)

    def close(self) -> float:
        """The longest commit (ms)."""
        self._ended.set()
        self.join()
        return self.longest_ms


def run(*arguments: object, busy: Database | None = None) -> Ran:
    """Run a command of Skywatch to its end, with commits meanwhile."""
    commits = Commits(busy) if busy is not None else None
    if commits is not None:
        commits.start()
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "skywatch", *map(str, arguments)], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begun
    longest_ms = commits.close() if commits is not None else 0.0
    if process.returncode != 0:
        raise RuntimeError(f"skywatch {arguments[0]} ended with {process.returncode}")
    return Ran(seconds, usage.ru_utime + usage.ru_stime, longest_ms)


def quiet_ms(base: Database) -> float:
    """The longest commit while no backup is made."""
    commits = Commits(base)
    commits.start()
    time.sleep(QUIET_S)
    return commits.close()


def fill(base: Database) -> None:
    """Fly, and copy what was flown until the database is large enough."""
    writer, traffic = new_writer(base), Traffic(AIRCRAFT, START)
    record(base, traffic, FLOWN_S, writer)
    land_in(writer, traffic.now)
    copies, count = Copies(base, DAY_S), 1
    while base.size() < MEGABYTES * 1e6:
        copies.make(count)
        count *= 2
        base.settle()


def ini(folder: Path, url: str) -> Path:
    """An installation with this database and a folder of recordings."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "skywatch.ini"
    file.write_text(
        f"[app:main]\nuse = egg:skywatch\nenvironment = development\ndatabase_url = {url}\n"
        f"audio_directory = {folder / 'audio'}\nsecret = {'s' * 40}\n"
    )
    return file


def record_sounds(folder: Path) -> int:
    """Recordings that nothing compresses; their bytes."""
    for number in range(RECORDINGS):
        path = folder / "audio" / f"2026/11/{number % 28 + 1:02}" / f"{number}.mp3"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(RECORDING_BYTES))
    return RECORDINGS * RECORDING_BYTES


def measure(base: Database, place: Path, other: str) -> dict[str, Any]:
    """The figures of one database."""
    here, target = ini(place / "here", base.url), place / "backup"
    sounds, quiet = record_sounds(place / "here"), quiet_ms(base)
    size = base.size()
    made = run("backup", here, target, "--without-secret", busy=base)
    stored = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    verified = run("backup", "--verify", here, target)
    restored = run("restore", target, ini(place / "there", other))
    gigabytes = (size + sounds) / GIGABYTE
    figures: dict[str, Any] = {"database": base.kind, "MB of database": size / 1e6, "MB of recordings": sounds / 1e6}
    for name, ran in (("backup", made), ("verify with trial", verified), ("restore", restored)):
        figures[f"{name}: seconds a GB"] = ran.seconds / gigabytes
        figures[f"{name}: processor seconds a GB"] = ran.cpu_s / gigabytes
    figures["bytes in the backup a byte of the database"] = (stored - sounds) / size
    figures["longest commit without a backup (ms)"] = quiet
    figures["longest commit during a backup (ms)"] = made.commit_ms
    return figures


def main(arguments: list[str] | None = None) -> None:
    """Print a table for each database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=KINDS, action="append")
    options = parser.parse_args([] if arguments is None else arguments)
    for kind in options.database or KINDS:
        with tempfile.TemporaryDirectory() as name, database(kind, Path(name)) as base:
            fill(base)
            place = Path(name)
            if kind == "sqlite":
                show(measure(base, place, f"sqlite:///{place}/there/restored.sqlite"))
            else:
                with postgresql_database() as other:
                    show(measure(base, place, other))


if __name__ == "__main__":
    main(sys.argv[1:])

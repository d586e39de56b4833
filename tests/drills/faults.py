"""Break an installation in every way on purpose, on loopback only, and measure what callers see of it.

``make drill NAME=faults`` or ``python -m tests.drills.faults [--seconds 24] [--only WORD] [--one | --several]
[--running | --starting]`` prints tables: what callers saw in addition to good answers, commits acknowledged and lost,
lines in all logs, threads that ended, and how long after the cause was gone everything was well again; and the same of
faults that are there when the processes start (``tests.drills.starts``).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.drills.causes import (
    FULL_DISK,
    POSTGRESQL,
    POSTGRESQL_DISK,
    RECEIVER,
    REDIS,
    SQLITE,
    Fault,
    clock_faults,
    of_process,
)
from tests.drills.conditions import missing, small_disk
from tests.drills.installation import Installation, one_process, several_processes, wait_for
from tests.drills.load import Load
from tests.drills.starts import HEAD as START_HEAD
from tests.drills.starts import StartOutcome, play_at_start
from tests.waiting import until

# What the report calls well must come within this; longer is shown as never.
GIVE_UP_S = 45.0


@dataclass
class Outcome:
    """What was measured of one fault."""

    fault: str
    seen: str
    acknowledged: int
    lost: int
    log_lines: int
    threads_ended: int
    well_after_s: float | None

    def __str__(self) -> str:
        well = f"{self.well_after_s:.1f} s" if self.well_after_s is not None else "NEVER"
        figures = f"{self.acknowledged}/{self.lost} | {self.log_lines} | {self.threads_ended} | {well}"
        return f"| {self.fault} | {figures} | {self.seen} |"


HEAD = "| Fault | Commits/lost | Log lines | Threads ended | Well after | Callers saw |\n|---|---|---|---|---|---|"


def play(installation: Installation, load: Load, fault: Fault, seconds: float) -> Outcome:
    """Cause a fault, hold it, cure it, and wait until all is well."""
    with suppress(AssertionError):
        until(lambda: load.well_since(time.monotonic() - 3))
    assert load.well_since(time.monotonic() - 10), f"no good beginning: {load.ill}, {dict(load.seen)}"
    load.forget()
    lines, threads, acknowledged = installation.log_lines, installation.threads, len(load.acknowledged)
    fault.cause(installation)
    if fault.hold:
        time.sleep(seconds)
    fault.cure(installation)
    cured_at = time.monotonic()
    with suppress(AssertionError):
        until(lambda: load.well_since(cured_at), wait_s=GIVE_UP_S, every_s=0.1)
    well = max(load.well_at.values()) - cured_at if load.well_since(cured_at) else None
    bad = {what: count for what, count in load.seen.items() if not what.endswith(" ok")}
    seen = ", ".join(f"{what} {count}x" for what, count in sorted(bad.items())) or "nothing"
    if well is None:
        seen += f"; still: {load.ill}"
    # Threads of pools come and go; those that are missing for good are counted, where the process is the same.
    with suppress(AssertionError):
        until(lambda: not _ended(threads, installation.threads), wait_s=5)
    outcome = Outcome(
        fault.name, seen, len(load.acknowledged) - acknowledged, 0, installation.log_lines - lines,
        _ended(threads, installation.threads), well,
    )  # fmt: skip
    with suppress(Exception):
        outcome.lost = load.lost()
    return outcome


def _ended(before: dict[int, int], now: dict[int, int]) -> int:
    """The threads that have ended; a process that was started again has begun fewer of its pools' threads so far."""
    return sum(max(0, threads - now[process]) for process, threads in before.items() if process in now)


def drill(
    installation: Installation, faults: list[Fault], seconds: float, at_start: Iterable[Fault] = ()
) -> Iterator[Outcome | StartOutcome]:
    """Start the installation and play faults, one after the other; last those that are there at the start."""
    load = Load(installation)
    try:
        installation.init()
        installation.start()
        wait_for(installation)
        load.start()
        for fault in faults:
            yield play(installation, load, fault, seconds)
        for fault in at_start:
            yield play_at_start(installation, load, fault, seconds)
    finally:
        load.close()
        installation.close()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=24, help="how long each fault is held")
    parser.add_argument("--only", default="", help="faults whose name contains this")
    parser.add_argument("--one", action="store_true", help="one process with SQLite alone")
    parser.add_argument("--several", action="store_true", help="five processes with PostgreSQL and Redis alone")
    parser.add_argument("--running", action="store_true", help="faults that come while the service runs alone")
    parser.add_argument("--starting", action="store_true", help="faults that are there at the start alone")
    return parser.parse_args()


def main() -> None:
    """The command."""
    options = _options()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # PostgreSQL has a user of its own.
        folder.chmod(0o755)
        if not options.several:
            failed |= _of_one(folder / "one", options)
        if not options.one:
            failed |= _of_clocks(folder / "clocks", options)
            failed |= _of_several(folder / "several", options)
    sys.exit(failed)


@contextmanager
def _folders(folder: Path) -> Iterator[tuple[Path, bool]]:
    """A folder, in it one on a small disk, and whether that is one of its own."""
    disk = folder / "disk"
    disk.mkdir(parents=True)
    with small_disk(disk) as is_small:
        if not is_small:
            print("not measured: a full disk (this user may not mount a small one)")
        yield disk, is_small


def _of_one(folder: Path, options: argparse.Namespace) -> bool:
    with _folders(folder) as (disk, is_small):
        faults = [*SQLITE, RECEIVER, *([FULL_DISK] if is_small else [])]
        return _report(one_process(folder, disk), [*of_process("service"), *faults], options, faults)


def _of_clocks(folder: Path, options: argparse.Namespace) -> bool:
    """An installation of its own: the others' clocks are the machine's."""
    if absent := missing():
        print(f"not measured: a clock that is set ({', '.join(absent)} is not installed)")
        return False
    folder.mkdir()
    installation = several_processes(folder)
    installation.name += ", with clocks that are set"
    return _report(installation, clock_faults(installation, ("tracker", "api1", "realtime1")), options)


def _of_several(folder: Path, options: argparse.Namespace) -> bool:
    with _folders(folder) as (disk, is_small):
        faults = [*REDIS, *POSTGRESQL, RECEIVER, *(POSTGRESQL_DISK if is_small else ())]
        processes = [fault for process in ("tracker", "api1", "realtime1") for fault in of_process(process)]
        at_start = [fault for fault in faults if fault.part]
        return _report(several_processes(folder, disk), [*processes, *faults], options, at_start)


def _report(
    installation: Installation, running: list[Fault], options: argparse.Namespace, starting: Iterable[Fault] = ()
) -> bool:
    """Print the tables of one installation; whether something was lost, never came back or broke a promise."""
    running, starting = (
        [fault for fault in faults if options.only in fault.name and not is_left_out]
        for faults, is_left_out in ((running, options.starting), (starting, options.running))
    )
    if not running and not starting:
        installation.close()
        return False
    failed, head = False, ""
    print(f"\n{installation.name}", flush=True)
    for outcome in drill(installation, running, options.seconds, starting):
        is_start = isinstance(outcome, StartOutcome)
        if head != (head := START_HEAD if is_start else HEAD):
            print(f"\n{head}")
        print(outcome, flush=True)
        failed |= bool(outcome.lost) or outcome.well_after_s is None
        failed |= isinstance(outcome, StartOutcome) and bool(outcome.broken)
    return failed


if __name__ == "__main__":
    main()

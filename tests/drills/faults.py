"""Break an installation in every way on purpose, on loopback only, and measure what callers see of it.

``make faults`` or ``python -m tests.drills.faults [--seconds 24] [--only WORD] [--one | --several]`` prints a table:
what callers saw beside good answers, commits acknowledged and lost, lines in all logs, threads that ended, and how
long after the cause was gone everything was well again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.drills.causes import (
    FULL_DISK,
    POSTGRESQL,
    REDIS,
    SQLITE,
    Fault,
    clock_faults,
    find_faketime,
    of_process,
    small_disk,
)
from tests.drills.installation import Installation, one_process, several_processes, wait_for
from tests.drills.load import Load
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
    # Threads of pools come and go; those that are missing for good are counted.
    with suppress(AssertionError):
        until(lambda: installation.threads >= threads, wait_s=5)
    outcome = Outcome(
        fault.name, seen, len(load.acknowledged) - acknowledged, 0, installation.log_lines - lines,
        max(0, threads - installation.threads), well,
    )  # fmt: skip
    with suppress(Exception):
        outcome.lost = load.lost()
    return outcome


def drill(installation: Installation, faults: list[Fault], seconds: float) -> Iterator[Outcome]:
    """Start the installation and play faults, one after the other."""
    load = Load(installation)
    try:
        installation.init()
        installation.start()
        wait_for(installation)
        load.start()
        for fault in faults:
            yield play(installation, load, fault, seconds)
    finally:
        load.close()
        installation.close()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=24, help="how long each fault is held")
    parser.add_argument("--only", default="", help="faults whose name contains this")
    parser.add_argument("--one", action="store_true", help="one process with SQLite alone")
    parser.add_argument("--several", action="store_true", help="five processes with PostgreSQL and Redis alone")
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not options.several:
            one = folder / "one"
            one.mkdir()
            with small_disk(one) as has_disk:
                faults = [*of_process("service"), *SQLITE, *([FULL_DISK] if has_disk else [])]
                failed |= _report(one_process(one), faults, options)
                if not has_disk:
                    print("not measured: a full disk (this user may not mount a small one)")
        library = find_faketime()
        if library is None:
            print("not measured: a clock that is set (libfaketime is not installed)")
        elif not options.one:
            # An installation of its own: the others' clocks are the machine's.
            clocks = folder / "clocks"
            clocks.mkdir()
            folder.chmod(0o755)
            installation = several_processes(clocks)
            installation.name += ", with clocks that are set"
            failed |= _report(
                installation, clock_faults(installation, library, ("tracker", "api1", "realtime1")), options
            )
        if not options.one:
            several = folder / "several"
            several.mkdir()
            folder.chmod(0o755)
            faults = [fault for process in ("tracker", "api1", "realtime1") for fault in of_process(process)]
            failed |= _report(several_processes(several), [*faults, *REDIS, *POSTGRESQL], options)
    sys.exit(failed)


def _report(installation: Installation, faults: list[Fault], options: argparse.Namespace) -> bool:
    """Print the table of one installation; whether something was lost or never came back."""
    print(f"\n{installation.name}\n\n{HEAD}", flush=True)
    failed = False
    for outcome in drill(installation, [fault for fault in faults if options.only in fault.name], options.seconds):
        print(outcome, flush=True)
        failed |= bool(outcome.lost) or outcome.well_after_s is None
    return failed


if __name__ == "__main__":
    main()

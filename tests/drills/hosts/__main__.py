"""Breaks three hosts in every way under feeders, 50 subscribers and 20 requests a second, and measures what they see.

``make drill NAME=hosts`` or ``python -m tests.drills.hosts [--bus nats|sentinel] [--only WORD] [--times N] [--short]``
needs root, iproute2 and Debian's packages patroni, etcd-server, postgresql, haproxy, nats-server, redis-server
and gcc.
Hosts are network namespaces with this checkout's code and the files of ``deploy/cluster``: two have a tracker, an api,
a realtime, an ingest and a worker process and PostgreSQL under Patroni each, a third one HAProxy, and all three etcd
and a server of the bus. The cluster starts once for a bus; each fault comes when all has been well for a while. Killed
and frozen trackers come 30 times on the first bus and 5 times on the other, all else 5 times, in less than two hours.
Faults are skipped while the load of the machine (1 minute) is above ``--load``.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.drills.conditions import missing as missing_conditions
from tests.drills.hosts.cluster import ROLES, missing
from tests.drills.hosts.faults import FAULTS, Fault
from tests.drills.hosts.outcome import BACK_S, HEAD, Summary
from tests.drills.hosts.stage import Size, Stage, stage

BUSES = ("nats", "sentinel")
# With everything that runs here the load is about 1 a processor.
LOAD = 3.0 * (os.cpu_count() or 1)
# For so long a machine that is too busy is waited for.
WAIT_S = 60.0
WHOLE = Size(dict.fromkeys(ROLES, 2))
SHORT = Size(
    {"tracker": 2, "api": 1, "realtime": 1, "ingest": 1, "worker": 0},
    subscribers=5,
    requests_s=8.0,
    calm_s=1.0,
    has_conditions=False,
)
# Faults of the short form, with the time that each is held.
SHORT_FAULTS = {"tracker-killed": 1.0, "database-switched": 0.0}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.drills.hosts", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bus", choices=BUSES, help="one bus alone; both if not given")
    parser.add_argument("--only", action="append", default=[], help="faults whose name contains this (may be repeated)")
    parser.add_argument("--times", type=int, help="how often each fault comes, at most")
    parser.add_argument("--others", type=int, help="how often faults other than of trackers come, at most")
    parser.add_argument("--load", type=float, default=LOAD, help=f"the load above which faults are skipped ({LOAD:g})")
    parser.add_argument("--short", action="store_true", help="one process of most roles, and a few faults")
    parser.add_argument("--folder", type=Path, help="where logs are kept; a temporary folder if not given")
    return parser.parse_args()


def _times(fault: Fault, bus: str, options: argparse.Namespace) -> int:
    times = 1 if options.short else fault.times if bus == (options.bus or BUSES[0]) else min(fault.times, 5)
    if options.others and not fault.name.startswith("tracker-"):
        times = min(times, options.others)
    return min(times, options.times) if options.times else times


def _chosen(options: argparse.Namespace) -> list[tuple[Fault, float]]:
    """Faults, and how long each is held."""
    return [
        (fault, SHORT_FAULTS[fault.name] if options.short else fault.hold_s)
        for fault in FAULTS
        if (not options.only or any(word in fault.name for word in options.only))
        and (not options.short or fault.name in SHORT_FAULTS)
    ]


def _is_too_busy(limit: float) -> bool:
    """Whether the machine stays so."""
    end = time.monotonic() + WAIT_S
    while os.getloadavg()[0] > limit:
        if time.monotonic() > end:
            return True
        time.sleep(2.0)
    return False


def _note(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} load {os.getloadavg()[0]:.1f}: {text}", flush=True)


def _play_all(playing: Stage, bus: str, options: argparse.Namespace, summaries: list[Summary]) -> None:
    for fault, hold_s in _chosen(options):
        # The short form counts: how long things take says nothing of a machine that tests run on.
        goals = (None, None) if options.short else (fault.goal_s(bus), BACK_S if fault.has_database else None)
        summary = Summary(fault.name, *goals)
        summaries.append(summary)
        for turn in range(_times(fault, bus, options)):
            if _is_too_busy(options.load):
                summary.skipped += 1
                _note(f"{fault.name} is skipped: the load is above {options.load:g}")
                continue
            outcome = playing.play(fault, turn, hold_s)
            summary.outcomes.append(outcome)
            words = "; ".join(outcome.broken_promises)
            _note(
                f"{bus} {fault.name} {turn + 1}: gap {outcome.gap_s:.2f} s, of one {outcome.longest_s:.2f} s,"
                f" back {outcome.back_s:.2f} s ({outcome.broken}), well after {outcome.well_after_s:.1f} s"
                f" ({playing.last_ill[:100]})"
                f"{'; ' + words if words else ''}"
            )


def _drill(folder: Path, bus: str, options: argparse.Namespace) -> list[str]:
    """Print the table of one bus; what was missed."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    size, summaries = SHORT if options.short else WHOLE, list[Summary]()
    try:
        with stage(folder, bus, size, _note) as playing:
            _play_all(playing, bus, options, summaries)
    finally:
        # Also what was measured before a failure, or before somebody ended it.
        print(f"\n{bus}, {size.subscribers} subscribers, {size.requests_s:g} requests a second:\n\n{HEAD}")
        for summary in summaries:
            print(summary)
        print(flush=True)
    return [f"{bus}: {words}" for summary in summaries for words in summary.missed]


def main() -> int:
    """Run; 0 where every promise was kept."""
    options = _options()
    buses = [options.bus] if options.bus else BUSES[:1] if options.short else list(BUSES)
    if os.geteuid() != 0:
        print("needs root, for network namespaces", file=sys.stderr)
        return 1
    if absent := sorted(
        {name for bus in buses for name in missing(bus)}.union([] if options.short else missing_conditions())
    ):
        print(f"not here: {', '.join(absent)}", file=sys.stderr)
        return 1
    _note(f"faults are skipped above a load of {options.load:g}")
    if _is_too_busy(options.load):
        print("SKIPPED: the machine is too busy to measure anything; --load says otherwise")
        return 0
    # What was started is ended, also by `timeout` or a cancelled job.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    logging.getLogger("skywatch.client").setLevel(logging.WARNING)
    missed: list[str] = []
    with tempfile.TemporaryDirectory(prefix="skywatch-hosts-") as temporary:
        root = options.folder or Path(temporary)
        root.mkdir(parents=True, exist_ok=True)
        root.chmod(0o755)
        for bus in buses:
            missed += _drill(root / bus, bus, options)
    print("\n".join(missed) if missed else "every goal was kept, and nothing was lost, doubled or wrong")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

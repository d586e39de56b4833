"""Deliveries: from the commit of an alert to the webhook's arrival, and while channels are down.

The worker and the receiver run in this process over a real socket, on each database. ``--down`` channels answer after
15 s or never: they may not delay the one that is measured.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks._history import database
from skywatch.core.runtime import Runtime
from skywatch.features import load
from tests.notifying import add_channel, add_user, delivering, notification, send
from tests.receiving import receiving
from tests.waiting import until


def main(arguments: list[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alerts", type=int, default=200)
    parser.add_argument("--down", type=int, default=50)
    options = parser.parse_args([] if arguments is None else arguments)
    print("| database | channels that are down | median ms | p95 ms | worst ms |")
    print("|---|---|---|---|---|")
    for kind in ("sqlite", "postgresql"):
        for down in (0, options.down):
            times = measure(kind, options.alerts, down)
            p95 = statistics.quantiles(times, n=20)[-1]
            print(f"| {kind} | {down} | {statistics.median(times):.0f} | {p95:.0f} | {max(times):.0f} |", flush=True)


def measure(kind: str, alerts: int, down: int) -> list[float]:
    """Milliseconds from each commit to the arrival."""
    with tempfile.TemporaryDirectory() as folder, database(kind, Path(folder)) as base:
        settings = load(
            {
                "database_url": base.engine.url.render_as_string(hide_password=False),
                "environment": "development",
                "auth_mode": "public",
                "notify_allow_networks": "127.0.0.0/8",
            },
            environ={},
        )
        runtime = Runtime.open(settings)
        sessions = runtime.sessions
        user = add_user(sessions)
        times: list[float] = []
        with receiving() as works, receiving() as hangs, delivering(runtime):
            hangs.delay_s = 60.0
            measured = add_channel(sessions, user, works.url, rate_per_minute=600)
            stuck = [add_channel(sessions, user, hangs.url) for _ in range(down)]
            if stuck:
                send(sessions, notification(user, *stuck))
                until(lambda: len(hangs.requests) == down)
            for number in range(1, alerts + 1):
                send(sessions, notification(user, measured, *stuck, subject_id=number))
                committed = time.time()
                until(lambda number=number: len(works.requests) >= number, every_s=0.002)
                times.append((works.requests[number - 1]["at"] - committed) * 1000)
        runtime.close()
        return times


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])

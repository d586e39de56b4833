"""A process that records made-up traffic until it is killed: ``python -m tests.integration.history_writer URL``.

It ticks ten times a second with skies one second apart by their own clock, and prints the time of each tick.
"""

from __future__ import annotations

import sys
import time

from benchmarks._traffic import Traffic
from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.history.monitor import create
from tests.accounts import TEST_SECRET


def main(url: str, start: float, flush_s: float, aircraft: int, tick_s: float) -> None:
    """Record from ``start`` (unix seconds) on, a flush every ``flush_s`` of wall time."""
    ini = {"secret": TEST_SECRET, "database_url": url, "history_flush_s": str(flush_s)}
    settings = load(ini, environ={})
    engine = create_engine(url)
    monitor = create(Runtime(settings, engine, create_session_factory(engine), open_bus("memory")))
    monitor.start()
    # The same seed each time: after a restart the same aircraft fly on.
    traffic = Traffic(aircraft, start, seed=11)
    traffic.until[:] = 1e12
    print("started", flush=True)
    while True:
        began = time.monotonic()
        sky = traffic()
        monitor.on_tick(sky)
        print(f"{sky.now:.0f}", flush=True)
        time.sleep(max(0.0, tick_s - (time.monotonic() - began)))


if __name__ == "__main__":
    main(sys.argv[1], *(float(text) for text in sys.argv[2:4]), int(sys.argv[4]), float(sys.argv[5]))

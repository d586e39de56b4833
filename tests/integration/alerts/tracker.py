"""A tracker of nothing but alerts, as a process of its own to be killed: ``python -m ... DATABASE_URL BEGAN``.

One more aircraft is there PER_SECOND times, counted from ``BEGAN`` (unix seconds), up to LAST.
"""

from __future__ import annotations

import sys
import time

from skywatch.alerts.engine.operands.documents import SkyMaker
from skywatch.alerts.monitor import create
from skywatch.core.runtime import Runtime
from skywatch.features import load
from tests.accounts import TEST_SECRET
from tests.alerts import STATION, aircraft

LAST, PER_SECOND = 60, 8


def main() -> None:
    """Tick until killed."""
    url, began = sys.argv[1], float(sys.argv[2])
    ini = {"secret": TEST_SECRET, "database_url": url, "bus": "memory", "auth_mode": "hybrid"}
    runtime = Runtime.open(load(ini, environ={}))
    monitor = create(runtime)
    monitor.start()
    maker = SkyMaker(STATION)
    print("ready", flush=True)
    while True:
        now = time.time()
        count = min(LAST, int((now - began) * PER_SECOND))
        monitor.on_tick(maker.sky([aircraft(number) for number in range(count)], now))
        time.sleep(0.05)


if __name__ == "__main__":
    main()

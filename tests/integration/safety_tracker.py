"""Safety over drawn traffic, to be killed: ``python -m tests.integration.safety_tracker URL SECONDS``.

Two aircraft declare emergencies for good. Skies pass faster than the wall clock; the time of each tick is printed.
"""

from __future__ import annotations

import sys
import time

from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.safety.monitor import SafetyMonitor
from tests.unit.safety.drawn import Drawn, skies, straight

PACE_S = 0.05


def main() -> None:
    """Run until killed."""
    url, seconds = sys.argv[1], int(sys.argv[2])
    settings = load({"secret": "only-for-tests-0123456789abcdef0123456789", "database_url": url, "bus": "memory"}, {})
    engine = create_engine(url)
    monitor = SafetyMonitor(Runtime(settings, engine, create_session_factory(engine), open_bus("memory")))
    monitor.start()
    aircraft = [
        Drawn(f"4b000{number}", straight(20 * number, 0, 9000, 200, 90), fields={"squawk": squawk})
        for number, squawk in enumerate(("7600", "7700", "1000"))
    ]
    for sky in skies(aircraft, seconds, began=time.time()):
        monitor.on_tick(sky)
        print(round(sky.now), flush=True)
        time.sleep(PACE_S)


if __name__ == "__main__":
    main()

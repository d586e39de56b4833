"""The monitors of a tracker together: processor time of the tick's thread in each, with something to do.

A service's own database, 1,000 rules over 200 geofences, history of every aircraft. Cannonball has no users: its own
benchmark has 200. What writers do in threads of their own is not counted.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.alerts import rule_set
from skywatch.alerts.monitor import AlertMonitor
from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.picture.monitor import Monitor
from skywatch.picture.state.sky import Sky

ENTRIES = 100


class Monitors:
    """All monitors of an installation in a folder of its own; ``tick`` measures each."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        url = f"sqlite:///{self._folder.name}/bench.sqlite"
        ini = Path(self._folder.name) / "bench.ini"
        ini.write_text(
            f"[app:main]\nuse = egg:skywatch\nenvironment = development\nauth_mode = public\ndatabase_url = {url}\n"
        )
        command = [sys.executable, "-W", "ignore", "-m", "skywatch", "init", str(ini)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        settings = load({"environment": "development", "auth_mode": "public", "database_url": url, "bus": "memory"}, {})
        engine = create_engine(url)
        self._runtime = Runtime(settings, engine, create_session_factory(engine), open_bus("memory"))
        self._monitors: list[Monitor] = [create(self._runtime) for create in self._runtime.features.monitors()]
        self.spent: dict[str, list[float]] = {monitor.name: [] for monitor in self._monitors}
        for monitor in self._monitors:
            if isinstance(monitor, AlertMonitor):
                # Not started: rules come from here, and its decisions are not written.
                monitor._loaded.put(rule_set(ENTRIES))
            else:
                monitor.start()

    def tick(self, sky: Sky) -> None:
        """Show a sky to all of them."""
        for monitor in self._monitors:
            began = time.thread_time()
            monitor.on_tick(sky)
            self.spent[monitor.name].append(1000 * (time.thread_time() - began))

    def medians(self, warm_up: int) -> dict[str, float]:
        """Milliseconds of a tick by monitor, without the first ticks."""
        return {name: statistics.median(spent[warm_up:]) for name, spent in self.spent.items()}

    def close(self) -> None:
        """End them and remove the folder."""
        for monitor in self._monitors:
            if not isinstance(monitor, AlertMonitor):
                monitor.close()
        self._runtime.close()
        self._folder.cleanup()

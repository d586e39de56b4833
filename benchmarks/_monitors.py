"""The monitors of an installation in a folder of its own, with something to do.

1,000 rules over 200 geofences, history of every aircraft, and users whom Cannonball follows. What writers do in threads
of their own is not counted.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.alerts import rule_set
from benchmarks.cannonball import add_users, fill_known
from skywatch.alerts.monitor import AlertMonitor
from skywatch.cannonball.location import Location, LocationStore
from skywatch.cannonball.monitor import CannonballMonitor
from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.picture.monitor import Monitor
from skywatch.picture.state.sky import Sky

ENTRIES = 100


class Monitors:
    """All monitors; ``tick`` measures each. ``locations`` are of users, ``known`` addresses of known aircraft."""

    def __init__(self, locations: list[Location], known: list[str]) -> None:
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
        add_users(self._runtime.sessions, [location.user_id for location in locations])
        fill_known(self._runtime.sessions, known)
        store = LocationStore(self._runtime.bus)
        for location in locations:
            store.put(location)
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

    def cannonball_sessions(self) -> int:
        """How many aircraft are near a user."""
        return sum(len(m._sessions.sessions) for m in self._monitors if isinstance(m, CannonballMonitor))

    def medians(self, warm_up: int) -> dict[str, float]:
        """Milliseconds of a tick by monitor, without the first ticks."""
        return {name: statistics.median(spent[warm_up:]) for name, spent in self.spent.items()}

    def together(self, warm_up: int) -> tuple[float, float]:
        """The median and the 95th percentile of all monitors together, milliseconds of a tick."""
        ticks = [sum(parts) for parts in zip(*self.spent.values(), strict=True)][warm_up:]
        return statistics.median(ticks), sorted(ticks)[int(0.95 * len(ticks))]

    def close(self) -> None:
        """End them and remove the folder."""
        for monitor in self._monitors:
            if not isinstance(monitor, AlertMonitor):
                monitor.close()
        self._runtime.close()
        self._folder.cleanup()

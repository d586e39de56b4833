"""The monitors of a tracker: one that fails or is slow is logged, counted and in health, and the others go on."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from skywatch.core.database.engine import outage_of, reason
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import LOGGED
from skywatch.picture import metrics
from skywatch.picture.distribution.feed import Follow
from skywatch.picture.monitor import Monitor
from skywatch.picture.state.sky import Sky

log = logging.getLogger(__name__)

COMPONENT = "monitors"
# A monitor that takes longer delays the next tick; it is logged, at most this often (s).
SLOW_MONITOR_S = 0.1
SLOW_MONITOR_EVERY_S = 60.0


class RunningMonitors:
    """Starts, calls and closes monitors; ``errors`` counts the faults of each."""

    def __init__(self, monitors: Sequence[Monitor]) -> None:
        self.errors: Counter[str] = Counter()
        self._monitors = list(monitors)
        self._slow_logged_at: dict[str, float] = {}
        for monitor in self._monitors:
            metrics.MONITOR_ERRORS.labels(monitor.name)  # at 0: Prometheus sees no growth in what appears at 1

    def start(self) -> None:
        """Start all of them."""
        for monitor in self._monitors:
            self._guarded(monitor.name, monitor.start)

    def on_tick(self, sky: Sky, followers: Iterable[tuple[str, Follow]] = ()) -> None:
        """Show a tick to all of them, then to others who follow the sky by a name."""
        all_follow = [*((monitor.name, monitor.on_tick) for monitor in self._monitors), *followers]
        failed = [name for name, follow in all_follow if not self._observe(name, follow, sky)]
        detail = f"failed at the last tick: {', '.join(failed)}" if failed else ""
        health.report(COMPONENT, not failed, detail, monitors=len(all_follow))

    async def close(self) -> None:
        """Close all of them concurrently: each may wait for the database, and a process has 20 s to stop."""

        def close(monitor: Monitor) -> None:
            self._guarded(monitor.name, monitor.close)

        await asyncio.gather(*(asyncio.to_thread(close, monitor) for monitor in self._monitors))
        health.withdraw(COMPONENT)

    def _observe(self, name: str, follow: Follow, sky: Sky) -> bool:
        """Show a tick to one; whether it worked."""
        started = time.perf_counter()
        works = self._guarded(name, partial(follow, sky))
        duration_s = time.perf_counter() - started
        metrics.MONITOR_SECONDS.labels(name).observe(duration_s)
        if duration_s > SLOW_MONITOR_S:
            self._log_slow(name, duration_s)
        return works

    def _log_slow(self, name: str, duration_s: float) -> None:
        now = time.monotonic()
        if now - self._slow_logged_at.get(name, -SLOW_MONITOR_EVERY_S) >= SLOW_MONITOR_EVERY_S:
            self._slow_logged_at[name] = now
            log.warning("monitor %s took %.0f ms for one tick", name, duration_s * 1000)

    def _guarded(self, name: str, call: Callable[[], object]) -> bool:
        try:
            call()
            return True
        except Exception as error:
            self.errors[name] += 1
            metrics.MONITOR_ERRORS.labels(name).inc()
            # Logging every second would fill a disk: logs the first failures and then every hundredth.
            cause = outage_of(error)
            if cause != LOGGED and (self.errors[name] <= 3 or self.errors[name] % 100 == 0):
                log.error("monitor %s failed: %s", name, reason(error), exc_info=None if cause else error)
            return False

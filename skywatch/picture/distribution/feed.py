"""``SkyFeed``: hands the picture of each tick to parts of the tracker that are no monitors.

A monitor tests every sky. A service that needs the picture for its own work (to link what it receives to aircraft,
to send it on) subscribes here while it runs.
"""

from __future__ import annotations

from collections.abc import Callable

from skywatch.core.runtime import Runtime
from skywatch.picture import metrics
from skywatch.picture.state.sky import Sky

Follow = Callable[[Sky], None]


class SkyFeed:
    """The subscribers by name. One for a process (``runtime.shared``); everything on the tracker's loop.

    Each is called with every sky after the monitors, under the same rules: it returns within milliseconds, its time is
    measured, and its exceptions are logged and counted under its name.
    """

    def __init__(self, runtime: Runtime | None = None) -> None:
        self._subscribers: dict[str, Follow] = {}

    def subscribe(self, name: str, follow: Follow) -> None:
        """Call ``follow`` with every sky from now on; raises ValueError for a name in use."""
        if name in self._subscribers:
            raise ValueError(f"{name} follows the picture already")
        # At 0: Prometheus sees no growth in a series that appears at 1.
        metrics.MONITOR_ERRORS.labels(name)
        self._subscribers[name] = follow

    def unsubscribe(self, name: str) -> None:
        """Call it no more; one that does not follow is left alone."""
        self._subscribers.pop(name, None)

    def subscribers(self) -> list[tuple[str, Follow]]:
        """Name and function of each, in the order they came."""
        return list(self._subscribers.items())

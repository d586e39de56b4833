"""The interface of monitors: each feature's monitor is called with every sky, in the tracker's thread."""

from __future__ import annotations

from typing import Protocol

from skywatch.picture.state.sky import Sky


class Monitor(Protocol):
    """A feature's part in the tracker. A feature offers one as ``monitor.create(runtime)``.

    ``on_tick`` must return within milliseconds and work on the columns; whatever waits (a database, a network)
    belongs in a thread of the monitor's own. An exception is logged, counted and does not end the tracker.
    """

    name: str

    def start(self) -> None:
        """Called once before the first tick."""

    def on_tick(self, sky: Sky) -> None:
        """Called after every tick with the whole picture."""

    def close(self) -> None:
        """Called once when the tracker stops; nothing accepted before may be lost."""

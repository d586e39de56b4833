"""How far a backup or restore is; work in a service can be cancelled between two steps."""

from __future__ import annotations

from collections.abc import Callable

from skywatch.backup.errors import Cancelled

STOPPED = "stopped before it was complete"


class Progress:
    """Counts bytes; ``show`` is called with those done so far, ``is_cancelled`` is asked each time."""

    def __init__(
        self, show: Callable[[int], None] = lambda done: None, is_cancelled: Callable[[], bool] = lambda: False
    ) -> None:
        self.done = 0
        self._show = show
        self.is_cancelled = is_cancelled

    def advance(self, count: int) -> None:
        """So many bytes more are done; raises Cancelled where the process is being stopped."""
        if self.is_cancelled():
            raise Cancelled(STOPPED)
        self.done += count
        self._show(self.done)

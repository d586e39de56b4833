"""``FurtherReports``: positions that features other than receivers bring to the picture, such as those in messages.

Any thread puts them, the tracker takes them with the next tick. One for a process (``runtime.shared``).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from skywatch.receivers.reports.report import Report

# Reports that wait for a tick, which comes every second; more are dropped, the oldest first.
MAXIMUM = 10_000


class FurtherReports:
    """See the module. ``source`` is shown as the receiver of such a position."""

    def __init__(self, runtime: Any = None) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[str, Report]] = []

    def put(self, source: str, reports: Sequence[Report]) -> None:
        """Add reports."""
        with self._lock:
            self._waiting += [(source, report) for report in reports]
            del self._waiting[:-MAXIMUM]

    def take(self) -> dict[str, list[Report]]:
        """All that wait, by source."""
        if not self._waiting:
            return {}
        with self._lock:
            waiting, self._waiting = self._waiting, []
        accepted: dict[str, list[Report]] = {}
        for source, report in waiting:
            accepted.setdefault(source, []).append(report)
        return accepted

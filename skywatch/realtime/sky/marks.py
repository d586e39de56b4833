"""Reads which aircraft are marked for which users: at the start, after events that may change it, and periodically.

Features define the marks (``skywatch.core.feature.Feature.marks``).
"""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable

from skywatch.core.bus import Message, Subscription
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.realtime.sky.marked import Marks

# Interval of reading changes without an event (s).
READ_EVERY_S = 10.0
# Pause after reading, so that a burst of events is read once (s).
PAUSE_S = 0.3


class MarkReader:
    """Passes the marks to ``take`` on the loop."""

    def __init__(self, runtime: Runtime, loop: asyncio.AbstractEventLoop, take: Callable[[Marks], None]) -> None:
        self._runtime = runtime
        self._loop = loop
        self._take = take
        self._readers = runtime.features.marks()
        self._closing = threading.Event()
        self._task = PeriodicTask("marked_aircraft", READ_EVERY_S, self._read)
        self._subscription: Subscription | None = None

    def start(self) -> None:
        """Begin, where any feature marks aircraft."""
        if not self._readers:
            return
        topics = self._runtime.features.topics_of_marks()
        self._subscription = self._runtime.bus.subscribe(topics, self._receive, self._task.run_soon)
        self._task.start()

    def close(self) -> None:
        """Stop reading."""
        self._closing.set()
        if self._subscription is not None:
            self._subscription.close()
            self._task.close()

    def _receive(self, message: Message) -> None:
        self._task.run_soon()

    def _read(self) -> None:
        marks: dict[int, set[str]] = defaultdict(set)
        with self._runtime.sessions() as session:
            for read in self._readers:
                for user, addresses in read(session).items():
                    marks[user].update(addresses)
        frozen_marks = {user: frozenset(addresses) for user, addresses in marks.items()}
        try:
            self._loop.call_soon_threadsafe(self._take, frozen_marks)
        except RuntimeError:
            return  # The loop has ended.
        self._closing.wait(PAUSE_S)

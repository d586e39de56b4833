"""The aircraft that are marked for users: read from the features, and as rows of the present sky.

They are read at the start, after events that may change them, and periodically. Features define the marks
(``skywatch.core.hooks.MarkedAircraft``).
"""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping

import numpy as np

from skywatch.core.bus import Message, Subscription
from skywatch.core.feature import FeatureSet
from skywatch.core.hooks import MarkedAircraft
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.realtime.topics.areas import Rows
from skywatch.realtime.topics.picture_state import PictureState

# Interval of reading changes without an event (s).
READ_EVERY_S = 10.0
# Pause after reading, so that a burst of events is read once (s).
PAUSE_S = 0.3
# User -> addresses of the aircraft that are marked for them.
Marks = Mapping[int, frozenset[str]]
_NONE: frozenset[str] = frozenset()


class MarkedRows:
    """The marks of this tick and of the one before."""

    def __init__(self, state: PictureState) -> None:
        self._state = state
        self.marks: Marks = {}
        self._before: Marks = {}

    def begin(self, marks: Marks) -> None:
        """Set the marks of the next tick."""
        self._before, self.marks = self.marks, marks

    def concerns(self, user: int | None) -> bool:
        """Whether any aircraft is marked for a user, or was until this tick."""
        return user is not None and bool(self.marks.get(user) or self._before.get(user))

    def of(self, user: int | None) -> Rows:
        """The rows that are marked for a user."""
        return self._rows(self.marks.get(user, _NONE) if user is not None else _NONE)

    def toggled(self, user: int | None) -> Rows:
        """The rows whose mark was set or cleared at this tick."""
        if user is None:
            return self._rows(_NONE)
        return self._rows(self.marks.get(user, _NONE) ^ self._before.get(user, _NONE))

    def _rows(self, addresses: frozenset[str]) -> Rows:
        index = self._state.sky.index
        return np.array(sorted(index[address] for address in addresses if address in index), dtype=np.intp)


def topics_of_marks(features: FeatureSet) -> list[str]:
    """The topics whose events may change what is marked: those of the features that mark."""
    marking = (feature for feature in features if any(isinstance(hook, MarkedAircraft) for hook in feature.provides))
    return [topic.name for feature in marking for topic in feature.topics]


class MarkReader:
    """Passes the marks to ``take`` on the loop."""

    def __init__(self, runtime: Runtime, loop: asyncio.AbstractEventLoop, take: Callable[[Marks], None]) -> None:
        self._runtime = runtime
        self._loop = loop
        self._take = take
        self._readers = [hook.read for hook in runtime.features.provided(MarkedAircraft)]
        self._closing = threading.Event()
        self._task = PeriodicTask("marked_aircraft", READ_EVERY_S, self._read)
        self._subscription: Subscription | None = None

    def start(self) -> None:
        """Begin, where any feature marks aircraft."""
        if not self._readers:
            return
        topics = topics_of_marks(self._runtime.features)
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

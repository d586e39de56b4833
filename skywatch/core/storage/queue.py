"""The bounded queue in front of a background writer: entries in order, and entries that replace one another."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from itertools import islice
from typing import Generic, Protocol, TypeVar

E = TypeVar("E")


class Source(Protocol[E]):
    """Where a background writer gets its entries from; all methods may be called from any thread."""

    @property
    def depth(self) -> int:
        """How much is not committed yet, what the writer has taken included."""

    @property
    def dropped(self) -> int:
        """How much was not accepted because the bound was reached."""

    def behind_s(self) -> float:
        """Age of the oldest that is not committed."""

    def delay_s(self) -> float:
        """Seconds until the writer should take entries; 0 is now, infinity while there are none."""

    def take(self, limit: int) -> list[E]:
        """The next entries, oldest first, at most ``limit``; they count until ``done``."""

    def done(self, entries: list[E]) -> None:
        """These are committed or given up."""


class WriteQueue(Generic[E]):
    """See ``Source``. At most ``limit`` entries wait; what comes then is dropped and counted.

    An entry that is appended is due after ``delay_s``; one that replaces what waits under its key (``replace``) is due
    ``replace_delay_s`` after the first of its round. The caller's thread never waits.
    """

    def __init__(self, limit: int, *, delay_s: float = 0.0, replace_delay_s: float = 0.0) -> None:
        self.limit = limit
        self._delay_s = delay_s
        self._replace_delay_s = replace_delay_s
        self._lock = threading.Lock()
        self._ordered: deque[tuple[float, E]] = deque()
        self._latest: dict[Hashable, E] = {}
        self._latest_since = 0.0
        self._taken = 0
        self._taken_since = 0.0
        self.dropped = 0
        # Set after something was put; the writer waits for it and clears it.
        self.arrived = threading.Event()

    @property
    def depth(self) -> int:
        # Between two steps of ``take`` what is on its way would count nowhere.
        with self._lock:
            return self._depth()

    def _depth(self) -> int:
        return len(self._ordered) + len(self._latest) + self._taken

    def append(self, entries: Iterable[E]) -> int:
        """Put entries behind the others; returns how many were dropped."""
        now = time.monotonic()
        dropped = 0
        with self._lock:
            room = self.limit - self._depth()
            for entry in entries:
                if room > 0:
                    self._ordered.append((now, entry))
                    room -= 1
                else:
                    dropped += 1
            self.dropped += dropped
        self.arrived.set()
        return dropped

    def replace(self, key: Hashable, entry: E) -> bool:
        """Put an entry in the place of the one that waits under ``key``; False where there is no room for it."""
        return self.replace_all({key: entry}) == 0

    def replace_all(self, entries: Mapping[Hashable, E]) -> int:
        """The same for several entries by their keys; returns how many found no room."""
        dropped = 0
        with self._lock:
            if entries and not self._latest:
                self._latest_since = time.monotonic()
            for key, entry in entries.items():
                if key not in self._latest and self._depth() >= self.limit:
                    dropped += 1
                else:
                    self._latest[key] = entry
            self.dropped += dropped
        if dropped < len(entries):
            self.arrived.set()
        return dropped

    def discard(self, key: Hashable) -> None:
        """Remove what waits under ``key``."""
        with self._lock:
            self._latest.pop(key, None)

    def behind_s(self) -> float:
        with self._lock:
            since = [self._taken_since] if self._taken else []
            if self._ordered:
                since.append(self._ordered[0][0])
            if self._latest:
                since.append(self._latest_since)
        return time.monotonic() - min(since) if since else 0.0

    def delay_s(self) -> float:
        now = time.monotonic()
        with self._lock:
            due = float("inf")
            if self._ordered:
                due = self._ordered[0][0] + self._delay_s
            if self._latest:
                due = min(due, self._latest_since + self._replace_delay_s)
        return max(0.0, due - now)

    def take(self, limit: int) -> list[E]:
        """Entries in order; those that replace one another once they are due, or nothing else waits."""
        now = time.monotonic()
        with self._lock:
            since = self._ordered[0][0] if self._ordered else self._latest_since
            entries = [self._ordered.popleft()[1] for _ in range(min(limit, len(self._ordered)))]
            if not self._ordered and (not entries or now - self._latest_since >= self._replace_delay_s):
                keys = list(islice(self._latest, limit - len(entries)))
                entries += [self._latest.pop(key) for key in keys]
            self._taken += len(entries)
            self._taken_since = since
        return entries

    def done(self, entries: list[E]) -> None:
        with self._lock:
            self._taken -= len(entries)

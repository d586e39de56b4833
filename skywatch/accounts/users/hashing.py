"""How many threads may hash passwords at a time: a burst of logins must not hold up all other requests.

At most half of the API's workers hash or wait to hash, and at most half of the processors hash; requests beyond that,
and those that wait too long, get 503 with ``Retry-After``.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from skywatch.core.problems import Problem

# Each hash takes 19 MiB and a processor for about 30 ms: on two, four at a time would leave nothing for other requests.
MAX_CONCURRENT = 4
WAIT_S = 1.0
RETRY_AFTER_S = 2


class HashingLimiter:
    """Turns at the password hasher. Safe to use from any thread."""

    def __init__(self, workers: int) -> None:
        self._turns = threading.Condition()
        self._local = threading.local()
        self._taken = self._waiting = 0
        self.resize(workers)

    def resize(self, workers: int) -> None:
        """Set the number of threads that answer requests; half of them may hash or wait for it."""
        self.slots = max(1, workers // 2)
        self.concurrent = max(1, min(MAX_CONCURRENT, self.slots, _processors() // 2))

    def check(self) -> None:
        """Raise Problem (503) where there is no slot: before anything is read for a request that will be refused."""
        if not self._has_turn and self._is_full:
            raise _too_many()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """One turn, in which a thread may hash several times; raises Problem (503) where there is none."""
        if self._has_turn:
            yield
            return
        self._take()
        self._local.has_turn = True
        try:
            yield
        finally:
            self._local.has_turn = False
            with self._turns:
                self._taken -= 1
                self._turns.notify()

    @property
    def _has_turn(self) -> bool:
        """Whether this thread has a turn already."""
        return getattr(self._local, "has_turn", False)

    @property
    def _is_full(self) -> bool:
        return self._taken + self._waiting >= self.slots

    def _take(self) -> None:
        with self._turns:
            if self._is_full:
                raise _too_many()
            self._waiting += 1
            try:
                if not self._turns.wait_for(lambda: self._taken < self.concurrent, WAIT_S):
                    raise _too_many()
                self._taken += 1
            finally:
                self._waiting -= 1


def _processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _too_many() -> Problem:
    headers = {"Retry-After": str(RETRY_AFTER_S)}
    return Problem("unavailable", "Too many logins at once; try again in a moment.", headers=headers)


# Of this process; the application sets its size.
hashing = HashingLimiter(workers=2 * MAX_CONCURRENT)

"""How many queries over the archive run at once: so many in the installation, and one of each person.

In this process a ``ConcurrencyLimiter`` says whose turn it is. The turns of an installation are locks that all its
processes share; the system or the database releases them when a process ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterator

from skywatch.core.database.locks import LockHeldError, exclusive_lock
from skywatch.core.limits import ConcurrencyLimiter

PAUSE_S = 0.05


class NoTurn(Exception):
    """Too many queries run; ``str()`` says whose."""


class Turns:
    """The turns of an installation as one process sees them."""

    def __init__(self, database_url: str, count: int) -> None:
        self._url = database_url
        self._names = [f"archive-query-{number}" for number in range(count)]
        self._limiter = ConcurrencyLimiter(
            "archive_queries",
            count,
            share=lambda person: 1,
            wait_s=1.0,
            refusal=lambda refused: self._none(is_own=refused.is_own),
        )

    @contextlib.contextmanager
    def turn(self, person: str, wait_s: float) -> Iterator[None]:
        """A turn for a person; waits up to ``wait_s`` for one. Raises NoTurn."""
        own = f"archive-user-{hashlib.sha256(person.encode()).hexdigest()[:16]}"
        deadline = time.monotonic() + wait_s
        with self._limiter.turn(person, wait_s), contextlib.ExitStack() as stack:
            self._take(stack, [own], deadline, is_own=True)
            self._take(stack, self._names, deadline, is_own=False)
            yield

    def _none(self, *, is_own: bool) -> NoTurn:
        if is_own:
            return NoTurn("another query of yours over the archive is running")
        return NoTurn(f"{len(self._names)} queries over the archive are running")

    def _take(self, stack: contextlib.ExitStack, names: list[str], deadline: float, *, is_own: bool) -> None:
        """Take one of some locks, which may be held by other processes, and by other threads of this one."""
        while True:
            for name in names:
                lock = exclusive_lock(self._url, name)
                try:
                    lock.take()
                except LockHeldError:
                    lock.close()
                except BaseException:
                    lock.close()
                    raise
                else:
                    stack.callback(lock.close)
                    return
            if time.monotonic() + PAUSE_S > deadline:
                raise self._none(is_own=is_own)
            time.sleep(PAUSE_S)

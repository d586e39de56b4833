"""How many queries over the archive run at once: so many in the installation, and one of each user.

The turns of an installation are locks that all its processes share; the system or the database releases them when a
process ends.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from collections.abc import Iterator

from sqlalchemy.exc import SQLAlchemyError

from skywatch.core.database.exclusive import ExclusiveLock, LockHeldError, exclusive_lock

PAUSE_S = 0.05


class NoTurn(Exception):
    """Too many queries run; ``str()`` says whose."""


class Turns:
    """The turns of an installation as one process sees them."""

    def __init__(self, database_url: str, count: int) -> None:
        self._url = database_url
        self._names = [f"archive-query-{number}" for number in range(count)]
        self._busy: set[str] = set()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def turn(self, user: str, wait_s: float) -> Iterator[None]:
        """A turn for a user; waits up to ``wait_s`` for one. Raises NoTurn."""
        own = f"archive-user-{hashlib.sha256(user.encode()).hexdigest()[:16]}"
        deadline = time.monotonic() + wait_s
        with contextlib.ExitStack() as stack:
            self._take(stack, [own], deadline, "another query of yours over the archive is running")
            detail = f"{len(self._names)} queries over the archive are running"
            self._take(stack, self._names, deadline, detail)
            yield

    def _take(self, stack: contextlib.ExitStack, names: list[str], deadline: float, why: str) -> None:
        while True:
            for name in names:
                lock = self._try(name)
                if lock is not None:
                    stack.callback(self._release, name, lock)
                    return
            if time.monotonic() + PAUSE_S > deadline:
                raise NoTurn(why)
            time.sleep(PAUSE_S)

    def _try(self, name: str) -> ExclusiveLock | None:
        # A lock is of a process: among the threads of this one the set decides.
        with self._lock:
            if name in self._busy:
                return None
            self._busy.add(name)
        lock = None
        try:
            lock = exclusive_lock(self._url, name)
            lock.take()
        except (LockHeldError, SQLAlchemyError, OSError) as error:
            if lock is not None:
                lock.close()
            with self._lock:
                self._busy.discard(name)
            if not isinstance(error, LockHeldError):
                raise
            return None
        return lock

    def _release(self, name: str, lock: ExclusiveLock) -> None:
        lock.close()
        with self._lock:
            self._busy.discard(name)

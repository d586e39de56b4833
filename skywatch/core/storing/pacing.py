"""``Pacer``: how much one writer does at a time where others wait for the same lock.

SQLite has one write lock and no queue for it: who waits asks again after up to 0.1 s. A writer with much to do would
have the lock nearly all the time, and others would find it free only by chance.
"""

from __future__ import annotations

# A transaction with the lock is to take so long.
MAX_S = 0.15
# The pause after so long with the lock: a little longer than SQLite's longest sleep between two attempts.
PAUSE_S = 0.12
# Entries of a transaction, at the beginning, at least and at most.
FIRST, LEAST, MOST = 100, 10, 1000


class Pacer:
    """Measures a writer's transactions, and limits their entries so that each takes about ``MAX_S``.

    Where the lock is not shared with others, it only bounds the entries.
    """

    def __init__(self, is_shared: bool) -> None:
        self.limit = FIRST if is_shared else MOST
        self._held_s = 0.0
        self._is_shared = is_shared

    def measure(self, entries: int, held_s: float) -> None:
        """A transaction with so many entries has ended; it had the lock for so long."""
        if not self._is_shared:
            return
        self._held_s += held_s
        if held_s > MAX_S:
            self.limit = max(LEAST, min(self.limit, int(entries * MAX_S / held_s)))
        elif entries >= self.limit and held_s < MAX_S / 2:
            self.limit = min(MOST, 2 * self.limit)

    def pause_s(self) -> float:
        """How long to leave the lock to others now."""
        if self._held_s < MAX_S / 2:
            return 0.0
        self._held_s = 0.0
        return PAUSE_S

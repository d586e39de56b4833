"""``Pace``: whether a transfer in one direction goes on fast enough."""

from __future__ import annotations


class Pace:
    """Counts bytes; ``is_slower_than`` is called now and then, and compares with the last time that all was well."""

    def __init__(self) -> None:
        self.bytes = 0
        self._marked_bytes = 0
        self._marked_at = float("inf")

    def is_slower_than(self, least_bytes: int, within_s: float, now: float, *, is_waiting: bool) -> bool:
        """Whether the peer moved less than ``least_bytes`` in the last ``within_s`` although it ``is_waiting`` for."""
        if is_waiting and self.bytes - self._marked_bytes < least_bytes and self._marked_at <= now:
            return now - self._marked_at >= within_s
        self._marked_bytes, self._marked_at = self.bytes, now
        return False

"""``ByteLedger``: limits the bytes of bodies that are being received, of each holder and in all."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any

from skywatch.core.limits import CountLimit


class ByteLedger:
    """The bytes of all bodies within a limit, whose holders are users or networks; ``gauge`` shows their sum."""

    def __init__(self, limit: CountLimit, gauge: Any) -> None:
        self.limit, self.gauge = limit, gauge
        self.guard = threading.Lock()


class Reservation:
    """The bytes of one body in a ledger. Thread-safe.

    With ``may_be_alone`` the only body of a holder may be of any size within the total: what is allowed at all must not
    always be refused.
    """

    def __init__(self, ledger: ByteLedger, holder: Hashable, *, may_be_alone: bool = False) -> None:
        self._ledger, self._holder, self._may_be_alone = ledger, holder, may_be_alone
        self._size = 0
        self._is_over = False

    def grow_to(self, size: int) -> bool:
        """Hold at least so many bytes; False where it would be too much, or after the release."""
        limit = self._ledger.limit
        with self._ledger.guard:
            if self._is_over:
                return False
            if size > self._size:
                is_alone = self._may_be_alone and limit.count(self._holder) == self._size
                if not limit.take(self._holder, size - self._size, may_exceed=is_alone):
                    return False
                self._size = size
                self._ledger.gauge.set(limit.in_use)
            return True

    def release(self) -> None:
        """Release all bytes; nothing is reserved any more."""
        with self._ledger.guard:
            self._is_over = True
            if self._size:
                self._ledger.limit.release(self._holder, self._size)
                self._size = 0
                self._ledger.gauge.set(self._ledger.limit.in_use)

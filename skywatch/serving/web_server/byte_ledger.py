"""``ByteLedger``: counts the bytes of bodies that are being received, for each holder and in all, and limits them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable
from typing import Any

from skywatch.core.network.addresses import ipv6_site
from skywatch.core.network.client_counts import site_limit


class ByteLedger:
    """At most ``limit_each`` bytes for a holder and, where it is given, ``limit_total`` in all. Thread-safe.

    Of holders that are networks an IPv6 site has a limit of its own (``client_counts``).
    A holder's only body may be of any size within the total: what is allowed at all must not always be refused.
    ``gauge`` shows the sum.
    """

    def __init__(self, limit_each: int, limit_total: int | None, gauge: Any) -> None:
        self._limit_each, self._limit_total, self._gauge = limit_each, limit_total, gauge
        self._limit_site = site_limit(limit_each, limit_total) if limit_total is not None else 0
        self._guard = threading.Lock()
        self._bytes: Counter[Hashable] = Counter()
        self._of_site: Counter[str] = Counter()
        self.total = 0

    def move(self, holder: Hashable, before: int, after: int, *, may_be_alone: bool) -> bool:
        """Change what one body holds; False, without a change, where it would be too much.

        ``may_be_alone`` lets a holder who holds nothing else exceed ``limit_each``.
        """
        with self._guard:
            others = self._bytes[holder] - before
            total = self.total + after - before
            site = ipv6_site(holder) if isinstance(holder, str) else ""
            if after > before:
                is_within = others + after <= self._limit_each or (may_be_alone and others == 0)
                is_within &= not site or self._of_site[site] + after - before <= self._limit_site
                if not is_within or (self._limit_total is not None and total > self._limit_total):
                    return False
            self.total = total
            self._bytes[holder] = others + after
            if not self._bytes[holder]:
                del self._bytes[holder]
            if site:
                self._of_site[site] += after - before
                if not self._of_site[site]:
                    del self._of_site[site]
            self._gauge.set(total)
            return True


class Reservation:
    """The bytes of one body in a ledger; used by one thread at a time, but for ``release``."""

    def __init__(self, ledger: ByteLedger, holder: Hashable, *, may_be_alone: bool = False) -> None:
        self._ledger, self._holder, self._may_be_alone = ledger, holder, may_be_alone
        self._guard = threading.Lock()
        self._size = 0
        self._is_over = False

    def grow_to(self, size: int) -> bool:
        """Hold at least so many bytes; False where it would be too much, or after the release."""
        with self._guard:
            if self._is_over:
                return False
            if size > self._size:
                if not self._ledger.move(self._holder, self._size, size, may_be_alone=self._may_be_alone):
                    return False
                self._size = size
            return True

    def release(self) -> None:
        """Release all bytes; nothing is reserved any more."""
        with self._guard:
            self._is_over = True
            self._ledger.move(self._holder, self._size, 0, may_be_alone=self._may_be_alone)
            self._size = 0

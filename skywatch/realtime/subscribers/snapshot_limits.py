"""``SnapshotLimits``: how much of snapshots each person receives, weighed in whole pictures.

Whoever subscribes gets a snapshot, which may be a thousand times as large as the message that asks for it. A part of
the picture (an area, columns, tiles) weighs what its bytes are of all aircraft of the picture as JSON.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable

from skywatch.core.limits import LIMIT_WAIT_SECONDS, RateLimits

NAME = "snapshots"
# Whole pictures at once, in seconds of the rate: all connections of a user come back in the same moment.
BURST_S = 15.0
# Least weight of a whole picture (bytes), so that a small sky allows as many snapshots as it has room for.
MIN_PICTURE_BYTES = 256 * 1024
# Least weight of a snapshot, as a part of a whole picture: choosing its aircraft is work, too.
MIN_PART = 1 / 64
# How long a new connection waits at most for what its person has received too much (s).
MAX_WAIT_S = 5.0
# Less is no wait (s).
MIN_WAIT_S = 0.001


class SnapshotLimits:
    """The limits of one process; ``picture_bytes`` is the size of a whole picture now. Used on the server's loop."""

    def __init__(
        self,
        pictures_per_s: float,
        picture_bytes: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._limits = RateLimits(NAME, pictures_per_s, BURST_S * pictures_per_s)
        self._picture_bytes = picture_bytes
        self._clock, self._sleep = clock, sleep

    def charge(self, person: str, size: int) -> None:
        """Count a snapshot of so many bytes that a person receives."""
        pictures = size / max(MIN_PICTURE_BYTES, self._picture_bytes())
        self._limits.spend(person, max(MIN_PART, pictures), self._clock())

    def wait_s(self, person: str) -> float:
        """Seconds until a person may receive another snapshot; 0 if now."""
        wait_s = self._limits.spend(person, 0, self._clock())
        return wait_s if wait_s >= MIN_WAIT_S else 0.0

    def refuse(self, person: str) -> int:
        """Count a refusal; returns the whole seconds after which a person may try again."""
        self._limits.refuse()
        return max(1, math.ceil(self.wait_s(person)))

    async def enter(self, person: str) -> bool:
        """Wait until a person may have another connection, whose first snapshots are never refused.

        False where that takes too long. Whoever has to wait pays for a whole picture in advance, so that those who wait
        do not come in all at once.
        """
        began = self._clock()
        wait_s = self.wait_s(person)
        if not wait_s:
            return True
        self._limits.set_waiting(self._limits.waiting + 1)
        try:
            while wait_s:
                if self._clock() + wait_s > began + MAX_WAIT_S:
                    return False
                await self._sleep(wait_s)
                wait_s = self.wait_s(person)
        finally:
            self._limits.set_waiting(self._limits.waiting - 1)
        LIMIT_WAIT_SECONDS.labels(NAME).observe(self._clock() - began)
        self._limits.spend(person, 1.0, self._clock())
        return True

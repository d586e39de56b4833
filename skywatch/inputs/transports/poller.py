"""``Poller``: fetches a document at a steady pace, over HTTP or from a file, and reports when it stops changing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from skywatch.inputs.retrying_input import RetryingInput
from skywatch.inputs.transports.http_source import Fetched

# A document that has not changed for so long is shown as a problem; it is still fetched.
STALE_S = 15.0

Fetch = Callable[[], Awaitable[Fetched | None]]
# Takes a document; returns whether there was anything new in it.
Take = Callable[[Fetched], bool]


class Poller:
    """Polls one document for an input and keeps the input's state."""

    def __init__(self, owner: RetryingInput[Any], stale_s: float = STALE_S) -> None:
        self._owner = owner
        self._stale_s = stale_s
        self._changed_at = time.monotonic()

    async def run(self, fetch: Fetch, take: Take, every_s: float) -> None:
        """Poll until cancelled; raises what ``fetch`` and ``take`` raise."""
        self._changed_at = time.monotonic()
        due = time.monotonic()
        while True:
            # Nothing holds a document of megabytes until the next one is there.
            self._update_state(_took(await fetch(), take))
            due = max(due + every_s, time.monotonic())
            await asyncio.sleep(due - time.monotonic())

    def _update_state(self, is_new: bool) -> None:
        if is_new:
            self._changed_at = time.monotonic()
            self._owner.set_connected()
        elif time.monotonic() - self._changed_at > self._stale_s:
            self._owner.set_stalled(f"has not changed for more than {self._stale_s:g} s")
        elif self._owner.status.state == "starting":
            self._owner.set_connected()


def _took(fetched: Fetched | None, take: Take) -> bool:
    return fetched is not None and take(fetched)

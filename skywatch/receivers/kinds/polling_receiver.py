"""``PollingReceiver``: a receiver that fetches a document of aircraft about once a second."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any

from skywatch.inputs.retrying_input import InputError, RetryingInput
from skywatch.inputs.transports.http_source import Fetched
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.reports.aircraft_json import DocumentError
from skywatch.receivers.reports.documents import DocumentReader
from skywatch.receivers.site import ANYWHERE, Site

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


class PollingReceiver(RetryingReceiver):
    """Polls one document; the subclass opens its source."""

    stale_s = STALE_S

    def __init__(self, name: str, address: str, site: Site = ANYWHERE) -> None:
        super().__init__(name, address, site)
        # Shared by all sessions: a source that reconnects has the same clock.
        self._documents = DocumentReader(self.invalid)

    @abstractmethod
    async def session(self) -> None:
        """Open the source and ``poll`` it."""

    async def poll(self, fetch: Fetch, every_s: float) -> None:
        """Fetch at this interval until cancelled. Raises as ``fetch`` does, and InputError for an invalid document."""
        await Poller(self, self.stale_s).run(fetch, self._take, every_s)

    def _take(self, fetched: Fetched) -> bool:
        try:
            batch = self._documents.read(fetched.body, time.time(), fetched.age_s)
        except DocumentError as error:
            self.invalid["document"] += 1
            raise InputError(str(error)) from None
        if batch is None:
            return False
        self.deliver(*batch)
        return True

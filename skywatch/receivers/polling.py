"""``PollingReceiver``: asks for a document about once a second, over HTTP or from a file, and hears what is new."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable

from skywatch.receivers.aircraft_json import DocumentError
from skywatch.receivers.documents import DocumentReader
from skywatch.receivers.http_source import Fetched
from skywatch.receivers.receiver import InputError, RetryingReceiver

# A document that has not changed for so long is shown as a problem; it is still asked for.
STALE_S = 15.0

Fetch = Callable[[], Awaitable[Fetched | None]]


class PollingReceiver(RetryingReceiver):
    """Reads one document again and again; a kind says where it comes from."""

    stale_s = STALE_S

    def __init__(self, name: str, address: str) -> None:
        super().__init__(name, address)
        # Kept from session to session: a source that comes back has the clock it had.
        self._documents = DocumentReader(self.invalid)
        self._changed_at = time.monotonic()

    @abstractmethod
    async def session(self) -> None:
        """Open the source and ``poll`` it."""

    async def poll(self, fetch: Fetch, every_s: float) -> None:
        """Ask at the given pace for ever. Raises what ``fetch`` does, and InputError for what is no document."""
        self._changed_at = time.monotonic()
        due = time.monotonic()
        while True:
            await self._poll_once(fetch)
            due = max(due + every_s, time.monotonic())
            await asyncio.sleep(due - time.monotonic())

    async def _poll_once(self, fetch: Fetch) -> None:
        fetched = await fetch()
        heard = None
        if fetched is not None:
            try:
                heard = self._documents.read(fetched.body, time.time(), fetched.age_s)
            except DocumentError as error:
                self.invalid["document"] += 1
                raise InputError(str(error)) from None
        if heard is not None:
            self._changed_at = time.monotonic()
            self.connected()
            self.deliver(*heard)
        elif time.monotonic() - self._changed_at > self.stale_s:
            self.stalled(f"has not changed for more than {self.stale_s:g} s")
        elif self._status.state == "starting":
            self.connected()

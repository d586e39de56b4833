"""``PollingReceiver``: a receiver that fetches a document of aircraft about once a second."""

from __future__ import annotations

import time
from abc import abstractmethod

from skywatch.inputs.retrying_input import InputError
from skywatch.inputs.transports.http_source import Fetched
from skywatch.inputs.transports.poller import STALE_S, Fetch, Poller
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.reports.aircraft_json import DocumentError
from skywatch.receivers.reports.documents import DocumentReader
from skywatch.receivers.site import ANYWHERE, Site


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

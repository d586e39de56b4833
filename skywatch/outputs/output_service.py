"""The service in the tracker: hands the picture of every tick to the outputs."""

from __future__ import annotations

from skywatch.core.runtime import Runtime
from skywatch.outputs.hub import Hub
from skywatch.picture.distribution.feed import SkyFeed

NAME = "outputs"


class OutputService:
    """The hub follows the picture while the service runs."""

    def __init__(self, hub: Hub, feed: SkyFeed) -> None:
        self._hub = hub
        self._feed = feed

    async def start(self) -> None:
        """Send every picture from now on."""
        self._feed.subscribe(NAME, self._hub.on_tick)

    async def stop(self) -> None:
        """Send no more."""
        self._feed.unsubscribe(NAME)


def create(runtime: Runtime) -> OutputService:
    """The service of this feature."""
    return OutputService(runtime.shared(Hub), runtime.shared(SkyFeed))

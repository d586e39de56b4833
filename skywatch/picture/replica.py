"""``PictureReplica``: the latest sky in any role, followed on the bus, and the trails of its aircraft."""

from __future__ import annotations

import logging
import threading
import time

from skywatch.core.bus import Bus, Message, topics
from skywatch.picture.sky import Sky, empty_sky, from_bytes
from skywatch.picture.trail import Point
from skywatch.picture.trails_remote import TrailClient

log = logging.getLogger(__name__)
# The tracker ticks once a second; one that has not for this long (s) will not answer questions either.
SILENT_AFTER_S = 5.0


class PictureReplica:
    """Holds the latest sky; ``sky`` may be read from any thread, and is an empty one before the first tick."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._sky = empty_sky()
        self._lock = threading.Lock()
        self._complained = False
        self._taken_at = -SILENT_AFTER_S
        self._trails = TrailClient(bus)
        self._subscription = bus.subscribe((topics.PICTURE,), self._take, on_reconnect=self._catch_up)
        self._catch_up()

    @property
    def sky(self) -> Sky:
        """The picture of the last tick that arrived."""
        return self._sky

    def trail(self, address: str) -> list[Point]:
        """The positions of the current flight of an aircraft (lower-case address), the present one last."""
        if address not in self._sky.index or time.monotonic() - self._taken_at > SILENT_AFTER_S:
            return []
        return self._trails.trail(address)

    def close(self) -> None:
        """Stop following; the last sky stays."""
        self._subscription.close()
        self._trails.close()

    def _catch_up(self) -> None:
        last = self._bus.last(topics.PICTURE)
        if last is not None:
            self._take(last)

    def _take(self, message: Message) -> None:
        sky = message.local
        if sky is None:
            try:
                sky = from_bytes(message.data)
            except ValueError as error:
                if not self._complained:
                    log.warning("the picture on the bus cannot be read: %s", error)
                self._complained = True
                return
        self._complained = False
        with self._lock:
            # The last snapshot may be asked for while a newer one is being delivered.
            if sky.epoch != self._sky.epoch or sky.seq > self._sky.seq:
                self._sky = sky
                self._taken_at = time.monotonic()

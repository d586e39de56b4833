"""``SkyPublisher``: hands every sky to the bus; a bus that hangs costs skies, never the tracker's time.

Within a process the sky itself is passed on at once. To other processes it goes as bytes, from a thread of its own;
what the bus has not taken when the next sky comes is replaced by that.
"""

from __future__ import annotations

import threading

from skywatch.core.bus import Bus, Message, topics
from skywatch.picture.sky import Sky, to_bytes

EVENT = "tick"


class SkyPublisher:
    """Publishes skies on the topic ``picture``; ``skipped`` counts those that were replaced by newer ones."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._next: Sky | None = None
        self._work = threading.Condition()
        self._stop = False
        self._thread: threading.Thread | None = None
        self.skipped = 0

    def publish(self, sky: Sky) -> None:
        """Pass a sky on; returns at once."""
        if self._bus.carries_objects:
            self._bus.publish(Message(topics.PICTURE, EVENT, b"", snapshot=True, local=sky))
            return
        with self._work:
            if self._next is not None:
                self.skipped += 1
            self._next = sky
            self._work.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="picture-publisher", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Publish what is left and stop; waits for a hanging bus no longer than it takes to give up."""
        with self._work:
            self._stop = True
            self._work.notify()
        if self._thread is not None:
            self._thread.join(5.0)

    def _run(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(lambda: self._stop or self._next is not None)
                sky, self._next = self._next, None
            if sky is None:
                return
            self._bus.publish(Message(topics.PICTURE, EVENT, to_bytes(sky), snapshot=True))

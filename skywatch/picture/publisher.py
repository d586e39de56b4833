"""``SkyPublisher``: hands every sky to the bus; a bus that hangs costs skies, never the tracker's time.

Within a process the sky itself is passed on at once. To other processes it goes as bytes, from a thread of its own:
as changes of the tick before, and as a whole every ten seconds, when somebody asks and when the bus has missed one.
What the bus has not taken when the next sky comes is replaced by that.
"""

from __future__ import annotations

import logging
import threading
import time

from skywatch.core import health
from skywatch.core.bus import Bus, Message, Subscription, topics
from skywatch.core.fault_log import FaultLog
from skywatch.core.health import State
from skywatch.picture.changes import can_follow, encode_changes
from skywatch.picture.follower import CHANGES, WHOLE
from skywatch.picture.sky import Sky, to_bytes

log = logging.getLogger(__name__)
COMPONENT = "picture_publisher"
# A process that begins shows a picture that is at most so many ticks old, until the next whole one comes.
WHOLE_EVERY = 10
# Skies that were passed over are shown in health for so long (s).
SKIPPED_SHOWN_S = 3.0


class SkyPublisher:
    """Publishes skies on the topic ``picture``; ``skipped`` counts those that were replaced by newer ones."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._next: Sky | None = None
        self._work = threading.Condition()
        self._stop = False
        self._thread: threading.Thread | None = None
        self._wanted: Subscription | None = None
        self._whole_wanted = True
        self._sent: Sky | None = None
        self._since_whole = 0
        self._skipped_at = float("-inf")
        self._faults = FaultLog(log, "the picture cannot be published", "the picture is published again")
        self.skipped = 0

    def start(self) -> None:
        """Begin to listen for those who want a whole sky; may wait a moment for the bus."""
        if self._bus.carries_objects:
            return
        self._wanted = self._bus.subscribe((topics.PICTURE_WANTED,), lambda _: self._send_whole(), self._send_whole)
        self._thread = threading.Thread(target=self._run, name="picture-publisher", daemon=True)
        self._thread.start()
        health.watch(COMPONENT, self._state)

    def publish(self, sky: Sky) -> None:
        """Pass a sky on; returns at once."""
        if self._bus.carries_objects:
            self._bus.publish(Message(topics.PICTURE, WHOLE, b"", snapshot=True, local=sky))
            return
        with self._work:
            if self._next is not None:
                self.skipped += 1
                self._skipped_at = time.monotonic()
            self._next = sky
            self._work.notify()

    def close(self) -> None:
        """Publish what is left and stop; waits for a hanging bus no longer than it takes to give up."""
        if self._wanted is not None:
            self._wanted.close()
        with self._work:
            self._stop = True
            self._work.notify()
        if self._thread is not None:
            self._thread.join(5.0)
            health.withdraw(COMPONENT, self._state)

    def _send_whole(self) -> None:
        self._whole_wanted = True

    def _run(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(lambda: self._stop or self._next is not None)
                sky, self._next = self._next, None
            try:
                if sky is None:
                    self._leave_whole()
                    return
                self._send(sky)
                self._faults.succeeded()
            except Exception as error:
                # Whatever it is, the next sky is published, as a whole.
                self._whole_wanted = True
                self._faults.failed(str(error), error)
                if sky is None:
                    return

    def _send(self, sky: Sky) -> None:
        before, self._sent = self._sent, None
        is_whole = self._whole_wanted or before is None or self._since_whole >= WHOLE_EVERY
        if is_whole or before is None or not can_follow(sky, before):
            self._whole_wanted, self._since_whole = False, 0
            message = Message(topics.PICTURE, WHOLE, to_bytes(sky), snapshot=True)
        else:
            self._since_whole += 1
            message = Message(topics.PICTURE, CHANGES, encode_changes(sky, before))
        if self._bus.send(message):
            self._sent = sky
        else:
            # Nobody can continue from what they did not get.
            self._whole_wanted = True

    def _leave_whole(self) -> None:
        """Whoever comes after the end finds the last sky, and not one of ten seconds before."""
        if self._sent is not None and self._since_whole:
            self._bus.send(Message(topics.PICTURE, WHOLE, to_bytes(self._sent), snapshot=True))

    def _state(self) -> State:
        detail = ""
        if self._thread is not None and not self._thread.is_alive() and not self._stop:
            detail = "its thread has ended"
        elif time.monotonic() - self._skipped_at < SKIPPED_SHOWN_S:
            detail = f"{self.skipped} ticks were not published since the start, the last of them a moment ago"
        elif self._faults.count:
            detail = "the last tick could not be published"
        return State(not detail, detail, {"skipped": float(self.skipped)})

"""``SkyPublisher``: publishes every sky on the bus; a bus that hangs loses skies but never blocks the tracker.

Within a process the sky object itself is published. To other processes it is sent as bytes by a thread: as changes of
the tick before, and completely on request, and after the bus has missed one. Every ten seconds the changes are followed
by the complete sky, for which nobody waits who has the changes. A sky that is not sent when the next one is published
is replaced by it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from skywatch.core.bus import Bus, Message, Subscription, topics
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State
from skywatch.picture import metrics
from skywatch.picture.changes import can_follow, encode_changes
from skywatch.picture.distribution.follower import CHANGES, COMPLETE
from skywatch.picture.state.sky import Sky, to_bytes
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
COMPONENT = "picture_publisher"
# Ticks between complete skies: largest age of the first picture of a process that starts.
COMPLETE_EVERY = 10
# Time for which health reports skipped skies (s).
SKIPPED_SHOWN_S = 3.0


class SkyPublisher:
    """Publishes skies on the topic ``picture``; ``skipped`` counts those that were replaced by newer ones.

    ``may_send`` is asked before each message: who has lost the lead, or may have, sends nothing more.
    """

    def __init__(self, bus: Bus, may_send: Callable[[], bool] = lambda: True) -> None:
        self._bus = bus
        self._may_send = may_send
        self._next: Sky | None = None
        self._work = threading.Condition()
        self._stop = False
        self._thread: threading.Thread | None = None
        self._requests: Subscription | None = None
        self._complete_requested = True
        self._sent: Sky | None = None
        self._since_complete = 0
        self._skipped_at = float("-inf")
        self._faults = FaultLog(log, "the picture cannot be published", "the picture is published again")
        self.skipped = 0

    def start(self) -> None:
        """Start, and subscribe to requests for a complete sky; may block until the bus answers."""
        if self._bus.carries_objects:
            return
        self._requests = self._bus.subscribe(
            (topics.PICTURE_WANTED,), lambda _: self._request_by_other(), self._request_complete
        )
        self._thread = threading.Thread(target=self._run, name="picture-publisher", daemon=True)
        self._thread.start()
        health.watch(COMPONENT, self._state)

    def publish(self, sky: Sky) -> None:
        """Publish a sky; returns at once."""
        if self._bus.carries_objects:
            self._bus.publish(Message(topics.PICTURE, COMPLETE, b"", snapshot=True, local=sky))
            return
        with self._work:
            if self._next is not None:
                self.skipped += 1
                self._skipped_at = time.monotonic()
            self._next = sky
            self._work.notify()

    def close(self) -> None:
        """Publish the last sky, unless others lead, and stop; waits at most 5 s for a hanging bus."""
        if self._requests is not None:
            self._requests.close()
        with self._work:
            self._stop = True
            self._work.notify()
        if self._thread is not None:
            self._thread.join(5.0)
            health.withdraw(COMPONENT, self._state)

    def _request_complete(self) -> None:
        self._complete_requested = True

    def _request_by_other(self) -> None:
        metrics.SNAPSHOTS_SERVED.labels("leader").inc()
        self._complete_requested = True

    def _run(self) -> None:
        while True:
            with self._work:
                self._work.wait_for(lambda: self._stop or self._next is not None)
                sky, self._next = self._next, None
            try:
                if sky is None:
                    self._send_last_complete()
                    return
                self._send(sky)
                self._faults.succeeded()
            except Exception as error:
                # Catches everything: the next sky is published completely.
                self._complete_requested = True
                self._faults.failed(str(error), error)
                if sky is None:
                    return

    def _send(self, sky: Sky) -> None:
        before, self._sent = self._sent, None
        if self._complete_requested or before is None or not can_follow(sky, before):
            self._complete_requested = not self._send_complete(sky)
            self._sent = None if self._complete_requested else sky
        elif self._send_message(Message(topics.PICTURE, CHANGES, encode_changes(sky, before))):
            self._sent = sky
            self._since_complete += 1
            if self._since_complete >= COMPLETE_EVERY and not self._send_complete(sky):
                self._complete_requested = True
        else:
            # Followers cannot apply changes to a sky that they did not receive.
            self._complete_requested = True

    def _send_complete(self, sky: Sky) -> bool:
        self._since_complete = 0
        return self._send_message(Message(topics.PICTURE, COMPLETE, to_bytes(sky), snapshot=True))

    def _send_message(self, message: Message) -> bool:
        # At the last moment: the process may have been frozen while it encoded.
        return self._may_send() and self._bus.send(message)

    def _send_last_complete(self) -> None:
        """Publish the last sky completely, for processes that start after the tracker has stopped."""
        if self._sent is not None and self._since_complete:
            self._send_complete(self._sent)

    def _state(self) -> State:
        detail = ""
        if self._thread is not None and not self._thread.is_alive() and not self._stop:
            detail = sentence("health.thread_ended", "its thread has ended")
        elif time.monotonic() - self._skipped_at < SKIPPED_SHOWN_S:
            detail = sentence(
                "health.ticks_skipped",
                "{count} ticks were not published since the start, the last of them a moment ago",
                count=self.skipped,
            )
        elif self._faults.count:
            detail = sentence("health.picture_unpublished", "the last picture could not be published")
        return State(not detail, detail, {"skipped": float(self.skipped)})

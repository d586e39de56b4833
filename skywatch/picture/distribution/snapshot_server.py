"""``SnapshotServer``: a process that follows the picture hands it to others that start, so that the tracker need not.

What it costs is bounded: a picture is encoded once however many ask for it, a thread that lives while somebody waits
sends it to one after the other, and a request that has waited too long is dropped: its sender has asked elsewhere.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from skywatch.core.bus import Bus, Message
from skywatch.picture import metrics
from skywatch.picture.distribution.snapshot_messages import OFFER, SNAPSHOT, Offer, Request, Search, Snapshot, encode
from skywatch.picture.state.sky import Sky, to_bytes

log = logging.getLogger(__name__)
# Requests that wait at most, and for how long (s): as long as ``SnapshotClient`` waits for an answer.
MAX_WAITING, ANSWER_WITHIN_S = 64, 3.0
# Larger pictures are not sent: 15,000 aircraft are 3 MB.
MAX_BYTES = 64 * 1024 * 1024


class SnapshotServer:
    """``current`` gives the last sky of the tracker and how long it has been silent (s); ``topic`` is this process's.

    ``offer`` and ``request`` are called in a thread of the bus and return at once.
    """

    def __init__(self, bus: Bus, topic: str, current: Callable[[], tuple[Sky, float]]) -> None:
        self._bus = bus
        self._topic = topic
        self._current = current
        self._lock = threading.Lock()
        # Topic and time (monotonic s) of each request.
        self._waiting: dict[str, float] = {}
        self._is_serving = False

    def offer(self, search: Search) -> None:
        """Offer the picture where it is newer than the other's."""
        sky, _ = self._current()
        if sky.seq and sky.now > search.now:
            self._bus.publish(Message(search.answer_to, OFFER, encode(Offer(self._topic, sky.now))))

    def request(self, request: Request) -> None:
        """Send the picture soon."""
        with self._lock:
            if len(self._waiting) >= MAX_WAITING:
                return
            self._waiting[request.answer_to] = time.monotonic()
            if self._is_serving:
                return
            self._is_serving = True
        threading.Thread(target=self._serve, name="picture-snapshots", daemon=True).start()

    def _next(self) -> str | None:
        with self._lock:
            while self._waiting:
                topic = next(iter(self._waiting))
                if time.monotonic() - self._waiting.pop(topic) <= ANSWER_WITHIN_S:
                    return topic
            self._is_serving = False
            return None

    def _serve(self) -> None:
        encoded: tuple[Sky, bytes] | None = None
        while (topic := self._next()) is not None:
            try:
                sky, silent_s = self._current()
                if encoded is None or encoded[0] is not sky:
                    encoded = sky, to_bytes(sky)
                if len(encoded[1]) <= MAX_BYTES:
                    snapshot = Snapshot(self._topic, silent_s, encoded[1])
                    if self._bus.send(Message(topic, SNAPSHOT, encode(snapshot))):
                        metrics.SNAPSHOTS_SERVED.labels("follower").inc()
            except Exception:
                # Whoever asked asks another process; the next one is served all the same.
                log.exception("the picture cannot be sent to a process that asked for it")

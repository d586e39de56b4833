"""Receives the heartbeats of other trackers: statistics that they publish once a second on a shared bus."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import msgspec

from skywatch.core.bus import Bus, Message, Subscription, topics

# A tracker that published within this time may still be at work (s).
LATELY_S = 60.0


class Heartbeat(msgspec.Struct):
    """The members of a tracker's statistics by which trackers know each other; ``at`` is unix seconds.

    ``epoch`` is that of its picture, which begins with its term.
    """

    at: float = 0.0
    instance: str = ""
    epoch: str = ""


_decoder = msgspec.json.Decoder(Heartbeat)


class OtherTrackers:
    """The other trackers on the bus; there are none on a bus within the process.

    ``on_heartbeat`` is called in the bus's thread with each heartbeat of another one, ``on_reconnect`` after some may
    have been missed.
    """

    def __init__(
        self, bus: Bus, instance: str, on_heartbeat: Callable[[Heartbeat], None], on_reconnect: Callable[[], None]
    ) -> None:
        self._bus = bus
        self._instance = instance
        self._on_heartbeat = on_heartbeat
        self._on_reconnect = on_reconnect
        self._subscription: Subscription | None = None
        self._seen = threading.Event()
        # When another one published last (monotonic s); None: not yet.
        self._heard_at: float | None = None

    def start(self) -> None:
        """Subscribe to the heartbeats."""
        if not self._bus.carries_objects:
            self._subscription = self._bus.subscribe([topics.TRACKER], self._receive, self._on_reconnect)

    def close(self) -> None:
        """Receive no more."""
        if self._subscription is not None:
            self._subscription.close()

    def published_lately(self) -> bool:
        """Whether the last heartbeat on the bus, by any tracker, is recent."""
        if self._subscription is None:
            return False
        last = self._bus.last(topics.TRACKER)
        return last is not None and abs(time.time() - heartbeat_of(last).at) < LATELY_S

    def wait(self, timeout_s: float) -> bool:
        """Wait for a heartbeat of another tracker; whether one came."""
        return self._subscription is not None and self._seen.wait(timeout_s)

    def silent_s(self) -> float | None:
        """Seconds since another one published; None where none has been heard since the start."""
        return None if self._heard_at is None else time.monotonic() - self._heard_at

    def begin_anew(self) -> None:
        """Count silence from now on: one that has not published yet leads."""
        self._heard_at = time.monotonic()

    def take(self) -> bool:
        """Whether another tracker has published since the last call."""
        is_seen = self._seen.is_set()
        self._seen.clear()
        return is_seen

    def _receive(self, message: Message) -> None:
        heartbeat = heartbeat_of(message)
        if heartbeat.instance not in ("", self._instance):
            self._seen.set()
            self._heard_at = time.monotonic()
            self._on_heartbeat(heartbeat)


def heartbeat_of(message: Message) -> Heartbeat:
    """The heartbeat in a tracker's statistics; an empty one if another version published them in another form."""
    try:
        return _decoder.decode(message.data)
    except msgspec.MsgspecError:
        return Heartbeat()

"""The bus within one process: no server, and Python objects travel as they are."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable

from skywatch.core.bus.base import Bus, Callback, Message, Subscription
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State

log = logging.getLogger(__name__)
# Expired values are swept whenever this many have been put since the last sweep.
SWEEP_EVERY = 256


class _MemorySubscription(Subscription):
    def __init__(self, bus: MemoryBus, topics: frozenset[str], callback: Callback) -> None:
        self.bus = bus
        self.topics = topics
        self.callback = callback
        names = ", ".join(sorted(topics)[:3]) + (", ..." if len(topics) > 3 else "")
        self.faults = FaultLog(log, f"a subscriber of {names} failed", f"the subscriber of {names} works")

    def close(self) -> None:
        self.bus._remove(self)


class MemoryBus(Bus):
    """Delivers in the publisher's thread."""

    carries_objects = True

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_topic: dict[str, tuple[_MemorySubscription, ...]] = {}
        self._last: dict[str, Message] = {}
        self._values: dict[str, tuple[float, bytes]] = {}
        self._puts = 0

    def publish(self, message: Message) -> None:
        if message.snapshot:
            self._last[message.topic] = message
        for subscription in self._by_topic.get(message.topic, ()):
            try:
                subscription.callback(message)
                subscription.faults.succeeded()
            except Exception as error:
                subscription.faults.failed(f"{type(error).__name__}: {error}", error)

    def subscribe(
        self, topics: Iterable[str], callback: Callback, on_reconnect: Callable[[], None] | None = None
    ) -> Subscription:
        subscription = _MemorySubscription(self, frozenset(topics), callback)
        with self._lock:
            for topic in subscription.topics:
                self._by_topic[topic] = (*self._by_topic.get(topic, ()), subscription)
        return subscription

    def _remove(self, subscription: _MemorySubscription) -> None:
        with self._lock:
            for topic in subscription.topics:
                remaining = tuple(s for s in self._by_topic.get(topic, ()) if s is not subscription)
                self._by_topic[topic] = remaining

    def last(self, topic: str) -> Message | None:
        return self._last.get(topic)

    def put(self, key: str, value: bytes, ttl_s: float) -> None:
        now = time.monotonic()
        with self._lock:
            self._values[key] = (now + ttl_s, value)
            self._puts += 1
            if self._puts % SWEEP_EVERY == 0:
                self._values = {k: v for k, v in self._values.items() if v[0] > now}

    def get(self, key: str) -> bytes | None:
        entry = self._values.get(key)
        return entry[1] if entry is not None and entry[0] > time.monotonic() else None

    def delete(self, key: str) -> None:
        with self._lock:
            self._values.pop(key, None)

    def items(self, prefix: str) -> dict[str, bytes]:
        now = time.monotonic()
        with self._lock:
            return {k: v for k, (end, v) in self._values.items() if k.startswith(prefix) and end > now}

    def healthy(self) -> bool:
        return True

    def state(self) -> State:
        return State(True)

    def close(self) -> None:
        with self._lock:
            self._by_topic.clear()

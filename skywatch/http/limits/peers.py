"""``PeerCounts``: counts of limits in memory that hold across processes, where the bus is no store for counters.

Each process counts for itself and says what it counted; the others count it too. Guesses of passwords are said at once,
requests at most every 50 ms: a limit may be exceeded by what arrives in that time at other processes. A process that
starts knows nothing of the time before.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable

import msgspec

from skywatch.core.bus import Bus, Message
from skywatch.core.telemetry.fault_log import FaultLog

log = logging.getLogger(__name__)
TOPIC = "limits"
SEND_EVERY_S = 0.05
MAX_PENDING = 256
# No process counts more of another one's at once, whatever a message says.
MAX_COUNT = 1000


class Hit(msgspec.Struct, frozen=True, array_like=True):
    """What was counted: ``is_exact`` is of a moving window, ``is_forgiven`` resets instead."""

    rate: str
    bucket: str
    subject: str
    is_exact: bool = False
    is_forgiven: bool = False


class _Hits(msgspec.Struct, array_like=True):
    process: str
    hits: list[tuple[Hit, int]]


_encoder, _decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(_Hits)


class PeerCounts:
    """Thread-safe; ``count`` is called with what other processes have counted, in a thread of the bus."""

    def __init__(self, bus: Bus, count: Callable[[Hit], None]) -> None:
        self._bus = bus
        self._count = count
        self._process = secrets.token_hex(8)
        self._guard = threading.Lock()
        self._pending: Counter[Hit] = Counter()
        self._sent_at = 0.0
        self._faults = FaultLog(log, "counts of another process cannot be read", "counts of others are read again")
        bus.subscribe((TOPIC,), self._take)

    def publish(self, hit: Hit) -> None:
        """Publish what was counted here; returns at once."""
        now = time.monotonic()
        with self._guard:
            self._pending[hit] += 1
            is_due = now - self._sent_at >= SEND_EVERY_S or len(self._pending) >= MAX_PENDING
            if not (is_due or hit.is_exact or hit.is_forgiven):
                return
            pending, self._pending, self._sent_at = self._pending, Counter(), now
        data = _encoder.encode(_Hits(self._process, list(pending.items())))
        self._bus.publish(Message(TOPIC, "hits", data))

    def _take(self, message: Message) -> None:
        try:
            hits = _decoder.decode(message.data)
            if hits.process != self._process:
                for hit, count in hits.hits:
                    for _ in range(min(count, MAX_COUNT)):
                        self._count(hit)
        except (msgspec.MsgspecError, ValueError) as error:
            self._faults.failed(str(error))
        else:
            self._faults.succeeded()

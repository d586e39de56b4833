"""One subscription on NATS: what the loop receives is put together and delivered by a thread of its own.

A callback may ask the bus, and one that is slow delays nobody else. What waits is bounded: beyond it all of it
is dropped, which the subscriber learns as after a break.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import msgspec
from nats.aio.msg import Msg

from skywatch.core.bus.base import Callback, Message
from skywatch.core.bus.message_codec import UnknownVersion, unpack
from skywatch.core.bus.nats.parts import Joiner, PartsError, UnknownPartsError
from skywatch.core.bus.queued import ServerSubscription
from skywatch.core.telemetry.fault_log import FaultLog

log = logging.getLogger(__name__)
MAX_WAITING_BYTES = 64 * 1024 * 1024


class NatsSubscription(ServerSubscription):
    """``received`` runs on the loop; everything else runs in the thread or in the caller's."""

    def __init__(
        self,
        topics: dict[str, str],
        callback: Callback,
        on_reconnect: Callable[[], None] | None,
        is_connected: Callable[[], bool],
        hold: Callable[[Message, bytes], None],
        ended: Callable[[NatsSubscription], None],
    ) -> None:
        self._topics = topics
        self.topics = frozenset(topics.values())
        self._callback = callback
        self._on_reconnect = on_reconnect
        self._is_connected = is_connected
        self._hold = hold
        self._ended = ended
        self._changed = threading.Condition()
        self._waiting: deque[tuple[str, bytes]] = deque()
        self._waiting_bytes = 0
        self._has_gap = self._stop = False
        # Held while a callback runs, so that none begins after ``close``; a callback may close its own subscription.
        self._calling = threading.RLock()
        self._joiner = Joiner()
        names = ", ".join(sorted(topics.values())[:3]) + (", ..." if len(topics) > 3 else "")
        self._faults = FaultLog(log, f"a subscriber of {names} failed", f"the subscriber of {names} works")
        self.reconnects = 0
        self.handles: list[Any] = []
        self._thread = threading.Thread(target=self._run, name="bus-nats-subscriber", daemon=True)
        self._thread.start()

    @property
    def is_closed(self) -> bool:
        """Whether nothing is delivered any more."""
        return self._stop

    @property
    def is_interrupted(self) -> bool:
        """Whether messages are missed at this moment."""
        return not self._stop and (not self._is_connected() or not self._thread.is_alive())

    async def received(self, message: Msg) -> None:
        """Take a part of a message; returns at once."""
        with self._changed:
            self._waiting.append((message.subject, message.data))
            self._waiting_bytes += len(message.data)
            if self._waiting_bytes > MAX_WAITING_BYTES:
                self._waiting.clear()
                self._waiting_bytes = 0
                self._has_gap = True
            self._changed.notify()

    def reconnected(self) -> None:
        """Messages may have been missed."""
        with self._changed:
            self._has_gap = True
            self.reconnects += 1
            self._changed.notify()

    def close(self) -> None:
        with self._calling:
            was_open, self._stop = not self._stop, True
        with self._changed:
            self._changed.notify()
        if was_open:
            self._ended(self)

    def join(self, within_s: float) -> None:
        """Wait for the thread to end; it does so soon after ``close``."""
        if threading.current_thread() is not self._thread:
            self._thread.join(within_s)

    def _run(self) -> None:
        while not self._stop:
            with self._changed:
                while not (self._waiting or self._has_gap or self._stop):
                    self._changed.wait()
                has_gap, self._has_gap = self._has_gap, False
                subject, part = self._waiting.popleft() if self._waiting else ("", b"")
                self._waiting_bytes -= len(part)
            if has_gap and self._on_reconnect is not None:
                self._call(self._on_reconnect)
            if subject:
                self._deliver(subject, part)

    def _deliver(self, subject: str, part: bytes) -> None:
        try:
            packed = self._joiner.add(part)
            if packed is None:
                return
            message = unpack(self._topics[subject], packed)
        except (msgspec.MsgspecError, PartsError, KeyError) as error:
            if isinstance(error, UnknownVersion | UnknownPartsError):
                self.note_unreadable(error)
            self._faults.failed(f"what was received is not a message: {error}")
            return
        self._hold(message, packed)
        self._call(lambda: self._callback(message))

    def _call(self, callback: Callable[[], None]) -> None:
        with self._calling:
            if self._stop:
                return
            try:
                callback()
                self._faults.succeeded()
            except Exception as error:
                self._faults.failed(f"{type(error).__name__}: {error}", error)

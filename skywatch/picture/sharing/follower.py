"""``PictureFollower``: the latest sky of the tracker in any process, despite losses of the bus, and its ageing while
the tracker is silent.

Most ticks arrive as changes. If the tick before is missing, a complete sky is requested; it arrives at the next tick.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable

from skywatch.core.bus import Bus, Message, Subscription, topics
from skywatch.core.clock import unix_now
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.picture.sharing.silence import SILENT_AFTER_S, aged
from skywatch.picture.state.changes import MissingBase, apply_changes
from skywatch.picture.state.sky import Sky, empty_sky, from_bytes

log = logging.getLogger(__name__)
COMPLETE, CHANGES = "tick", "changes"
# Interval of ageing a silent picture (s), and of requests for a complete sky.
AGE_EVERY_S = ASK_EVERY_S = 1.0


class PictureFollower:
    """Follows the picture between ``start`` and ``close``; ``on_sky`` is called in the bus's thread for each tick."""

    def __init__(self, bus: Bus, timeout_s: float, on_sky: Callable[[Sky], None] = lambda sky: None) -> None:
        self._bus = bus
        self._timeout_s = timeout_s
        self._on_sky = on_sky
        self._lock = threading.RLock()
        self._last = self._current = empty_sky()
        # When the tracker last published (monotonic s); at the start it is assumed to have just done so.
        self._received_at = time.monotonic()
        self._silence = ""
        self._aged_at = 0.0
        self._requested_at = float("-inf")
        self._subscription: Subscription | None = None
        self._faults = FaultLog(log, "the picture on the bus cannot be read", "the picture on the bus is read again")

    def start(self) -> None:
        """Start; reads the last picture of the bus before it returns."""
        self._subscription = self._bus.subscribe((topics.PICTURE,), self._take, on_reconnect=self._catch_up)
        self._catch_up()

    def close(self) -> None:
        """Stop following; the last sky stays."""
        if self._subscription is not None:
            self._subscription.close()

    @property
    def silent_s(self) -> float:
        """Time since the tracker last published (s)."""
        return time.monotonic() - self._received_at

    @property
    def is_silent(self) -> bool:
        """Whether the tracker is overdue."""
        return self.silent_s > SILENT_AFTER_S

    @property
    def sky(self) -> Sky:
        """The present picture: the tracker's last, aged if the tracker is silent."""
        if not self.is_silent or not self._last.seq:
            return self._last
        with self._lock:
            if self.is_silent and time.monotonic() - self._aged_at >= AGE_EVERY_S:
                self._age()
            return self._current

    def _age(self) -> None:
        if not self._silence:
            # An epoch of its own: no other process continues it.
            self._silence = f"{self._last.epoch}-{secrets.token_hex(4)}"
        self._aged_at = time.monotonic()
        seq = self._current.seq + 1 if self._current.epoch == self._silence else 1
        self._current = aged(self._last, self._current, self.silent_s, self._timeout_s, self._silence, seq)

    def _catch_up(self) -> None:
        last = self._bus.last(topics.PICTURE)
        if last is None:
            return
        if last.local is not None or self._last.seq:
            self._take(last)
            return
        # The first one may be old: the tracker may have stopped before this process started.
        with self._lock:
            received_at = self._received_at
            self._take(last)
            if self._last.seq and self._received_at != received_at:
                self._received_at -= min(max(0.0, unix_now() - self._last.now), self._timeout_s * 2)

    def _take(self, message: Message) -> None:
        with self._lock:
            before = self._last
            try:
                sky = self._read(message)
                self._faults.succeeded()
            except MissingBase:
                self._request_complete()
                return
            except ValueError as error:
                self._faults.failed(str(error))
                return
            # The last snapshot may be read while a newer one is being delivered.
            if sky.epoch == before.epoch and sky.seq <= before.seq:
                return
            self._last = self._current = sky
            self._received_at = time.monotonic()
            self._silence = ""
        self._on_sky(sky)

    def _read(self, message: Message) -> Sky:
        if message.local is not None:
            sky: Sky = message.local
            return sky
        return apply_changes(message.data, self._last) if message.event == CHANGES else from_bytes(message.data)

    def _request_complete(self) -> None:
        now = time.monotonic()
        if now - self._requested_at >= ASK_EVERY_S:
            self._requested_at = now
            self._bus.publish(Message(topics.PICTURE_WANTED, "wanted", b""))

"""``PictureFollower``: the latest sky of the tracker in any process, whatever the bus loses, and what becomes of it
while the tracker is silent.

Most ticks come as changes. Where the tick before is missing, a whole sky is asked for, and comes with the next tick.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable

from skywatch.core.bus import Bus, Message, Subscription, topics
from skywatch.core.clock import unix_now
from skywatch.core.fault_log import FaultLog
from skywatch.picture.changes import MissingBase, apply_changes
from skywatch.picture.silence import SILENT_AFTER_S, aged
from skywatch.picture.sky import Sky, empty_sky, from_bytes

log = logging.getLogger(__name__)
WHOLE, CHANGES = "tick", "changes"
# A silent picture is made anew this often (s), and a whole sky asked for no oftener.
AGE_EVERY_S = ASK_EVERY_S = 1.0


class PictureFollower:
    """Follows the picture between ``start`` and ``close``; ``on_sky`` is called in the bus's thread for each tick."""

    def __init__(self, bus: Bus, timeout_s: float, on_sky: Callable[[Sky], None] = lambda sky: None) -> None:
        self._bus = bus
        self._timeout_s = timeout_s
        self._on_sky = on_sky
        self._lock = threading.RLock()
        self._last = self._shown = empty_sky()
        # When the tracker was last there (monotonic s): with its last tick, or supposed so at the start.
        self._heard_at = time.monotonic()
        self._silence = ""
        self._aged_at = 0.0
        self._asked_at = float("-inf")
        self._subscription: Subscription | None = None
        self._faults = FaultLog(log, "the picture on the bus cannot be read", "the picture on the bus is read again")

    def start(self) -> None:
        """Begin; the last picture that the bus has is there when this returns."""
        self._subscription = self._bus.subscribe((topics.PICTURE,), self._take, on_reconnect=self._catch_up)
        self._catch_up()

    def close(self) -> None:
        """Stop following; the last sky stays."""
        if self._subscription is not None:
            self._subscription.close()

    @property
    def silent_s(self) -> float:
        """How long the tracker has said nothing."""
        return time.monotonic() - self._heard_at

    @property
    def is_silent(self) -> bool:
        """Whether it should have said something by now."""
        return self.silent_s > SILENT_AFTER_S

    @property
    def sky(self) -> Sky:
        """The picture at this moment: the tracker's last, or what has become of it since."""
        if not self.is_silent or not self._last.seq:
            return self._last
        with self._lock:
            if self.is_silent and time.monotonic() - self._aged_at >= AGE_EVERY_S:
                self._grow_old()
            return self._shown

    def _grow_old(self) -> None:
        if not self._silence:
            # A chain of ticks of its own, which no other process continues.
            self._silence = f"{self._last.epoch}-{secrets.token_hex(4)}"
        self._aged_at = time.monotonic()
        seq = self._shown.seq + 1 if self._shown.epoch == self._silence else 1
        self._shown = aged(self._last, self._shown, self.silent_s, self._timeout_s, self._silence, seq)

    def _catch_up(self) -> None:
        last = self._bus.last(topics.PICTURE)
        if last is None:
            return
        if last.local is not None or self._last.seq:
            self._take(last)
            return
        # The first one may be old: the tracker may have gone before this process began.
        with self._lock:
            heard_at = self._heard_at
            self._take(last)
            if self._last.seq and self._heard_at != heard_at:
                self._heard_at -= min(max(0.0, unix_now() - self._last.now), self._timeout_s * 2)

    def _take(self, message: Message) -> None:
        with self._lock:
            before = self._last
            try:
                sky = self._read(message)
                self._faults.succeeded()
            except MissingBase:
                self._ask_for_all()
                return
            except ValueError as error:
                self._faults.failed(str(error))
                return
            # The last snapshot may be asked for while a newer one is being delivered.
            if sky.epoch == before.epoch and sky.seq <= before.seq:
                return
            self._last = self._shown = sky
            self._heard_at = time.monotonic()
            self._silence = ""
        self._on_sky(sky)

    def _read(self, message: Message) -> Sky:
        if message.local is not None:
            sky: Sky = message.local
            return sky
        return apply_changes(message.data, self._last) if message.event == CHANGES else from_bytes(message.data)

    def _ask_for_all(self) -> None:
        now = time.monotonic()
        if now - self._asked_at >= ASK_EVERY_S:
            self._asked_at = now
            self._bus.publish(Message(topics.PICTURE_WANTED, "wanted", b""))

"""The heartbeat of one client: when it sent something, when it was pinged, and whether the answer is late."""

from __future__ import annotations

import time


class Heartbeat:
    """All times are monotonic seconds."""

    __slots__ = ("_pinged_last_at", "active_at", "opened_at", "pinged_at")

    def __init__(self) -> None:
        self.opened_at = self.active_at = self._pinged_last_at = time.monotonic()
        # Time of a ping that is not answered yet.
        self.pinged_at: float | None = None

    def receive(self) -> None:
        """The client has sent something, which answers a ping."""
        self.active_at = time.monotonic()
        self.pinged_at = None

    def ping(self, now: float) -> None:
        """A ping is sent."""
        self.pinged_at = self._pinged_last_at = now

    def is_late(self, now: float, pong_s: float) -> bool:
        """Whether a ping was not answered in time."""
        return self.pinged_at is not None and now - self.pinged_at > pong_s

    def is_due(self, now: float, heartbeat_s: float, *, regularly: bool) -> bool:
        """Whether a ping is due: after silence of the client, or regularly, whatever it sends.

        Engine.IO's clients end a connection that did not ping them in time, however much came over it.
        """
        return now - (self._pinged_last_at if regularly else self.active_at) > heartbeat_s

"""The interface of a session to the connection below it."""

from __future__ import annotations

from typing import Protocol

from skywatch.realtime.connections.closing import INTERNAL_ERROR, Closing


class Link(Protocol):
    """The connection below a session."""

    deflate: bool

    def charge(self, messages: int) -> None:
        """Count a costly message as several."""

    def hang_up(self, reason: Closing) -> None:
        """Send a close code and end."""

    def drop(self, reason: Closing = INTERNAL_ERROR) -> None:
        """End at once; ``reason`` is counted."""

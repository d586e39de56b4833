"""Splits what a polling peer sends into requests with their bodies, within bounds of size and time."""

from __future__ import annotations

import time
from collections.abc import Callable

from skywatch.realtime.polling.request import BadRequest, Request, read_head

MAXIMUM_HEAD_BYTES = 16 * 1024
# From the first byte of a request to its last.
REQUEST_S = 10.0


class RequestReader:
    """The requests of one connection; ``on_continue`` is called where a client waits to be asked for its body."""

    __slots__ = ("_began_at", "_buffer", "_maximum_body_bytes", "_on_continue", "_request", "active_at")

    def __init__(self, maximum_body_bytes: int, on_continue: Callable[[], object]) -> None:
        self._maximum_body_bytes = maximum_body_bytes
        self._on_continue = on_continue
        self._buffer = bytearray()
        self._began_at = self.active_at = time.monotonic()
        # The one whose body is not complete.
        self._request: Request | None = None

    def put(self, data: bytes) -> bool:
        """Add what was received; False if it is more than a request may have."""
        self.active_at = time.monotonic()
        if not self._buffer:
            self._began_at = self.active_at
        self._buffer += data
        return len(self._buffer) <= MAXIMUM_HEAD_BYTES + self._maximum_body_bytes

    def next(self) -> tuple[Request, bytes] | None:
        """The next request with its body; None if it is not complete. Raises BadRequest.

        One that asks for a WebSocket stays in the buffer: ``take_rest`` returns it.
        """
        if self._request is None:
            request = self._read_head()
            if request is None or request.is_websocket:
                return None if request is None else (request, b"")
            self._request = request
        request, length = self._request, self._request.length
        if len(self._buffer) < length:
            return None
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._request = None
        return request, body

    def _read_head(self) -> Request | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0 and len(self._buffer) <= MAXIMUM_HEAD_BYTES:
            return None
        if not 0 <= end <= MAXIMUM_HEAD_BYTES:
            raise BadRequest(431, "The head of the request is too large.")
        request = read_head(bytes(self._buffer[:end]))
        if request.is_websocket:
            return request
        del self._buffer[: end + 4]
        if request.length > self._maximum_body_bytes:
            raise BadRequest(413, f"A body has at most {self._maximum_body_bytes} bytes.")
        if request.headers.get("expect", "").lower() == "100-continue":
            self._on_continue()
        return request

    def restart(self) -> None:
        """The request before was answered: the time of the next one begins."""
        self._began_at = time.monotonic()

    def take_rest(self) -> bytes:
        """What was received and not read; nothing is left."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        return rest

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits to be read."""
        return not self._buffer

    def is_overdue(self, now: float) -> bool:
        """Whether a request that has begun takes too long to arrive."""
        return bool(self._buffer or self._request) and now - self._began_at > REQUEST_S

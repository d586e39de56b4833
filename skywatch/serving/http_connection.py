"""``HttpConnection``: one connection of the web server. Responses are sent in one piece by their worker thread."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel

from skywatch.serving.request_parser import RequestParser
from skywatch.serving.responses import ProblemTask, ResponseTask

# Less than this is buffered until the end of the response, so that a small one is sent in one piece (bytes).
SEND_BYTES = 16_384
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class HttpConnection(HTTPChannel):
    """A connection whose protocol errors are problems.

    While a worker sends, the server's loop ignores the connection: waitress would poll it for writing and spin until
    the worker is done.
    """

    parser_class = RequestParser
    task_class = ResponseTask
    error_task_class = ProblemTask
    worker_sends = False
    # Requests wait, without a worker, until the client has read earlier responses.
    parked = False
    # All bytes sent, and bytes and time of the last check whether the client reads.
    sent_bytes = marked_bytes = 0
    marked_at = float("inf")
    # Called once when the connection is closed.
    at_close: Callable[[], None] | None = None

    def send_continue(self) -> None:
        """Let the loop send 100 Continue.

        Waitress sends it here, in a worker if another request was answered before. That races with the loop, which
        sends without a lock while there is no request and is the only one to close the connection.
        """
        self.request.expect_continue = False
        with self.outbuf_lock:
            self.outbufs[-1].append(CONTINUE)
            self.current_outbuf_count += len(CONTINUE)
            self.total_outbufs_len += len(CONTINUE)
        self.sent_continue = True

    def del_channel(self, map: Any = None) -> None:
        """Called by the loop when the connection is closed."""
        super().del_channel(map)
        at_close, self.at_close = self.at_close, None
        if at_close is not None:
            at_close()

    def _flush_some(self, do_close: bool = True) -> bool:
        # Waitress' loop does not lock without a request, while a worker may still be adding data.
        with self.outbuf_lock:
            return bool(super()._flush_some(do_close))

    def writable(self) -> bool:
        """Whether the loop has something to send or to close."""
        if self.worker_sends:
            return False
        if self.requests and self.total_outbufs_len < SEND_BYTES:
            return bool(self.will_close or self.close_when_flushed)
        return bool(super().writable())

    def service(self) -> None:
        """Called by workers: answer one request, unless the client has earlier responses to read first."""
        with self.outbuf_lock:
            if self._is_ahead():
                self.parked = True
                self.server.pull_trigger()
                return
        super().service()

    def handle_write(self) -> None:
        """Send, then continue with requests that waited for it."""
        super().handle_write()
        if self.parked and not self._is_ahead():
            self._unpark()

    def handle_close(self) -> None:
        """Close, and let a worker discard waiting requests."""
        super().handle_close()
        if self.parked:
            self._unpark()

    def _is_ahead(self) -> bool:
        # Between two responses the loop does not send less than SEND_BYTES: a wait for that would never end.
        return self.total_outbufs_len > max(self.adj.outbuf_high_watermark, SEND_BYTES)

    def _unpark(self) -> None:
        self.parked = False
        self.server.add_task(self)

    def send(self, data: Any, do_close: bool = True) -> int:
        """Send what the client accepts, and count it."""
        if not self.connected:
            # The loop closed the connection while a worker was about to send.
            return 0
        size: int = super().send(data, do_close=do_close)
        self.sent_bytes += size
        return size

    def is_read_slower_than(self, least_bytes: int, within_s: float, now: float) -> bool:
        """Whether the client read less than ``least_bytes`` of pending data in the last ``within_s``."""
        # Data that a worker buffers until the end of its response does not wait for the client.
        has_unread = self.total_outbufs_len >= SEND_BYTES or (self.total_outbufs_len > 0 and not self.requests)
        if has_unread and self.sent_bytes - self.marked_bytes < least_bytes and self.marked_at <= now:
            return now - self.marked_at >= within_s
        self.marked_bytes, self.marked_at = self.sent_bytes, now
        return False

    def write_soon(self, data: Any) -> int:
        """Called by workers: send or buffer a part of a response."""
        self.worker_sends = True
        try:
            # Large data is not copied: many connections share the bytes of one response.
            size: int = super().write_soon(
                shared(data) if isinstance(data, bytes) and len(data) >= SEND_BYTES else data
            )
            return size
        finally:
            self._hand_over()

    def send_waiting(self) -> None:
        """Called by workers at the end of a response: send what is buffered."""
        self.worker_sends = True
        try:
            with self.outbuf_lock:
                self._flush_exception(self._flush_some, do_close=False)
        finally:
            self._hand_over()

    def _flush_outbufs_below_high_watermark(self) -> None:
        # A worker may wait here for the loop to send; between two responses it does not, see ``service``.
        if self.worker_sends:
            self.worker_sends = False
            super()._flush_outbufs_below_high_watermark()
            self.worker_sends = True

    def _hand_over(self) -> None:
        """Leave the rest to the loop: the client reads too slowly."""
        self.worker_sends = False
        if self.total_outbufs_len >= SEND_BYTES or self.will_close:
            self.server.pull_trigger()


def shared(data: bytes) -> ReadOnlyFileBasedBuffer:
    """A buffer that waitress reads in place; it would copy the bytes, and spool more than a megabyte to disk."""
    buffer = ReadOnlyFileBasedBuffer(io.BytesIO(data))
    buffer.prepare()
    return buffer

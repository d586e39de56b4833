"""``HttpConnection``: one connection of the web server. Answers leave in one piece, from the thread of their worker."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel

from skywatch.serving.request_parser import RequestParser
from skywatch.serving.responses import ProblemTask, ResponseTask

# Less than this waits for the rest of its answer, so that head and body of a small one leave together (bytes).
SEND_BYTES = 16_384
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class HttpConnection(HTTPChannel):
    """A connection whose protocol errors are problems.

    While a worker sends, the server's loop leaves the connection alone: waitress asks poll() whether it can be written
    to, which it can, and turns round and round until the worker is done.
    """

    parser_class = RequestParser
    task_class = ResponseTask
    error_task_class = ProblemTask
    worker_sends = False
    # Requests wait until the client has taken earlier answers, without a worker.
    parked = False
    # All bytes sent so far, and how many and when it was when the server last looked whether the client reads.
    sent_bytes = marked_bytes = 0
    marked_at = float("inf")
    # Called once when the connection is closed.
    at_close: Callable[[], None] | None = None

    def send_continue(self) -> None:
        """Have the loop tell the client to send the body it asked about.

        Waitress sends that here, in a worker where another request was answered before: beside the loop, which sends
        without a lock while there is no request, and with closing the connection, which is for the loop alone.
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
        # Waitress' loop does not lock where no request is left; a worker may be adding what comes after the answer.
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
        """Called by workers: answer one request, unless the client first has to take what it asked for before."""
        with self.outbuf_lock:
            if self._is_ahead():
                self.parked = True
                self.server.pull_trigger()
                return
        super().service()

    def handle_write(self) -> None:
        """Send, and go on with requests that waited for that."""
        super().handle_write()
        if self.parked and not self._is_ahead():
            self._unpark()

    def handle_close(self) -> None:
        """Close, and have a worker put away requests that waited."""
        super().handle_close()
        if self.parked:
            self._unpark()

    def _is_ahead(self) -> bool:
        # Between two answers the loop leaves less than SEND_BYTES alone: nobody would wake who waited for that to go.
        return self.total_outbufs_len > max(self.adj.outbuf_high_watermark, SEND_BYTES)

    def _unpark(self) -> None:
        self.parked = False
        self.server.add_task(self)

    def send(self, data: Any, do_close: bool = True) -> int:
        """Send to the client what it takes, and count it."""
        if not self.connected:
            # The loop has closed the connection while a worker was about to send.
            return 0
        sent: int = super().send(data, do_close=do_close)
        self.sent_bytes += sent
        return sent

    def is_read_slower_than(self, least_bytes: int, within_s: float, now: float) -> bool:
        """Whether the client took less than that of what waits for it since a mark that was set so long ago."""
        # What a worker keeps for the rest of its answer does not wait for the client.
        waiting = self.total_outbufs_len >= SEND_BYTES or (self.total_outbufs_len > 0 and not self.requests)
        if waiting and self.sent_bytes - self.marked_bytes < least_bytes and self.marked_at <= now:
            return now - self.marked_at >= within_s
        self.marked_bytes, self.marked_at = self.sent_bytes, now
        return False

    def write_soon(self, data: Any) -> int:
        """Called by workers: send or keep a part of an answer."""
        self.worker_sends = True
        try:
            # What is sent in pieces is not copied: many connections share the bytes of one answer.
            taken: int = super().write_soon(
                shared(data) if isinstance(data, bytes) and len(data) >= SEND_BYTES else data
            )
            return taken
        finally:
            self._hand_over()

    def send_waiting(self) -> None:
        """Called by workers at the end of an answer: send what was kept."""
        self.worker_sends = True
        try:
            with self.outbuf_lock:
                self._flush_exception(self._flush_some, do_close=False)
        finally:
            self._hand_over()

    def _flush_outbufs_below_high_watermark(self) -> None:
        # Here a worker may wait for the loop to send; between two answers it does not, see ``service``.
        if self.worker_sends:
            self.worker_sends = False
            super()._flush_outbufs_below_high_watermark()
            self.worker_sends = True

    def _hand_over(self) -> None:
        """The loop sends what the client was too slow for."""
        self.worker_sends = False
        if self.total_outbufs_len >= SEND_BYTES or self.will_close:
            self.server.pull_trigger()


def shared(data: bytes) -> ReadOnlyFileBasedBuffer:
    """Bytes that waitress reads from where they are; it would copy them, and write more than a megabyte to the disk."""
    buffer = ReadOnlyFileBasedBuffer(io.BytesIO(data))
    buffer.prepare()
    return buffer

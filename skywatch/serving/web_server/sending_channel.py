"""``SendingChannel``: sends responses in one piece, by their worker thread."""

from __future__ import annotations

import io
import time
from typing import Any

from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel

from skywatch.serving.web_server.pace import Pace

# Less than this is buffered until the end of the response, so that a small one is sent in one piece (bytes).
SEND_BYTES = 16_384


class SendingChannel(HTTPChannel):
    """Waitress' connection, in which a worker sends.

    While it does, the server's loop ignores the connection: waitress would poll it for writing and spin until the
    worker is done.
    """

    worker_sends = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.sent = Pace()
        super().__init__(*arguments, **options)

    def writable(self) -> bool:
        """Whether the loop has something to send or to close."""
        if self.worker_sends:
            return False
        if self.requests and self.total_outbufs_len < SEND_BYTES:
            return bool(self.will_close or self.close_when_flushed)
        return bool(super().writable())

    def _flush_some(self, do_close: bool = True) -> bool:
        # Waitress' loop does not lock without a request, while a worker may still be adding data.
        with self.outbuf_lock:
            return bool(super()._flush_some(do_close))

    def send(self, data: Any, do_close: bool = True) -> int:
        """Send what the client accepts, and count it."""
        if not self.connected:
            # The loop closed the connection while a worker was about to send.
            return 0
        size: int = super().send(data, do_close=do_close)
        self.sent.bytes += size
        return size

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

    def write_whole(self, head: bytes, body: bytes) -> None:
        """Called by workers: send a whole response in one call, and buffer what the client does not take at once."""
        sent = self._send_both(head, body)
        if sent < len(head):
            self.write_soon(head[sent:])
            self.write_soon(body)
        elif sent < len(head) + len(body):
            rest = shared(body)
            rest.skip(sent - len(head))
            self.write_soon(rest)

    def _send_both(self, head: bytes, body: bytes) -> int:
        """The number of bytes sent; 0 where others wait, or an error that the next attempt will meet as well."""
        self.worker_sends = True
        try:
            with self.outbuf_lock:
                if not self.connected or self.total_outbufs_len:
                    return 0
                size: int = self.socket.sendmsg((head, body))
                self.sent.bytes += size
                self.last_activity = time.time()
                return size
        except OSError:
            return 0
        finally:
            self.worker_sends = False

    def send_waiting(self) -> None:
        """Called by workers at the end of a response: send what is buffered."""
        if not self.total_outbufs_len and not self.will_close:
            return
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

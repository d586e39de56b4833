"""The connections of the web server: answers leave in one piece, uncopied, and protocol errors are problems."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from typing import Any

import msgspec
from waitress.buffers import ReadOnlyFileBasedBuffer
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import ErrorTask, WSGITask

from skywatch.core.problems import Problem

# Less than this waits for the rest of its answer, so that head and body of a small one leave together (bytes).
SEND_BYTES = 16_384
# Headers by which waitress tells how an answer ends and whether the connection goes on, or adds its own.
FRAMING = frozenset({"connection", "content-length", "date", "server", "transfer-encoding"})
LINE_END = b"\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

# A registered name, an IPv4 or an IPv6 address, perhaps with a port (RFC 3986, 3.2.2); empty is allowed.
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?")

_CODES = {413: "payload_too_large", 500: "internal_error"}


class ProblemTask(ErrorTask):
    """Answers what waitress cannot parse as ``application/problem+json``."""

    def execute(self) -> None:
        """Send the problem and close the connection."""
        error = self.request.error
        problem = Problem(_CODES.get(error.code, "malformed_body"), f"{error.reason}: {error.body}.")
        request_id = f"{random.getrandbits(64):016x}"
        document = problem.as_dict(request_id) | {"title": error.reason, "status": error.code}
        if error.code >= 500:
            document["detail"] = f"{error.reason}."
        body = msgspec.json.encode(document)
        self.status = f"{error.code} {error.reason}"
        self.response_headers.extend(
            [
                ("Content-Type", "application/problem+json"),
                ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
                ("X-Request-ID", request_id),
            ]
        )
        self.set_close_on_finish()
        self.content_length = len(body)
        # What could not be parsed may have no method.
        self.write(b"" if getattr(self.request, "command", "") == "HEAD" else body)


class BoundedParser(HTTPRequestParser):
    """Allows the body that the address takes: what is refused anyway must not fill the disk before."""

    adj: Any

    def received(self, data: bytes) -> int:
        """Take what belongs to this request; the number of bytes taken."""
        taken: int = super().received(data)
        if self.completed:
            # Refused, or without a body: who was told to send it would wait for an answer for ever.
            self.expect_continue = False
        return taken

    def parse_header(self, header_plus: bytes) -> None:
        """Read the head, then hold the body to the limit of its path."""
        super().parse_header(header_plus)
        host = self.headers.get("HOST")
        if host is None and self.version == "1.1":
            raise ParsingError("Host is missing")
        if host is not None and not HOST.fullmatch(host):
            # Two of them arrive as one, with a comma and a space between (RFC 9112, 3.2).
            raise ParsingError("Host is invalid or given more than once")
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            # Who stands between may believe the other one, and take the end of this body for a request (RFC 9112, 6.3).
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")
        for prefix, adjustments in getattr(self.adj, "larger_bodies", ()):
            if self.path.startswith(prefix):
                self.adj = adjustments


class ApiTask(WSGITask):
    """Answers a request, and sends the end of the answer from the thread that made it."""

    response_headers: list[tuple[str, str]]

    def set_close_on_finish(self) -> None:
        """Close the connection after the answer, unless it has no body and so ends by itself (204, 304)."""
        if self.has_body or self.version != "1.1" or self.request.headers.get("CONNECTION", "").lower() == "close":
            super().set_close_on_finish()

    def build_response_header(self) -> bytes:
        """The head of the answer: waitress frames it, and the other headers go as the application wrote them.

        Waitress takes every name apart, puts it together again and sorts them: a fifteenth of the cost of a request.
        """
        others = [header for header in self.response_headers if header[0].lower() not in FRAMING]
        self.response_headers = [header for header in self.response_headers if header[0].lower() in FRAMING]
        head: bytes = super().build_response_header()
        lines = "".join([f"{name}: {value}\r\n" for name, value in others])
        return head[: -len(LINE_END)] + lines.encode("latin-1") + LINE_END

    def finish(self) -> None:
        """Send what still waits for more."""
        if self.request.command == "HEAD":
            if not self.wrote_header:
                self.write(b"")
            # Not even the end mark of a body follows.
            self.chunked_response = False
        super().finish()
        self.channel.send_waiting()


class ApiChannel(HTTPChannel):
    """A connection whose protocol errors are problems.

    While a worker sends, the server's loop leaves the connection alone: waitress asks poll() whether it can be written
    to, which it can, and turns round and round until the worker is done.
    """

    parser_class = BoundedParser
    task_class = ApiTask
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

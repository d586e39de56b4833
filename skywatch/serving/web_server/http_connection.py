"""``HttpConnection``: one connection of the web server, from its requests to its end."""

from __future__ import annotations

import logging
import select
import socket
import time
from collections.abc import Callable
from typing import Any

from waitress.utilities import InternalServerError

from skywatch.http.limits.admission import Admission
from skywatch.serving.web_server.pace import Pace
from skywatch.serving.web_server.request_parser import RequestParser
from skywatch.serving.web_server.responses import ResponseTask, error_task
from skywatch.serving.web_server.sending_channel import SEND_BYTES, SendingChannel

log = logging.getLogger(__name__)
# The client closed its direction (Linux), or the connection is gone.
_CLOSED = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
# A client must read so much of its response and send so much of its request in the time of ``SILENCE_S`` (bytes); a
# stream, which occupies one of few places, must be read faster: 16 kB/s.
MIN_BYTES, MIN_STREAM_BYTES = 65_536, 960_000
# A client that is still sending when it is refused would lose the answer if the connection were closed at once: so much
# is received and discarded, for so long, in pieces of this size.
LINGER_BYTES, LINGER_S, LINGER_PIECE_BYTES = 67_108_864, 30.0, 262_144
# Refusals of a request that was not received whole.
UNREAD_CODES = (413, 429)


class HttpConnection(SendingChannel):
    """A connection whose protocol errors are problems, and whose bodies are admitted before they are received."""

    parser_class = RequestParser
    task_class = ResponseTask
    error_task_class = staticmethod(error_task)
    # The request that is being received.
    request: RequestParser | None
    sent_continue: bool
    # Requests wait, without a worker, until the client has read earlier responses.
    parked = False
    # Data behind a head or a piece of a body, until the application has admitted the body.
    held_back = b""
    # The client may still be sending a request that was refused.
    is_sending = False
    # Time since when what it sends is discarded, and how much was.
    lingers_since: float | None = None
    lingered_bytes = 0
    # Streams of this connection that occupy a place; one at most, as responses come one after the other.
    streams = 0
    # Called once when the connection is closed.
    at_close: Callable[[], None] | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.arrived = Pace()
        super().__init__(*arguments, **options)

    def handle_read(self) -> None:
        """Called by the loop: receive, or discard what comes after a refusal."""
        if self.lingers_since is None:
            super().handle_read()
            return
        # At the end of the data ``recv`` closes.
        self.lingered_bytes += len(self.recv(LINGER_PIECE_BYTES))
        if self.connected and self.lingered_bytes > LINGER_BYTES:
            self.handle_close()

    def received(self, data: bytes) -> bool:
        """Called by the loop with what the client sent."""
        self.arrived.bytes += len(data)
        with self.requests_lock:
            if self.will_close or self.close_when_flushed:
                return False
            self._parse(data)
        return True

    def _parse(self, data: bytes) -> None:
        """Make requests of data, up to one whose body needs admission; the caller holds ``requests_lock``."""
        while data:
            if self.request is None:
                self.request = self.parser_class(self.adj)
                self.request.peer = self.addr[0]
            request = self.request
            size = request.received(data)
            if request.needs_admission:
                # Nothing is read meanwhile: it is the last request.
                self.held_back, self.request = data[size:], None
                self._queue(request)
                return
            if request.expect_continue and request.headers_finished and not self.requests and not self.sent_continue:
                self.send_continue()
            if request.completed:
                self.sent_continue, self.request = False, None
                if not request.empty:
                    self._queue(request)
            data = data[size:]

    def _queue(self, request: RequestParser) -> None:
        if getattr(self.server, "is_ending", False):
            # The next request of this client goes to a process that stays.
            request.headers["CONNECTION"] = "close"
        self.requests.append(request)
        if len(self.requests) == 1:
            self.server.add_task(self)

    def _is_admitted(self, request: RequestParser) -> bool:
        """Ask the application about a body, and read on where it admits it; called by a worker."""
        assert request.body is not None
        body, spool_above = request.body, self.adj.inbuf_overflow
        admission = Admission(body.form_value, lambda user_id: body.admit(user_id, spool_above))
        try:
            answer = ResponseTask(self, request).ask(admission)
        except Exception:
            log.exception("the application failed on %s", request.path)
            request.error = InternalServerError("The server encountered an unexpected internal server error")
            return False
        if not admission.is_granted:
            request.refusal = answer
            return False
        with self.requests_lock:
            self.requests.remove(request)
            self.request = request
            if request.expect_continue and not self.sent_continue:
                self.send_continue()
            held_back, self.held_back = self.held_back, b""
            self._parse(held_back)
            if not self.connected:
                self._drop_unfinished()
        self.last_activity = time.time()
        self.server.pull_trigger()
        return True

    def _drop_unfinished(self) -> None:
        """Forget a request that will never be whole; its buffer goes with it."""
        request, self.request = self.request, None
        if request is not None and request.body is not None:
            request.body.release()

    def send_continue(self) -> None:
        """Let the loop send 100 Continue.

        Waitress sends it here, in a worker if another request was answered before. That races with the loop, which
        sends without a lock while there is no request and is the only one to close the connection.
        """
        if self.request is not None:
            self.request.expect_continue = False
        with self.outbuf_lock:
            self.outbufs[-1].append(CONTINUE)
            self.current_outbuf_count += len(CONTINUE)
            self.total_outbufs_len += len(CONTINUE)
        self.sent_continue = True

    def check_client_disconnected(self) -> bool:
        """Called by workers: whether the client has closed the connection, or its direction of it.

        Waitress notices it when it reads, which it does not while a request is in progress.
        """
        descriptor = self._fileno
        if not self.connected or descriptor is None:
            return True
        poller = select.poll()
        poller.register(descriptor, _CLOSED)
        return bool(poller.poll(0))

    def del_channel(self, map: Any = None) -> None:
        """Called by the loop when the connection is closed."""
        super().del_channel(map)
        # Without ``requests_lock``: a worker that holds it may wait for ``outbuf_lock``, which the loop may hold now.
        self._drop_unfinished()
        at_close, self.at_close = self.at_close, None
        if at_close is not None:
            at_close()

    def service(self) -> None:
        """Called by workers: answer one request, unless the client has earlier responses to read first."""
        with self.outbuf_lock:
            if self._is_ahead():
                self.parked = True
                self.server.pull_trigger()
                return
        request = self.requests[0]
        if request.needs_admission and self._is_admitted(request):
            return
        self.is_sending = request.refusal is not None or getattr(request.error, "code", None) in UNREAD_CODES
        super().service()

    def handle_write(self) -> None:
        """Send, then continue with requests that waited for it."""
        if self.close_when_flushed and self.is_sending and not self.will_close:
            self._flush_exception(self._flush_some)
            if self.connected and not self.total_outbufs_len and not self.will_close:
                self._linger()
            return
        super().handle_write()
        if self.parked and not self._is_ahead():
            self._unpark()

    def handle_close(self) -> None:
        """Close, and let a worker discard waiting requests."""
        super().handle_close()
        if self.parked:
            self._unpark()

    def _linger(self) -> None:
        """Send the end of the connection, and let the client read its answer before the rest of it is closed."""
        self.close_when_flushed, self.lingers_since = False, time.time()
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()

    def _is_ahead(self) -> bool:
        # Between two responses the loop does not send less than SEND_BYTES: a wait for that would never end.
        result: bool = self.total_outbufs_len > max(self.adj.outbuf_high_watermark, SEND_BYTES)
        return result

    def _unpark(self) -> None:
        self.parked = False
        self.server.add_task(self)

    def reason_to_close(self, within_s: float, now: float) -> str | None:
        """Why a connection with work to do must be closed: what its client does too slowly."""
        # Data that a worker buffers until the end of its response does not wait for the client.
        has_unread = self.total_outbufs_len >= SEND_BYTES or (self.total_outbufs_len > 0 and not self.requests)
        least_bytes = MIN_STREAM_BYTES if self.streams else MIN_BYTES
        # The loop receives while no request is being answered and nothing is unread.
        request = self.request
        is_receiving = request is not None and not self.requests and not self.total_outbufs_len
        if self.sent.is_slower_than(least_bytes, within_s, now, is_waiting=has_unread):
            return "stream" if self.streams else "response"
        if self.arrived.is_slower_than(MIN_BYTES, within_s, now, is_waiting=is_receiving):
            return "request"
        if request is not None and request.body is not None and request.body.is_overdue(now):
            return "unidentified"
        if self.lingers_since is not None and now - self.lingers_since >= LINGER_S:
            return "refused"
        return None

    def begin_stream(self) -> None:
        """Called by the application in the worker: what follows may take long, and must be read without delay.

        Raises RuntimeError where there is no room for a thread in its place.
        """
        self.server.task_dispatcher.lend_thread()
        self.streams += 1

    def end_stream(self) -> None:
        """The stream has been made, or was given up."""
        self.streams -= 1
        self.server.task_dispatcher.take_thread_back()

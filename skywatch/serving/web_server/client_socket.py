"""``ClientSocket``: one connection, which shows waitress whole and well-formed requests only, one at a time.

Waitress reads from it as from any socket. What it reads is made here: a request is received with its body, and checked,
before waitress sees its head; the body goes to the application past it. What follows a request stays in the kernel
until the answer has left. In place of what is not ready yet waitress reads blank lines, which it skips.
"""

from __future__ import annotations

import contextlib
import select
import socket
import time
from typing import TYPE_CHECKING, Any

from skywatch.http.limits.admission import Admission
from skywatch.http.limits.throttle import HEALTH_PATH, LIVENESS_QUERY
from skywatch.serving.web_server.incoming_body import IncomingBody
from skywatch.serving.web_server.request_head import END, Refusal, RequestHead

if TYPE_CHECKING:
    from skywatch.serving.web_server.connections import Connections


BLANK = b"\r\n\r\n"
# The client closed its direction (Linux), or the connection is gone.
_CLOSED = getattr(select, "POLLRDHUP", 0) | select.POLLHUP | select.POLLERR
# A client must read so much of its response and send so much of its request in the time of ``SILENCE_S`` (bytes); a
# stream, which occupies one of few places, must be read faster: 16 kB/s.
MIN_BYTES, MIN_STREAM_BYTES = 65_536, 960_000
# A client that is still sending when it is refused would lose the answer if the connection were closed at once: so much
# is received and discarded, for so long, in pieces of this size.
LINGER_BYTES, LINGER_S, LINGER_PIECE_BYTES = 67_108_864, 30.0, 262_144


class Pace:
    """Counts bytes; ``is_slower_than`` is called now and then, and compares with the last time that all was well."""

    def __init__(self) -> None:
        self.bytes = 0
        self._marked_bytes = 0
        self._marked_at = float("inf")

    def is_slower_than(self, least_bytes: int, within_s: float, now: float, *, is_waiting: bool) -> bool:
        """Whether the peer moved less than ``least_bytes`` in the last ``within_s`` although it ``is_waiting`` for."""
        if is_waiting and self.bytes - self._marked_bytes < least_bytes and self._marked_at <= now:
            return now - self._marked_at >= within_s
        self._marked_bytes, self._marked_at = self.bytes, now
        return False


class Incoming:
    """A request that is being received."""

    def __init__(self) -> None:
        self.start = b""
        self.head: RequestHead | None = None
        self.body: IncomingBody | None = None
        # Set once the application was asked about the body.
        self.admission: Admission | None = None
        self.was_told_to_continue = False

    def close(self) -> None:
        """Free what the body takes."""
        if self.body is not None:
            self.body.close()


NOTHING = Incoming()


class Asked:
    """What waitress is given to answer: a request, one without its body yet (``is_question``), or one to refuse."""

    def __init__(self, incoming: Incoming, refusal: Refusal | None, *, closes: bool) -> None:
        self.incoming = incoming
        self.refusal = refusal
        self.is_question = refusal is None and incoming.body is not None and not incoming.body.is_complete
        # The answer to a question was 100 Continue: its body is received now.
        self.is_continued = False
        # The client may go on sending what is not read any more.
        self.is_unread = self.is_question or refusal is not None
        self.environ: dict[str, Any] | None = None
        self.is_over = False
        self._closes = closes or self.is_unread
        if refusal is not None:
            incoming.close()

    @property
    def stays_open(self) -> bool:
        """Whether the connection outlasts an answer without a body; old clients cannot be told that it does."""
        head = self.incoming.head
        return self.is_continued or not (self._closes or head is None or head.version == "1.0")

    @property
    def is_head(self) -> bool:
        """Whether the answer has no body because of the method."""
        return self.incoming.head is not None and self.incoming.head.method == "HEAD"

    @property
    def is_probe(self) -> bool:
        """Whether this is a liveness probe; requests with credentials or a body are none."""
        head = self.incoming.head
        if head is None or not head.target.startswith(HEALTH_PATH) or head.has_body or head.has_credentials():
            return False
        path, _, query = head.target.partition("?")
        return path.rstrip("/") == HEALTH_PATH and query == LIVENESS_QUERY

    def head(self) -> bytes:
        """What waitress reads."""
        if self.incoming.head is None:
            return b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        return self.incoming.head.bytes(closes=self._closes)

    def end(self) -> None:
        """The answer was made."""
        if not self.is_continued:
            self.incoming.close()
        # An idle connection keeps nothing of it.
        self.environ, self.incoming = None, NOTHING
        self.is_over = True


class ClientSocket(socket.socket):
    """The socket of one client; ``recv`` and ``close`` are called by waitress' loop, ``send`` by workers as well."""

    def admit(self, connections: Connections, holder: str | None, peer: str) -> None:
        """Begin; ``holder`` is the network that the connection counts for."""
        self.connections, self.holder, self.peer = connections, holder, peer
        self.arrived, self.sent = Pace(), Pace()
        self.incoming: Incoming | None = None
        self.asked: Asked | None = None
        # Whether the client takes no more at present.
        self.has_unread = False
        # The answer 100 Continue is not sent to clients that have not asked for it.
        self.drops_continue = False
        self.is_over = False
        # Time since when what it sends is discarded, and how much was.
        self.lingers_since: float | None = None
        self.lingered_bytes = 0
        # Streams of this connection that occupy a place; one at most, as responses come one after the other.
        self.streams = 0

    # Receiving

    def recv(self, size: int, flags: int = 0) -> bytes:
        """What waitress reads next; nothing at the end of the connection."""
        if self.is_over:
            return b""
        data = super().recv(size, flags | socket.MSG_PEEK)
        if not data:
            return b""
        if self.incoming is None:
            self.incoming = Incoming()
        try:
            taken = self._receive(self.incoming, data)
            asked = self._asked_by(self.incoming, None, is_last=taken == len(data))
        except Refusal as refusal:
            taken, asked = len(data), self._asked_by(self.incoming, refusal, is_last=True)
        super().recv(taken)
        self.arrived.bytes += taken
        if asked is None:
            return BLANK
        self.asked, self.incoming = asked, None
        return asked.head()

    def _receive(self, incoming: Incoming, data: bytes) -> int:
        """Take what belongs to the request; returns the number of bytes. Raises Refusal."""
        if incoming.body is not None:
            return incoming.body.receive(data)
        limits, start = self.connections.limits, incoming.start
        incoming.start += data
        end = incoming.start.find(END, max(len(start) - len(END) + 1, 0))
        size = end + len(END) if end >= 0 else len(incoming.start)
        if size >= self.connections.max_header_bytes:
            raise Refusal(431, f"exceeds max_header of {self.connections.max_header_bytes}")
        if end < 0:
            return len(data)
        # Blank lines before a request are skipped (RFC 9112, 2.2).
        head, incoming.start = incoming.start[:size].lstrip(b"\r\n"), b""
        if head:
            incoming.head = RequestHead(head, self.connections.max_header_fields)
            if incoming.head.has_body:
                incoming.body = IncomingBody(limits, incoming.head, self.peer)
                incoming.body.check()
        return size - len(start)

    def _asked_by(self, incoming: Incoming, refusal: Refusal | None, *, is_last: bool) -> Asked | None:
        """What is ready to be answered; None where more must be received before.

        While the server ends, the next request of a client goes to a process that stays; what it has sent is answered.
        """
        head, body = incoming.head, incoming.body
        if refusal is None:
            if head is None:
                return None
            must_ask = body is not None and (
                body.needs_admission or (head.expects_continue and not incoming.was_told_to_continue and not body.size)
            )
            if body is not None and not body.is_complete and not must_ask:
                return None
        closes = (self.connections.is_ending and is_last) or (head is not None and head.closes)
        return Asked(incoming, refusal, closes=closes)

    def go_on(self, asked: Asked) -> None:
        """Called by a worker that answers a question by 100 Continue: receive the body."""
        incoming = asked.incoming
        assert incoming.head is not None
        self.drops_continue = incoming.was_told_to_continue or not incoming.head.expects_continue
        incoming.was_told_to_continue = True
        asked.is_continued = True
        self.incoming = incoming
        if self.is_over:
            incoming.close()

    # Sending

    def send(self, data: Any, flags: int = 0) -> int:
        """Send what the client takes, and count it."""
        if self.is_over:
            return 0
        if self.drops_continue:
            self.drops_continue = False
            return len(data)
        try:
            size = super().send(data, flags)
        except BlockingIOError:
            self.has_unread = True
            raise
        self.has_unread = size < len(data)
        self.sent.bytes += size
        return size

    # What the application asks and tells

    def check_client_disconnected(self) -> bool:
        """Whether the client has closed the connection, or its direction of it.

        Waitress notices it when it reads, which it does not while a request is in progress.
        """
        descriptor = self.fileno()
        if self.is_over or descriptor < 0:
            return True
        poller = select.poll()
        poller.register(descriptor, _CLOSED)
        return bool(poller.poll(0))

    def begin_stream(self) -> None:
        """What follows may take long, and must be read without delay."""
        self.streams += 1

    def end_stream(self) -> None:
        """The stream has been made, or was given up."""
        self.streams -= 1

    # The end

    @property
    def is_busy(self) -> bool:
        """Whether a request is being received or answered."""
        if self.incoming is not None or self.has_unread or not (self.asked is None or self.asked.is_over):
            return True
        with contextlib.suppress(OSError):
            return bool(super().recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        return False

    def reason_to_close(self, within_s: float, now: float) -> str | None:
        """Why a connection with work to do must be closed: what its client does too slowly."""
        least_bytes = MIN_STREAM_BYTES if self.streams else MIN_BYTES
        incoming, is_answered = self.incoming, self.asked is None or self.asked.is_over
        # The loop receives while no request is being answered and nothing is unread.
        is_receiving = incoming is not None and is_answered and not self.has_unread
        if self.sent.is_slower_than(least_bytes, within_s, now, is_waiting=self.has_unread):
            return "stream" if self.streams else "response"
        if self.arrived.is_slower_than(MIN_BYTES, within_s, now, is_waiting=is_receiving):
            return "request"
        if incoming is not None and incoming.body is not None and incoming.body.is_overdue(now):
            return "unidentified"
        if self.lingers_since is not None and now - self.lingers_since >= LINGER_S:
            return "refused"
        return None

    def hang_up(self) -> None:
        """End the connection; from any thread. Waitress' loop notices it, and closes."""
        if self.lingers_since is not None:
            self.end()
            return
        self.is_over = True
        with contextlib.suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Called by waitress; a client that was refused while it sends reads its answer before the rest is closed."""
        if self.lingers_since is not None or self.fileno() < 0:
            return
        if self.incoming is not None:
            self.incoming.close()
        if self.asked is not None and self.asked.is_unread and not self.asked.is_continued and not self.is_over:
            # A selector that is closed raises ValueError: the server has ended.
            with contextlib.suppress(OSError, ValueError):
                self.shutdown(socket.SHUT_WR)
                self.connections.linger(self)
                self.lingers_since = time.time()
                return
        self.end()

    def discard(self) -> None:
        """Read what comes after a refusal; ends at the end of the data, and where it is too much."""
        try:
            size = len(super().recv(LINGER_PIECE_BYTES))
        except BlockingIOError:
            return
        except OSError:
            size = 0
        self.lingered_bytes += size
        if not size or self.lingered_bytes > LINGER_BYTES:
            self.end()

    def end(self) -> None:
        """Close it for good."""
        self.is_over = True
        self.connections.forget(self)
        super().close()

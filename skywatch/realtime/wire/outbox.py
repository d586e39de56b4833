"""The outbox of one subscriber: complete frames, coalesced, written in pieces, and bounded.

Frames pushed during one turn of the loop leave in one write. Once the kernel takes no more, frames wait here: the
sender of aircraft sees ``congested`` and holds back (newest state instead of a backlog), while events queue up to a
bound; beyond it the subscriber is too slow and ``on_overflow`` is called.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.realtime.metrics import REALTIME_WRITE_ERRORS
from skywatch.realtime.wire.close_codes import INTERNAL_ERROR, CloseReason
from skywatch.realtime.wire.frames import Encoder

log = logging.getLogger(__name__)
# The transport's own buffer pauses us above the first and lets us go on below the second. Both are small, because
# the buffer is copied memory of this connection alone, while the frames that wait here are shared by all.
HIGH_WATER_BYTES, LOW_WATER_BYTES = 64 * 1024, 16 * 1024
PIECE_BYTES = 64 * 1024
# Connections count as writable again once no write failed for so long.
WRITABLE_S = 60.0
# A frame that has begun must end before the close frame, but not at any price.
FINISH_BYTES = 256 * 1024
# In the place of a queue that is empty; a deque takes 600 bytes, and most subscribers never have a backlog.
NOTHING: Any = ()


class Turn:
    """The outboxes that were given something in this turn of the loop, flushed together at its end.

    ``before`` is called first: whoever gathers frames for many outboxes hands them over there. No outbox can keep the
    others from being written: one that fails is closed, and its connection with it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, before: Callable[[], None] = lambda: None) -> None:
        self._loop = loop
        self._before = before
        self._outboxes: list[Queue] = []
        self._called = False
        self._waiting_since: float | None = None
        self._faults = FaultLog(log, "what was gathered for subscribers is lost", "subscribers are served again")

    def call(self) -> None:
        """Schedule a flush at the end of the turn."""
        if not self._called:
            self._called = True
            self._waiting_since = time.monotonic()
            self._loop.call_soon(self.flush)

    def end(self) -> None:
        """Flush now what this call of the loop has gathered, unless others wait for the end of the turn already."""
        if not self._called:
            self.flush()

    def add(self, outbox: Queue) -> None:
        """Flush this outbox at the end of the turn."""
        self._outboxes.append(outbox)
        self.call()

    def flush(self) -> None:
        """Write what was pushed."""
        try:
            self._before()
            self._faults.succeeded()
        except Exception as error:
            # An internal fault; frames of others are written all the same.
            self._faults.failed(str(error), error)
        self._called = False
        self._waiting_since = None
        self.write()

    def write(self) -> None:
        """Write what was pushed so far, although the turn goes on."""
        outboxes, self._outboxes = self._outboxes, []
        for outbox in outboxes:
            try:
                outbox.flush()
            except Exception as error:
                # Transports raise various exceptions when their connection has just ended.
                outbox.fail(error)
        _write_faults.end_after(WRITABLE_S)

    def waiting_s(self) -> float:
        """Time for which the oldest frame has waited for the end of its turn (s); called from any thread."""
        since = self._waiting_since
        return time.monotonic() - since if since is not None else 0.0


_write_faults = FaultLog(log, "a connection is dropped: it cannot be written to", "connections can be written to")


def report_write_error(error: Exception) -> None:
    """Count and log that a connection could not be written to."""
    REALTIME_WRITE_ERRORS.inc()
    _write_faults.failed(f"{type(error).__name__}: {error}")


class Queue(Protocol):
    """What a turn flushes at its end."""

    def flush(self) -> None:
        """Write what was pushed."""

    def fail(self, error: Exception) -> None:
        """Writing has failed: close, and have the connection dropped."""


class Outlet(Protocol):
    """The outbox of one subscriber of any protocol."""

    @property
    def congested(self) -> bool:
        """Whether frames wait because the subscriber takes none."""

    def push(self, frame: bytes, /) -> None:
        """Send a frame at the end of this turn of the loop."""

    def fail(self, error: Exception, /) -> None:
        """Sending has failed: close, and have the connection dropped."""

    def on_written(self, callback: Callable[[], object], /) -> None:
        """Call back once all that was pushed so far is written; never if it is dropped."""


class Link(Protocol):
    """The connection below a session."""

    deflate: bool

    def charge(self, messages: int) -> None:
        """Count a costly message as several."""

    def hang_up(self, reason: CloseReason) -> None:
        """Send a close code and end."""

    def drop(self, reason: CloseReason = INTERNAL_ERROR) -> None:
        """End at once; ``reason`` is counted."""


def _socket_of(transport: Any) -> Any:
    """What an idle transport writes to without more ado; None where that is not a plain socket of asyncio's."""
    if not isinstance(transport, asyncio.Transport) or transport.get_extra_info("sslcontext") is not None:
        return None
    return getattr(transport.get_extra_info("socket"), "_sock", None)


class Listener(Protocol):
    """A subscriber of topics: the way to it, and the variant of the frames that it takes."""

    outbox: Outlet
    variant: tuple[Encoder, bool]

    @property
    def person(self) -> str:
        """Who has their part of what people share."""


class Outbox:
    """Frames on their way to one connection; ``on_failure`` is called where it cannot be written to."""

    __slots__ = (
        "_backlog",
        "_backlog_bytes",
        "_closed",
        "_expected",
        "_max_bytes",
        "_max_frames",
        "_offset",
        "_on_failure",
        "_on_overflow",
        "_parts",
        "_paused_at",
        "_popped",
        "_queued",
        "_receipts",
        "_socket",
        "_transport",
        "_turn",
    )

    def __init__(
        self,
        transport: Any,
        turn: Turn,
        max_frames: int,
        max_bytes: int,
        on_overflow: Callable[[], None],
        on_failure: Callable[[], None] = lambda: None,
    ) -> None:
        self._transport = transport
        self._socket = _socket_of(transport)
        self._turn = turn
        self._max_frames = max_frames
        self._max_bytes = max_bytes
        self._on_overflow = on_overflow
        self._on_failure = on_failure
        self._parts: list[bytes | memoryview] = []
        self._backlog: deque[bytes | memoryview] = NOTHING
        self._backlog_bytes = 0
        self._offset = 0  # of the first frame in the backlog
        self._paused_at: float | None = None
        self._closed = False
        self._queued = False  # for the end of the turn
        # Callbacks for what was pushed in this turn, and those for the backlog with the frame that each waits for.
        self._expected: list[Callable[[], object]] = NOTHING
        self._receipts: deque[tuple[int, Callable[[], object]]] = NOTHING
        self._popped = 0  # frames of the backlog that were written, ever

    @property
    def congested(self) -> bool:
        """Whether frames wait because the peer does not read."""
        return self._paused_at is not None or bool(self._backlog)

    @property
    def waiting_bytes(self) -> int:
        """Bytes that are neither in the kernel nor yet dropped."""
        return self._backlog_bytes - self._offset + int(self._transport.get_write_buffer_size())

    def push(self, frame: bytes) -> None:
        """Send one whole frame at the end of this turn of the loop; nothing more is taken once it is closed."""
        if self._closed:
            return
        self._parts.append(frame)
        if not self._queued:
            self._queued = True
            self._turn.add(self)

    def on_written(self, callback: Callable[[], object]) -> None:
        """Call back once all that was pushed so far is written; never if it is dropped."""
        if not self._closed:
            self._expected = self._expected or []
            self._expected.append(callback)

    def write(self, frames: Iterable[bytes | memoryview]) -> None:
        """Write without waiting for the end of the turn."""
        self._parts.extend(frames)
        self.flush()

    def flush(self) -> None:
        """Write what was pushed; called once a turn for each outbox that was given something."""
        self._queued = False
        parts, self._parts = self._parts, []
        if self._closed or not parts:
            return
        if self._transport.is_closing():
            self.discard()
            return
        if not self.congested:
            data = parts[0] if len(parts) == 1 else b"".join(parts)
            if len(data) <= PIECE_BYTES:
                self._transport.write(data)
                while self._expected:
                    self._expected.pop()()
                return
        self._backlog = self._backlog or deque()
        self._backlog.extend(parts)
        if self._expected:
            last = self._popped + len(self._backlog)
            self._receipts = self._receipts or deque()
            self._receipts.extend((last, callback) for callback in self._expected)
            self._expected = NOTHING
        self._backlog_bytes += sum(map(len, parts))
        self._drain()
        # The first frame may be a snapshot of any size; the bound is for what queues up behind it.
        if self._backlog and (
            len(self._backlog) > self._max_frames or self._backlog_bytes - len(self._backlog[0]) > self._max_bytes
        ):
            self._on_overflow()

    def pause(self) -> None:
        """The transport's buffer is full."""
        self._paused_at = time.monotonic()

    def resume(self) -> None:
        """The transport's buffer has room again."""
        self._paused_at = None
        self._drain()

    def stalled_s(self) -> float:
        """Time for which the peer has read almost nothing although data was waiting (s)."""
        return time.monotonic() - self._paused_at if self._paused_at is not None else 0.0

    def _drain(self) -> None:
        while self._backlog and self._paused_at is None and not self._closed:
            frame = self._backlog[0]
            piece = memoryview(frame)[self._offset : self._offset + PIECE_BYTES]
            self._offset += len(piece)
            if self._offset >= len(frame):
                self._backlog.popleft()
                self._backlog_bytes -= len(frame)
                self._offset = 0
                self._popped += 1
            self._transport.write(piece)
        self._backlog = self._backlog or NOTHING
        while self._receipts and self._receipts[0][0] <= self._popped:
            self._receipts.popleft()[1]()
        self._receipts = self._receipts or NOTHING

    def fail(self, error: Exception) -> None:
        """Close because of an error in writing, and have the connection dropped."""
        report_write_error(error)
        self.discard()
        self._on_failure()

    def discard(self) -> None:
        """Drop all frames: the connection has ended."""
        self._closed = True
        self._parts.clear()
        self._expected = self._receipts = self._backlog = NOTHING
        self._backlog_bytes = self._offset = 0

    def close(self) -> bool:
        """Send only the remainder of a partly written frame; False if that is too large."""
        self.flush()
        if self._transport.is_closing():
            self.discard()
            return False
        self._closed = True
        frame = self._backlog[0] if self._backlog else b""
        remainder = memoryview(frame)[self._offset :] if self._offset else memoryview(b"")
        self._receipts = self._backlog = NOTHING
        self._backlog_bytes = self._offset = 0
        if len(remainder) > FINISH_BYTES:
            return False
        if remainder:
            self._transport.write(remainder)
        return True


def spread(listeners: Iterable[Listener], frames: Mapping[tuple[Encoder, bool], bytes]) -> None:
    """Send each listener the frame of its variant: at once where nothing waits, otherwise at the end of the turn.

    All in one loop, for a call a listener would cost a good part of what the kernel takes for the frame.
    """
    variant, frame, size = None, b"", 0
    failed: list[tuple[Outlet, Exception]] = []
    for listener in listeners:
        # Most take the variant of the one before.
        if listener.variant is not variant:
            variant = listener.variant
            frame = frames[variant]
            size = len(frame)
        outbox = listener.outbox
        try:
            if (
                type(outbox) is not Outbox
                or outbox._queued
                or outbox._paused_at is not None
                or outbox._backlog
                or outbox._closed
                or outbox._socket is None
                or size > PIECE_BYTES
                or outbox._transport.get_write_buffer_size()
                or outbox._transport.is_closing()
            ):
                outbox.push(frame)
                continue
            try:
                sent = outbox._socket.send(frame)
            except OSError:
                # The kernel takes no more, or the connection is lost: the transport meets the same and handles it.
                sent = 0
            if sent != size:
                outbox._transport.write(memoryview(frame)[sent:])
        except Exception as error:
            # Transports raise various exceptions when their connection has just ended.
            failed.append((outbox, error))
    # Behind the loop: a connection that is dropped leaves those who listen.
    for outlet, reason in failed:
        outlet.fail(reason)

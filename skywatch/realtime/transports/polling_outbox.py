"""The way out to a client that polls: what is pushed waits for its next poll, and leaves as one answer.

The same bounds hold as for a socket. A client between two polls has one write waiting at most before it counts as
congested, and gets the newest state of the aircraft topics with its next poll.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from skywatch.realtime.wire.engineio import SEPARATOR
from skywatch.realtime.wire.outbox import Turn, report_write_error


class Poll(Protocol):
    """A request that waits for packets."""

    def answer_poll(self, parts: Sequence[bytes | memoryview]) -> None:
        """Send the packets."""


class PollingOutbox:
    """Packets on their way to one client, each with the separator behind it."""

    __slots__ = (
        "_bytes",
        "_closed",
        "_last_packet",
        "_max_bytes",
        "_max_packets",
        "_on_failure",
        "_on_overflow",
        "_parts",
        "_queued",
        "_receipts",
        "_turn",
        "poll",
    )

    def __init__(
        self,
        turn: Turn,
        max_packets: int,
        max_bytes: int,
        on_overflow: Callable[[], None],
        on_failure: Callable[[], None] = lambda: None,
    ) -> None:
        self._turn = turn
        self._max_packets = max_packets
        self._max_bytes = max_bytes
        self._on_overflow = on_overflow
        self._on_failure = on_failure
        self._parts: list[bytes] = []
        self._bytes = 0
        self._queued = False  # for the end of the turn
        self._closed = False
        self._last_packet = b""
        self._receipts: list[Callable[[], object]] = []
        # The request that waits for packets.
        self.poll: Poll | None = None

    @property
    def congested(self) -> bool:
        """Whether packets wait although nobody asks for them."""
        return self.poll is None and bool(self._parts)

    @property
    def is_empty(self) -> bool:
        """Whether no packet waits."""
        return not self._parts and not self._last_packet

    def push(self, frame: bytes) -> None:
        """Send packets with the poll that waits at the end of this turn of the loop, or with the next one."""
        if self._closed:
            return
        self._parts.append(frame)
        self._bytes += len(frame)
        if not self._queued:
            self._queued = True
            self._turn.add(self)

    def on_written(self, callback: Callable[[], object]) -> None:
        """Call back once all that was pushed so far has left with an answer; never if it is dropped."""
        if not self._closed:
            self._receipts.append(callback)

    def wait(self, poll: Poll) -> None:
        """A poll has come; it is answered at the end of the turn where packets wait."""
        self.poll = poll
        if not self.is_empty and not self._queued:
            self._queued = True
            self._turn.add(self)

    def flush(self) -> None:
        """Answer the poll that waits; called once a turn for each outbox that was given something."""
        self._queued = False
        poll = self.poll
        if self.is_empty:
            return
        if poll is not None:
            self.poll = None
            if self._parts:
                poll.answer_poll(without_last_separator(self.take()))
                for callback in self.take_receipts():
                    callback()
            else:
                last_packet, self._last_packet = self._last_packet, b""
                poll.answer_poll((last_packet,))
        # The first may be a snapshot of any size; the bound is for what queues up behind it.
        elif self._parts and (
            len(self._parts) > self._max_packets or self._bytes - len(self._parts[0]) > self._max_bytes
        ):
            self._on_overflow()

    def take(self) -> list[bytes]:
        """Remove and return all waiting data."""
        parts, self._parts, self._bytes = self._parts, [], 0
        return parts

    def take_receipts(self) -> list[Callable[[], object]]:
        """Hand over the callbacks for what waits, or has just left."""
        receipts, self._receipts = self._receipts, []
        return receipts

    def close(self, last_packet: bytes) -> None:
        """Take nothing more, and let the last packets leave.

        The last packet is an answer of its own: Socket.IO clients close on it before they have read packets in the same
        answer, and so would not see why they are refused.
        """
        if self._closed:
            return
        self._last_packet = last_packet
        self._closed = True
        if self.poll is not None:
            self.flush()

    def discard(self) -> None:
        """The client has gone: send nothing more, and hold nothing."""
        self._closed = True
        self._last_packet = b""
        self._receipts.clear()
        self.take()

    def fail(self, error: Exception) -> None:
        """The poll could not be answered: its connection has gone, and the packets with it."""
        report_write_error(error)
        self.discard()
        self._on_failure()


def without_last_separator(parts: list[bytes]) -> Sequence[bytes | memoryview]:
    """The body of an answer: separators stand between packets, not behind them."""
    return [*parts[:-1], memoryview(parts[-1])[: -len(SEPARATOR)]]

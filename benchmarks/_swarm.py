"""Many WebSocket subscribers in one process that cost next to nothing: they skip through frames unparsed."""

from __future__ import annotations

import asyncio
import base64
import os
import re
import time
from collections.abc import Callable

_NOW = re.compile(rb'"now":([0-9.]+)')
HEAD_BYTES = 400


def masked(payload: bytes, opcode: int = 1) -> bytes:
    """A client's frame with a mask of zeros."""
    if len(payload) < 126:
        head = bytes((0x80 | opcode, 0x80 | len(payload)))
    else:
        head = bytes((0x80 | opcode, 0x80 | 126)) + len(payload).to_bytes(2, "big")
    return head + b"\0\0\0\0" + payload


class Subscriber(asyncio.Protocol):
    """Shakes hands, sends ``greeting`` frames, then counts frames and hands the head of each to ``on_frame``."""

    def __init__(
        self, path: str, greeting: list[bytes], on_frame: Callable[[Subscriber, bytes], None], headers: str = ""
    ) -> None:
        self.path, self.greeting, self.on_frame, self.headers = path, greeting, on_frame, headers
        self.frames = self.received = 0
        self.open = asyncio.get_running_loop().create_future()
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._head = b""
        self._missing = 0
        # Of the frame whose head was handed on last.
        self.opcode = 0
        self._buffer = b""
        self._shaken = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        self.write(
            f"GET {self.path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{self.headers}\r\n".encode()
        )

    def write(self, data: bytes) -> None:
        """Send raw bytes."""
        self.transport.write(data)  # type: ignore[attr-defined]

    def connection_lost(self, error: Exception | None) -> None:
        if not self.open.done():
            self.open.set_exception(ConnectionError("refused"))
        if not self.lost.done():
            self.lost.set_result(None)

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        if not self._shaken:
            self._buffer += data
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if b" 101 " not in self._buffer[:20]:
                self.transport.close()
                return
            self._shaken = True
            data, self._buffer = self._buffer[end + 4 :], b""
            for frame in self.greeting:
                self.write(frame)
            self.open.set_result(None)
        self._skip(self._buffer + data if self._buffer else data)

    def _skip(self, data: bytes) -> None:
        self._buffer = b""
        at, end = 0, len(data)
        while at < end:
            if self._missing:
                taken = min(self._missing, end - at)
                if len(self._head) < HEAD_BYTES:
                    self._head += data[at : at + min(taken, HEAD_BYTES - len(self._head))]
                self._missing -= taken
                at += taken
            else:
                size = data[at + 1] if at + 1 < end else -1
                start = at + (2 if size < 126 else 4 if size == 126 else 10)
                if size < 0 or start > end:
                    self._buffer = data[at:]
                    return
                self._missing = size if size < 126 else int.from_bytes(data[at + 2 : start], "big")
                self.opcode, self._head = data[at] & 15, b""
                at = start
            if not self._missing:
                self.frames += 1
                if self.opcode == 9:
                    self.write(masked(b"", 10))
                else:
                    self.on_frame(self, self._head)


class Drain(asyncio.BufferedProtocol):
    """Takes over a quiet connection of a subscriber and counts the frames that come, by their headers alone.

    All share one buffer, so that nothing is allocated or copied: what is left is the system call, which keeps the
    subscribers from being what a server's throughput is measured by.
    """

    _buffer = memoryview(bytearray(1024 * 1024))

    def __init__(self, count: Callable[[int], None]) -> None:
        self._count = count
        self.received = 0
        self._missing = 0
        self._begun = b""

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        data, end = self._buffer, nbytes
        self.received += nbytes
        if self._begun:
            data = memoryview(self._begun + data[:nbytes])
            end = len(data)
            self._begun = b""
        frames, at = 0, self._missing
        if at:
            frames = at <= end
        while at < end:
            size = data[at + 1] if at + 1 < end else 127
            body = at + (2 if size < 126 else 4 if size == 126 else 10)
            if body > end:
                self._begun = bytes(data[at:end])
                at = end
                break
            at = body + (size if size < 126 else int.from_bytes(data[at + 2 : body], "big"))
            frames += at <= end
        self._missing = at - end
        if frames:
            self._count(frames)


async def connect_many(
    port: int, count: int, make: Callable[[int], Subscriber], at_once: int = 50, host: str = "127.0.0.1"
) -> list[Subscriber]:
    """Open so many connections, some at once; raises where one is refused."""
    loop = asyncio.get_running_loop()
    found: list[Subscriber] = []
    for begin in range(0, count, at_once):
        batch = [
            loop.create_connection(lambda number=number: make(number), host, port)  # type: ignore[misc]
            for number in range(begin, min(count, begin + at_once))
        ]
        opened = [protocol for _, protocol in await asyncio.gather(*batch)]
        await asyncio.gather(*(protocol.open for protocol in opened))
        found.extend(opened)
    return found


class Delays:
    """How long after its tick (``now`` in the data) each update was complete at its subscriber."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.recording = False
        self._last = 0.0

    def __call__(self, subscriber: Subscriber, head: bytes) -> None:
        self._last = time.monotonic()
        if self.recording and b'"aircraft:update"' in head:
            match = _NOW.search(head)
            if match:
                self.seconds.append(time.time() - float(match.group(1)))

    async def after_a_tick(self, quiet_s: float = 0.15, wait_s: float = 20.0) -> None:
        """Return when nothing has come for a moment; raises TimeoutError where that never happens."""
        deadline = time.monotonic() + wait_s
        while time.monotonic() - self._last < quiet_s:
            if time.monotonic() > deadline:
                raise TimeoutError("the subscribers are never up to date")
            await asyncio.sleep(0.01)

    def line(self) -> str:
        """Percentiles in milliseconds."""
        if not self.seconds:
            return "no update arrived"
        ordered = sorted(self.seconds)
        p50, p95, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * q))] * 1000 for q in (0.5, 0.95, 0.99))
        return f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms of {len(ordered):,} updates"

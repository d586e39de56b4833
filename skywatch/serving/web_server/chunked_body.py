"""``ChunkedBody``: reads a body in chunks (RFC 9112, section 7.1) strictly, with limits for size lines and trailers.

Waitress' own parser accepts a bare line feed after a chunk's size and empty lines between chunks, and buffers a size
line or trailer without limit, copying it with every piece received.
"""

from __future__ import annotations

import re
from typing import Any

from waitress.utilities import BadRequest

LINE_END = b"\r\n"
# A chunk's size with its extensions, and all trailer fields together (bytes).
MAX_SIZE_LINE = 1024
MAX_TRAILER = 8192
# Sixteen digits are 16 EiB.
_SIZE_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?")
_FIELD_LINE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*")


class ChunkedBody:
    """Replaces waitress' ``ChunkedReceiver``; ``buffer`` contains the data."""

    def __init__(self, buffer: Any) -> None:
        self.completed = False
        self.error: BadRequest | None = None
        self._buffer = buffer
        # Bytes of an incomplete line.
        self._line = bytearray()
        self._remaining = 0
        self._in_data = False
        self._in_trailer = False
        self._trailer_bytes = 0

    def __len__(self) -> int:
        return len(self._buffer)

    def received(self, data: bytes) -> int:
        """Consume what belongs to the body; returns the number of bytes consumed."""
        position = 0
        while position < len(data) and not self.completed and self.error is None:
            if self._in_data and self._remaining:
                part = data[position : position + self._remaining]
                self._buffer.append(part)
                self._remaining -= len(part)
                position += len(part)
            else:
                position = self._take_line(data, position)
        return position if self.error is None else len(data)

    def getfile(self) -> Any:
        """The data as a file."""
        return self._buffer.getfile()

    def getbuf(self) -> Any:
        """The buffer, for waitress to close."""
        return self._buffer

    def _take_line(self, data: bytes, position: int) -> int:
        end = data.find(b"\n", position)
        stop = len(data) if end < 0 else end + 1
        self._line += data[position:stop]
        longest = MAX_TRAILER - self._trailer_bytes if self._in_trailer else MAX_SIZE_LINE
        if len(self._line) > longest:
            self._fail("Trailer is too long" if self._in_trailer else "Chunk size line is too long")
        elif end >= 0:
            line = bytes(self._line)
            self._line.clear()
            if line.endswith(LINE_END):
                self._read_line(line[: -len(LINE_END)])
            else:
                self._fail("Line in chunked body does not end with CR LF")
        return stop

    def _read_line(self, line: bytes) -> None:
        if self._in_data:
            self._in_data = False
            if line:
                self._fail("Chunk not properly terminated")
        elif self._in_trailer:
            self._trailer_bytes += len(line)
            if not line:
                self.completed = True
            elif not _FIELD_LINE.fullmatch(line):
                self._fail("Invalid trailer field")
        else:
            match = _SIZE_LINE.fullmatch(line)
            if match is None:
                self._fail("Invalid chunk size")
                return
            self._remaining = int(match[1], 16)
            self._in_data = self._remaining > 0
            self._in_trailer = not self._in_data

    def _fail(self, reason: str) -> None:
        self.error = BadRequest(reason)

"""``Chunks``: reads a body in chunks (RFC 9112, section 7.1) strictly, with limits for size lines and trailers."""

from __future__ import annotations

import re
from collections.abc import Callable

from skywatch.serving.web_server.request_head import Refusal

LINE_END = b"\r\n"
# A chunk's size with its extensions, and all trailer fields together (bytes).
MAX_SIZE_LINE = 1024
MAX_TRAILER = 8192
# Sixteen digits are 16 EiB.
_SIZE_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?")
_FIELD_LINE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*")


class Chunks:
    """Gives the data of the chunks to ``append``."""

    def __init__(self, append: Callable[[bytes], object]) -> None:
        self.is_complete = False
        self._append = append
        # Bytes of an incomplete line.
        self._line = bytearray()
        self._remaining = 0
        self._in_data = False
        self._in_trailer = False
        self._trailer_bytes = 0

    def receive(self, data: bytes) -> int:
        """Take what belongs to the body; returns the number of bytes. Raises Refusal (400)."""
        position = 0
        while position < len(data) and not self.is_complete:
            if self._in_data and self._remaining:
                part = data[position : position + self._remaining]
                self._append(part)
                self._remaining -= len(part)
                position += len(part)
            else:
                position = self._take_line(data, position)
        return position

    def _take_line(self, data: bytes, position: int) -> int:
        end = data.find(b"\n", position)
        stop = len(data) if end < 0 else end + 1
        self._line += data[position:stop]
        longest = MAX_TRAILER - self._trailer_bytes if self._in_trailer else MAX_SIZE_LINE
        if len(self._line) > longest:
            raise Refusal(400, "Trailer is too long" if self._in_trailer else "Chunk size line is too long")
        if end >= 0:
            line = bytes(self._line)
            self._line.clear()
            if not line.endswith(LINE_END):
                raise Refusal(400, "Line in chunked body does not end with CR LF")
            self._read_line(line[: -len(LINE_END)])
        return stop

    def _read_line(self, line: bytes) -> None:
        if self._in_data:
            self._in_data = False
            if line:
                raise Refusal(400, "Chunk not properly terminated")
        elif self._in_trailer:
            self._trailer_bytes += len(line)
            if not line:
                self.is_complete = True
            elif not _FIELD_LINE.fullmatch(line):
                raise Refusal(400, "Invalid trailer field")
        else:
            match = _SIZE_LINE.fullmatch(line)
            if match is None:
                raise Refusal(400, "Invalid chunk size")
            self._remaining = int(match[1], 16)
            self._in_data = self._remaining > 0
            self._in_trailer = not self._in_data

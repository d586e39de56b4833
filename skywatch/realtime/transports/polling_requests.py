"""The requests of long polling: a strict reader of the part of HTTP/1.1 that Engine.IO clients use.

Hundreds of clients ask once a second each, and the head is all there is to read: a general parser (h11) takes longer
for it than everything else that a poll costs. What could be read in two ways is refused (RFC 9112). ``RequestReader``
splits what a peer sends into requests with their bodies, within bounds of size and time.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qs

_LINE = re.compile(rb"([A-Z]{1,16}) (/[!-~]*) HTTP/1\.([01])")
# Names are tokens; values have no control characters; no line is folded.
_FIELDS = re.compile(rb"(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*)*")
MAX_FIELDS = 100
MAX_PARAMETERS = 50


class BadRequest(Exception):
    """A request that cannot be read; the connection ends with ``status``."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """The head of a request; header names are lower case, fields of one name are joined by commas."""

    method: str
    path: str
    params: dict[str, list[str]]
    headers: dict[str, str] = field(repr=False)
    # Bytes of its body.
    length: int = 0
    # Whether the connection ends with the answer.
    is_last: bool = False

    @property
    def origin(self) -> str:
        """The page that it comes from; empty for programs."""
        return self.headers.get("origin", "")

    @property
    def is_websocket(self) -> bool:
        """Whether it asks for a WebSocket."""
        return self.headers.get("upgrade", "").lower() == "websocket"

    def param(self, name: str) -> str | None:
        """The last value of a parameter of the query string."""
        values = self.params.get(name)
        return values[-1] if values else None


def read_head(head: bytes) -> Request:
    """Read a head without the empty line at its end; raises BadRequest."""
    first, _, _ = head.partition(b"\r\n")
    line = _LINE.fullmatch(first)
    if line is None:
        raise BadRequest(400, "The request line is invalid.")
    rest = head[len(first) :]
    if _FIELDS.fullmatch(rest) is None:
        raise BadRequest(400, "A header field is invalid.")
    fields = rest.decode("latin-1").split("\r\n")[1:]
    if len(fields) > MAX_FIELDS:
        raise BadRequest(431, "There are too many header fields.")
    headers: dict[str, str] = {}
    for text in fields:
        name, _, value = text.partition(":")
        name, value = name.lower(), value.strip(" \t")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    method, target, minor = line[1].decode(), line[2].decode(), line[3]
    path, _, query = target.partition("?")
    try:
        params = parse_qs(query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise BadRequest(400, "There are too many parameters.") from None
    return Request(method, path, params, headers, _length(method, minor, headers), _is_last(minor, headers))


def _length(method: str, minor: bytes, headers: dict[str, str]) -> int:
    host = headers.get("host")
    if (host is None and minor == b"1") or "," in (host or ""):
        raise BadRequest(400, "Host is missing or given twice.")
    if "transfer-encoding" in headers:
        raise BadRequest(411 if "content-length" not in headers else 400, "The body needs a Content-Length.")
    length = headers.get("content-length")
    if length is None:
        if method == "POST":
            raise BadRequest(411, "The body needs a Content-Length.")
        return 0
    # Two of them arrive as one, with a comma between.
    if not (length.isascii() and length.isdigit() and len(length) <= 18):
        raise BadRequest(400, "Content-Length is invalid or given twice.")
    return int(length)


def _is_last(minor: bytes, headers: dict[str, str]) -> bool:
    options = headers.get("connection", "").lower()
    return "close" in options or (minor == b"0" and "keep-alive" not in options)


MAX_HEAD_BYTES = 16 * 1024
# From the first byte of a request to its last.
REQUEST_S = 10.0


class RequestReader:
    """The requests of one connection; ``on_continue`` is called where a client waits to be asked for its body."""

    __slots__ = ("_began_at", "_buffer", "_max_body_bytes", "_on_continue", "_request", "active_at")

    def __init__(self, max_body_bytes: int, on_continue: Callable[[], object]) -> None:
        self._max_body_bytes = max_body_bytes
        self._on_continue = on_continue
        self._buffer = bytearray()
        self._began_at = self.active_at = time.monotonic()
        # The one whose body is not complete.
        self._request: Request | None = None

    def put(self, data: bytes) -> bool:
        """Add what was received; False if it is more than a request may have."""
        self.active_at = time.monotonic()
        if not self._buffer:
            self._began_at = self.active_at
        self._buffer += data
        return len(self._buffer) <= MAX_HEAD_BYTES + self._max_body_bytes

    def next(self) -> tuple[Request, bytes] | None:
        """The next request with its body; None if it is not complete. Raises BadRequest.

        One that asks for a WebSocket stays in the buffer: ``take_rest`` returns it.
        """
        if self._request is None:
            request = self._read_head()
            if request is None or request.is_websocket:
                return None if request is None else (request, b"")
            self._request = request
        request, length = self._request, self._request.length
        if len(self._buffer) < length:
            return None
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._request = None
        return request, body

    def _read_head(self) -> Request | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0 and len(self._buffer) <= MAX_HEAD_BYTES:
            return None
        if not 0 <= end <= MAX_HEAD_BYTES:
            raise BadRequest(431, "The head of the request is too large.")
        request = read_head(bytes(self._buffer[:end]))
        if request.is_websocket:
            return request
        del self._buffer[: end + 4]
        if request.length > self._max_body_bytes:
            raise BadRequest(413, f"A body has at most {self._max_body_bytes} bytes.")
        if request.headers.get("expect", "").lower() == "100-continue":
            self._on_continue()
        return request

    def restart(self) -> None:
        """The request before was answered: the time of the next one begins."""
        self._began_at = time.monotonic()

    def take_rest(self) -> bytes:
        """What was received and not read; nothing is left."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        return rest

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits to be read."""
        return not self._buffer

    def is_overdue(self, now: float) -> bool:
        """Whether a request that has begun takes too long to arrive."""
        return bool(self._buffer or self._request) and now - self._began_at > REQUEST_S

"""The requests of long polling: a strict reader of the part of HTTP/1.1 that Engine.IO clients use.

Hundreds of clients ask once a second each, and the head is all there is to read: a general parser (h11) takes longer
for it than everything else that a poll costs. What could be read in two ways is refused (RFC 9112).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qs

_LINE = re.compile(rb"([A-Z]{1,16}) (/[!-~]*) HTTP/1\.([01])")
# Names are tokens; values have no control characters; no line is folded.
_FIELDS = re.compile(rb"(?:\r\n[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*)*")
MAXIMUM_FIELDS = 100
MAXIMUM_PARAMETERS = 50


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
    if len(fields) > MAXIMUM_FIELDS:
        raise BadRequest(431, "There are too many header fields.")
    headers: dict[str, str] = {}
    for text in fields:
        name, _, value = text.partition(":")
        name, value = name.lower(), value.strip(" \t")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    method, target, minor = line[1].decode(), line[2].decode(), line[3]
    path, _, query = target.partition("?")
    try:
        params = parse_qs(query, keep_blank_values=True, max_num_fields=MAXIMUM_PARAMETERS)
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

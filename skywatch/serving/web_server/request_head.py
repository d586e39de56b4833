"""``RequestHead``: request line and header fields, read strictly where a proxy in front could read them differently.

Two different readings of one connection allow request smuggling. So whatever RFC 9112 allows a server to reject is
rejected: 400, and the connection is closed. What is accepted here waitress accepts as well.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes, urlsplit

END = b"\r\n\r\n"
# A registered name, an IPv4 or an IPv6 address, perhaps with a port (RFC 3986, 3.2.2); empty is allowed.
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?")
# Each takes linear time. Waitress' own expressions take quadratic time in runs of blanks and more for a malformed
# request line: minutes for 32 KiB, in the one loop.
_REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Z-]+) ([\x21-\x7e]+) HTTP/(1\.[01])")
_FIELDS = re.compile(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*")
_BLANKS = re.compile(rb"[ \t]{33}")
# Waitress drops fields with underscores, but another program may treat them like hyphens.
_LOOKALIKES = ("content_length", "transfer_encoding")
_FIELD = re.compile(
    rb"^(host|connection|expect|content[-_]length|transfer[-_]encoding|content-type|x-forwarded-for|authorization|"
    rb"x-api-key|cookie):[ \t]*([^\r]*)",
    re.IGNORECASE | re.MULTILINE,
)
_FRAMING = re.compile(rb"^(?:content-length|transfer-encoding|expect):[^\r]*\r\n", re.IGNORECASE | re.MULTILINE)
_CONNECTION = re.compile(rb"^connection:[^\r]*\r\n", re.IGNORECASE | re.MULTILINE)
# No valid length has more digits, and Python refuses to parse thousands of them.
_LENGTH = re.compile(r"[0-9]{1,18}")
_REASONS = {
    400: "Bad Request",
    413: "Request Entity Too Large",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
}


class Refusal(Exception):
    """Why a request is not answered by the application."""

    def __init__(self, status: int, text: str, retry_after_s: int | None = None) -> None:
        super().__init__(text)
        self.status, self.reason, self.text = status, _REASONS[status], text
        self.retry_after_s = retry_after_s


class RequestHead:
    """The head of one request with the empty line at its end; raises Refusal (400, 431, 501)."""

    def __init__(self, head: bytes, max_fields: int) -> None:
        line, _, fields = head.partition(b"\r\n")
        if fields.count(b"\r\n") - 1 > max_fields:
            raise Refusal(431, f"more than {max_fields} header fields")
        match = _REQUEST_LINE.fullmatch(line)
        if match is None:
            raise Refusal(400, "Start line is invalid")
        if not _FIELDS.fullmatch(fields, 0, len(fields) - 2):
            raise Refusal(400, "Invalid header")
        if _BLANKS.search(head):
            raise Refusal(400, "Header field has too many blanks in a row")
        self._line, self._fields = line, fields
        self.method, self.target, self.version = (part.decode("ascii") for part in match.groups())
        self._known: dict[str, list[str]] = {}
        for name, value in _FIELD.findall(fields):
            self._known.setdefault(name.decode("ascii").lower(), []).append(value.rstrip(b" \t").decode("latin-1"))
        self._check_target()
        self._check_host()
        self.is_chunked = self._reads_chunks()
        self.content_length = 0 if self.is_chunked else self._read_length()

    def field(self, name: str) -> str:
        """The value of a field that matters here, in lower case; empty where it is missing."""
        return ", ".join(self._known.get(name, ()))

    @property
    def path(self) -> str:
        """The path as the application sees it."""
        path = self.target.partition("?")[0] if self.target.startswith("/") else urlsplit(self.target).path
        return unquote_to_bytes(path.partition("#")[0]).decode("latin-1")

    @property
    def has_body(self) -> bool:
        """Whether a body follows."""
        return self.is_chunked or self.content_length > 0

    @property
    def expects_continue(self) -> bool:
        """Whether the client waits for 100 Continue before it sends the body."""
        return self.has_body and self.version == "1.1" and self.field("expect").lower() == "100-continue"

    @property
    def closes(self) -> bool:
        """Whether the client wants the connection to end with the answer."""
        connection = self.field("connection").lower()
        return connection != "keep-alive" if self.version == "1.0" else connection == "close"

    def has_credentials(self) -> bool:
        """Whether the sender says who they are."""
        return any(name in self._known for name in ("authorization", "x-api-key", "cookie"))

    def bytes(self, *, closes: bool) -> bytes:
        """The head of the same request without its body; with ``closes`` the connection ends with the answer."""
        fields = self._fields
        if self.has_body or "expect" in self._known:
            fields = _FRAMING.sub(b"", fields)
        if closes:
            fields = b"Connection: close\r\n" + _CONNECTION.sub(b"", fields)
        return self._line + b"\r\n" + fields

    def _check_target(self) -> None:
        try:
            if not self.target.startswith("/"):
                urlsplit(self.target)
        except ValueError:
            raise Refusal(400, "Bad URI") from None

    def _check_host(self) -> None:
        hosts = self._known.get("host", ())
        if not hosts and self.version == "1.1":
            raise Refusal(400, "Host is missing")
        if len(hosts) > 1 or not all(HOST.fullmatch(host) for host in hosts):
            raise Refusal(400, "Host is invalid or given more than once")

    def _reads_chunks(self) -> bool:
        """Whether the body comes in chunks: in version 1.1, without a length, and by one list of codings."""
        if any(name in self._known for name in _LOOKALIKES):
            raise Refusal(400, "Header field name has an underscore")
        encodings = self._known.get("transfer-encoding", ())
        if not encodings:
            return False
        if self.version != "1.1":
            # RFC 9112, 6.1: faulty framing, also without a Content-Length.
            raise Refusal(400, "Transfer-Encoding needs HTTP/1.1")
        if "content-length" in self._known:
            # A proxy may use the other one, and parse the end of this body as a request.
            raise Refusal(400, "Content-Length and Transfer-Encoding cannot be combined")
        codings = [coding.strip(" \t").lower() for coding in encodings[0].split(",")]
        if len(encodings) > 1 or "" in codings or codings.count("chunked") > 1:
            raise Refusal(400, "Transfer-Encoding is empty or given more than once")
        if codings != ["chunked"]:
            raise Refusal(501, "Transfer-Encoding requested is not supported")
        return True

    def _read_length(self) -> int:
        lengths = self._known.get("content-length", ())
        if not lengths:
            return 0
        if len(lengths) > 1 or not _LENGTH.fullmatch(lengths[0]):
            raise Refusal(400, "Content-Length is invalid or given more than once")
        return int(lengths[0])

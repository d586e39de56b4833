"""``RequestParser``: waitress' parser, strict where a proxy in front could interpret a request differently.

Two different interpretations of one connection allow request smuggling. So whatever RFC 9112 allows a server to
reject is rejected: 400, and the connection is closed.
"""

from __future__ import annotations

import re
from typing import Any

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.receiver import FixedStreamReceiver
from waitress.utilities import RequestHeaderFieldsTooLarge

from skywatch.http.limits.admission import Admission
from skywatch.serving.web_server.chunked_body import ChunkedBody
from skywatch.serving.web_server.incoming_body import IncomingBody
from skywatch.serving.web_server.responses import Refusal

VERSIONS = ("1.0", "1.1")
# A registered name, an IPv4 or an IPv6 address, perhaps with a port (RFC 3986, 3.2.2); empty is allowed.
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?")
# Waitress' regular expressions take quadratic time in runs of blanks and more for a malformed request line: minutes for
# 32 KiB, in the one loop. So both are checked before, in linear time.
_REQUEST_LINE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+ [^ ]+ HTTP/[0-9]\.[0-9]")
_BLANKS = re.compile(rb"[ \t]{33}")
# In a head in lower case. Waitress drops fields with underscores, but another program may treat them like hyphens.
_LOOKALIKES = re.compile(rb"\r\n(?:content_length|transfer_encoding)[ \t]*:")
_TRANSFER_ENCODINGS = re.compile(rb"\r\ntransfer-encoding:([^\r\n]*)(?=\r\n)")
_CONTENT_LENGTHS = re.compile(rb"\r\ncontent-length:([^\r\n]*)(?=\r\n)")
# No valid length has more digits, and Python refuses to parse thousands of them.
_LENGTH = re.compile(rb"[0-9]{1,18}")


class RequestParser(HTTPRequestParser):
    """Rejects ambiguous requests, and enforces the limits of heads and bodies before they are read.

    ``adj`` has more attributes than waitress' adjustments: ``max_header_fields``, ``body_limits``, and
    ``larger_bodies`` with the adjustments of paths with a larger limit.
    """

    adj: Any
    body_rcv: Any
    completed: bool
    # The address that the connection comes from; set by the connection.
    peer = ""
    body: IncomingBody | None = None
    # Set once the application was asked about the body, and its answer where it refused.
    admission: Admission | None = None
    refusal: Refusal | None = None
    _has_too_many_fields = False

    @property
    def needs_admission(self) -> bool:
        """Whether no more may be read before the application has admitted the body."""
        return self.body is not None and self.body.needs_admission and not self.completed

    def received(self, data: bytes) -> int:
        """Consume what belongs to this request; returns the number of bytes consumed."""
        size: int = super().received(data)
        if self._has_too_many_fields:
            self.error = RequestHeaderFieldsTooLarge(f"more than {self.adj.max_header_fields} header fields")
        if self.body is not None and not self.completed:
            error = self.body.check()
            if error is not None:
                self.error, self.completed = error, True
        if self.completed:
            # Rejected, or without a body: after 100 Continue the client would wait indefinitely.
            self.expect_continue = False
        return size

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the head; raises ParsingError (400)."""
        self._check_form(header_plus)
        super().parse_header(header_plus)
        if self.version not in VERSIONS:
            raise ParsingError("HTTP version is not 1.0 or 1.1")
        self._check_host()
        if self.body_rcv is not None:
            self._receive_body()
        for prefix, adjustments in self.adj.larger_bodies:
            if self.path.startswith(prefix):
                self.adj = adjustments

    def close(self) -> None:
        """Called when the request is answered: free what its body takes."""
        super().close()
        if self.body is not None:
            self.body.release()

    def _receive_body(self) -> None:
        limits = self.adj.body_limits
        network = limits.network_of(self.peer, self.headers.get("X_FORWARDED_FOR"))
        content_type = self.headers.get("CONTENT_TYPE", "")
        self.body = IncomingBody(limits, network, self.path, content_type, self.content_length)
        buffer = self.body.buffer
        self.body_rcv = ChunkedBody(buffer) if self.chunked else FixedStreamReceiver(self.content_length, buffer)

    def _check_form(self, head: bytes) -> None:
        """The checks that must precede waitress' joining and dropping of fields."""
        # The request line is not a field; the empty line at the end is none either.
        fields = head.rstrip(b"\r\n").count(b"\r\n")
        if fields > self.adj.max_header_fields:
            self._has_too_many_fields = True
            raise ParsingError("Too many header fields")
        if not _REQUEST_LINE.fullmatch(head.partition(b"\r\n")[0]):
            raise ParsingError("Start line is invalid")
        if _BLANKS.search(head):
            raise ParsingError("Header field has too many blanks in a row")
        if b"\r\n " in head or b"\r\n\t" in head:
            raise ParsingError("Header field is folded")
        lowered = head.lower()
        if b"_" in head and _LOOKALIKES.search(lowered):
            raise ParsingError("Header field name has an underscore")
        # Most requests have no body and need no search.
        encodings = _TRANSFER_ENCODINGS.findall(lowered) if b"transfer-encoding" in lowered else []
        lengths = _CONTENT_LENGTHS.findall(lowered) if b"content-length" in lowered else []
        if encodings:
            _check_transfer_encoding(head, encodings, lengths)
        elif lengths and (len(lengths) > 1 or not _LENGTH.fullmatch(lengths[0].strip(b" \t"))):
            raise ParsingError("Content-Length is invalid or given more than once")

    def _check_host(self) -> None:
        host = self.headers.get("HOST")
        if host is None and self.version == "1.1":
            raise ParsingError("Host is missing")
        if host is not None and not HOST.fullmatch(host):
            # Two of them arrive as one, with a comma and a space between (RFC 9112, 3.2).
            raise ParsingError("Host is invalid or given more than once")


def _check_transfer_encoding(head: bytes, encodings: list[bytes], lengths: list[bytes]) -> None:
    """Raises ParsingError unless the request is of version 1.1, has no length and one list of codings."""
    if not head.partition(b"\r\n")[0].endswith(b" HTTP/1.1"):
        # RFC 9112, 6.1: faulty framing, also without a Content-Length.
        raise ParsingError("Transfer-Encoding needs HTTP/1.1")
    if lengths:
        # A proxy may use the other one, and parse the end of this body as a request.
        raise ParsingError("Content-Length and Transfer-Encoding cannot be combined")
    codings = [coding.strip(b" \t") for coding in encodings[0].split(b",")]
    if len(encodings) > 1 or b"" in codings or codings.count(b"chunked") > 1:
        raise ParsingError("Transfer-Encoding is empty or given more than once")

"""Writes responses: heads without overhead, and protocol errors as ``application/problem+json``."""

from __future__ import annotations

import io
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.task import ErrorTask, Task, WSGITask

from skywatch.core.problems import Problem
from skywatch.http.limits.admission import ADMISSION, Admission
from skywatch.http.limits.streams import CONNECTION

# Headers that waitress uses for framing and keep-alive, or sets itself.
FRAMING = frozenset({"connection", "content-length", "date", "server", "transfer-encoding"})
LINE_END = b"\r\n"

OVER_EVERY_LIMIT = 2**62
# Webob copies bodies that it must not seek in: beyond 10 kB to a file, which is closed when the request is collected.
BODY_SEEKABLE = "webob.is_body_seekable"

_CODES = {413: "payload_too_large", 429: "rate_limited", 431: "headers_too_large", 500: "internal_error"}


@dataclass(frozen=True)
class Refusal:
    """The application's answer to a request whose body it does not admit."""

    status: str
    headers: list[tuple[str, str]]
    body: bytes


def error_task(channel: HTTPChannel, request: HTTPRequestParser) -> Task:
    """What answers a request that waitress refuses: browsers get the application's page of a body that is too large."""
    is_browser = "text/html" in request.headers.get("ACCEPT", "").lower()
    if request.error.code == 413 and is_browser and request.path:
        return TooLargeTask(channel, request)
    return ProblemTask(channel, request)


class ProblemTask(ErrorTask):
    """Answers requests that waitress cannot parse with ``application/problem+json``."""

    def execute(self) -> None:
        """Send the problem and close the connection."""
        error = self.request.error
        problem = Problem(_CODES.get(error.code, "malformed_body"), f"{error.reason}: {error.body}.")
        request_id = f"{random.getrandbits(64):016x}"
        document = problem.as_dict(request_id) | {"title": error.reason, "status": error.code}
        if error.code >= 500:
            document["detail"] = f"{error.reason}."
        body = msgspec.json.encode(document)
        self.status = f"{error.code} {error.reason}"
        self.response_headers.extend(
            [
                ("Content-Type", "application/problem+json"),
                ("Cache-Control", "no-store"),
                ("X-Content-Type-Options", "nosniff"),
                ("X-Request-ID", request_id),
            ]
        )
        if retry_after_s := getattr(error, "retry_after_s", None):
            self.response_headers.append(("Retry-After", str(retry_after_s)))
        # The version of an unread head is unknown; the response carries that of the server (RFC 9110, 2.5).
        self.version = "1.1"
        self.set_close_on_finish()
        self.content_length = len(body)
        # A request that could not be parsed may have no method.
        self.write(b"" if getattr(self.request, "command", "") == "HEAD" else body)


class ResponseTask(WSGITask):
    """Answers a request, and sends the end of the response in the worker thread."""

    response_headers: list[tuple[str, str]]
    wrote_header: bool
    chunked_response: bool

    def get_environment(self) -> dict[str, Any]:
        """The environment of the request, with its admission where its body needed one."""
        environ: dict[str, Any] = super().get_environment()
        environ[CONNECTION] = self.channel
        # A body has been received whole, into a buffer that is closed with the response.
        environ[BODY_SEEKABLE] = True
        if self.request.admission is not None:
            environ[ADMISSION] = self.request.admission
        return environ

    def execute(self) -> None:
        """Answer the request, or send the refusal of its body and close the connection."""
        refusal: Refusal | None = self.request.refusal
        if refusal is None:
            super().execute()
            return
        self.set_close_on_finish()
        # What start_response does.
        self.complete = True
        self.status = refusal.status
        self.response_headers.extend(refusal.headers)
        self.content_length = len(refusal.body)
        self.write(b"" if self.request.command == "HEAD" else refusal.body)

    def ask(self, admission: Admission) -> Refusal:
        """Send the request through the application without its body; the answer counts unless it was admitted."""
        self.request.admission = admission
        head: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], error: Any = None) -> None:
            head[:] = status, headers

        # Whoever reads the body now is told that it is not complete.
        environ = {**self.get_environment(), "wsgi.input": io.BytesIO(), BODY_SEEKABLE: False}
        pieces: Iterable[bytes] = self.channel.server.application(environ, start_response)
        try:
            body = b"".join(pieces)
        finally:
            if hasattr(pieces, "close"):
                pieces.close()
        return Refusal(head[0], head[1], body)

    def set_close_on_finish(self) -> None:
        """Close the connection after the response, unless it cannot have a body (204, 304)."""
        if self.has_body or self.version != "1.1" or self.request.headers.get("CONNECTION", "").lower() == "close":
            super().set_close_on_finish()

    def build_response_header(self) -> bytes:
        """The head of the response: waitress sets the framing headers; the others are sent unchanged.

        Waitress splits, capitalises and sorts all names: a fifteenth of the cost of a request.
        """
        framing, lines = [], ""
        for header in self.response_headers:
            if header[0].lower() in FRAMING:
                framing.append(header)
            else:
                lines += f"{header[0]}: {header[1]}\r\n"
        self.response_headers = framing
        head: bytes = super().build_response_header()
        return head[: -len(LINE_END)] + lines.encode("latin-1") + LINE_END

    def write(self, data: bytes) -> None:
        """Send or buffer a part of the response; what is complete with its first part leaves together with the head."""
        if self.wrote_header or not self.complete:
            super().write(data)
            return
        head = self.build_response_header()
        self.wrote_header = True
        if data and self.has_body and not self.chunked_response and len(data) == self.content_length:
            self.content_bytes_written = len(data)
            self.channel.write_whole(head, data)
        else:
            self.channel.write_soon(head)
            super().write(data)

    def finish(self) -> None:
        """Send what is still buffered."""
        if self.request.command == "HEAD":
            if not self.wrote_header:
                self.write(b"")
            # Not even the end mark of a body follows.
            self.chunked_response = False
        super().finish()
        self.channel.send_waiting()


class TooLargeTask(ResponseTask):
    """Lets the application refuse a body that was not read, in the form of the address, and closes the connection."""

    def get_environment(self) -> dict[str, Any]:
        """The request with an empty body whose length is over every limit, whatever its head says."""
        environ: dict[str, Any] = super().get_environment()
        environ.update({"CONTENT_LENGTH": str(OVER_EVERY_LIMIT), "wsgi.input": io.BytesIO()})
        return environ

    def execute(self) -> None:
        """Answer by the application."""
        self.close_on_finish = True
        super().execute()

    def build_response_header(self) -> bytes:
        """The head, which announces the end of the connection."""
        self.set_close_on_finish()
        return super().build_response_header()

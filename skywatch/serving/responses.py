"""How answers are written: heads without detours, and protocol errors as ``application/problem+json``."""

from __future__ import annotations

import random

import msgspec
from waitress.task import ErrorTask, WSGITask

from skywatch.core.problems import Problem

# Headers by which waitress tells how an answer ends and whether the connection goes on, or adds its own.
FRAMING = frozenset({"connection", "content-length", "date", "server", "transfer-encoding"})
LINE_END = b"\r\n"

_CODES = {413: "payload_too_large", 431: "headers_too_large", 500: "internal_error"}


class ProblemTask(ErrorTask):
    """Answers what waitress cannot parse as ``application/problem+json``."""

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
        # Of a head that was not read the version is not known; an answer carries that of the server (RFC 9110, 2.5).
        self.version = "1.1"
        self.set_close_on_finish()
        self.content_length = len(body)
        # What could not be parsed may have no method.
        self.write(b"" if getattr(self.request, "command", "") == "HEAD" else body)


class ResponseTask(WSGITask):
    """Answers a request, and sends the end of the answer from the thread that made it."""

    response_headers: list[tuple[str, str]]

    def set_close_on_finish(self) -> None:
        """Close the connection after the answer, unless it has no body and so ends by itself (204, 304)."""
        if self.has_body or self.version != "1.1" or self.request.headers.get("CONNECTION", "").lower() == "close":
            super().set_close_on_finish()

    def build_response_header(self) -> bytes:
        """The head of the answer: waitress frames it, and the other headers go as the application wrote them.

        Waitress takes every name apart, puts it together again and sorts them: a fifteenth of the cost of a request.
        """
        others = [header for header in self.response_headers if header[0].lower() not in FRAMING]
        self.response_headers = [header for header in self.response_headers if header[0].lower() in FRAMING]
        head: bytes = super().build_response_header()
        lines = "".join([f"{name}: {value}\r\n" for name, value in others])
        return head[: -len(LINE_END)] + lines.encode("latin-1") + LINE_END

    def finish(self) -> None:
        """Send what still waits for more."""
        if self.request.command == "HEAD":
            if not self.wrote_header:
                self.write(b"")
            # Not even the end mark of a body follows.
            self.chunked_response = False
        super().finish()
        self.channel.send_waiting()

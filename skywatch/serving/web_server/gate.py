"""``Gate``: the WSGI middleware between the web server and the application.

It brings the body that was received, asks the application about bodies that were not, and answers errors of the
protocol and of the application by ``application/problem+json``.
"""

from __future__ import annotations

import io
import logging
import random
import sys
from collections.abc import Iterable
from typing import Any

import msgspec

from skywatch.core.problems import Problem
from skywatch.http.limits.admission import ADMISSION, Admission
from skywatch.http.limits.streams import CONNECTION
from skywatch.sentences import sentence
from skywatch.serving.web_server.client_socket import Asked, ClientSocket
from skywatch.serving.web_server.http_channel import ASKED
from skywatch.serving.web_server.incoming_body import IncomingBody
from skywatch.serving.web_server.request_head import Refusal, RequestHead

log = logging.getLogger(__name__)
OVER_EVERY_LIMIT = 2**62
# Webob copies bodies that it must not seek in: beyond 10 kB to a file, which is closed when the request is collected.
BODY_SEEKABLE = "webob.is_body_seekable"
# A larger response is sent in place: waitress would copy it for each client that reads slowly (bytes).
LARGE_BYTES = 65_536
CONTINUE = "100 Continue"
_CODES = {413: "payload_too_large", 429: "rate_limited", 431: "headers_too_large", 500: "internal_error"}


class Gate:
    """Calls ``application``, which may be exchanged."""

    def __init__(self, application: Any) -> None:
        self.application = application

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer one request."""
        asked: Asked = environ[ASKED]
        client: ClientSocket = environ[CONNECTION]
        environ["waitress.client_disconnected"] = client.check_client_disconnected
        if asked.refusal is not None:
            return self._refuse(asked, asked.refusal, environ, start_response)
        try:
            if asked.is_question:
                return self._answer_question(client, asked, environ, start_response)
            environ[BODY_SEEKABLE] = True
            if asked.incoming.body is not None:
                _bring(asked.incoming.body, environ)
            if asked.incoming.admission is not None:
                environ[ADMISSION] = asked.incoming.admission
            pieces = self.application(environ, start_response)
            return [] if asked.is_head and isinstance(pieces, list) else _in_place(environ, pieces)
        except Exception:
            log.exception("the application failed on %s", environ["PATH_INFO"])
            return _problem(Refusal(500, "the application failed"), environ, start_response, sys.exc_info())

    def _refuse(self, asked: Asked, refusal: Refusal, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Browsers get the application's page of a body that is too large, in the form of its address."""
        is_browser = "text/html" in environ.get("HTTP_ACCEPT", "").lower()
        if refusal.status == 413 and is_browser:
            environ.update({"CONTENT_LENGTH": str(OVER_EVERY_LIMIT), "wsgi.input": io.BytesIO()})
            answer: Iterable[bytes] = self.application(environ, start_response)
            return answer
        return _problem(refusal, environ, start_response)

    def _answer_question(
        self, client: ClientSocket, asked: Asked, environ: dict[str, Any], start_response: Any
    ) -> Iterable[bytes]:
        """Let the client send its body, or send what the application answers without it."""
        incoming = asked.incoming
        assert incoming.head is not None
        assert incoming.body is not None
        if incoming.body.needs_admission:
            incoming.admission = Admission(incoming.body.form_value, incoming.body.admit)
            status, headers, body = self._ask(incoming.admission, incoming.head, environ)
            if not incoming.admission.is_granted:
                start_response(status, headers)
                return [] if asked.is_head else [body]
        client.go_on(asked)
        start_response(CONTINUE, [])
        return []

    def _ask(
        self, admission: Admission, head: RequestHead, environ: dict[str, Any]
    ) -> tuple[str, list[tuple[str, str]], bytes]:
        """Send the request through the application without its body; the answer counts unless it was admitted."""
        answer: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], error: Any = None) -> None:
            answer[:] = status, headers

        # Whoever reads the body now is told that it is not complete.
        environ = {**environ, ADMISSION: admission, "wsgi.input": io.BytesIO(), BODY_SEEKABLE: False}
        if not head.is_chunked:
            environ["CONTENT_LENGTH"] = str(head.content_length)
        pieces: Any = self.application(environ, start_response)
        try:
            body = b"".join(pieces)
        finally:
            if hasattr(pieces, "close"):
                pieces.close()
        return answer[0], answer[1], body


def _bring(body: IncomingBody, environ: dict[str, Any]) -> None:
    body.file.seek(0)
    environ.update({"CONTENT_LENGTH": str(body.size), "wsgi.input": body.file})


def _in_place(environ: dict[str, Any], pieces: Iterable[bytes]) -> Iterable[bytes]:
    """A response, which waitress reads where it is if it is large: many connections share the bytes of one."""
    if type(pieces) is list and len(pieces) == 1 and len(pieces[0]) >= LARGE_BYTES:
        shared: Iterable[bytes] = environ["wsgi.file_wrapper"](io.BytesIO(pieces[0]))
        return shared
    return pieces


def _problem(refusal: Refusal, environ: dict[str, Any], start_response: Any, error: Any = None) -> list[bytes]:
    detail = (
        sentence("http.refused", "{reason}: {text}.", reason=refusal.reason, text=refusal.text)
        if refusal.status < 500
        else sentence("http.failed", "{reason}.", reason=refusal.reason)
    )
    problem = Problem(_CODES.get(refusal.status, "malformed_body"), detail)
    request_id = f"{random.getrandbits(64):016x}"
    document = problem.as_dict(request_id) | {"title": refusal.reason, "status": refusal.status}
    body = msgspec.json.encode(document)
    headers = [
        ("Content-Type", "application/problem+json"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Request-ID", request_id),
    ]
    if refusal.retry_after_s:
        headers.append(("Retry-After", str(refusal.retry_after_s)))
    start_response(f"{refusal.status} {refusal.reason}", headers, error)
    return [] if environ.get("REQUEST_METHOD") == "HEAD" else [body]

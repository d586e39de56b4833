"""What the answers of long polling look like: Engine.IO's errors, headers, and which pages may read them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from skywatch.realtime.transports.handshake import Rules
from skywatch.realtime.transports.polling_requests import Request

TEXT, JSON = b"text/plain; charset=UTF-8", b"application/json"
PREFLIGHT_MAX_AGE_S = 600
_REFLECTABLE = re.compile(r"[!-~]{1,256}")
_REASONS = {status.value: status.phrase.encode() for status in HTTPStatus}


@dataclass(frozen=True)
class EngineError:
    """An error as the server of Engine.IO words it: ``{"code", "message"}``."""

    code: int
    message: str
    status: int = 400

    @property
    def body(self) -> bytes:
        """The JSON."""
        return msgspec.json.encode({"code": self.code, "message": self.message})


# Source: github.com/socketio/engine.io, Server.errors.
UNKNOWN_TRANSPORT = EngineError(0, "Transport unknown")
UNKNOWN_SID = EngineError(1, "Session ID unknown")
BAD_HANDSHAKE_METHOD = EngineError(2, "Bad handshake method")
BAD_REQUEST = EngineError(3, "Bad request")
UNSUPPORTED_VERSION = EngineError(5, "Unsupported protocol version")
TOO_MANY = EngineError(4, "Too many connections", 429)
TOO_MANY_REQUESTS = EngineError(4, "Too many requests", 429)
RESTARTING = EngineError(4, "The service is restarting", 503)


def page_headers(request: Request, rules: Rules) -> bytes:
    """The headers that let a page read an answer (CORS).

    A page of an origin that is not allowed may read that it is refused: all it ever gets is that, and nothing that
    belongs to a user. Cookies count for the origins that may come by cookie alone.
    """
    origin = request.origin
    if not _REFLECTABLE.fullmatch(origin):
        return b"Vary: Origin\r\n"
    headers = b"Vary: Origin\r\nAccess-Control-Allow-Origin: %b\r\n" % origin.encode()
    if rules.origins.may_connect_by_cookie(origin, request.headers.get("host", "")):
        headers += b"Access-Control-Allow-Credentials: true\r\n"
    if request.method == "OPTIONS":
        headers += (
            b"Access-Control-Allow-Methods: GET, POST\r\n"
            b"Access-Control-Allow-Headers: Authorization, Content-Type, X-API-Key\r\n"
            b"Access-Control-Max-Age: %d\r\n" % PREFLIGHT_MAX_AGE_S
        )
    return headers


def answer_head(status: int, media_type: bytes, length: int, headers: bytes, *, is_last: bool) -> bytes:
    """Status line and header fields with the empty line at their end."""
    return (
        b"HTTP/1.1 %d %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n"
        b"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n%b%b\r\n"
    ) % (status, _REASONS[status], media_type, length, b"Connection: close\r\n" if is_last else b"", headers)

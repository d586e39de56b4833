"""What the next page shall say: a line that travels in a signed cookie from a change to the page after it."""

from __future__ import annotations

from typing import Any

from pyramid.response import Response
from webob.cookies import SignedSerializer

from skywatch.console.sessions.session import secret_of, set_cookie
from skywatch.http.requests.request import Request

COOKIE = "skywatch_console_note"
LIFETIME_S = 60
MAX_LENGTH = 300


def flash(request: Request, response: Response, text: str) -> None:
    """Have the next page say a line."""
    value = _signer(request).dumps(text[:MAX_LENGTH]).decode("ascii")
    set_cookie(request, response, COOKIE, value, max_age_s=LIFETIME_S)


def take(request: Request) -> str | None:
    """The message of the page before, shown once."""
    value = request.cookies.get(COOKIE)
    if not value:
        return None
    set_cookie(request, request.response, COOKIE, "", max_age_s=0)
    try:
        text: Any = _signer(request).loads(value.encode("utf-8", "surrogateescape"))
    except (ValueError, TypeError):
        return None
    return text if isinstance(text, str) else None


def _signer(request: Request) -> SignedSerializer:
    return SignedSerializer(secret_of(request.runtime.settings), "skywatch console note")

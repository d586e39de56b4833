"""The credential methods of the API: a header (access token or API key), else the access cookie.

The policy asks them in this order; a session of the console comes after them. Whatever is there and wrong raises.
"""

from __future__ import annotations

from skywatch.core.problems import Problem
from skywatch.http.clients.origins import AllowedOrigins
from skywatch.http.errors import validation_problem
from skywatch.http.requests.database import SAFE_METHODS
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.security.credentials import credential_of_headers
from skywatch.security.identity import Identity

ACCESS_COOKIE = "skywatch_access"
REFRESH_COOKIE = "skywatch_refresh"
# Where people put credentials by mistake: addresses end up in logs and histories.
QUERY_NAMES = frozenset({"api_key", "api-key", "apikey", "key", "x-api-key", "access_token", "jwt", "token"})
# Query strings without a credential, which clients repeat: so many, of so many characters at most.
MAXIMUM_REMEMBERED, MAXIMUM_REMEMBERED_LENGTH = 1024, 256
_harmless: dict[str, None] = {}


def header_method(request: Request) -> Identity | None:
    """``Authorization: Bearer TOKEN``, ``Authorization: ApiKey KEY`` or ``X-API-Key: KEY``; never two of them."""
    refuse_query_credentials(request)
    credential = credential_of_headers(request.headers.get("Authorization"), request.headers.get("X-API-Key"))
    if credential is None:
        return None
    identity: Identity = request.registry["authenticator"].identify(credential)
    return identity


def proved_by_header(request: Request) -> bool:
    """Whether a header identifies the caller: cookies sent with it are ignored."""
    return "Authorization" in request.headers or "X-API-Key" in request.headers


def cookie_method(request: Request) -> Identity | None:
    """The access cookie, where the settings let tokens travel in cookies."""
    if not request.runtime.settings.of(HttpSettings).jwt_auth_cookie:
        return None
    token = request.cookies.get(ACCESS_COOKIE)
    if not token:
        return None
    if request.method not in SAFE_METHODS:
        check_origin(request)
    identity: Identity = request.registry["authenticator"].identify_token(token)
    return identity


def check_origin(request: Request) -> None:
    """Raise Problem (403) unless the request comes from a page that may act for its user: a browser sends a cookie
    with every request, whoever made it, but says truly which page that was."""
    origins: AllowedOrigins = request.registry["allowed_origins"]
    if not origins.may_write_by_cookie(request.headers.get("Origin"), request.host_url):
        raise Problem("csrf_failed", "A request proved by a cookie must come from an allowed Origin.")


def refuse_query_credentials(request: Request) -> None:
    """Raise Problem (400) where a credential stands in the address."""
    text = request.environ.get("QUERY_STRING")
    if not text or text in _harmless:
        return
    try:
        names = [name for name in request.GET if name.lower() in QUERY_NAMES]
    except UnicodeDecodeError:
        return  # The validation reports it.
    if names:
        detail = "a credential never goes into the address; send it as `Authorization` or `X-API-Key` header"
        raise validation_problem([{"location": "querystring", "name": names[0], "detail": detail}])
    if len(text) <= MAXIMUM_REMEMBERED_LENGTH:
        if len(_harmless) >= MAXIMUM_REMEMBERED:
            _harmless.clear()
        _harmless[text] = None

"""The credential methods of the API: a header (access token or API key), else the access cookie.

The policy asks them in this order; a session of the console comes after them. Whatever is there and wrong raises.
"""

from __future__ import annotations

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.core.problems import Problem
from skywatch.http.authentication import refuse_query_credentials
from skywatch.http.clients.origins import allowed_origins
from skywatch.http.requests.database import SAFE_METHODS
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings
from skywatch.security.credentials import credential_of_headers
from skywatch.security.identity import Identity
from skywatch.sentences import sentence

ACCESS_COOKIE = "skywatch_access"
REFRESH_COOKIE = "skywatch_refresh"


def header_method(request: Request) -> Identity | None:
    """``Authorization: Bearer TOKEN``, ``Authorization: ApiKey KEY`` or ``X-API-Key: KEY``; never two of them."""
    refuse_query_credentials(request)
    credential = credential_of_headers(request.headers.get("Authorization"), request.headers.get("X-API-Key"))
    if credential is None:
        return None
    identity: Identity = request.runtime.shared(Authenticator).identify(credential)
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
    identity: Identity = request.runtime.shared(Authenticator).identify_token(token)
    return identity


def check_origin(request: Request) -> None:
    """Raise Problem (403) unless the request comes from a page that may act for its user: a browser sends a cookie
    with every request, whoever made it, but says truly which page that was."""
    origins = request.runtime.shared(allowed_origins)
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site is not None:
        allowed = site in ("same-origin", "none")
    else:
        # A request with neither header comes from no browser.
        allowed = origin is None or origins.may_write_by_cookie(origin, request.host_url)
    if not allowed:
        raise Problem(
            "csrf_failed",
            sentence(
                "accounts.cookie_from_elsewhere", "A request proved by a cookie must come from a page of this service."
            ),
        )

"""The credential methods of the API: a header (access token or API key), else the access cookie.

The policy asks them in this order; a session of the console comes after them. Whatever is there and wrong raises.
"""

from __future__ import annotations

import re

from pyramid.request import Request

from skywatch.core.problems import Problem
from skywatch.http.cors import is_own_or_allowed
from skywatch.http.database import SAFE_METHODS
from skywatch.http.errors import validation_problem
from skywatch.security.identity import Identity

ACCESS_COOKIE = "skywatch_access"
REFRESH_COOKIE = "skywatch_refresh"
# Where people put credentials by mistake: addresses end up in logs and histories.
QUERY_NAMES = frozenset({"api_key", "api-key", "apikey", "key", "x-api-key", "access_token", "jwt", "token"})

# A header that is sent twice arrives as one, with a comma between: a scheme and a credential behind a comma.
ANOTHER_CREDENTIAL = re.compile(r",\s*[A-Za-z][A-Za-z0-9-]*\s+[^\s=,]")


def header_method(request: Request) -> Identity | None:
    """``Authorization: Bearer TOKEN``, ``Authorization: ApiKey KEY`` or ``X-API-Key: KEY``; never two of them."""
    refuse_query_credentials(request)
    authorization = request.headers.get("Authorization")
    key = request.headers.get("X-API-Key")
    if authorization is not None and key is not None:
        raise _second("X-API-Key", "is a second credential beside Authorization")
    if key is not None:
        if "," in key:
            raise _second("X-API-Key", "is given more than once")
        return _by_key(request, key.strip())
    if authorization is None:
        return None
    if ANOTHER_CREDENTIAL.search(authorization):
        raise _second("Authorization", "is given more than once")
    scheme, _, credential = authorization.strip().partition(" ")
    credential = credential.strip()
    if scheme.lower() == "bearer" and _is_one_word(credential):
        identity: Identity = request.registry["authenticator"].identify_token(credential)
        return identity
    if scheme.lower() == "apikey":
        return _by_key(request, credential)
    raise Problem("token_invalid", "The Authorization header should be `Bearer <token>` or `ApiKey <key>`.")


def proved_by_header(request: Request) -> bool:
    """Whether a header says who asks: cookies beside it are ignored."""
    return "Authorization" in request.headers or "X-API-Key" in request.headers


def cookie_method(request: Request) -> Identity | None:
    """The access cookie, where the settings let tokens travel in cookies."""
    if not request.runtime.settings.jwt_auth_cookie:
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
    if not is_own_or_allowed(request, request.headers.get("Origin")):
        raise Problem("csrf_failed", "A request proved by a cookie must come from an allowed Origin.")


def refuse_query_credentials(request: Request) -> None:
    """Raise Problem (400) where a credential stands in the address."""
    if not request.environ.get("QUERY_STRING"):
        return
    try:
        names = [name for name in request.GET if name.lower() in QUERY_NAMES]
    except UnicodeDecodeError:
        return  # The validation says what is wrong with it.
    if names:
        detail = "a credential never goes into the address; send it as `Authorization` or `X-API-Key` header"
        raise validation_problem([{"location": "querystring", "name": names[0], "detail": detail}])


def _second(header: str, detail: str) -> Problem:
    return validation_problem([{"location": "header", "name": header, "detail": detail}])


def _by_key(request: Request, key: str) -> Identity:
    if not _is_one_word(key):
        raise Problem("token_invalid", "The header should hold one API key.")
    identity: Identity = request.registry["authenticator"].identify_key(key)
    return identity


def _is_one_word(text: str) -> bool:
    return bool(text) and text.isascii() and not any(c in text for c in " ,;\t")
